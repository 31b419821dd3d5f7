"""How the contract suite builds every public name of `chainrule.objectives`."""

import torch
from torch import nn

from chainrule.data import Outlook, Sinusoids, Table, Tokens
from chainrule.models import ClassVote, Network, TableEncoder, forecaster, mlp
from chainrule.objectives import (
    Adapted,
    Classify,
    EveryMember,
    Hinge,
    LeastSquares,
    Loss,
    Minimax,
    NextToken,
    NonSaturating,
    Quantile,
    Regress,
    accuracy,
    gradient_penalty,
    tried,
)
from contracts.entry import Abstract, Function, Name, Objective, Value


def _penalty() -> torch.Tensor:
    examples = torch.randn(3, 2, requires_grad=True)
    return gradient_penalty(examples.square().sum(1), examples)


def _outlook() -> Outlook:
    return Outlook(
        past=torch.randn(3, 6), observed=torch.ones(3, 6), calendar=torch.randn(3, 4, 2),
        which=torch.tensor([0, 1, 2]), future=torch.randn(3, 4), moment=torch.tensor([6, 7, 8]),
    )  # fmt: skip


ENTRIES = {
    "EveryMember": Objective(
        build=lambda: EveryMember(Classify()),
        model=lambda: Network(TableEncoder(((0.0, 1.0),), (), width=8, members=3, dropout=0.0), ClassVote(8, 3, 3)),
        batch=lambda: Table(torch.rand(6, 1), torch.tensor([0, 1, 2, 0, 1, 2])),
    ),
    "Quantile": Objective(
        build=lambda: Quantile((0.1, 0.5, 0.9)),
        model=lambda: forecaster(6, 4, 3, calendar=2, series=2, width=8).eval(),
        batch=_outlook,
    ),
    "Adapted": Objective(
        build=lambda: Adapted(Regress(), steps=2, rate=0.1),
        model=lambda: mlp((1, 8, 1)),
        batch=lambda: Sinusoids(tasks=3)[0],
        skips={"without_a_module": "only a module has weights to adapt"},
    ),
    "Classify": Objective(
        build=lambda: Classify(smoothing=0.1),
        model=lambda: mlp((4, 8, 3)),
        batch=lambda: Table(torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])),
    ),
    "NextToken": Objective(
        build=NextToken,
        model=lambda: nn.Sequential(nn.Embedding(7, 5), nn.Linear(5, 7)),
        batch=lambda: Tokens(torch.randint(7, (3, 4)), torch.randint(7, (3, 4))),
    ),
    "Regress": Objective(
        build=Regress,
        model=lambda: mlp((4, 8, 2)),
        batch=lambda: Table(torch.randn(6, 4), torch.randn(6, 2)),
    ),
    "Hinge": Value(build=Hinge),
    "LeastSquares": Value(build=LeastSquares),
    "Minimax": Value(build=Minimax),
    "NonSaturating": Value(build=NonSaturating),
    "Loss": Value(
        build=lambda: Loss(torch.tensor(1.0), {"loss": torch.tensor(1.0)}),
        skips={"hashable": "it holds a dict of metrics", "frozen": "a named tuple is frozen without being a dataclass"},
    ),
    "Game": Abstract("the four games of two players above"),
    "gradient_penalty": Function(example=_penalty),
    "accuracy": Function(example=lambda: accuracy(torch.randn(5, 3), torch.tensor([0, 1, 2, 0, 1]))),
    "tried": Function(example=lambda: tried(mlp((4, 3)), Table(torch.ones(2, 4), torch.zeros(2)))),
    "Model": Name("an alias of types: a module, or a function of the batch's inputs"),
    "Objective": Abstract("every objective above"),
}
