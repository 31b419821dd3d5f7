"""Oracle: the weighted mean written out."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from chainrule.errors import InputError
from chainrule.optim import Ema


@settings(max_examples=40, deadline=None)
@given(decay=st.floats(0, 0.999), weights=st.lists(st.floats(-5, 5), min_size=1, max_size=12))
def test_is_the_weighted_mean_of_all_weights(decay: float, weights: list[float]) -> None:
    """Closed form: sum of b^(T-t) w_t over the sum of b^(T-t)."""
    mean, model = nn.Linear(1, 1).double(), nn.Linear(1, 1).double()
    for updates, weight in enumerate(weights, 1):
        with torch.no_grad():
            model.weight.fill_(weight)
        Ema(decay).update(mean, model, updates)
    powers = [decay ** (len(weights) - 1 - place) for place in range(len(weights))]
    expected = sum(power * weight for power, weight in zip(powers, weights, strict=True)) / sum(powers)
    assert mean.weight.item() == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_the_first_mean_forgets_where_it_started() -> None:
    mean, model = nn.Linear(2, 2), nn.Linear(2, 2)
    Ema(0.99).update(mean, model, 1)
    torch.testing.assert_close(mean.weight, model.weight)


def test_buffers_are_copied_and_the_model_stays() -> None:
    mean, model = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    model(torch.randn(4, 2))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    Ema().update(mean, model, 5)
    assert torch.equal(mean.running_mean, model.running_mean)
    assert mean.num_batches_tracked == 1
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize("decay", [-0.1, 1.0, 1.5, float("nan")])
def test_decay_is_a_share(decay: float) -> None:
    with pytest.raises(InputError, match="`decay`"):
        Ema(decay)
