"""How the contract suite builds every public name of `chainrule.learners`."""

import torch

from chainrule.data import InMemory, Sinusoids, Table, Tasks
from chainrule.learners import Adversarial, Compute, Gradient, KeepBest, Maml, Rollback, blame
from chainrule.models import Players, mlp
from chainrule.objectives import Classify, Regress
from chainrule.optim import AdamW, Ema
from contracts.entry import Function, Learner, Value


def _spoiled() -> Table:
    features = torch.randn(8, 4)
    features[3, 1] = torch.nan
    return Table(features, torch.arange(8) % 3)


def _spoiled_wave() -> Tasks[Table]:
    tasks = Sinusoids(tasks=3)[0]
    tasks.query.outcome[4] = torch.nan
    return tasks


def _play() -> Adversarial:
    rule = AdamW(lr=0.01, betas=(0.0, 0.99))
    return Adversarial(
        Players(mlp((2, 8, 4)), mlp((4, 8, 1)), noise=2),
        generator_rule=rule,
        critic_rule=rule,
        average=Ema(0.9),
        critic_steps=2,
    )


def _held_out() -> InMemory[Table]:
    return InMemory(Table(torch.ones(4, 4), torch.arange(4) % 3), batch_size=4)


ENTRIES = {
    "KeepBest": Learner(
        build=lambda: KeepBest(Gradient(mlp((4, 16, 3)), Classify(), AdamW(lr=0.02)), Classify(), _held_out, every=2),
        batch=lambda: Table(torch.randn(8, 4), torch.arange(8) % 3),
        spoiled=_spoiled,
    ),
    "Adversarial": Learner(
        build=_play,
        batch=lambda: Table(torch.randn(8, 4), torch.arange(8) % 3),
        spoiled=_spoiled,
        skips={"overfit": "what one player wins the other loses: neither loss has to fall"},
    ),
    "Compute": Value(build=lambda: Compute(precision="bfloat16", execution="compiled")),
    "Gradient": Learner(
        build=lambda: Gradient(mlp((4, 16, 3)), Classify(), AdamW(lr=0.02), accumulate=2, average=Ema(0.9)),
        batch=lambda: Table(torch.randn(8, 4), torch.arange(8) % 3),
        spoiled=_spoiled,
    ),
    "Maml": Learner(
        build=lambda: Maml(mlp((1, 16, 1)), Regress(), AdamW(lr=0.02, weight_decay=0.0), inner_steps=2),
        batch=lambda: Sinusoids(tasks=3)[0],
        spoiled=_spoiled_wave,
    ),
    "Rollback": Learner(
        build=lambda: Rollback(Gradient(mlp((4, 16, 3)), Classify(), AdamW(lr=0.02)), every=2, spike=2.0),
        batch=lambda: Table(torch.randn(8, 4), torch.arange(8) % 3),
        skips={"nonfinite": "going back instead of raising is what it is for; its own tests say how far"},
    ),
    "blame": Function(
        example=lambda: blame(torch.nn.Linear(1, 1), Regress(), Table(torch.tensor([[torch.nan]]), torch.zeros(1, 1)))
    ),
}
