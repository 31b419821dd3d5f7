"""Oracles: closed forms, torch's CosineAnnealingLR, invariants for any lengths."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chainrule.errors import InputError
from chainrule.optim import Constant, WarmupCosine

LENGTHS = st.integers(1, 500).flatmap(lambda steps: st.tuples(st.just(steps), st.integers(0, steps)))


@given(step=st.integers(0, 10**9))
def test_constant_is_one(step: int) -> None:
    assert Constant().scale(step) == 1.0


@given(lengths=LENGTHS, floor=st.floats(0, 1), step=st.integers(0, 1000))
def test_is_the_docstrings_formula(lengths: tuple[int, int], floor: float, step: int) -> None:
    steps, warmup = lengths
    rise = min(1.0, (step + 1) / warmup) if warmup else 1.0
    angle = math.pi * min(1.0, max(0, step - warmup) / max(1, steps - warmup))
    expected = rise * (floor + (1 - floor) * (1 + math.cos(angle)) / 2)
    assert WarmupCosine(steps, warmup, floor).scale(step) == pytest.approx(expected, abs=1e-12)


@given(lengths=LENGTHS, floor=st.floats(0, 1))
def test_rises_to_one_then_falls_to_its_floor_and_stays(lengths: tuple[int, int], floor: float) -> None:
    steps, warmup = lengths
    rates = [WarmupCosine(steps, warmup, floor).scale(step) for step in range(steps + 20)]
    assert all(-1e-12 <= rate <= 1.0 for rate in rates)
    assert all(before < after for before, after in itertools.pairwise(rates[:warmup]))
    assert all(before >= after - 1e-12 for before, after in itertools.pairwise(rates[warmup:]))
    if warmup < steps:
        assert rates[warmup] == pytest.approx(1.0)
        assert rates[steps:] == pytest.approx([floor] * 20, abs=1e-12)


def test_without_warmup_it_is_torchs_cosine() -> None:
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=40, eta_min=0.03)
    ours = WarmupCosine(steps=40, floor=0.1)
    for step in range(40):
        assert 0.3 * ours.scale(step) == pytest.approx(scheduler.get_last_lr()[0], abs=1e-12)
        optimizer.step()
        scheduler.step()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"steps": 0}, "`steps` be at least 1"),
        ({"steps": 10, "warmup": 11}, "`warmup` must lie"),
        ({"steps": 10, "warmup": -1}, "`warmup` must lie"),
        ({"steps": 10, "floor": -0.1}, "`floor`"),
        ({"steps": 10, "floor": 1.1}, "`floor`"),
        ({"steps": 10, "floor": float("nan")}, "`floor`"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        WarmupCosine(**settings)  # type: ignore[arg-type]


def test_a_cosine_without_an_end_is_stretched_over_the_run() -> None:
    assert WarmupCosine(warmup=10, floor=0.1).over(100) == WarmupCosine(100, warmup=10, floor=0.1)
    assert WarmupCosine(50, warmup=10).over(100) == WarmupCosine(50, warmup=10)
    assert WarmupCosine(warmup=10).over(4) == WarmupCosine(4, warmup=4)  # a short trial of a long recipe
    assert Constant().over(100) == Constant()


def test_a_cosine_needs_its_end() -> None:
    with pytest.raises(InputError, match=r"a cosine needs its end. Got step=3"):
        WarmupCosine(warmup=10).scale(3)
