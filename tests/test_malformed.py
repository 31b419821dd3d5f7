"""R15: whoever passes something malformed is told which argument, what was expected and what came.

The type hook is off here: these are the messages that a user sees. Settings and calls of every room stand here, what
goes wrong while training in `test_malformed_training.py`, and the data room's cases in `data/test_malformed.py`.
"""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from chainrule import data, functional, generate, layers, learners, models, optim, training
from chainrule.data import Images, InMemory
from chainrule.learners import Compute, Gradient
from chainrule.models import lenet5, mlp
from chainrule.objectives import Classify, Regress
from malformed import refused, table

pytestmark = pytest.mark.usefixtures("unchecked")

TORCHS = torch.optim.SGD([torch.zeros(1)])  # made here: torch's first optimiser takes it a second
WAVES = data.Sinusoids(tasks=2)
PICTURES = Images(torch.zeros(2, 1, 8, 8, dtype=torch.uint8), torch.tensor([0, 1]))

SETTINGS: dict[str, tuple[Callable[[], Any], str]] = {
    "negative rate": (lambda: optim.AdamW(lr=-1e-3), r"`lr` must be a positive.*lr=-0.001"),
    "rate not a number": (lambda: optim.Sgd(lr=float("nan")), r"`lr` must be a positive.*lr=nan"),
    "average that never forgets": (lambda: optim.AdamW(betas=(0.9, 1.0)), r"`betas` are two shares.*\(0.9, 1.0\)"),
    "negative decay": (lambda: optim.Sgd(weight_decay=-0.1), r"`weight_decay` must not be negative.*=-0.1"),
    "clip to nothing": (lambda: optim.AdamW(clip=0.0), r"`clip` must be a positive.*clip=0.0"),
    "momentum of one": (lambda: optim.Sgd(momentum=1.0), r"`momentum` is a share.*momentum=1.0"),
    "nesterov without momentum": (lambda: optim.Sgd(momentum=0.0, nesterov=True), r"`nesterov` needs.*momentum=0.0"),
    "warm-up longer than the run": (lambda: optim.WarmupCosine(10, 11), r"`warmup` must lie.*steps=10, warmup=11"),
    "floor above one": (lambda: optim.WarmupCosine(10, floor=2.0), r"`floor` is a share.*floor=2.0"),
    "decay of one": (lambda: optim.Ema(1.0), r"`decay` is a share.*decay=1.0"),
    "smoothing of one": (lambda: Classify(1.0), r"`smoothing` is a share.*smoothing=1.0"),
    "network without output": (lambda: mlp((3,)), r"`sizes` needs an input and an output.*\(3,\)"),
    "no classes": (lambda: lenet5(classes=0), r"`classes` and `channels` must be at least 1.*classes=0"),
    "deviation of zero": (lambda: layers.Pixels((0.0,), (0.0,)), r"`mean` and `deviation`.*deviation=\(0.0,\)"),
    "no side": (lambda: layers.Pixels(side=0), r"`side` must be at least 1.*side=0"),
    "empty batch": (lambda: InMemory(table(), batch_size=0), r"`batch_size` must be at least 1.*batch_size=0"),
    "ranks that do not divide": (lambda: data.part_of_rank(10, 0, 3), r"`world` must divide.*=10, rank=0, world=3"),
    "never measuring": (lambda: training.Evaluate(Classify(), InMemory(table(), 2), every=0), r"`every`.*every=0"),
    "name for a model": (lambda: Gradient("lenet5", Classify()), r"`model` must be.*Module.*model='str'"),
    "torch's loss": (lambda: Gradient(mlp((4, 3)), nn.CrossEntropyLoss()), r"`objective` must.*'CrossEntropyLoss'"),
    "torch's optimiser": (
        lambda: Gradient(mlp((4, 3)), Classify(), TORCHS),
        r"`optimizer` must be.*AdamW.*optimizer='SGD'",
    ),
    "unknown precision": (
        lambda: Gradient(mlp((4, 3)), Classify(), compute=Compute("float16")),
        r"`precision` must be one of float32, tf32, bfloat16. Got precision='float16'",
    ),
    "unknown policy": (
        lambda: Gradient(mlp((4, 3)), Classify(), nonfinite="ignore"),
        r"`nonfinite` must be one of raise, skip.*'ignore'",
    ),
    "no parts": (lambda: Gradient(mlp((4, 3)), Classify(), accumulate=0), r"`accumulate` must.*accumulate=0"),
    "no parameters": (lambda: Gradient(nn.Identity(), Classify()), r"a model needs.*model='Identity'"),
    "all frozen": (
        lambda: Gradient(nn.Linear(4, 3).requires_grad_(False), Classify()),
        r"a model needs at least one trainable.*model='Linear'",
    ),
}

