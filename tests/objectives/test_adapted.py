"""The loss after adaptation, against a loop over tasks, finite differences and closed forms."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from chainrule.data import Images, Table, Tasks, by_task
from chainrule.errors import InputError
from chainrule.models import conv4, mlp
from chainrule.objectives import Adapted, Classify, Regress
from chainrule.training import evaluate
from references.maml import slow_maml


def _pairs(rows: Table | Images, count: int) -> list[tuple[Tensor, Tensor]]:
    return list(zip(by_task(rows.inputs[0], count), by_task(rows.targets, count), strict=True))


def _curves(count: int = 3, shots: int = 4, query_shots: int = 5) -> Tasks[Table]:
    x = torch.rand(count * (shots + query_shots), 1, dtype=torch.float64) * 10 - 5
    rows = Table(x, torch.sin(x + torch.rand_like(x)))
    return Tasks(rows.select(slice(0, count * shots)), rows.select(slice(count * shots, None)), count)


def _pictures(count: int = 2, ways: int = 3, query_shots: int = 2) -> Tasks[Images]:
    support = Images(torch.rand(count * ways, 1, 16, 16, dtype=torch.float64), torch.arange(ways).repeat(count))
    query = Images(
        torch.rand(count * ways * query_shots, 1, 16, 16, dtype=torch.float64),
        torch.arange(ways).repeat(count * query_shots),
    )
    return Tasks(support, query, count)


def _gradients(model: nn.Module, objective: Adapted, tasks: Tasks) -> tuple[Tensor, list[Tensor]]:
    loss = objective(model, tasks).value
    return loss.detach(), list(torch.autograd.grad(loss, list(model.parameters())))


@pytest.mark.parametrize("first_order", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_equals_a_loop_over_tasks(steps: int, first_order: bool) -> None:
    torch.manual_seed(steps)
    model, tasks = mlp((1, 8, 8, 1), activation=nn.Tanh).double(), _curves()
    expected = slow_maml(
        model, F.mse_loss, _pairs(tasks.support, 3), _pairs(tasks.query, 3),
        steps=steps, rate=0.1, first_order=first_order,
    )  # fmt: skip
    found = _gradients(model, Adapted(Regress(), steps, 0.1, first_order=first_order), tasks)
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("first_order", [False, True])
@pytest.mark.parametrize("stride", [1, 2])
def test_equals_a_loop_over_tasks_on_pictures(stride: int, first_order: bool) -> None:
    torch.manual_seed(stride)
    model, tasks = conv4(3, width=4, side=16, stride=stride).double(), _pictures()
    expected = slow_maml(
        model, F.cross_entropy, _pairs(tasks.support, 2), _pairs(tasks.query, 2),
        steps=2, rate=0.4, first_order=first_order,
    )  # fmt: skip
    found = _gradients(model, Adapted(Classify(), 2, 0.4, first_order=first_order), tasks)
    torch.testing.assert_close(found, expected, rtol=1e-7, atol=1e-10)


def test_the_gradient_is_that_of_finite_differences() -> None:
    torch.manual_seed(0)
    model, tasks, objective = mlp((1, 5, 1), activation=nn.Tanh).double(), _curves(), Adapted(Regress(), 2, 0.2)
    _, gradients = _gradients(model, objective, tasks)
    for parameter, gradient in zip(model.parameters(), gradients, strict=True):
        for place in range(parameter.numel()):
            flat, losses = parameter.data.view(-1), []
            kept = flat[place].item()
            for move in (1e-6, -1e-6):
                flat[place] = kept + move
                losses.append(objective(model, tasks).value.item())
            flat[place] = kept
            assert gradient.view(-1)[place].item() == pytest.approx((losses[0] - losses[1]) / 2e-6, rel=1e-5, abs=1e-8)


@pytest.mark.parametrize("first_order", [False, True])
def test_closed_form_of_a_line_through_the_origin(first_order: bool) -> None:
    r"""One weight: $w' = w - 2\alpha\,\overline{x(wx - y)}$ and $dw'/dw = 1 - 2\alpha\,\overline{x^2}$, or 1."""
    torch.manual_seed(1)
    tasks, rate = _curves(count=4), 0.05
    model = nn.Linear(1, 1, bias=False).double()
    x, y = by_task(tasks.support.features, 4), by_task(tasks.support.outcome, 4)
    query_x, query_y = by_task(tasks.query.features, 4), by_task(tasks.query.outcome, 4)
    weight = model.weight.detach()
    adapted = weight - 2 * rate * (x * (weight * x - y)).mean(1, keepdim=True)
    error = adapted * query_x - query_y
    slope = torch.ones_like(adapted) if first_order else 1 - 2 * rate * x.square().mean(1, keepdim=True)
    value, gradient = _gradients(model, Adapted(Regress(), 1, rate, first_order=first_order), tasks)
    torch.testing.assert_close(value, error.square().mean())
    torch.testing.assert_close(gradient[0], (2 * error * query_x * slope).mean().view(1, 1))


@pytest.mark.parametrize(("steps", "rate"), [(0, 0.1), (3, 0.0)])
def test_without_adaptation_it_is_ordinary_learning_from_all_tasks(steps: int, rate: float) -> None:
    torch.manual_seed(2)
    model, tasks = mlp((1, 8, 1)).double(), _curves()
    plain = Regress()(model, tasks).value
    expected = (plain.detach(), list(torch.autograd.grad(plain, list(model.parameters()))))
    found = _gradients(model, Adapted(Regress(), steps, rate), tasks)
    torch.testing.assert_close(found, expected)
    assert Adapted(Regress(), steps, rate)(model, tasks).metrics["support_loss"].item() == pytest.approx(
        F.mse_loss(model(tasks.support.features), tasks.support.outcome).item()
    )


def test_watched_modules_see_one_task_at_a_time() -> None:
    torch.manual_seed(3)
    model, tasks, objective, seen = mlp((1, 4, 1)).double(), _curves(count=3, shots=4), Adapted(Regress(), 2), []
    plain = _gradients(model, objective, tasks)
    with model.head.register_forward_hook(
        lambda _module, _inputs, output: seen.append((tuple(output.shape), bool(output.isfinite().all())))
    ):
        watched = _gradients(model, objective, tasks)
    torch.testing.assert_close(watched, plain)
    assert seen == [((4, 1), True)] * 6 + [((5, 1), True)] * 3


def test_frozen_parameters_stay() -> None:
    torch.manual_seed(4)
    model, tasks = mlp((1, 4, 1)).double().freeze_encoder(), _curves()
    weights, _ = Adapted(Regress(), 1).adapt(model, tasks.support, 3)
    assert sorted(weights) == ["head.bias", "head.weight"]


def test_no_gradient_is_kept_where_none_is_asked_for() -> None:
    model, tasks = mlp((1, 4, 1)).double(), _curves()
    with torch.no_grad():
        loss = Adapted(Regress(), 2)(model, tasks)
    assert not loss.value.requires_grad
    torch.testing.assert_close(loss.value, Adapted(Regress(), 2)(model, tasks).value.detach())


def test_it_can_be_evaluated() -> None:
    from chainrule.data import Sinusoids

    torch.manual_seed(5)
    model, waves = mlp((1, 8, 1)), Sinusoids(tasks=4, size=8)
    whole = evaluate(model, Adapted(Regress(), 1), waves, batch_size=8)
    parts = evaluate(model, Adapted(Regress(), 1), waves, batch_size=4)
    assert whole == pytest.approx(parts)
    assert whole["loss"] != pytest.approx(whole["support_loss"])


def test_running_statistics_are_refused() -> None:
    model = nn.Sequential(nn.Flatten(), nn.Linear(256, 4), nn.BatchNorm1d(4)).double()
    with pytest.raises(InputError, match=r"normalise by that task's examples alone.*layer='2'.*BatchNorm1d"):
        Adapted(Classify()).check(model, _pictures())


def test_a_function_is_refused() -> None:
    with pytest.raises(InputError, match="only a module has weights to adapt"):
        Adapted(Regress())(lambda x: x, _curves())


def test_the_wrapped_objective_checks_its_tasks() -> None:
    with pytest.raises(InputError, match="labels must lie between 0"):
        Adapted(Classify()).check(conv4(2, width=2, side=16).double(), _pictures(ways=3))


@pytest.mark.parametrize(("steps", "rate"), [(-1, 0.1), (1, float("nan"))])
def test_settings_that_cannot_work(steps: int, rate: float) -> None:
    with pytest.raises(InputError, match="`steps` cannot be negative"):
        Adapted(Regress(), steps, rate)
