"""Text files of rows and columns, however they were written: what lies in them, and what had to be mended."""

import csv
import gzip
import hashlib
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainrule.errors import InputError
from chainrule.sources.typed import GAPS, many

MOST_BYTES = 1 << 29  # unpacked: beyond it a file is read from its start only
_DELIMITERS = ("\t", ";", "|", ",", " ")  # the first that cuts nearly all lines alike: 1,5;2,5 is cut by both , and ;
_START = 1 << 22  # characters that hold the sample
_SAMPLE = 200  # lines that are looked at before the rest is cut
_CHUNK = 50_000  # rows that exist as Python's own strings at once
_RAGGED = 0.2  # share of rows of a wrong length beyond which the delimiter is not understood
_MEASURED = re.compile(r"[-+$€£]?\.?\d")  # how numbers and dates begin
NUMBER = re.compile(r"[-+]?(\d+([.,]\d+)*|[.,]\d+)([eE][-+]?\d+)?")


@dataclass(frozen=True)
class Written:
    """What a text file says, as text.

    Args:
        frame: a polars frame, every column of it text; a value that was not there is empty text.
        delimiter: what stood between two values.
        digest: of the file's unpacked content.
        repairs: what was mended and how often, in sentences.
    """

    frame: Any
    delimiter: str
    digest: str
    repairs: tuple[str, ...]


def unpacked(path: Path, most: int = MOST_BYTES) -> tuple[bytes, bool]:
    """The bytes of a file, `.gz` and `.xz` unpacked, no more of them than `most`; whether there were more."""
    if path.is_dir():
        raise InputError("a table is a file, not a folder", advice="give the file itself", path=str(path))
    try:
        with _opened(path) as file:
            found = file.read(most + 1)
    except FileNotFoundError as error:
        raise InputError("the file must exist", advice="check the name and the folder", path=str(path)) from error
    except (OSError, EOFError, zlib.error, _damaged(path)) as error:
        raise InputError(
            f"the file cannot be read ({type(error).__name__}: {error})",
            advice="check that it is whole and that you may read it",
            path=str(path),
        ) from error
    return found[:most], len(found) > most


def read_delimited(
    path: Path, names: Sequence[str] = (), *, every_row: bool = False, most: int = MOST_BYTES
) -> Written:
    """Reads a file of rows and columns as text: delimiter, encoding and header are found out, and repairs counted.

    Args:
        path: the file, plain or packed as .gz or .xz.
        names: columns that are known already: a first row that holds most of them is a header.
        every_row: whether a row that is too long is kept with its first values, and a file that is too large an error.
        most: bytes that are read of a larger file.
    """
    content, cut = unpacked(path, most)
    digest = hashlib.sha256(content).hexdigest()[:16]
    text, repairs = _decoded(content, path)
    if cut and every_row:
        raise InputError("the file is too large to be read at once", advice="cut it in two", path=str(path), most=most)
    if cut:
        text = text[: text.rfind("\n") + 1]
        repairs.append(f"The file is larger than {most >> 20:,} MiB: only its beginning was read.")
    if not text.strip():
        raise InputError("the file must not be empty", advice="check how it was written", path=str(path))
    delimiter = _delimiter(text, path)
    rows = _rows(text[:_START], delimiter, path)
    first = next(rows)
    sample = [first, *(row for row, _ in zip(rows, range(_SAMPLE), strict=False))]
    header = _is_header(sample, names)
    width = Counter(len(row) for row in (sample[1:] or sample)).most_common(1)[0][0]
    titles = _titles(first if header else [], width, names, repairs)
    if blank := _blanks(text, delimiter, path):
        repairs.append(f"Blanks after {_NAMES[delimiter]} were taken off ({many(blank, 'time')}).")
    every = _rows(text, delimiter, path)
    if header:
        next(every)
    frame = _framed(every, titles, path, repairs, every_row=every_row)
    said = "the first row holds the names" if header else "no row holds names"
    repairs.insert(0, f"Values are cut at {_NAMES[delimiter]}, and {said}.")
    return Written(frame, delimiter, digest, tuple(repairs))


_NAMES = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas", " ": "blanks", "": "line ends"}


def _opened(path: Path) -> Any:
    """The file, unpacked as it is read."""
    ending = path.suffix.lower()
    if ending == ".gz":
        return gzip.open(path, "rb")
    if ending == ".xz":
        return _lzma().open(path, "rb")
    return path.open("rb")


def _lzma() -> Any:
    try:
        import lzma
    except ModuleNotFoundError as error:  # Python can be built without it
        raise InputError("this Python cannot read .xz files", advice="unpack it with: xz -d FILE") from error
    return lzma


def _damaged(path: Path) -> type[Exception]:
    """What reading a damaged file raises beside the usual errors."""
    return _lzma().LZMAError if path.suffix.lower() == ".xz" else EOFError