ROOMS: dict[str, tuple[Callable[[], Any], str]] = {
    "no features": (lambda: layers.GraphConv(0, 4), r"`in_dim` and `out_dim` must be at least 1.*in_dim=0"),
    "graph network of one layer": (lambda: models.gcn((3, 2)), r"`sizes` needs an input, a hidden and.*\(3, 2\)"),
    "isolated node number": (
        lambda: functional.symmetric(torch.tensor([[0], [5]]), nodes=3),
        r"`edge_index` must name nodes that exist.*highest=5, nodes=3",
    ),
    "features of two networks": (
        lambda: functional.frechet_distance(torch.zeros(3, 2), torch.zeros(3, 4)),
        r"`first` and `second` must have the same features.*\(3, 2\).*\(3, 4\)",
    ),
    "side that cannot be halved": (lambda: models.dcgan(30), r"`side` must be 4 doubled.*side=30"),
    "heads that do not divide": (
        lambda: models.gpt(layers=1, dim=100, heads=8, vocabulary=5),
        r"`heads` must divide `dim`. Got dim=100, heads=8; try dim=104",
    ),
    "no layers": (
        lambda: models.gpt(layers=0, dim=8, heads=2, vocabulary=5),
        r"a GPT's sizes must all be at least 1. Got layers=0",
    ),
    "longer than its context": (
        lambda: models.gpt(1, 8, 2, vocabulary=5, context=4)(torch.zeros(1, 5, dtype=torch.int64)),
        r"a text must not be longer than the model's context. Got tokens=5, context=4",
    ),
    "no ways": (lambda: models.conv4(ways=0), r"conv4 halves.*ways=0"),
    "grams of nothing": (lambda: models.NGram(torch.tensor([0, 1]), 0, 2), r"`order` and `vocabulary`.*order=0"),
    "token that is not counted": (
        lambda: models.NGram(torch.tensor([0, 5]), 2, 2),
        r"tokens must lie between 0 and `vocabulary`.*highest=5, vocabulary=2",
    ),
    "steps backwards": (
        lambda: learners.Maml(mlp((1, 1)), Regress(), inner_steps=-1),
        r"`steps` cannot be negative.*steps=-1",
    ),
    "memory of other tasks": (
        lambda: learners.Maml(nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1d(2)), Regress()).step(WAVES[0]),
        r"a network that adapts.*layer='1', kind='BatchNorm1d'",
    ),
    "table for tasks": (
        lambda: learners.Maml(mlp((4, 3)), Classify()).step(table()),
        r"`batch` must be of the kind Tasks. Got batch='Table'",
    ),
    "one network for two": (
        lambda: learners.Adversarial(mlp((4, 3))),
        r"`model` must be of the kind Players. Got model='Network'",
    ),
    "negative penalty": (lambda: learners.Adversarial(models.dcgan(8, width=2), r1=-1.0), r"`r1` is a weight.*r1=-1.0"),
    "pictures of another size": (
        lambda: learners.Adversarial(models.dcgan(16, width=2)).step(PICTURES),
        r"the generator must make.*generated=\(1, 16, 16\), real=\(1, 8, 8\)",
    ),
    "table for pictures": (
        lambda: learners.Adversarial(models.dcgan(8, width=2)).step(table()),
        r"`mean` needs one number per channel of the pixels.*pixels=\(6, 4\)",
    ),
    "never a snapshot": (
        lambda: learners.Rollback(Gradient(mlp((4, 3)), Classify()), every=0),
        r"`every` and `patience` must be.*every=0",
    ),
    "no tasks": (lambda: data.Sinusoids(tasks=0), r"a batch of sine waves needs tasks.*tasks=0"),
    "text for token numbers": (
        lambda: generate.text(nn.Embedding(3, 3), "Once", 3),
        r"`prompt` must be of the kind Tensor. Got prompt='str'; encode it",
    ),
    "nothing to go on from": (
        lambda: generate.text(nn.Embedding(3, 3), torch.zeros(0, dtype=torch.int64), 3),
        r"`prompt` must be at least one token number.*shape=\(0,\)",
    ),
    "colder than cold": (
        lambda: generate.text(nn.Embedding(3, 3), torch.tensor([1]), 3, temperature=-1.0),
        r"`tokens` and `temperature` must not.*temperature=-1.0",
    ),
}


@pytest.mark.parametrize("case", SETTINGS)
def test_settings(case: str) -> None:
    refused(*SETTINGS[case])


@pytest.mark.parametrize("case", ROOMS)
def test_other_rooms(case: str) -> None:
    refused(*ROOMS[case])
