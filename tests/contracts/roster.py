"""Who must pass which check: every public name of every room, with its entry."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from contracts.entry import Entry

HERE = Path(__file__).parent
SOURCE = HERE.parents[1] / "src" / "chainrule"


@dataclass(frozen=True)
class Subject:
    """One public name on trial."""

    room: str
    name: str
    entry: Any

    @property
    def thing(self) -> Any:
        return getattr(importlib.import_module(f"chainrule.{self.room}"), self.name)


def rooms() -> list[str]:
    return sorted(init.parent.name for init in SOURCE.glob("*/__init__.py"))


def public(room: str) -> list[str]:
    return list(getattr(importlib.import_module(f"chainrule.{room}"), "__all__", []))


def entries(room: str) -> Mapping[str, Entry]:
    if not (HERE / "entries" / f"{room}.py").exists():
        return {}
    return importlib.import_module(f"contracts.entries.{room}").ENTRIES


def subjects(*kinds: type[Entry]) -> list[Subject]:
    """Everybody with an entry of these kinds."""
    found = [Subject(room, name, entry) for room in rooms() for name, entry in entries(room).items()]
    return [subject for subject in found if isinstance(subject.entry, kinds or Entry)]


def each(check: str, *kinds: type[Entry]) -> pytest.MarkDecorator:
    """Runs a check on everybody of these kinds but those whose entry says why it does not apply."""
    cases = []
    for subject in subjects(*kinds):
        reason = subject.entry.skips.get(check)
        marks = [pytest.mark.skip(reason=f"{subject.room}.{subject.name}: {reason}")] if reason else []
        cases.append(pytest.param(subject, id=f"{subject.room}.{subject.name}", marks=marks))
    return pytest.mark.parametrize("subject", cases)
