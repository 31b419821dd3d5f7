"""Texts made ready: which classes there are, and which texts learn, choose and judge; before anything is fitted."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor

from chainrule.data import IGNORED, generator
from chainrule.errors import InputError
from chainrule.shapes import Int
from chainrule.sources import (
    SHARES,
    honest_split,
    many,
    phrase_classes,
    phrase_remarks,
    phrase_units,
    read_phrases,
)

_LARGE = 20_000  # texts from which on a tenth is enough to choose by and to judge with
_FEWEST = 10
_MOST = (300_000, 20_000, 50_000)  # texts to learn from, to choose by, to judge with: more take minutes to be numbered


@dataclass(frozen=True, eq=False)
class PreparedPhrases:
    """Texts with their classes, and who takes part in what.

    Args:
        texts: of all parts.
        labels: class number of each, `IGNORED` for a class that is not learnt.
        classes: by number.
        parts: positions of the texts to learn from, to choose by and to judge with.
        digest: of all that was read.
        notes: what was decided and mended, in sentences.
        columns: what the text and the class are called.
    """

    texts: tuple[str, ...]
    labels: Int[Tensor, " text"]
    classes: tuple[str, ...]
    parts: tuple[Tensor, Tensor, Tensor]
    digest: str
    notes: tuple[str, ...]
    columns: tuple[str, str]


def prepare_phrases(
    data: str, *, target: str | None = None, seed: int = 0, validation: str | None = None, test: str | None = None
) -> PreparedPhrases:
    """Reads texts with classes and splits them.

    Args:
        data: a table's file or a folder.
        target: the column of classes; `None` chooses.
        seed: of the split.
        validation: another file, whose texts are to choose by.
        test: another file, whose texts, and no others, are to judge with.
    """
    return _prepare(data, target, seed, validation, test, tuple(_stamp(file) for file in (data, validation, test)))


def _stamp(file: str | None) -> tuple[int, int]:
    """When a file was written and how long it is: another table is not taken from memory."""
    if file is None or not Path(file).exists():
        return 0, 0
    found = Path(file).stat()
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=2)
def _prepare(
    data: str, target: str | None, seed: int, validation: str | None, test: str | None, _stamps: object
) -> PreparedPhrases:
    own = read_phrases(data, target)
    notes = list(own.notes)
    classes, kept = phrase_classes(own.answers, notes)
    if len(kept) < _FEWEST:
        raise InputError("there must be 10 texts with a class", advice="collect more", texts=len(kept), path=data)
    texts, answers = [own.texts[place] for place in kept], [own.answers[place] for place in kept]
    notes += phrase_remarks(texts, answers)
    digest, given = own.digest, [0] * len(texts)
    for number, file in ((1, validation), (2, test)):
        if file is not None:
            more = read_phrases(file, known=own.columns)
            digest += more.digest
            texts += more.texts
            answers += more.answers
            given += [number] * len(more.texts)
    place = {name: number for number, name in enumerate(classes)}
    labels = torch.tensor([place.get(answer, IGNORED) for answer in answers])
    unknown = int((labels == IGNORED).sum())
    if unknown:
        notes.append(f"{many(unknown, 'text')} to choose by or to judge with of a class that is not learnt: left out.")
    parts = _split(phrase_units(texts), labels, torch.tensor(given), seed, notes)
    return PreparedPhrases(tuple(texts), labels, classes, parts, digest, tuple(notes), own.columns)


def _split(units: Tensor, labels: Tensor, given: Tensor, seed: int, notes: list[str]) -> tuple[Tensor, Tensor, Tensor]:
    """Positions of each part; what a part that was given holds is not learnt from."""
    usable = labels != IGNORED
    later = {number: ((given == number) & usable).nonzero().flatten() for number in (1, 2)}
    first = given == 0
    for number, what in ((2, "to judge with"), (1, "to choose by")):
        twins = first & torch.isin(units, units[later[number]])
        if bool(twins.any()):
            notes.append(f"{many(int(twins.sum()), 'text')} stood among those {what}, too, and did not teach.")
            first &= ~twins
    if len(later[1]) and len(later[2]):
        twin = torch.isin(units[later[1]], units[later[2]])
        later[1] = later[1][~twin]
    left = (first & usable).nonzero().flatten()
    choose, judge = ((0.1, 0.1) if len(left) >= _LARGE else SHARES[1:])  # fmt: skip
    choose, judge = 0.0 if len(later[1]) else choose, 0.0 if len(later[2]) else judge
    drawn = honest_split(units[left], labels[left], shares=(1 - choose - judge, choose, judge), seed=seed)
    train, validation, test = (left[places] for places in drawn)
    parts = (train, later[1] if len(later[1]) else validation, later[2] if len(later[2]) else test)
    if not min(len(part) for part in parts):
        raise InputError(
            "there must be texts to learn from, to choose by and to judge with",
            advice="collect more", texts=[len(part) for part in parts],
        )  # fmt: skip
    kept = tuple(_at_most(part, most, seed) for part, most in zip(parts, _MOST, strict=True))
    lost = sum(len(part) for part in parts) - sum(len(part) for part in kept)
    if lost:
        notes.append(f"{many(lost, 'text')} drawn at random took no part: the others are as many as there is time for.")
    sizes = [f"{len(part):,}" for part in kept]
    notes.append(f"{sizes[0]} texts to learn from, {sizes[1]} to choose by, {sizes[2]} to judge with.")
    return kept[0], kept[1], kept[2]


def _at_most(part: Tensor, most: int, seed: int) -> Tensor:
    """No more than so many of them, drawn at random."""
    if len(part) <= most:
        return part
    return part[torch.randperm(len(part), generator=generator(seed, 1))[:most].sort().values]


def part_of(prepared: PreparedPhrases, number: int) -> tuple[list[str], Tensor]:
    """The texts and labels of a part: 0 to learn from, 1 to choose by, 2 to judge with.

    Args:
        prepared: of which.
        number: of the part.
    """
    places = prepared.parts[number]
    return [prepared.texts[place] for place in places.tolist()], prepared.labels[places]
