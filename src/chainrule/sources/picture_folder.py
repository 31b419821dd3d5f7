"""Which picture files lie in a folder, and what says their class: a sub-folder each, or a table of labels."""

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from chainrule.errors import InputError
from chainrule.sources.label_table import LabelTable, label_table
from chainrule.sources.picture_file import ENDINGS

UNDECIDED, TRAIN, VALIDATION, TEST = -1, 0, 1, 2
PARTS = {
    "train": TRAIN,
    "training": TRAIN,
    "val": VALIDATION,
    "valid": VALIDATION,
    "validation": VALIDATION,
    "dev": VALIDATION,
    "test": TEST,
    "testing": TEST,
}
"""What a sub-folder for one part of the data is called."""

_SHOWN = 3  # examples of what was left out, in a note


@dataclass(frozen=True)
class FoundPictures:
    """Picture files with their labels, none of them decoded yet.

    Args:
        files: where they lie.
        labels: the class of each, by name.
        parts: 0 to learn from, 1 to choose by, 2 to judge with, -1 where the folder does not say.
        notes: what was left out, and why.

    Example:
        >>> FoundPictures((Path("cat/1.png"),), ("cat",), (-1,)).notes
        ()
    """

    files: tuple[Path, ...]
    labels: tuple[str, ...]
    parts: tuple[int, ...]
    notes: tuple[str, ...] = ()


def picture_files(folder: Path) -> tuple[list[Path], list[str]]:
    """Every picture file below a folder, in order of name, and notes on what is none.

    Links to folders are not followed, so that a loop of them cannot be walked for ever; hidden files are left alone.

    Args:
        folder: where to look.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "a.png").write_bytes(b""), (Path(folder) / "b.doc").write_bytes(b"")
        ...     files, notes = picture_files(Path(folder))
        >>> [file.name for file in files], notes
        (['a.png'], ['1 file that is no picture was left alone (.doc).'])
    """
    files: list[Path] = []
    links, others = 0, Counter[str]()
    waiting = [folder]
    while waiting:
        for entry in _entries(waiting.pop()):
            if entry.name.startswith((".", "__MACOSX")):
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif entry.is_symlink() and not entry.is_file():
                links += 1
            elif Path(entry.name).suffix.lower() in ENDINGS:
                files.append(Path(entry.path))
            else:
                others[Path(entry.name).suffix.lower() or entry.name] += 1
    notes: list[str] = []
    if links:
        notes.append(f"{counted(links, 'link')} to folders or to nothing {was(links)} not followed.")
    if others:
        kinds = ", ".join(name for name, _ in others.most_common(_SHOWN))
        said = "file that is no picture was" if others.total() == 1 else "files that are no pictures were"
        notes.append(f"{others.total():,} {said} left alone ({kinds}).")
    return sorted(files), notes


def found_pictures(folder: Path, target: str | None = None) -> FoundPictures:
    """The labelled pictures of a folder: `cat/1.jpg`, or `train/cat/1.jpg`, or files that a CSV names.

    Args:
        folder: that holds them.
        target: the column of the CSV that is the label; found by its name if `None`.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     for name in ("train/cat/1.png", "train/dog/2.png", "test/dog/3.png"):
        ...         (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
        ...         _ = (Path(folder) / name).write_bytes(b"")
        ...     found = found_pictures(Path(folder))
        >>> found.labels, found.parts
        (('dog', 'cat', 'dog'), (2, 0, 0))
    """
    files, notes = picture_files(folder)
    if not files:
        raise InputError(
            "a folder of pictures must hold a picture (PNG, JPEG, WebP, BMP, GIF or TIFF)",
            advice="put the pictures of each class into a folder of its own: photos/cat/1.jpg, photos/dog/1.jpg",
            folder=str(folder),
        )
    tables = sorted(file for file in folder.iterdir() if file.suffix.lower() in (".csv", ".tsv") and file.is_file())
    for file in tables:
        try:
            table = label_table(file, files, target)
        except InputError:
            if target is not None or not _classes(folder, files):
                raise
            notes.append(f"{file.name} was left alone, as the folders name classes; --target would name its label.")
            continue
        if table is not None:
            return _by_table(table, notes)
    return _by_folder(folder, files, notes)


def counted(count: int, thing: str) -> str:
    """A number of things: "1 picture", "2,000 pictures".

    Args:
        count: how many.
        thing: what one of them is called.

    Example:
        >>> counted(1, "class"), counted(2000, "class"), counted(3, "copy")
        ('1 class', '2,000 classes', '3 copies')
    """
    if count == 1:
        return f"1 {thing}"
    if thing.endswith("y"):
        return f"{count:,} {thing[:-1]}ies"
    return f"{count:,} {thing}es" if thing.endswith("s") else f"{count:,} {thing}s"


def was(count: int) -> str:
    """The verb that goes with a number.

    Args:
        count: how many.

    Example:
        >>> was(1), was(2)
        ('was', 'were')
    """
    return "was" if count == 1 else "were"


def _classes(folder: Path, files: list[Path]) -> bool:
    """Whether the first layer of folders looks like classes."""
    tops = {place[0].lower() for file in files if len(place := file.relative_to(folder).parts) > 1}
    return len(tops) > 1 and not tops <= PARTS.keys()


def _by_table(table: LabelTable, notes: list[str]) -> FoundPictures:
    parts = (UNDECIDED,) * len(table.files)
    return FoundPictures(table.files, table.labels, parts, (*notes, *table.notes))


def _by_folder(folder: Path, files: list[Path], notes: list[str]) -> FoundPictures:
    """Labels from sub-folders; a layer that only wraps the others is passed through."""
    places = [file.relative_to(folder).parts for file in files]
    while len({place[0] for place in places}) == 1 and all(len(place) > 2 for place in places):
        folder = folder / places[0][0]
        places = [place[1:] for place in places]
    tops = {place[0].lower() for place in places if len(place) > 1}
    nested = bool(tops) and tops <= PARTS.keys() and TRAIN in {PARTS[top] for top in tops}
    depth = 1 if nested else 0
    kept = [(file, place) for file, place in zip(files, places, strict=True) if len(place) > depth + 1]
    stray = len(files) - len(kept)
    if stray:
        notes.append(f"{counted(stray, 'picture')} that {'lies' if stray == 1 else 'lie'} in no class's folder "
                     f"{was(stray)} left out.")  # fmt: skip
    if not kept:
        raise InputError(
            "the pictures need labels",
            advice="put those of each class into a folder of its own, or add a CSV of file name and label",
            folder=str(folder),
            pictures=len(files),
        )
    labels = tuple(place[depth] for _, place in kept)
    parts = tuple(PARTS[place[0].lower()] if nested else UNDECIDED for _, place in kept)
    return FoundPictures(tuple(file for file, _ in kept), labels, parts, tuple(notes))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise InputError(
            f"a folder must be readable ({type(error).__name__})", advice="check its permissions", folder=str(folder)
        ) from error
