"""How the contract suite builds every public name of `chainrule.models`."""

from collections.abc import Callable

import torch
from torch import nn

from chainrule import models
from chainrule.models import (
    AppnpEncoder,
    ForecastEncoder,
    GptEncoder,
    GraphEncoder,
    MeanOfHeads,
    Network,
    NGram,
    Players,
    QuantileHead,
    ResidualBlock,
    ResidualLayer,
    Rotary,
    SideBySide,
    appnp,
    conv4,
    dcgan,
    forecaster,
    gcn,
    gpt,
    gpt2,
    gpt2_small,
    lenet5,
    mlp,
    photograph_stem,
    resnet,
    resnet18,
    resnet34,
    roughness,
    thumbnail_stem,
)
from contracts.entry import Function, Module

_SCORED = "called with examples, the players score them: only the critic is at work"

_COUNTED = "it counts a text when it is built, and looks grams up: how many it finds depends on the text"


def grams() -> torch.Tensor:
    return torch.cat((torch.zeros(1, 3), torch.linspace(-1, 1, 12).view(4, 3)))


def phrases() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor([[3, 1, 6, 0, 0], [2, 4, 5, 6, 0]]), torch.tensor([[1, 2, 0], [4, 0, 0]])


def graph() -> tuple[torch.Tensor, torch.Tensor]:
    return torch.rand(5, 3), torch.tensor([[0, 1, 1, 3], [1, 0, 2, 4]])


def few_features() -> tuple[torch.Tensor, ...]:
    ends = torch.tensor([[0, 1, 1, 3], [1, 0, 2, 4]])
    return torch.rand(4), torch.tensor([0, 2, 1, 2]), torch.tensor([0, 2, 2, 3, 3]), ends


def ids() -> torch.Tensor:
    return torch.randint(7, (2, 5))


def size(preset: Callable[[], Network]) -> int:
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in preset().parameters())


def outlook() -> tuple[torch.Tensor, ...]:
    return torch.randn(3, 6), torch.ones(3, 6), torch.randn(3, 4, 2), torch.tensor([0, 1, 2])


