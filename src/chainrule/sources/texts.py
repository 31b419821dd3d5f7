"""Somebody's text: a file, or a folder of files, as one long string."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

from chainrule.data import read_bytes
from chainrule.errors import InputError

UNKNOWN = "\N{REPLACEMENT CHARACTER}"
_BETWEEN = "\n\n"
_MOST_BYTES = 1 << 30  # of text, unpacked: more would not fit into memory with what is made of it


@dataclass(frozen=True)
class Writing:
    """A text, and how it was come by.

    Args:
        characters: all of it.
        notes: what was left out or repaired, in sentences.
        digest: of the text.

    Example:
        >>> Writing("abc", (), "ba78").characters
        'abc'
    """

    characters: str
    notes: tuple[str, ...]
    digest: str


def read_writing(source: Path | str) -> Writing:
    """The text of a file or of all text files in a folder, in the order of their names.

    A file is text if it has no zero byte. What is not UTF-8 is read as Latin-1; files that are hidden, empty or copies
    of another are left out; links to folders are not followed. All of it is counted and told.

    Args:
        source: a file (`.gz` and `.xz` are unpacked) or a folder.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name, text in (("b.txt", "two"), ("a.txt", "one"), ("copy.txt", "two")):
        ...         _ = (Path(folder) / name).write_text(text)
        ...     writing = read_writing(folder)
        >>> writing.characters, writing.notes
        ('one\\n\\ntwo', ('1 of 3 files was left out: 1 is a copy of another.',))
    """
    path = Path(source)
    if not path.exists():
        raise InputError("the text must exist", advice="check the name and the folder", path=str(path))
    files = _files(path) if path.is_dir() else [path]
    pieces: list[str] = []
    seen: set[bytes] = set()
    left_out = {"empty": 0, "not text": 0, "a copy of another": 0}
    latin = total = 0
    for file in files:
        content = read_bytes(file, limit=_MOST_BYTES + 1 - total)
        total += len(content)
        if total > _MOST_BYTES:
            raise InputError("the text is too long", advice="give a part of it", bytes_at_most=_MOST_BYTES)
        reason = _refused(content, seen)
        if reason:
            left_out[reason] += 1
            continue
        seen.add(hashlib.sha256(content).digest())
        text, was_latin = _decoded(content)
        latin += was_latin
        pieces.append(text)
    if not pieces:
        raise InputError(
            "there must be text to learn from",
            advice="give a file or a folder of text files",
            path=str(path),
            **left_out,
        )
    characters = _BETWEEN.join(pieces)
    notes = _told(left_out, len(files), latin)
    return Writing(characters, notes, hashlib.sha256(characters.encode("utf-8", "surrogatepass")).hexdigest())


def known(characters: str, alphabet: str) -> tuple[str, int]:
    """The text with characters outside the alphabet replaced by `UNKNOWN`, and how many were.

    Args:
        characters: the text.
        alphabet: what a model knows; it must hold `UNKNOWN` if anything is to be replaced.

    Example:
        >>> known("abz", "ab" + UNKNOWN)
        ('ab\N{REPLACEMENT CHARACTER}', 1)
    """
    strange = set(characters) - set(alphabet)
    if not strange:
        return characters, 0
    count = sum(characters.count(character) for character in strange)
    return characters.translate({ord(character): UNKNOWN for character in strange}), count


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):  # links are not followed: no way leads round in a circle
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(parent) / name for name in sorted(names) if not name.startswith(".")]
    return [path for path in found if path.is_file()]


def _refused(content: bytes, seen: set[bytes]) -> str:
    if not content.strip():
        return "empty"
    if b"\0" in content:
        return "not text"
    return "a copy of another" if hashlib.sha256(content).digest() in seen else ""


def _decoded(content: bytes) -> tuple[str, bool]:
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n"), False
    except UnicodeDecodeError:
        return content.decode("latin-1").replace("\r\n", "\n"), True


def _told(left_out: dict[str, int], files: int, latin: int) -> tuple[str, ...]:
    notes: list[str] = []
    if count := sum(left_out.values()):
        reasons = ", ".join(
            f"{number} {'is' if number == 1 else 'are'} {reason}" for reason, number in left_out.items() if number
        )
        notes.append(f"{count} of {files} files {'was' if count == 1 else 'were'} left out: {reasons}.")
    if latin:
        notes.append(f"{latin} {'file was' if latin == 1 else 'files were'} not UTF-8 and read as Latin-1.")
    return tuple(notes)
