"""What `chainrule fit` decides, as a value: what was asked can be typed again, and answers come in the order asked."""

import dataclasses
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from chainrule.data import InMemory, Rows, Table
from chainrule.errors import InputError
from chainrule.learners import Gradient
from chainrule.objectives import Regress
from chainrule.recipes.fitted import Answers, Asked, Fitted, class_answers, unchanged
from chainrule.recipes.settings import from_plain, to_plain
from chainrule.report import Outcome


@dataclass(frozen=True, kw_only=True)
class Doubling(Fitted):
    """Learns nothing; knows how to double."""

    steps: int = 1
    seed: int = 0

    @property
    def title(self) -> str:
        return "Doubles."

    def learner(self) -> Gradient:
        return Gradient(nn.Linear(1, 1, bias=False), Regress())

    def batches(self) -> InMemory[Table]:
        return InMemory(Table(torch.ones(2, 1), torch.ones(2, 1)), 1)

    def outcome(self, model: nn.Module) -> Outcome:
        return Outcome({}, {}, "", reached=True)

    def encoded(self, inputs: Any) -> Table:
        return Table(torch.tensor(inputs, dtype=torch.float32)[:, None], torch.zeros(len(inputs)))

    def read(self, paths: Sequence[Path]) -> Iterator[tuple[list[str], Rows]]:
        return iter(())

    def answers(self, outputs: torch.Tensor) -> Answers:
        return {"prediction": outputs[:, 0].tolist()}


def test_what_was_asked_can_be_typed_again():
    asked = Asked(target="a price", minutes=0.5, time=None, threads=1)
    words = iter(asked.words())
    typed = dict(zip(words, words, strict=True))
    types = {field.name: type(getattr(asked, field.name)) for field in dataclasses.fields(Asked)}
    again = {name.removeprefix("--"): value for name, value in typed.items()}
    assert Asked(**{name: types[name](value) for name, value in again.items()}) == asked
    recipe = Doubling(data="my data.csv", digest="", asked=asked)
    command = shlex.split(recipe.command(Path("runs/a b")))
    assert command == ["chainrule", "fit", "my data.csv", "--out", "runs/a b", *asked.words()]


def test_answers_come_in_order_however_many_there_are():
    recipe = Doubling(data="", digest="", asked=Asked())
    network = nn.Linear(1, 1, bias=False)
    nn.init.constant_(network.weight, 2.0)
    numbers = list(range(1000))  # more than are answered at once
    assert recipe.predict(network.train(), numbers) == {"prediction": [2.0 * number for number in numbers]}
    assert network.training  # as it was
    assert not recipe.finish(network)


def test_it_is_written_and_read_as_plain_data():
    recipe = Doubling(data="x.csv", digest="ab", asked=Asked(task="regress", horizon=3), notes=("one", "two"))
    assert from_plain(Doubling, to_plain(recipe)) == recipe


def test_classes_are_answered_by_torchs_own_softmax():
    scores = torch.tensor([[1.0, 3.0, 2.0], [5.0, 0.0, 0.0]])
    told = class_answers("pet", ("cat", "dog", "owl"), scores)
    assert list(told) == ["pet", "probability", "p(cat)", "p(dog)", "p(owl)"]
    assert told["pet"] == ["dog", "cat"]
    shares = torch.tensor([told[f"p({name})"] for name in ("cat", "dog", "owl")], dtype=torch.float64).T
    torch.testing.assert_close(shares, scores.double().softmax(1))
    assert told["probability"] == [
        max(row) for row in zip(*(told[f"p({n})"] for n in ("cat", "dog", "owl")), strict=False)
    ]
    many = class_answers("pet", [str(number) for number in range(31)], torch.zeros(1, 31))
    assert list(many) == ["pet", "probability"]  # of many classes only the likeliest is told


def test_other_data_in_its_place_is_refused():
    unchanged("a.csv", "ab", "ab", "the table is another")
    with pytest.raises(InputError, match=r"the table is another\. Got data='a.csv', digest='cd', expected='ab'"):
        unchanged("a.csv", "cd", "ab", "the table is another")
