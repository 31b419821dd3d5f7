"""Oracles: the naive forecast that it begins as, units that must not matter, an order that must hold, a count."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from chainrule.data import generator
from chainrule.errors import InputError
from chainrule.models import ForecastEncoder, MeanOfHeads, QuantileHead, forecaster, roughness

PAST, HORIZON, FEATURES = 12, 5, 2


def inputs(rows: int = 4, dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, ...]:
    return (
        torch.randn(rows, PAST, dtype=dtype, generator=generator(1)),
        torch.ones(rows, PAST, dtype=dtype),
        torch.randn(rows, HORIZON, FEATURES, dtype=dtype, generator=generator(2)),
        torch.arange(rows) % 3,
    )


def network(members: int = 2, lag: int = 1) -> nn.Module:
    torch.manual_seed(0)
    built = forecaster(PAST, HORIZON, 3, calendar=FEATURES, series=2, width=16, lag=lag, members=members)
    return built.double().eval()


@pytest.mark.parametrize("lag", [1, 4, PAST])
def test_its_straight_lines_begin_as_the_naive_forecast(lag: int) -> None:
    past, observed, calendar, which = inputs()
    encoder = ForecastEncoder(PAST, HORIZON, calendar=FEATURES, series=2, width=16, lag=lag).double().eval()
    base, last, scale = encoder(past, observed, calendar, which)[..., -3:].unbind(-1)
    naive = torch.stack([past[:, PAST - lag + moment % lag] for moment in range(HORIZON)], 1)
    torch.testing.assert_close(last + scale * base, naive)


@given(st.floats(1e-3, 1e4))
def test_units_do_not_matter(factor: float) -> None:
    """Twice as large a series has a forecast twice as large; only the share of movement in the level is seen."""
    past, *rest = inputs()
    model = network()
    torch.testing.assert_close(model(past * factor, *rest), model(past, *rest) * factor, rtol=1e-6, atol=1e-9)


@given(st.integers(0, 100))
def test_quantiles_never_cross(seed: int) -> None:
    head = QuantileHead(9, 7)
    with torch.no_grad():
        for parameter in head.parameters():
            parameter.copy_(3 * torch.randn(parameter.shape, generator=generator(seed)))
    embedding = torch.randn(20, 3, 9, generator=generator(seed, 1))
    embedding[..., -1].abs_()
    assert (head(embedding).diff(dim=-1) >= 0).all()


def test_a_gap_is_not_looked_at() -> None:
    past, observed, calendar, which = inputs()
    observed[:, 3:6] = 0
    other = past.clone()
    other[:, 3:6] = 77.0
    model = network()
    torch.testing.assert_close(model(past, observed, calendar, which), model(other, observed, calendar, which))


def test_widening_moves_the_edges_away_from_the_middle() -> None:
    head = QuantileHead(9, 3)
    embedding = torch.randn(2, 4, 9, generator=generator(5)).abs()
    before = head(embedding)
    head.widen(2.0)
    after = head(embedding)
    torch.testing.assert_close(after[..., 1], before[..., 1])
    torch.testing.assert_close(after.diff(dim=-1), 2 * before.diff(dim=-1))


def test_members_learn_apart_and_speak_as_one() -> None:
    model = network(members=3)
    together = model(*inputs())
    assert isinstance(model.head, MeanOfHeads)
    embedding = model.embed(*inputs())
    alone = [head(embedding[:, place]) for place, head in enumerate(model.head.members)]
    torch.testing.assert_close(together, torch.stack(alone).mean(0))
    assert not torch.equal(alone[0], alone[1])
    assert model.train()(*inputs()).shape == (4, 3, HORIZON, 3)


def test_roughness_is_the_mean_change_on_a_logarithm() -> None:
    z = torch.randn(2, 30, dtype=torch.float64, generator=generator(6))
    changes = z.diff(dim=1).abs()
    expected = torch.stack([changes.mean(1), changes[:, -8:].mean(1)], 1).log()
    torch.testing.assert_close(roughness(z, torch.ones_like(z)), expected)


def test_it_has_as_many_numbers_as_its_layers() -> None:
    width, decoded, wide = 16, 16, 2 * PAST + FEATURES + 3 + 8
    layers = sum((inward + 1) * width + (width + 1) * width + inward * width + 2 * width for inward in (wide, width))
    encoder = 3 * 8 + layers + (width + 1) * HORIZON * decoded + (PAST + 1) * HORIZON
    head = (decoded + FEATURES + 1) * 64 + 65 * 3
    assert sum(parameter.numel() for parameter in network(members=2).parameters()) == 2 * (encoder + head)


def test_sizes_that_cannot_work_are_refused() -> None:
    with pytest.raises(InputError, match="`lag` lie within `past`"):
        ForecastEncoder(4, 2, calendar=1, series=0, lag=5)
    with pytest.raises(InputError, match="needs features and quantiles"):
        QuantileHead(3, 5)
    with pytest.raises(InputError, match="`members`"):
        forecaster(4, 2, 3, calendar=1, members=0)
