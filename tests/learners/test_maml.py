"""MAML as a learner: equal to the paper's algorithm step by step, resumable, and safe against bad batches."""

import copy

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from chainrule import fit
from chainrule.data import Sinusoids, Table, Tasks, by_task
from chainrule.errors import NonFiniteError
from chainrule.learners import Compute, Gradient, Maml
from chainrule.models import mlp
from chainrule.objectives import Regress
from chainrule.optim import AdamW, Sgd
from references.maml import slow_maml


def _learner(seed: int = 0, **settings: object) -> Maml:
    torch.manual_seed(seed)
    return Maml(mlp((1, 8, 8, 1)), Regress(), AdamW(lr=0.01, weight_decay=0.0), **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("first_order", [False, True])
def test_a_step_is_the_papers(first_order: bool) -> None:
    torch.manual_seed(0)
    model = mlp((1, 6, 1), activation=nn.Tanh)
    twin, waves = copy.deepcopy(model), Sinusoids(tasks=3, shots=4, query_shots=5)
    learner = Maml(model, Regress(), Sgd(lr=0.1, momentum=0.0), inner_steps=2, inner_rate=0.05, first_order=first_order)
    for step in range(3):
        tasks = waves[step]
        loss, gradients = slow_maml(
            twin,
            F.mse_loss,
            list(zip(by_task(tasks.support.features, 3), by_task(tasks.support.outcome, 3), strict=True)),
            list(zip(by_task(tasks.query.features, 3), by_task(tasks.query.outcome, 3), strict=True)),
            steps=2,
            rate=0.05,
            first_order=first_order,
        )
        with torch.no_grad():
            for parameter, gradient in zip(twin.parameters(), gradients, strict=True):
                parameter.sub_(0.1 * gradient)
        torch.testing.assert_close(learner.step(tasks)["loss"], loss)
    torch.testing.assert_close(dict(model.named_parameters()), dict(twin.named_parameters()))


def test_exact_and_first_order_differ() -> None:
    exact, cheap, tasks = _learner(inner_rate=0.1), _learner(inner_rate=0.1, first_order=True), Sinusoids(4)[0]
    exact.step(tasks)
    cheap.step(tasks)
    assert not torch.equal(exact.model.head.weight, cheap.model.head.weight)


def test_an_inner_rate_of_zero_is_learning_from_the_union_of_tasks() -> None:
    """Berkeley's second course, rows I20 and O51: with no inner movement MAML is plain training on all tasks."""
    waves, maml = Sinusoids(tasks=5), _learner(inner_rate=0.0)
    torch.manual_seed(0)
    plain = Gradient(mlp((1, 8, 8, 1)), Regress(), AdamW(lr=0.01, weight_decay=0.0))
    for step in range(10):
        torch.testing.assert_close(maml.step(waves[step])["loss"], plain.step(waves[step].query)["loss"])
    torch.testing.assert_close(maml.model.state_dict(), plain.model.state_dict())


@pytest.mark.parametrize("stopped", range(6))
def test_resumes_bit_for_bit_after_every_step(stopped: int) -> None:
    waves = Sinusoids(tasks=3)
    straight, first, second = _learner(), _learner(), _learner(seed=9)
    fit(straight, waves, steps=6)
    fit(first, waves, steps=stopped)
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    fit(second, waves, steps=6, start=stopped)
    for name, weight in straight.model.state_dict().items():
        assert torch.equal(weight, second.model.state_dict()[name])


def test_dropout_differs_between_tasks_and_is_repeatable() -> None:
    def run() -> dict[str, torch.Tensor]:
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(1, 16), nn.Dropout(0.5), nn.Linear(16, 1))
        learner = Maml(model, Regress())
        fit(learner, Sinusoids(tasks=3), steps=3)
        return model.state_dict()

    torch.testing.assert_close(run(), run(), rtol=0, atol=0)


def test_it_learns_to_adapt() -> None:
    torch.manual_seed(0)
    waves = Sinusoids(tasks=10, size=100)
    learner = Maml(mlp((1, 40, 40, 1)), Regress(), AdamW(lr=3e-3, weight_decay=0.0))
    fit(learner, waves, steps=200)
    tasks = next(waves.once(100))
    before = F.mse_loss(learner.model(*tasks.inputs), tasks.targets).item()
    assert learner.objective(learner.model, tasks).value.item() < 0.85 * before


def test_adapt_gives_a_network_for_one_task_and_leaves_the_start() -> None:
    learner, task = _learner(), Sinusoids(tasks=1)[0]
    start = copy.deepcopy(learner.model.state_dict())
    network = learner.adapt(task.support, steps=3)
    by_hand = copy.deepcopy(learner.model)
    descent = torch.optim.SGD(by_hand.parameters(), lr=0.01)
    for _ in range(3):
        descent.zero_grad()
        F.mse_loss(by_hand(task.support.features), task.support.outcome).backward()
        descent.step()
    torch.testing.assert_close(network.state_dict(), by_hand.state_dict())
    torch.testing.assert_close(learner.model.state_dict(), start, rtol=0, atol=0)
    assert all(parameter.requires_grad and parameter.is_leaf for parameter in network.parameters())
    torch.testing.assert_close(learner.adapt(task.support).state_dict(), learner.adapt(task.support, 1).state_dict())


def _spoil(tasks: Tasks[Table]) -> Tasks[Table]:
    tasks.query.outcome[3] = torch.nan
    return tasks


def test_a_batch_that_is_not_finite_raises_and_changes_nothing() -> None:
    learner, waves = _learner(), Sinusoids(tasks=2)
    learner.step(waves[0])
    before = copy.deepcopy(learner.model.state_dict())
    with pytest.raises(NonFiniteError, match=r"at step 1: first in the batch itself \(query_outcome\)"):
        learner.step(_spoil(waves[1]))
    torch.testing.assert_close(learner.model.state_dict(), before, rtol=0, atol=0)


def test_an_adaptation_that_explodes_names_the_module() -> None:
    learner, tasks = _learner(), Sinusoids(tasks=2)[0]
    tasks.support.features[3] = 1e30
    with pytest.raises(NonFiniteError, match=r"first in .*module `encoder.1` \(Linear\)"):
        learner.step(tasks)


def test_a_batch_that_is_not_finite_can_be_skipped() -> None:
    learner, waves = _learner(nonfinite="skip"), Sinusoids(tasks=2)
    learner.step(waves[0])
    learner.step(_spoil(waves[1]))
    assert learner.skipped == 1


def test_bfloat16_is_near_float32() -> None:
    tasks = Sinusoids(tasks=4)[0]
    exact, half = _learner().step(tasks)["loss"], _learner(compute=Compute("bfloat16")).step(tasks)["loss"]
    torch.testing.assert_close(half.float(), exact, rtol=0.05, atol=0.05)
