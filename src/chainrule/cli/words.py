"""Words in, tables out."""

from collections.abc import Sequence

from chainrule.errors import InputError


def wants_help(words: Sequence[str]) -> bool:
    """Whether help was asked for.

    Args:
        words: of a command line.

    Example:
        >>> wants_help(["runs", "-h"])
        True
    """
    return any(word in {"-h", "--help"} for word in words)


def no_more(words: Sequence[str], usage: str) -> None:
    """Refuses words that a command has no use for: what is ignored in silence is taken for done.

    Args:
        words: what is left of a command line.
        usage: how the command is written.

    Example:
        >>> no_more(["--json"], "chainrule recipes")
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: this is one word too many. Got word='--json'; write `chainrule recipes`.
    """
    if words:
        raise InputError("this is one word too many", advice=f"write `{usage}`", word=words[0])


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
