"""The kinds of entries: how the contract suite builds and feeds one public name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

FLOATS = (torch.float32, torch.float64, torch.bfloat16)
NOTHING: Mapping[str, str] = MappingProxyType({})
EVERY_SECTION = ("formula", "Args", "Shape", "Example", "Reference", "Differs")


@dataclass(frozen=True)
class Entry:
    """What all kinds share.

    `skips` exempts a name from checks that it cannot pass, each with its reason: `{"compile": "data-dependent loop"}`.
    The names of the checks are those of the tests (`test_compile` is "compile"); an unknown one fails.
    """

    sections: ClassVar[tuple[str, ...]] = ("Args", "Example")


@dataclass(frozen=True)
class Module(Entry):
    """A layer, a model, or a function that makes one.

    `inputs` are for one call, float32 where they are floating point; the suite casts them to each of `dtypes`.
    `unreached` names parameters (by prefix) that no gradient can reach, each with its reason.
    """

    sections = EVERY_SECTION
    build: Callable[[], nn.Module]
    inputs: Callable[[], tuple[Tensor, ...]]
    dtypes: tuple[torch.dtype, ...] = FLOATS
    unreached: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Objective(Entry):
    """An objective, with a model and a batch that it can score (the model in evaluation mode or without dropout)."""

    sections = EVERY_SECTION
    build: Callable[[], Any]
    model: Callable[[], nn.Module]
    batch: Callable[[], Any]
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Learner(Entry):
    """A learner and one batch: `steps` steps on it must bring `metric` below `share` of its first value.

    `spoiled` is a batch with a number that is not finite, on which the learner must raise `NonFiniteError` and
    change nothing; `None` only with the skip "nonfinite".
    """

    sections = ("formula", "Args", "Example", "Reference", "Differs")
    build: Callable[[], Any]
    batch: Callable[[], Any]
    spoiled: Callable[[], Any] | None = None
    metric: str = "loss"
    share: float = 0.5
    steps: int = 100
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Rule(Entry):
    """An update rule, and torch's own optimiser with the same settings for the given model (`None`: torch has none)."""

    sections = ("formula", "Args", "Example", "Reference", "Differs")
    build: Callable[[], Any]
    twin: Callable[[nn.Module], torch.optim.Optimizer] | None = None
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class BatchKind(Entry):
    """A kind of batch."""

    sections = ("Args", "Shape", "Example")
    build: Callable[[], Any]
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Source(Entry):
    """A source of batches: `batches[k]` is a pure function of (seed, k)."""

    build: Callable[[], Any]
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Value(Entry):
    """A frozen dataclass of settings or results: hashable unless `skips` says why not, equal to its like."""

    build: Callable[[], Any]
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Recipe(Entry):
    """A recipe (a function or dataclass that gives one), as it is or at toy scale."""

    sections = ("Args",)
    build: Callable[[], Any]
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Preset(Entry):
    """The function that a recipe is called by: its docstring states the command, the time and the expected metric."""

    sections = ()
    build: Callable[[], Any]
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Function(Entry):
    """A function, a hook or any other callable: `example` runs it; twice from one seed gives the same."""

    example: Callable[[], Any]
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Abstract(Entry):
    """A protocol, an abstract class or an error, without an example of its own; `why` says who stands for it."""

    sections = ()
    why: str
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)


@dataclass(frozen=True)
class Name(Entry):
    """A constant, a type variable or an alias of types; `why` says what it is."""

    sections = ()
    why: str
    skips: Mapping[str, str] = field(default_factory=lambda: NOTHING)
