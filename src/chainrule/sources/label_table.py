"""A CSV that names picture files and their labels."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainrule.errors import InputError

_TARGETS = (
    "label",
    "class",
    "target",
    "category",
    "labels",
    "class_name",
    "label_name",
    "species",
    "breed",
    "diagnosis",
)
_SHOWN = 3
_LARGEST = 1 << 30  # bytes: no list of pictures that fit on this machine is longer


@dataclass(frozen=True)
class LabelTable:
    """Picture files with the labels that a table gives them.

    Args:
        files: that exist and have a label.
        labels: of each.
        notes: what the table says of files that are missing, and the like.

    Example:
        >>> LabelTable((Path("1.png"),), ("cat",)).labels
        ('cat',)
    """

    files: tuple[Path, ...]
    labels: tuple[str, ...]
    notes: tuple[str, ...] = ()


def label_table(path: Path, files: Sequence[Path], target: str | None = None) -> LabelTable | None:
    """The labels that a CSV gives to picture files, or `None` where no column of it names pictures.

    A file may be named by its path below the table's folder, by its name, or by its name without the ending.

    Args:
        path: the table: comma, semicolon, tab or bar between the columns.
        files: pictures that exist.
        target: the column that is the label; the only other column, or one that is called so, if `None`.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     table = Path(folder) / "labels.csv"
        ...     _ = table.write_text("id,breed\\n1,pug\\n2,corgi\\n3,\\n")
        ...     found = label_table(table, [Path(folder) / f"{k}.jpg" for k in (1, 2, 3)])
        >>> found.labels, found.notes
        (('pug', 'corgi'), ('1 row of labels.csv has no label and was left out.',))
    """
    named = _called(path.parent, files)
    columns = _columns(path, named)
    hits = {name: sum(value in named for value in values) for name, values in columns.items()}
    best = max(hits, key=lambda name: hits[name], default="")
    if not hits or hits[best] < max(1, len(columns[best]) / 2):
        return None
    answers = columns[_target(path, columns, best, target)]
    return _paired(path, [named.get(value) for value in columns[best]], answers)


def _paired(path: Path, places: list[Path | None], answers: list[str]) -> LabelTable:
    """Files and labels row by row; what cannot be used is left out and counted."""
    missing = sum(place is None for place in places)
    blank = sum(place is not None and not answer for place, answer in zip(places, answers, strict=True))
    said: dict[Path, set[str]] = {}
    for place, answer in zip(places, answers, strict=True):
        if place is not None and answer:
            said.setdefault(place, set()).add(answer)
    torn = [place for place, labels in said.items() if len(labels) > 1]
    kept = {place: next(iter(labels)) for place, labels in said.items() if len(labels) == 1}
    notes = [
        _note(missing, path, "names no picture that exists", "name no picture that exists"),
        _note(blank, path, "has no label", "have no label"),
    ]
    if torn:
        names = ", ".join(place.name for place in torn[:_SHOWN])
        notes.append(f"{len(torn):,} pictures have two labels in {path.name} and were left out: {names}.")
    order = sorted(kept)
    labels = tuple(kept[place] for place in order)
    _check_labels(path, labels)
    return LabelTable(tuple(order), labels, tuple(note for note in notes if note))


def _note(count: int, path: Path, one: str, many: str) -> str:
    if not count:
        return ""
    return f"{count:,} {'row' if count == 1 else 'rows'} of {path.name} {one if count == 1 else many} and " + (
        "was left out." if count == 1 else "were left out."
    )


def _check_labels(path: Path, labels: Sequence[str]) -> None:
    counts = Counter(labels)
    if len(labels) > 20 and len(counts) > len(labels) / 2:
        raise InputError(
            "a label must be shared by several pictures, and here almost every picture has its own",
            advice="name the right column with --target; measurements of pictures are not learnt yet",
            table=path.name,
            pictures=len(labels),
            labels=len(counts),
        )


def _target(path: Path, columns: dict[str, list[str]], names: str, target: str | None) -> str:
    """The column that is the label."""
    others = [name for name in columns if name != names]
    if target is not None and target in others:
        return target
    called = [name for name in others if name.strip().lower() in _TARGETS]
    if target is None and (len(others) == 1 or called):
        return others[0] if len(others) == 1 else called[0]
    raise InputError(
        "one column of the table must be the label",
        advice="name it with --target",
        table=path.name,
        columns=others,
        target=target,
    )


def _called(folder: Path, files: Sequence[Path]) -> dict[str, Path]:
    """Every way to name a file that means one file only."""
    ways: dict[str, Path | None] = {}
    for file in files:
        place = file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.as_posix()
        for way in {place, f"./{place}", file.name, file.stem, place.removesuffix(file.suffix)}:
            ways[way] = None if way in ways else file
    return {way: file for way, file in ways.items() if file is not None}


def _columns(path: Path, named: dict[str, Path]) -> dict[str, list[str]]:
    """Every column as text, without the blanks around; a first row that names a picture is no header."""
    import polars

    if path.stat().st_size > _LARGEST:
        raise InputError("a table of labels is too large", advice="keep file name and label", bytes=path.stat().st_size)
    with path.open(encoding="utf-8", errors="replace") as file:
        first = file.readline(1 << 16).lstrip("\ufeff").rstrip("\r\n")
    between = max(",;\t|", key=first.count)
    headed = not any(cell.strip(' "') in named for cell in first.split(between))
    try:
        table: Any = polars.read_csv(
            path,
            separator=between,
            has_header=headed,
            infer_schema=False,
            encoding="utf8-lossy",
            truncate_ragged_lines=True,
        )
    except polars.exceptions.NoDataError:
        return {}
    except polars.exceptions.PolarsError as error:
        raise InputError(f"{path.name} must be a table ({error})", advice="mend or remove it") from error
    return {str(name): [(value or "").strip() for value in table[name].to_list()] for name in table.columns}
