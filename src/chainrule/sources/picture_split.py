"""Which pictures learn, choose and judge: classes that are too small, copies, and parts that the data brings along."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.shapes import Int
from chainrule.sources.picture_folder import TEST, TRAIN, VALIDATION, counted, was
from chainrule.sources.splitting import honest_split

_HELD = 5_000  # pictures to choose by, and as many to judge with, are enough
_SHARE = 0.15
_SHOWN = 5


@dataclass(frozen=True, eq=False)
class PictureSplit:
    """The classes, and the positions of the pictures of each part.

    Args:
        classes: by number.
        labels: class number of every picture, -1 where its class was left out.
        parts: positions to learn from, to choose by and to judge with.
        notes: what was left out, and how the parts were made.

    Shape:
        labels: (picture).

    Example:
        >>> nothing = torch.zeros(0, dtype=torch.int64)
        >>> PictureSplit(("cat", "dog"), nothing, (nothing, nothing, nothing)).notes
        ()
    """

    classes: tuple[str, ...]
    labels: Int[Tensor, " picture"]
    parts: tuple[Tensor, Tensor, Tensor]
    notes: tuple[str, ...] = ()


def content_units(contents: Iterable[bytes]) -> Int[Tensor, " picture"]:
    """A number per picture, the same for equal contents.

    Args:
        contents: the bytes of each.

    Shape:
        returns (picture).

    Example:
        >>> one, other, again = content_units([b"a", b"b", b"a"]).tolist()
        >>> one == again != other
        True
    """
    digests = [hashlib.blake2b(content, digest_size=8).digest() for content in contents]
    return torch.tensor([int.from_bytes(digest, "big") >> 1 for digest in digests], dtype=torch.int64)


def split_pictures(
    names: Sequence[str], given: Sequence[int], units: Int[Tensor, " picture"], *, seed: int = 0
) -> PictureSplit:
    """Numbers the classes and deals the pictures out; copies of one picture stay on one side.

    Parts that the data brings along are kept: its test pictures judge, and nothing that is among them is learnt from.
    What is missing is drawn from the training pictures, class by class.

    Args:
        names: the class of every picture.
        given: its part, or -1 where nobody says.
        units: equal for copies of one picture.
        seed: of the draw.

    Shape:
        units: (picture).

    Example:
        >>> split = split_pictures(["cat", "dog"] * 20, [-1] * 40, torch.arange(40))
        >>> split.classes, [len(part) for part in split.parts]
        (('cat', 'dog'), [28, 6, 6])
    """
    part = torch.tensor(list(given), dtype=torch.int64)
    part[part < 0] = TRAIN
    drawn = [number for number in (VALIDATION, TEST) if not bool((part == number).any())]
    classes, labels, notes = _classes(names, part, units, least=1 + len(drawn))
    part[labels < 0] = -1
    notes += _torn(labels, units)
    if len(drawn) < 2:
        notes += _without_leaks(part, units)
    pool = (part == TRAIN).nonzero().flatten()
    share = min(_SHARE, _HELD / max(1, len(pool)))
    shares = [1 - share * len(drawn), *(share if number in drawn else 0.0 for number in (VALIDATION, TEST))]
    dealt = honest_split(units[pool], labels[pool], shares=(shares[0], shares[1], shares[2]), seed=seed)
    for number in drawn:
        part[pool[dealt[number]]] = number
    train, validation, test = ((part == number).nonzero().flatten() for number in (TRAIN, VALIDATION, TEST))
    _check(classes, labels, train, validation, test)
    notes.append(f"{len(train):,} pictures to learn from, {len(validation):,} to choose by, {len(test):,} to judge "
                 f"with{_origin(drawn)}.")  # fmt: skip
    return PictureSplit(classes, labels, (train, validation, test), tuple(notes))


def class_order(names: Iterable[str]) -> list[str]:
    """Class names in order: whole numbers by their value, words by the alphabet.

    Args:
        names: of classes, each as often as it likes.

    Example:
        >>> class_order(["10", "9", "9"]), class_order(["dog", "cat"])
        (['9', '10'], ['cat', 'dog'])
    """
    distinct = sorted(set(names))
    numbers = all(name.removeprefix("-").isdecimal() for name in distinct)
    return sorted(distinct, key=int) if numbers else distinct


def _classes(
    names: Sequence[str], part: Tensor, units: Tensor, least: int
) -> tuple[tuple[str, ...], Tensor, list[str]]:
    """Classes that have enough different pictures to learn from, the label of every picture, and notes on the rest."""
    seen: dict[str, set[int]] = {name: set() for name in names}
    for name, number, unit in zip(names, part.tolist(), units.tolist(), strict=True):
        if number == TRAIN:
            seen[name].add(unit)
    few = [name for name in class_order(names) if len(seen[name]) < least]
    classes = tuple(name for name in class_order(names) if len(seen[name]) >= least)
    if len(classes) < 2:
        raise InputError(
            f"to tell pictures apart takes two classes, each with {least} different pictures or more",
            advice="put the pictures of each class into a folder of its own: photos/cat/1.jpg, photos/dog/1.jpg",
            pictures=dict(Counter(names).most_common(_SHOWN)),
        )
    number_of = {name: number for number, name in enumerate(classes)}
    labels = torch.tensor([number_of.get(name, -1) for name in names], dtype=torch.int64)
    if not few:
        return classes, labels, []
    shown = ", ".join(f"{name} ({len(seen[name])})" for name in few[:_SHOWN])
    note = (f"{counted(len(few), 'class')} with fewer than {counted(least, 'different picture')} to learn from "
            f"{was(len(few))} left out: {shown}.")  # fmt: skip
    return classes, labels, [note]


def _torn(labels: Tensor, units: Tensor) -> list[str]:
    """Notes on copies, and on copies that have different labels."""
    kept = labels >= 0
    both = torch.stack((units[kept], labels[kept]), 1).unique(dim=0)
    pictures = units[kept].unique()
    copies = int(kept.sum()) - len(pictures)
    torn = len(both) - len(pictures)
    notes: list[str] = []
    if copies:
        notes.append(f"{counted(copies, 'picture')} {'is a copy' if copies == 1 else 'are copies'} of others; "
                     "copies stay on one side of the split.")  # fmt: skip
    if torn:
        notes.append(f"{counted(torn, 'picture')} {'stands' if torn == 1 else 'stand'} in more than one class: "
                     "one of the labels must be wrong.")  # fmt: skip
    return notes


def _without_leaks(part: Tensor, units: Tensor) -> list[str]:
    """Takes out of the training and validation parts what is in a part that judges them; `part` is changed."""
    notes: list[str] = []
    for number, called, judges in (
        (TRAIN, "training", (VALIDATION, TEST)),
        (VALIDATION, "validation", (TEST,)),
    ):
        seen = torch.zeros_like(part, dtype=torch.bool)
        for judge in judges:
            seen |= torch.isin(units, units[part == judge])
        leaks = (part == number) & seen
        part[leaks] = -1
        if count := int(leaks.sum()):
            notes.append(f"{count:,} {called} {'picture is' if count == 1 else 'pictures are'} also among those that "
                         f"choose or judge, and {was(count)} left out.")  # fmt: skip
    return notes


def _origin(drawn: Sequence[int]) -> str:
    if len(drawn) == 2:
        return ", drawn class by class"
    if not drawn:
        return ", as the data has them"
    return "; the test pictures are the data's own" if TEST not in drawn else "; the validation pictures are its own"


def _check(classes: tuple[str, ...], labels: Tensor, train: Tensor, validation: Tensor, test: Tensor) -> None:
    seen = set(labels[train].tolist())
    if len(seen) < len(classes) or not len(validation) or not len(test):
        raise InputError(
            "every class needs a picture to learn from, and there must be some to choose by and to judge with",
            advice="add pictures",
            train=len(train),
            validation=len(validation),
            test=len(test),
            not_in_train=[name for number, name in enumerate(classes) if number not in seen][:_SHOWN],
        )
