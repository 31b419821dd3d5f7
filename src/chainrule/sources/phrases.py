"""Somebody's short texts with a class each: a table with one column of free text, or a folder per class."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from chainrule.data import read_bytes
from chainrule.errors import InputError
from chainrule.shapes import Int
from chainrule.sources.column_values import as_text
from chainrule.sources.delimited import read_delimited
from chainrule.sources.tables import read_table
from chainrule.sources.targets import choose_target, choose_task
from chainrule.sources.typed import many, typed

_TABLES = frozenset({".csv", ".tsv", ".tab", ".parquet"})
_HEAD = 1 << 19  # bytes of a file that are looked at to tell what it is
_HEAD_ROWS = 4_000
_FEW = 3  # columns beside the text and its class
_SOME_WORDS = 3.0  # of a text, in the mean
_OWN = 0.3  # share of texts that stand nowhere else
_MOST_BYTES = 1 << 30
_MOST_CLASSES = 100


@dataclass(frozen=True)
class LabelledPhrases:
    """Texts, and the class of each.

    Args:
        texts: none of them empty.
        answers: the class of each, as it was written.
        digest: of all that was read.
        notes: what was decided, left out and repaired, in sentences.
        columns: what the text and the class are called.

    Example:
        >>> LabelledPhrases(("good", "bad"), ("1", "0"), "ab", ()).columns
        ('text', 'label')
    """

    texts: tuple[str, ...]
    answers: tuple[str, ...]
    digest: str
    notes: tuple[str, ...]
    columns: tuple[str, str] = ("text", "label")


def is_phrases(data: Any, target: str | None = None) -> bool:
    """Whether data is short texts with classes, by its first rows: one column of free text, few others, few classes.

    Args:
        data: a table's file, a frame, or a folder.
        target: the column that holds the classes, if somebody said so.

    Example:
        >>> import polars as pl
        >>> texts = [f"film {number} was good fun" for number in range(20)]
        >>> is_phrases(pl.DataFrame({"text": texts, "stars": ["one", "two"] * 10}))
        True
        >>> is_phrases(pl.DataFrame({"age": range(20), "stars": ["one", "two"] * 10}))
        False
    """
    if isinstance(data, str | os.PathLike) and Path(data).is_dir():
        return len(_class_folders(Path(data))) > 1
    try:
        frame = _head(data)
        text, answer, _ = _two_columns(frame, target)
        answers = frame[answer].drop_nulls()
        different = answers.n_unique()
        task = (
            choose_task(answers, None)[0] if different > 1 else "classify"
        )  # in a sorted file the first rows are alike
    except InputError:
        return False
    return (
        task == "classify"
        and different > 0
        and len(frame.columns) - 2 <= _FEW
        and different <= min(_MOST_CLASSES, len(answers) // 2)
        and frame[text].null_count() < len(frame) // 2
    )


def read_phrases(
    source: Any, target: str | None = None, known: tuple[str, str] | None = None, *, every_row: bool = False
) -> LabelledPhrases:
    """Reads texts with classes from a table, or from a folder that holds a folder of `.txt` files for every class.

    Args:
        source: a file that `read_table` takes, a frame, or a folder.
        target: the column of classes; `None` chooses.
        known: what text and class are called, where that is decided already.
        every_row: whether every row needs an answer: then empty texts stay, and a class may be missing.

    Example:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"label": ["a", "b", "a"], "text": ["one two three", "four five six", " "]})
        >>> found = read_phrases(frame)
        >>> found.texts, found.answers, found.notes[-1]
        (('one two three', 'four five six'), ('a', 'b'), '1 of 3 rows had no text and was left out.')
    """
    if isinstance(source, str | os.PathLike) and Path(source).is_dir():
        return _from_folder(Path(source))
    names = list(known) if known else []
    kinds = dict.fromkeys(names, "text") if names else None
    table = read_table(source, names=names, kinds=kinds, every_row=every_row)
    frame = table.frame
    if known is None:
        text, answer, why = _two_columns(frame, target)
        unused = [name for name in frame.columns if name not in (text, answer)]
        why = (f"`{text}` is the text.", why, *(f"`{name}` is not looked at, as it is no text." for name in unused))
    else:
        text, answer = known
        why = ()
        if text not in frame.columns or (answer not in frame.columns and not every_row):
            raise InputError(
                "the table must have the columns that the model learnt from",
                advice="check the header", missing=[n for n in known if n not in frame.columns], columns=frame.columns,
            )  # fmt: skip
    texts = as_text(frame[text]).fill_null("").to_list()
    answers = as_text(frame[answer]).to_list() if answer in frame.columns else [""] * len(texts)
    notes = [*table.repairs, *why]
    if every_row:
        return LabelledPhrases(tuple(texts), tuple(each or "" for each in answers), table.digest, (), (text, answer))
    kept = _useful(texts, answers, answer, notes)
    return LabelledPhrases(
        tuple(texts[place] for place in kept), tuple(answers[place].strip() for place in kept), table.digest,
        tuple(notes), (text, answer),
    )  # fmt: skip


def folded(text: str) -> str:
    """A text in small letters with single blanks: what is equal then is a copy.

    Args:
        text: any.

    Example:
        >>> folded(" Good  FUN ")
        'good fun'
    """
    return " ".join(text.casefold().split())


def phrase_units(texts: Sequence[str]) -> Int[Tensor, " text"]:
    """A number per text, the same for copies.

    Args:
        texts: any.

    Shape:
        returns (text).

    Example:
        >>> phrase_units(["Good", "bad", " good "]).tolist()
        [0, 1, 0]
    """
    numbers: dict[str, int] = {}
    return torch.tensor([numbers.setdefault(folded(text), len(numbers)) for text in texts], dtype=torch.int64)


def phrase_remarks(texts: Sequence[str], answers: Sequence[str]) -> list[str]:
    """What a person should know of copies: how many, and how many of them have different classes.

    Args:
        texts: any.
        answers: the class of each.

    Example:
        >>> phrase_remarks(["Good", "good", "bad"], ["1", "0", "0"])[1]
        '1 text has different classes in different rows: at most one of them can be told.'
    """
    seen: dict[str, set[str]] = {}
    for text, answer in zip(texts, answers, strict=True):
        seen.setdefault(folded(text), set()).add(answer)
    said: list[str] = []
    copies = len(texts) - len(seen)
    if copies:
        said.append(f"Copies of other texts ({copies:,}, but for case and blanks) stay on one side of the split.")
    torn = sum(len(found) > 1 for found in seen.values())
    if torn:
        have = "has" if torn == 1 else "have"
        said.append(
            f"{many(torn, 'text')} {have} different classes in different rows: at most one of them can be told."
        )
    return said


def phrase_classes(answers: Sequence[str], notes: list[str]) -> tuple[tuple[str, ...], list[int]]:
    """The classes that can be learnt, in order, and the positions of their texts; those with one text are left out.

    Args:
        answers: the class of each text.
        notes: gets a sentence about what was left out.

    Example:
        >>> phrase_classes(["a", "b", "a", "b", "c"], [])
        (('a', 'b'), [0, 1, 2, 3])
    """
    counts = Counter(answers)
    single = sorted(name for name, count in counts.items() if count < 3)
    if len(counts) - len(single) < 2 and len(counts) > 1:
        single = sorted(name for name, count in counts.items() if count < 2)
    classes = tuple(sorted((name for name in counts if name not in single), key=_in_order))
    if len(classes) < 2:
        raise InputError(
            "there must be two classes at least, of several texts each",
            advice="collect texts of other classes, or choose another column with --target",
            texts=dict(counts.most_common(5)),
        )  # fmt: skip
    if len(classes) > _MOST_CLASSES and len(classes) > 0.02 * len(answers):
        raise InputError(
            f"{len(classes):,} different answers to {len(answers):,} texts are too many classes",
            advice="choose another column with --target", classes=classes[:5],
        )  # fmt: skip
    if single:
        lost = sum(counts[name] for name in single)
        shown = ", ".join(f"`{name}`" for name in single[:5]) + (", ..." if len(single) > 5 else "")
        notes.append(f"Too few texts to learn, choose and judge were left out: {many(lost, 'text')} of {shown}.")
    kept = set(classes)
    return classes, [place for place, name in enumerate(answers) if name in kept]


def _in_order(name: str) -> tuple[bool, float, str]:
    try:
        return False, float(name), name
    except ValueError:
        return True, 0.0, name


def _useful(texts: Sequence[str], answers: Sequence[str | None], name: str, notes: list[str]) -> list[int]:
    """Positions of the rows that have text and class; the others are told."""
    empty = {place for place, text in enumerate(texts) if not text.strip()}
    nameless = {place for place, answer in enumerate(answers) if not (answer or "").strip()} - empty
    for lost, what in ((empty, "text"), (nameless, f"`{name}`")):
        if lost:
            were = "was" if len(lost) == 1 else "were"
            notes.append(f"{len(lost):,} of {many(len(texts), 'row')} had no {what} and {were} left out.")
    kept = [place for place in range(len(texts)) if place not in empty and place not in nameless]
    if not kept:
        raise InputError(
            "no row has both a text and a class", advice="look at the delimiter and the header", rows=len(texts)
        )
    return kept


def _two_columns(frame: Any, target: str | None) -> tuple[str, str, str]:
    """The names of the text and of its class, and why that is the class."""
    import polars as pl

    head = frame.head(_HEAD_ROWS)
    prose = [column.name for column in head if column.dtype == pl.String and _is_text(column.drop_nulls())]
    if target in prose:
        prose.remove(target)
    if len(prose) != 1:
        raise InputError(
            "texts with classes need exactly one column of free text",
            advice="leave out what is not the text", texts=prose, columns=list(frame.columns)[:20],
        )  # fmt: skip
    rest = sorted((name for name in frame.columns if name != prose[0]), key=lambda name: _likely(frame[name]))
    answer, why = choose_target([prose[0], *rest], target)
    if answer == prose[0]:
        raise InputError("the text cannot be its own class", advice="choose another --target", target=answer)
    return (
        prose[0],
        answer,
        why.replace("the last column, as", "it has the fewest different values beside the text, as"),
    )


def _likely(column: Any) -> tuple[bool, int]:
    """How likely a column holds classes, for sorting: one value says nothing, and of few values the fewest."""
    different = column.drop_nulls().n_unique()
    return different > 1, -different


def _is_text(column: Any) -> bool:
    if not len(column):
        return False
    long = float(column.str.count_matches(r"\S+").mean() or 0) >= _SOME_WORDS
    return long and column.n_unique() > _OWN * len(column)


def _head(data: Any) -> Any:
    """The first rows of a table, its columns as text, numbers and dates."""
    import polars as pl

    if not isinstance(data, str | os.PathLike):
        return read_table(data.head(_HEAD_ROWS)).frame
    endings = [ending.lower() for ending in Path(data).suffixes if ending.lower() not in (".gz", ".xz")]
    if endings[-1:] == [".parquet"]:
        try:
            return read_table(pl.read_parquet(Path(data), n_rows=_HEAD_ROWS)).frame
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InputError("the file is no readable parquet", advice="write it again", path=str(data)) from error
    if not _TABLES.intersection(endings[-1:]):
        raise InputError("this is no table", advice="give a .csv, .tsv or .parquet", path=str(data))
    written = read_delimited(Path(data), most=_HEAD)
    return typed(written.frame.head(_HEAD_ROWS), decimal_comma=written.delimiter != ",").frame


def _class_folders(folder: Path) -> Mapping[str, list[Path]]:
    """The `.txt` files of every class; nothing, if something else lies there, too."""
    found: dict[str, list[Path]] = {}
    for inner in sorted(folder.iterdir()):
        if inner.name.startswith("."):
            continue
        files = sorted(_visible(inner)) if inner.is_dir() else []
        if not files or any(file.suffix.lower() != ".txt" for file in files):
            return {}
        found[inner.name] = files
    return found


def _visible(folder: Path) -> Iterator[Path]:
    return (path for path in folder.iterdir() if not path.name.startswith("."))


def _from_folder(folder: Path) -> LabelledPhrases:
    found = _class_folders(folder)
    if len(found) < 2:
        raise InputError(
            "a folder of texts with classes must hold a folder of .txt files for each of two classes or more",
            advice="put them into mails/spam/1.txt, mails/ham/1.txt", path=str(folder), classes=list(found),
        )  # fmt: skip
    digest, notes, latin, left = hashlib.sha256(), [], 0, _MOST_BYTES
    texts: list[str] = []
    answers: list[str] = []
    for name, files in found.items():
        for file in files:
            content = read_bytes(file, limit=left)
            left -= len(content)
            digest.update(f"{name}/{file.name}/{len(content)}/".encode("utf-8", "surrogatepass") + content)
            try:
                texts.append(content.decode("utf-8-sig"))
            except UnicodeDecodeError:
                texts.append(content.decode("latin-1"))
                latin += 1
            answers.append(name)
    if left <= 0:
        raise InputError("the texts are too long", advice="give a part of them", bytes_at_most=_MOST_BYTES)
    if latin:
        notes.append(f"{many(latin, 'file')} {'was' if latin == 1 else 'were'} not UTF-8 and read as Latin-1.")
    kept = _useful(texts, answers, "class", notes)
    return LabelledPhrases(
        tuple(texts[place] for place in kept), tuple(answers[place] for place in kept), digest.hexdigest()[:16],
        (f"Each of the {len(found)} folders is a class, each file a text.", *notes),
    )  # fmt: skip
