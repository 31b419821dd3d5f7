"""Every family of networks with the learner that trains it, on data of which a few steps are two epochs.

Run as a program, prints what each family has become after so many steps on a device: R16 compares two processes by it.
"""

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from chainrule.data import (
    Batches,
    Images,
    InMemory,
    OutlookWindows,
    Panel,
    Phrases,
    Same,
    Shift,
    Sinusoids,
    SparseGraph,
    Table,
    Tasks,
    Windows,
    generator,
    karate,
)
from chainrule.layers import Pixels
from chainrule.learners import Adversarial, Compute, Gradient, KeepBest, Maml, Rollback
from chainrule.models import (
    ClassVote,
    Network,
    Players,
    TableEncoder,
    appnp,
    conv4,
    dcgan,
    forecaster,
    gcn,
    gpt,
    gpt2,
    lenet5,
    mlp,
    phrase_net,
    quick_net,
    resnet,
    thumbnail_stem,
)
from chainrule.objectives import Classify, EveryMember, NextToken, Quantile, Regress
from chainrule.optim import AdamW, Ema, Sgd, WarmupCosine
from chainrule.training import Learner, fit
from chainrule.training.state import pack
from chainrule.training.tensors import checksum, portable
from contracts.sameness import made


@dataclass(frozen=True)
class Family:
    """One family.

    Args:
        network: makes it; dropout, averages and schedules are on, because they are what a resume can forget.
        learner: what trains it.
        batches: what it learns from.
        steps: two epochs, or eight steps where one step is an epoch or where there are none.
    """

    network: Callable[[], nn.Module]
    learner: Callable[[Any], Learner]
    batches: Callable[[], Batches[Any]]
    steps: int = 8

    def build(self, device: str = "cpu") -> Learner:
        """A learner with a network of its own."""
        return self.learner(self.network().to(device))


def pictures() -> Batches[Any]:
    """21 pictures in batches of 4: batches straddle the epochs, of which two end with step 11."""
    pixels = torch.randint(256, (21, 1, 8, 8), generator=generator(0)).byte()
    return InMemory(Images(pixels, torch.arange(21) % 10), 4, seed=3, augment=Shift(1))


def text() -> Batches[Any]:
    return Windows(torch.randint(40, (21 * 16 + 1,), generator=generator(0)), context=16, batch_size=4)


def points() -> Batches[Any]:
    drawn = Sinusoids(tasks=1, shots=1, query_shots=21)[0].query
    return InMemory(drawn, 4, seed=3)


class FewPictures(Sinusoids):
    """Tasks of pictures: three classes, told by how bright they are."""

    def __getitem__(self, k: int) -> Any:
        def rows(shots: int, part: int) -> Images:
            labels = torch.arange(3).repeat_interleave(shots).repeat(self.batch_size)
            noise = torch.randint(40, (len(labels), 1, 16, 16), generator=generator(7, k, part))
            return Images((noise + 60 * labels[:, None, None, None]).byte(), labels)

        return Tasks(rows(1, 0), rows(2, 1), self.batch_size)


