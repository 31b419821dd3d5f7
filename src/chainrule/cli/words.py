"""Words in, tables out."""

from collections.abc import Sequence


def wants_help(words: Sequence[str]) -> bool:
    """Whether help was asked for.

    Args:
        words: of a command line.

    Example:
        >>> wants_help(["runs", "-h"])
        True
    """
    return any(word in {"-h", "--help"} for word in words)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints rows under a header, columns of numbers to the right, wrapped to the terminal.

    Args:
        header: a name per column.
        rows: as many words each.
    """
    from rich import box
    from rich.console import Console
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(header):
        numeric = bool(rows) and all(_is_number(row[place]) for row in rows)
        longest = max(map(len, name.split()), default=0)  # a header is broken between words, never within one
        shown.add_column(name, justify="right" if numeric else "left", overflow="fold", min_width=longest)
    for row in rows:
        shown.add_row(*row)
    Console().print(shown)


def _is_number(word: str) -> bool:
    try:
        float(word.replace(",", "") or 0)
    except ValueError:
        return False
    return True