def _decoded(content: bytes, path: Path) -> tuple[str, list[str]]:
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16", errors="replace"), ["The file is in UTF-16."]
    if b"\0" in content[: 1 << 16]:
        raise InputError(
            "a table must be text (.csv, .tsv) or .parquet, and this file is neither",
            advice="export it as CSV",
            path=str(path),
        )
    try:
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        if error.start > len(content) - 4:  # a character at the very end, cut in two
            return content[: error.start].decode("utf-8-sig"), []
        return content.decode("latin-1"), ["The file is not in UTF-8; it was read as Latin-1."]


def _delimiter(text: str, path: Path) -> str:
    """What cuts most lines into equally many values, two at least; nothing where no character does."""
    lines = text[: 1 << 20].splitlines()[: _SAMPLE + 1]
    best, found = 0.5, ""
    for delimiter in _DELIMITERS:
        rows = list(_rows("\n".join(lines), delimiter, path))
        width, count = Counter(len(row) for row in rows).most_common(1)[0] if rows else (1, 0)
        share = count / max(1, len(rows)) * (0.9 if delimiter == " " else 1.0)
        if width > 1 and share >= 0.95:
            return delimiter
        if width > 1 and share > best:
            best, found = share, delimiter
    return found


def _rows(text: str, delimiter: str, path: Path, *, skip: bool = True) -> Iterator[list[str]]:
    """Rows that hold anything, cut at the delimiter."""
    if not delimiter:
        yield from ([line.strip()] for line in text.splitlines() if line.strip())
        return
    lines = io.StringIO(text, newline="")
    try:
        for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=skip):
            if any(value.strip() for value in row):
                yield row
    except csv.Error as error:
        raise InputError(
            f"the file cannot be cut into values ({error})", advice="look for a quote that is never closed",
            path=str(path),
        ) from error  # fmt: skip


def _blanks(text: str, delimiter: str, path: Path) -> int:
    """How often a value begins with a blank that belongs to the delimiter."""
    count = text.count(delimiter + " ") if delimiter.strip() else 0
    if not count or '"' not in text:
        return count
    rows = _rows(text, delimiter, path, skip=False)  # inside of quotes a blank is a blank
    return sum(value.startswith(" ") for row in rows for value in row[1:])


def _is_header(rows: list[list[str]], names: Sequence[str]) -> bool:
    """Whether the first row names the columns: all words, where a column is all numbers or never says them again."""
    first, rest = [value.strip() for value in rows[0]], rows[1:]
    known = set(names)
    if known:
        return len(known.intersection(first)) * 2 > len(first)
    named = [value for value in first if value]
    if any(NUMBER.fullmatch(value) for value in first) or len(set(named)) * 2 < len(named) or not named:
        return False
    if not rest:
        return True
    columns = [[row[place].strip() for row in rest if place < len(row)] for place in range(len(first))]
    there = [[value for value in column if value.lower() not in GAPS] for column in columns]
    if any(sum(bool(_MEASURED.match(value)) for value in column) > 0.5 * len(column) for column in there):
        return True  # a word above numbers or dates
    return len(rest) >= 3 and not any(name in column for name, column in zip(first, columns, strict=True) if name)


def _titles(first: list[str], width: int, names: Sequence[str], repairs: list[str]) -> list[str]:
    if not first:
        known = names if len(names) == width else ()
        return list(known) or [f"column_{place + 1}" for place in range(width)]
    if len(first) == width - 1:
        first = ["row", *first]
        repairs.append("The names are one fewer than the values of a row: the first column was called `row`.")
    titles: list[str] = []
    for place, name in enumerate(value.strip() for value in first):
        title = name or f"column_{place + 1}"
        if title in titles:
            title = next(f"{title}_{number}" for number in range(2, width + 2) if f"{title}_{number}" not in titles)
        if title != name:
            repairs.append(f"Column {place + 1}, whose name was {'empty' if not name else 'taken'}, is `{title}`.")
        titles.append(title)
    return titles


def _framed(rows: Iterable[list[str]], titles: list[str], path: Path, repairs: list[str], *, every_row: bool) -> Any:
    import polars as pl

    width, short, long, count = len(titles), 0, 0, 0
    chunks: list[Any] = []
    kept: list[list[str]] = []
    schema = dict.fromkeys(titles, pl.String)
    for row in rows:
        count += 1
        fits = row
        if len(row) > width:
            if any(value.strip() for value in row[width:]):
                long += 1
                if not every_row:
                    continue
            fits = row[:width]
        elif len(row) < width:
            short += 1
            fits = row + [""] * (width - len(row))
        kept.append(fits)
        if len(kept) == _CHUNK:
            chunks.append(pl.DataFrame(kept, schema=schema, orient="row"))
            kept = []
    if short + long > _RAGGED * count:
        raise InputError(
            "the rows of a table must have equally many values",
            advice="look at the delimiter, and for values that hold it without quotes",
            path=str(path), columns=width, rows=count, too_short=short, too_long=long,
        )  # fmt: skip
    if short:
        repairs.append(f"{short:,} of {count:,} rows had too few values: those missing were taken as gaps.")
    if long:
        repairs.append(f"{long:,} of {count:,} rows had too many values and were left out.")
    return pl.concat([*chunks, pl.DataFrame(kept, schema=schema, orient="row")])
