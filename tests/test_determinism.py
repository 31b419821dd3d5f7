"""R16: two runs of every learner and of every family of networks end with the same numbers, bit for bit."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from chainrule import data, training
from chainrule.data import Batches, Text
from chainrule.layers import Pixels
from chainrule.learners import Adversarial, Gradient, Maml, Rollback
from chainrule.models import NGram, conv4, dcgan, gcn, gpt, lenet5, mlp
from chainrule.objectives import Classify, NextToken, Regress
from chainrule.optim import AdamW, Ema, Sgd
from chainrule.training import Learner
from contracts.sameness import made, same

Family = tuple[Callable[[], Learner], Callable[[], Batches[Any]]]


def digits() -> Batches[Any]:
    return data.digits(batch_size=16, augment=data.Shift(1)).train


def text() -> Batches[Any]:
    return Text.of("to be, or not to be, that is the question. " * 40, context=16, batch_size=4).train


def recurrent() -> nn.Module:
    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(40, 8)
            self.cell = nn.LSTM(8, 8, batch_first=True)
            self.head = nn.Linear(8, 40)

        def forward(self, ids: Any) -> Any:
            return self.head(self.cell(self.embed(ids))[0])

    return Reader()


def noisy() -> nn.Module:
    return nn.Sequential(
        Pixels((8.0,), (6.0,)), nn.Flatten(), nn.Linear(64, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 10)
    )


FAMILIES: dict[str, Family] = {
    "convolutional": (lambda: Gradient(lenet5(), Classify(), average=Ema(0.9)), digits),
    "batch norm and dropout": (lambda: Gradient(noisy(), Classify(), Sgd(lr=0.1), accumulate=2), digits),
    "half precision": (lambda: Gradient(lenet5(), Classify(), precision="bfloat16"), digits),
    "recurrent": (lambda: Gradient(recurrent(), NextToken(), AdamW(clip=1.0)), text),
    "transformer": (
        lambda: Gradient(gpt(2, 16, 2, vocabulary=40, context=16, dropout=0.1), NextToken(), AdamW(clip=1.0)),
        text,
    ),
    "graph": (lambda: Gradient(gcn((34, 8, 2), dropout=0.5), Classify()), lambda: data.karate().train),
    "players": (lambda: Adversarial(dcgan(8, width=4), average=Ema(0.9)), digits),
    "tasks": (lambda: Maml(mlp((1, 8, 1)), Regress(), inner_steps=2), lambda: data.Sinusoids(tasks=3)),
    "going back": (lambda: Rollback(Gradient(lenet5(), Classify()), every=2), digits),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_two_runs_are_the_same_bit_for_bit(family: str) -> None:
    build, batches = FAMILIES[family]

    def run() -> dict[str, Any]:
        learner = build()
        training.fit(learner, batches(), steps=4)
        return learner.state_dict()

    assert same(made(run), made(run))


def test_counting_is_the_same_bit_for_bit() -> None:
    counted = torch.randint(5, (500,), generator=data.generator(0))
    assert same(NGram(counted, 3, 5), NGram(counted, 3, 5))


def test_blocks_of_conv4_are_drawn_from_the_seed() -> None:
    assert same(made(lambda: conv4(ways=3, width=4)), made(lambda: conv4(ways=3, width=4)))
