"""Oracles: the formula, scikit-learn's StandardScaler, and an affine invariance of bilinear resizing."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

from chainrule.data import digits, generator
from chainrule.errors import InputError
from chainrule.layers import Pixels
from chainrule.layers.pixels import _from_bytes


@settings(max_examples=30, deadline=None)
@given(
    channels=st.integers(1, 4),
    batch=st.integers(1, 3),
    height=st.integers(1, 5),
    width=st.integers(1, 5),
    seed=st.integers(0, 99),
)
def test_is_the_formula_channel_by_channel(channels: int, batch: int, height: int, width: int, seed: int) -> None:
    numbers = generator(seed)
    pixels = torch.randint(256, (batch, channels, height, width), generator=numbers, dtype=torch.uint8)
    mean = (255 * torch.rand(channels, generator=numbers)).tolist()
    deviation = (1 + torch.rand(channels, generator=numbers)).tolist()
    found = Pixels(tuple(mean), tuple(deviation))(pixels)
    assert found.dtype == torch.float32
    for channel in range(channels):
        expected = (pixels[:, channel].double() - mean[channel]) / deviation[channel]
        torch.testing.assert_close(found[:, channel].double(), expected, rtol=1e-5, atol=1e-3)


def test_equals_a_standard_scaler_with_one_mean_for_all_pixels() -> None:
    train = next(digits().train.once(1197)).pixels
    scaler = StandardScaler().fit(train.numpy().reshape(-1, 1))
    layer = Pixels((float(scaler.mean_[0]),), (float(scaler.scale_[0]),))
    expected = scaler.transform(train.numpy().reshape(-1, 1)).reshape(train.shape)
    np.testing.assert_allclose(layer(train).numpy(), expected, rtol=1e-4, atol=1e-5)
    assert layer(train).mean().abs() < 1e-4
    assert abs(layer(train).std() - 1) < 1e-3


def test_resizing_gives_the_wanted_side_and_keeps_what_is_even() -> None:
    layer = Pixels((2.0,), (4.0,), side=7)
    found = layer(torch.full((2, 3, 5, 4), 10, dtype=torch.uint8))
    torch.testing.assert_close(found, torch.full((2, 3, 7, 7), 2.0))


@given(side=st.integers(1, 9))
def test_a_picture_of_the_wanted_side_is_only_standardised(side: int) -> None:
    pixels = torch.rand(1, 1, side, side, generator=generator(side))
    assert torch.equal(Pixels(side=side)(pixels), pixels)


def test_enlarging_keeps_a_ramp_a_ramp() -> None:
    """Bilinear interpolation is exact on an affine picture, away from the border."""
    ramp = torch.arange(8.0).expand(1, 1, 8, 8)
    found = Pixels(side=32)(ramp)[0, 0, 16, 4:-4]
    expected = (torch.arange(4, 28) + 0.5) / 4 - 0.5
    torch.testing.assert_close(found, expected)


def test_the_statistics_are_saved_with_the_weights_and_do_not_learn() -> None:
    layer = Pixels((1.0, 2.0), (3.0, 4.0))
    assert sorted(layer.state_dict()) == ["mean", "scale"]
    assert list(layer.parameters()) == []
    other = Pixels((0.0, 0.0), (1.0, 1.0))
    other.load_state_dict(layer.state_dict())
    pixels = torch.rand(1, 2, 3, 3)
    assert torch.equal(layer(pixels), other(pixels))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mean": (0.0, 1.0), "deviation": (1.0,)}, "one number per channel"),
        ({"mean": (0.0,), "deviation": (0.0,)}, "above zero"),
        ({"mean": (0.0,), "deviation": (-1.0,)}, "above zero"),
        ({"mean": (), "deviation": ()}, "one number per channel"),
        ({"side": 0}, "`side`"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Pixels(**settings)  # type: ignore[arg-type]


def test_channels_are_not_made_up_by_broadcasting() -> None:
    with pytest.raises(InputError, match=r"one number per channel of the pixels.*mean=3, pixels=\(2, 1, 4, 4\)"):
        Pixels((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))(torch.zeros(2, 1, 4, 4))


def test_an_ensemble_may_map_over_the_means() -> None:
    """Oracle: one layer after another."""
    layers = [Pixels(mean=(float(i),), deviation=(i + 1.0,)) for i in range(3)]
    pixels = torch.randint(0, 255, (2, 1, 4, 4), dtype=torch.uint8)
    _, buffers = torch.func.stack_module_state(layers)  # type: ignore[arg-type]
    together = torch.vmap(lambda each: torch.func.functional_call(layers[0], each, (pixels,)))(buffers)
    torch.testing.assert_close(together, torch.stack([layer(pixels) for layer in layers]))


def test_the_pixels_themselves_stay_and_may_carry_a_gradient() -> None:
    pixels = torch.rand(1, 1, 2, 2, requires_grad=True)
    kept = pixels.detach().clone()
    Pixels(mean=(0.5,), deviation=(0.25,))(pixels).sum().backward()
    assert torch.equal(pixels, kept)
    assert pixels.grad is not None
    torch.testing.assert_close(pixels.grad, torch.full_like(pixels, 4.0))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("memory", [torch.contiguous_format, torch.channels_last])
def test_what_a_device_does_with_bytes_is_the_same(dtype: torch.dtype, memory: torch.memory_format) -> None:
    layer = Pixels((125.3, 123.0, 113.9), (63.0, 62.1, 66.7)).to(dtype)
    pixels = torch.arange(256, dtype=torch.uint8).repeat(3).view(1, 3, 16, 16).contiguous(memory_format=memory)
    found = _from_bytes(pixels, layer.mean, layer.scale)
    assert found.dtype is dtype
    assert found.is_contiguous(memory_format=memory)
    assert torch.equal(found, layer(pixels))
