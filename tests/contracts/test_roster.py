"""Every public name has its entry, of the kind that its nature asks for; no entry is left over."""

import inspect
import re

import pytest
from torch import nn

from chainrule.data import Batch, Batches
from chainrule.objectives import Objective
from chainrule.training import Hook
from contracts import entry as kinds
from contracts.roster import HERE, Subject, entries, public, rooms, subjects

CHECKS = {name for file in HERE.glob("test_*.py") for name in re.findall(r"^def test_(\w+)", file.read_text(), re.M)}


def missing(names: list[str], entered: list[str]) -> list[str]:
    """Public names without an entry, and entries without a public name."""
    without = [f"{name} has no entry" for name in names if name not in entered]
    return without + [f"{name} is entered but not public" for name in entered if name not in names]


def owed(thing: object) -> type[kinds.Entry] | None:
    """The kind of entry that the nature of a thing asks for; `None` where any will do."""
    if not inspect.isclass(thing) or inspect.isabstract(thing):
        return None
    nature = {
        nn.Module: kinds.Module,
        Objective: kinds.Objective,
        Batch: kinds.BatchKind,
        Batches: kinds.Source,
    }
    return next((kind for parent, kind in nature.items() if issubclass(thing, parent)), None)


@pytest.mark.parametrize("room", rooms())
def test_roster(room):
    assert missing(public(room), list(entries(room))) == []


def test_roster_fails_a_name_without_entry_and_an_entry_without_name():
    assert missing(["Listed", "Forgotten"], ["Listed", "Gone"]) == [
        "Forgotten has no entry",
        "Gone is entered but not public",
    ]


@pytest.mark.parametrize("subject", subjects(), ids=lambda subject: f"{subject.room}.{subject.name}")
def test_kind(subject):
    kind = owed(subject.thing)
    assert kind is None or isinstance(subject.entry, kind | kinds.Abstract)
    if isinstance(subject.entry, kinds.Abstract):
        assert _has_no_example(subject.thing), f"{subject.name} can be built: give it an entry that builds it"


@pytest.mark.parametrize("subject", subjects(), ids=lambda subject: f"{subject.room}.{subject.name}")
def test_skips_name_a_check_and_a_reason(subject: Subject):
    assert set(subject.entry.skips) <= CHECKS
    assert all(len(reason.split()) >= 3 for reason in subject.entry.skips.values())


def test_public_names_are_sorted_and_unique():
    for room in rooms():
        assert len(set(public(room))) == len(public(room)), room


def _has_no_example(thing: object) -> bool:
    if not inspect.isclass(thing) or inspect.isabstract(thing) or getattr(thing, "_is_protocol", False):
        return True
    fieldless_batch = issubclass(thing, Batch) and not vars(thing).get("__annotations__")
    return fieldless_batch or issubclass(thing, Exception | Hook)
