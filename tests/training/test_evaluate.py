"""Oracle: the metrics computed directly on the whole set at once."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from chainrule.data import IGNORED, Graph, InMemory, Same, Table, Tokens, generator
from chainrule.errors import InputError
from chainrule.learners import Gradient
from chainrule.models import mlp
from chainrule.objectives import Classify, NextToken, Regress
from chainrule.training import Evaluate, counted, evaluate, evaluating, fit


def network() -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(3)
        return nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Dropout(0.5), nn.Linear(6, 3)).double()


@settings(max_examples=40, deadline=None)
@given(
    size=st.integers(1, 17),
    batch_size=st.integers(1, 20),
    hidden=st.lists(st.booleans(), min_size=17, max_size=17),
)
def test_equals_the_whole_set_at_once(size: int, batch_size: int, hidden: list[bool]) -> None:
    """Ragged last batches, hidden targets, even batches that are all hidden."""
    labels = torch.where(torch.tensor(hidden[:size]), IGNORED, torch.arange(size) % 3)
    labels[0] = 1
    rows = Table(torch.randn(size, 4, dtype=torch.float64, generator=generator(size)), labels)
    model = network()
    found = evaluate(model, Classify(), InMemory(rows, batch_size=4), batch_size=batch_size)
    with evaluating(model), torch.no_grad():
        whole = Classify()(model, rows).metrics
    assert found == {name: pytest.approx(value.item(), rel=1e-5) for name, value in whole.items()}


def test_the_batches_own_size_is_the_default() -> None:
    sizes: list[int] = []
    model = mlp((2, 3))
    model.register_forward_hook(lambda _module, inputs, _output: sizes.append(len(inputs[0])))
    evaluate(model, Classify(), InMemory(Table(torch.zeros(7, 2), torch.zeros(7, dtype=torch.int64)), batch_size=3))
    assert sizes == [3, 3, 1]


def test_measurements_are_all_counted() -> None:
    """A target of -100.0 is a number like any other."""
    targets = torch.tensor([[-100.0], [-100.0], [0.0], [1.0], [2.0]])
    rows = Table(torch.zeros(5, 2), targets)
    assert counted(rows) == 5
    found = evaluate(mlp((2, 1)), Regress(), InMemory(rows, batch_size=2), batch_size=2)
    model = mlp((2, 1))
    found = evaluate(model, Regress(), InMemory(rows, batch_size=2))
    assert found["loss"] == pytest.approx(Regress()(model, rows).value.item(), rel=1e-5)


def test_a_graph_is_one_batch() -> None:
    graph = Graph(torch.eye(3), torch.tensor([[0, 1], [1, 2]]), torch.tensor([0, IGNORED, 1]))

    class Scores(nn.Module):
        def forward(self, features: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
            return features[:, :2] * 2

    assert counted(graph) == 2
    assert evaluate(Scores(), Classify(), Same(graph))["accuracy"] == 0.5


def test_tokens_are_counted_one_by_one() -> None:
    tokens = Tokens(torch.zeros(2, 3, dtype=torch.int64), torch.tensor([[1, 0, 1], [IGNORED, 1, IGNORED]]))
    assert counted(tokens) == 4
    model = nn.Embedding(2, 2)
    found = evaluate(model, NextToken(), InMemory(tokens, batch_size=2), batch_size=1)
    assert found["loss"] == pytest.approx(NextToken()(model, tokens).value.item(), rel=1e-5)


def test_every_module_gets_its_own_mode_back_also_after_an_error() -> None:
    model = network()
    model[1].eval()
    modes = [module.training for module in model.modules()]
    rows = Table(torch.zeros(4, 4, dtype=torch.float64), torch.arange(4) % 3)
    evaluate(model, Classify(), InMemory(rows, batch_size=2))
    assert [module.training for module in model.modules()] == modes
    with pytest.raises(RuntimeError):
        evaluate(model, Classify(), InMemory(Table(torch.zeros(4, 9).double(), rows.outcome), batch_size=2))
    assert [module.training for module in model.modules()] == modes


def test_evaluating_leaves_the_model_and_its_gradients_alone() -> None:
    model = network()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    rows = Table(torch.randn(6, 4, dtype=torch.float64), torch.arange(6) % 3)
    evaluate(model, Classify(), InMemory(rows, batch_size=2))
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())


def test_a_set_without_targets_is_refused() -> None:
    hidden = Table(torch.zeros(3, 4), torch.full((3,), IGNORED))
    with pytest.raises(InputError, match="`batches` needs at least one target"):
        evaluate(mlp((4, 3)), Classify(), InMemory(hidden, batch_size=2))


def test_the_hook_measures_on_time_and_at_the_end() -> None:
    rows = Table(torch.randn(8, 4), torch.arange(8) % 3)
    held_out = InMemory(rows, batch_size=3)
    learner = Gradient(mlp((4, 3)), Classify())
    run = fit(learner, held_out, steps=7, hooks=[Evaluate(Classify(), held_out, every=3, name="held_out")])
    steps, losses = run.curve("held_out_loss")
    assert steps == [3, 6, 7]
    assert losses[-1] == evaluate(learner.model, Classify(), held_out)["loss"]
    assert run.curve("held_out_accuracy")[0] == steps


@pytest.mark.parametrize("every", [0, -1])
def test_every_is_at_least_one_step(every: int) -> None:
    with pytest.raises(InputError, match="`every`"):
        Evaluate(Classify(), InMemory(Table(torch.zeros(2, 1), torch.zeros(2)), batch_size=1), every=every)