class Reader(nn.Module):
    """A recurrent network, in torch's own layers."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(40, 8)
        self.cell = nn.LSTM(8, 8, batch_first=True)
        self.drop = nn.Dropout(0.2)
        self.head = nn.Linear(8, 40)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.drop(self.cell(self.embed(ids))[0]))


def noisy() -> nn.Module:
    return nn.Sequential(
        Pixels((8.0,), (6.0,)), nn.Flatten(), nn.Linear(64, 16), nn.BatchNorm1d(16), nn.Dropout(0.5), nn.Linear(16, 10)
    )


def rule(**more: Any) -> AdamW:
    return AdamW(lr=0.01, schedule=WarmupCosine(11, 3), **more)


def tied() -> nn.Module:
    return gpt2(2, 16, 2, vocabulary=40, context=16, dropout=0.1)


def few_ways() -> nn.Module:
    return nn.Sequential(Pixels((90.0,), (60.0,)), conv4(3, width=2, side=16))


def play(network: Any) -> Learner:
    return Adversarial(network, generator_rule=rule(), critic_rule=rule(), average=Ema(0.9), critic_steps=2)


def rows() -> Batches[Any]:
    """21 rows of a number and a category."""
    features = torch.stack((torch.rand(21, generator=generator(1)), torch.arange(21.0) % 3), 1)
    return InMemory(Table(features, torch.arange(21) % 3), 4, seed=3)


def table_network() -> nn.Module:
    return Network(TableEncoder(((0.0, 0.5, 1.0),), (3,), width=8, members=4, dropout=0.2), ClassVote(8, 3, 4))


def said() -> Batches[Any]:
    """21 texts of five words and three of their grams; 0 fills up."""
    words, grams = (torch.randint(size, (21, count), generator=generator(2)) for size, count in ((7, 5), (5, 3)))
    return InMemory(Phrases(words, grams, torch.arange(21) % 3), 4, seed=3)


def phrase_network() -> nn.Module:
    weights = torch.cat((torch.zeros(1, 3), torch.linspace(-1, 1, 12).view(4, 3)))
    return phrase_net(7, weights, width=8, features=8, members=2, forgotten=0.2, dropout=0.2)


def outlooks() -> Batches[Any]:
    """Windows of two short series, five places back and two ahead."""
    panel = Panel(
        values=torch.randn(40, generator=generator(3)).cumsum(0), observed=torch.ones(40).bool(),
        calendar=torch.zeros(40, 2), starts=torch.tensor([0, 22]), lengths=torch.tensor([20, 16]),
        which=torch.tensor([1, 2]), moments=torch.tensor([0, 5]),
    )  # fmt: skip
    return OutlookWindows(panel, 5, 2, torch.tensor([3, 3]), torch.tensor([18, 14]), batch_size=4, seed=1)


def sparse() -> Batches[Any]:
    """Five nodes in a row, most with two features of seven."""
    ends = torch.tensor([[0, 1, 1, 2, 2, 3, 3, 4], [1, 0, 2, 1, 3, 2, 4, 3]])
    entries, places = torch.ones(8), torch.tensor([0, 2, 1, 2, 5, 6, 3, 4])
    return Same(SparseGraph(entries, places, torch.tensor([0, 2, 4, 6, 7]), ends, torch.tensor([0, -100, 1, 0, 1])))


def kept(network: nn.Module) -> Learner:
    """The moment that was best on other rows is kept."""
    return KeepBest(Gradient(network, EveryMember(Classify()), rule()), Classify(), rows, every=3)


FAMILIES: dict[str, Family] = {
    "lenet": Family(lenet5, lambda net: Gradient(net, Classify(), rule(clip=1.0), average=Ema(0.9)), pictures, 11),
    "lenet in half precision": Family(
        lenet5, lambda net: Gradient(net, Classify(), rule(), compute=Compute("bfloat16")), pictures, 11
    ),
    "resnet": Family(
        lambda: resnet(10, (1, 1), width=4, stem=thumbnail_stem, channels=1),
        lambda net: Gradient(net, Classify(), Sgd(lr=0.1, momentum=0.9), average=Ema(0.9)),
        pictures,
        11,
    ),
    "batch norm and dropout": Family(
        noisy, lambda net: Gradient(net, Classify(), Sgd(lr=0.1, momentum=0.9), accumulate=2), pictures, 11
    ),
    "mlp": Family(lambda: mlp((1, 16, 1)), lambda net: Gradient(net, Regress(), rule(), average=Ema(0.9)), points, 11),
    "recurrent": Family(Reader, lambda net: Gradient(net, NextToken(), rule(clip=1.0)), text, 11),
    "gpt": Family(
        lambda: gpt(2, 16, 2, vocabulary=40, context=16, dropout=0.1),
        lambda net: Gradient(net, NextToken(), rule(clip=1.0), average=Ema(0.9)),
        text,
        11,
    ),
    "gpt2": Family(tied, lambda net: Gradient(net, NextToken(), rule(clip=1.0)), text, 11),
    "gcn": Family(
        lambda: gcn((34, 8, 2), dropout=0.5), lambda net: Gradient(net, Classify(), rule()), lambda: karate().train
    ),
    "dcgan": Family(lambda: dcgan(8, width=2), play, pictures, 11),
    "players": Family(lambda: Players(mlp((2, 8, 1)), mlp((1, 8, 1)), noise=2), play, points, 11),
    "mlp over tasks": Family(
        lambda: mlp((1, 8, 1)), lambda net: Maml(net, Regress(), rule(), inner_steps=2), lambda: Sinusoids(tasks=3)
    ),
    "conv4 over tasks": Family(few_ways, lambda net: Maml(net, Classify(), rule()), lambda: FewPictures(tasks=2)),
    "quick net": Family(
        lambda: quick_net(10, (8, 8), channels=1, width=4),
        lambda net: Gradient(net, Classify(), rule(), average=Ema(0.9)),
        pictures,
        11,
    ),
    "table": Family(table_network, kept, rows, 11),
    "phrases": Family(phrase_network, lambda net: Gradient(net, EveryMember(Classify()), rule()), said, 11),
    "forecaster": Family(
        lambda: forecaster(5, 2, 3, calendar=2, series=2, width=8, members=2),
        lambda net: Gradient(net, EveryMember(Quantile((0.1, 0.5, 0.9))), rule(clip=1.0), average=Ema(0.9)),
        outlooks,
    ),
    "appnp": Family(lambda: appnp(7, 8, 2), lambda net: Gradient(net, Classify(), rule()), sparse),
    "going back": Family(
        lenet5, lambda net: Rollback(Gradient(net, Classify(), rule()), every=2, spike=1.02, patience=99), pictures, 11
    ),
}


def bits(state: Any) -> str:
    """A state in every bit: its plain data, and at each tensor's place a checksum of its bytes (so -0.0 is not 0.0).

    Which of the tensors that are equal share their memory is no part of it: it changes nothing that follows.
    """
    skeleton, tensors = pack(state)
    checksums = {name: checksum(tensor) for name, tensor in portable(tensors).items()}
    return json.dumps(_checked(skeleton, checksums))


def _checked(node: Any, checksums: dict[str, int]) -> Any:
    if isinstance(node, list):
        return [_checked(entry, checksums) for entry in node]
    if not isinstance(node, dict):
        return node
    return {
        kind: checksums[inside] if kind == "tensor" else _checked(inside, checksums) for kind, inside in node.items()
    }


class On(Batches[Any]):
    """The batches of another source, on a device."""

    def __init__(self, batches: Batches[Any], device: str) -> None:
        self.batches = batches
        self.device = device
        self.size, self.batch_size, self.seed = batches.size, batches.batch_size, batches.seed

    def __getitem__(self, k: int) -> Any:
        return self.batches[k].to(self.device)

    def once(self, batch_size: int | None = None) -> Iterator[Any]:
        return (batch.to(self.device) for batch in self.batches.once(batch_size))

    def shard(self, rank: int, world: int) -> "On":
        return On(self.batches.shard(rank, world), self.device)


def become(name: str, steps: int, device: str = "cpu") -> str:
    """What a family has become after so many steps, as one short text."""
    learner = made(lambda: FAMILIES[name].build(device))
    batches = FAMILIES[name].batches()
    fit(learner, batches if device == "cpu" else On(batches, device), steps=steps)
    return hashlib.sha256(bits(learner.state_dict()).encode()).hexdigest()


if __name__ == "__main__":
    torch.set_num_threads(1)
    count, place = sys.argv[1:]
    torch.use_deterministic_algorithms(place != "cpu")
    print(json.dumps({name: become(name, int(count), place) for name in FAMILIES}))
