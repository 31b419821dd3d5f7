"""What settings, results, recipes and functions promise."""

import dataclasses
import re

import pytest

from chainrule import recipes
from chainrule.data import reseed, seeded
from contracts.entry import Function, Preset, Recipe, Value
from contracts.roster import Subject, each
from contracts.sameness import made, same


@each("frozen", Value, Recipe)
def test_frozen(subject: Subject):
    value = made(subject.entry.build)
    assert dataclasses.is_dataclass(value)
    for field in dataclasses.fields(value)[:1]:
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, None)


@each("hashable", Value, Recipe)
def test_hashable(subject: Subject):
    assert hash(made(subject.entry.build)) == hash(made(subject.entry.build))


@each("equal", Value, Recipe)
def test_equal(subject: Subject):
    assert made(subject.entry.build) == made(subject.entry.build)


@each("command", Preset)
def test_command(subject: Subject):
    """It gives the same value each time, and says how to run it, for how long, and what should come out."""
    recipe = subject.entry.build()
    assert recipe == subject.entry.build()
    assert isinstance(recipe, recipes.Recipe)
    said = " ".join(subject.thing.__doc__.split())
    assert re.search(rf"`chainrule run {subject.name.replace('_', '-')}`: .*(\d+|a) (s|seconds|minutes?)\b.*, .+", said)


@each("repeatable", Recipe)
def test_repeatable(subject: Subject):
    """Built twice from one recipe: the same weights, the same batches, the same first step."""
    recipe = made(subject.entry.build)
    steps = []
    for _ in range(2):
        with seeded(recipe.seed):
            learner = recipe.learner()
        batch = recipe.batches()[0]
        with seeded(1):
            reseed(recipe.seed, 0)
            steps.append((learner.step(batch), learner.model.state_dict(), batch.tensors()))
    assert same(steps[0], steps[1])


@each("example", Function)
def test_example(subject: Subject):
    """It runs, and gives the same again from the same seed."""
    assert same(made(subject.entry.example), made(subject.entry.example))