ENTRIES = {
    "ChannelsLast": Module(
        build=models.ChannelsLast,
        inputs=lambda: (torch.rand(2, 3, 4, 5),),
        skips={"gradient": "it has no parameters"},
    ),
    "quick_net": Module(
        build=lambda: models.quick_net(3, (8, 8), channels=1, width=4), inputs=lambda: (torch.rand(4, 1, 8, 8),)
    ),
    "quick_stem": Module(build=lambda: models.quick_stem(3, 8), inputs=lambda: (torch.rand(2, 3, 8, 8),)),
    "NumberMean": Module(
        build=lambda: models.NumberMean(8, members=4, mean=2.0, deviation=3.0), inputs=lambda: (torch.randn(5, 4, 8),)
    ),
    "GramScores": Module(build=lambda: models.GramScores(grams()), inputs=lambda: phrases()[1:]),
    "PhraseEncoder": Module(
        build=lambda: models.PhraseEncoder(
            7, models.GramScores(grams()), width=8, features=8, forgotten=0.0, dropout=0.0
        ),
        inputs=phrases,
    ),
    "PhraseVote": Module(
        build=lambda: models.PhraseVote(8, classes=3, members=4), inputs=lambda: (torch.randn(5, 4, 11),)
    ),
    "phrase_net": Module(
        build=lambda: models.phrase_net(7, grams(), width=8, features=8, forgotten=0.0, dropout=0.0),
        inputs=phrases,
    ),
    "ClassVote": Module(
        build=lambda: models.ClassVote(8, classes=3, members=4), inputs=lambda: (torch.randn(5, 4, 8),)
    ),
    "TableEncoder": Module(
        build=lambda: models.TableEncoder(((0.0, 0.5, 1.0),), (3,), width=8, members=4, dropout=0.0),
        inputs=lambda: (torch.stack((torch.rand(6), torch.arange(6.0) % 3), 1),),
    ),
    "ForecastEncoder": Module(build=lambda: ForecastEncoder(6, 4, calendar=2, series=2, width=8), inputs=outlook),
    "MeanOfHeads": Module(
        build=lambda: MeanOfHeads([nn.Linear(3, 2), nn.Linear(3, 2)]), inputs=lambda: (torch.randn(4, 2, 3),)
    ),
    "QuantileHead": Module(
        build=lambda: QuantileHead(9, 5, width=8), inputs=lambda: (torch.randn(3, 4, 9).abs() + 1.0,)
    ),
    "ResidualLayer": Module(build=lambda: ResidualLayer(5, 4, 0.1), inputs=lambda: (torch.randn(3, 5),)),
    "SideBySide": Module(
        build=lambda: SideBySide([nn.Linear(3, 2), nn.Linear(3, 2)]), inputs=lambda: (torch.randn(4, 3),)
    ),
    "forecaster": Module(build=lambda: forecaster(6, 4, 3, calendar=2, series=2, width=8, members=2), inputs=outlook),
    "roughness": Function(example=lambda: roughness(torch.randn(3, 5), torch.ones(3, 5))),
    "GptEncoder": Module(
        build=lambda: GptEncoder(nn.Embedding(7, 4), nn.Embedding(5, 4), [nn.Linear(4, 4)], context=5, dropout=0.1),
        inputs=lambda: (ids(),),
    ),
    "GraphEncoder": Module(build=lambda: GraphEncoder((3, 6, 4)), inputs=graph),
    "NGram": Module(
        build=lambda: NGram(torch.arange(60) ** 2 % 7, order=3, vocabulary=7),
        inputs=lambda: (ids(),),
        skips={"meta": _COUNTED, "compile": _COUNTED, "gradient": "it has no parameters"},
    ),
    "Network": Module(
        build=lambda: Network(nn.Linear(3, 4), nn.Linear(4, 2)),
        inputs=lambda: (torch.randn(5, 3),),
    ),
    "Players": Module(
        build=lambda: Players(nn.Linear(3, 2), nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1)), noise=3),
        inputs=lambda: (torch.randn(5, 2),),
        unreached={"generator.": _SCORED},
    ),
    "ResidualBlock": Module(build=lambda: ResidualBlock(3, 4, stride=2), inputs=lambda: (torch.randn(2, 3, 5, 5),)),
    "Rotary": Module(build=lambda: Rotary(4, context=6), inputs=lambda: (torch.randn(2, 3, 6, 4),)),
    "conv4": Module(build=lambda: conv4(3, width=4, side=16), inputs=lambda: (torch.rand(2, 1, 16, 16),)),
    "dcgan": Module(
        build=lambda: dcgan(8, noise=4, width=2),
        inputs=lambda: (255 * torch.rand(3, 1, 8, 8),),
        unreached={"generator.": _SCORED},
    ),
    "AppnpEncoder": Module(build=lambda: AppnpEncoder(3, 8, 2), inputs=few_features),
    "appnp": Module(build=lambda: appnp(3, 8, 2), inputs=few_features),
    "gcn": Module(build=lambda: gcn((3, 8, 2)), inputs=graph),
    "gpt": Module(build=lambda: gpt(2, 8, 2, vocabulary=7, context=6, dropout=0.1), inputs=lambda: (ids(),)),
    "gpt2": Module(build=lambda: gpt2(2, 8, 2, vocabulary=7, context=6, dropout=0.1), inputs=lambda: (ids(),)),
    "gpt2_small": Function(example=lambda: size(gpt2_small)),
    "lenet5": Module(build=lenet5, inputs=lambda: (torch.rand(2, 1, 8, 8),)),
    "mlp": Module(build=lambda: mlp((6, 5, 4)), inputs=lambda: (torch.randn(3, 2, 3),)),
    "photograph_stem": Module(build=lambda: photograph_stem(2, 4), inputs=lambda: (torch.randn(2, 2, 9, 9),)),
    "resnet": Module(
        build=lambda: resnet(3, (1, 2), width=4, stem=thumbnail_stem), inputs=lambda: (torch.rand(3, 3, 6, 6),)
    ),
    "resnet18": Function(example=lambda: size(resnet18)),
    "resnet34": Function(example=lambda: size(resnet34)),
    "thumbnail_stem": Module(build=lambda: thumbnail_stem(2, 4), inputs=lambda: (torch.randn(2, 2, 5, 5),)),
}
