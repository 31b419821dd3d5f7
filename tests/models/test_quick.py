"""The quick network: sizes counted by hand, a layout that changes no number, and pictures of any shape."""

import pytest
import torch
from torch import nn

from chainrule import InputError
from chainrule.layers import Pixels, Temperature
from chainrule.models import ChannelsLast, quick_net, quick_stem


def count(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def convolution(before: int, after: int, side: int = 3) -> int:
    return before * after * side * side + 2 * after  # without a bias, with its norm


def test_its_size_is_the_sum_of_its_layers():
    stem = convolution(1, 32) + convolution(32, 64)
    blocks = 2 * convolution(64, 64) + convolution(64, 128) + convolution(128, 128) + convolution(64, 128, 1)
    assert count(quick_net(10, (28, 28), channels=1)) == stem + blocks + 128 * 10 + 10


@pytest.mark.parametrize(
    ("size", "features", "left"),
    [((8, 8), 128, 4), ((28, 28), 128, 7), ((32, 32), 128, 8), ((64, 64), 128, 8), ((128, 128), 256, 8)],
)
def test_blocks_are_added_until_the_picture_is_small(size, features, left):
    with torch.device("meta"):
        model = quick_net(3, size, channels=3)
        seen = model.encoder[:-2](torch.zeros(1, 3, *size))
    assert tuple(seen.shape) == (1, features, left, left)


def test_pictures_need_not_be_square():
    assert quick_net(4, (40, 17), channels=1, width=8).eval()(torch.zeros(2, 1, 40, 17)).shape == (2, 4)


def test_the_layout_changes_no_number():
    torch.manual_seed(0)
    model = quick_net(5, (28, 28), channels=1, width=16).eval().double()
    pictures = torch.rand(3, 1, 28, 28, dtype=torch.float64)
    plain = nn.Sequential(*[part for part in model.encoder[1] if not isinstance(part, ChannelsLast)])
    expected = plain(pictures)
    found = model.encoder[1](pictures)
    torch.testing.assert_close(found, expected)
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_the_stem_halves_the_picture_or_keeps_it():
    for halvings, side in enumerate((12, 6, 3)):
        assert quick_stem(3, 8, halvings=halvings)(torch.zeros(2, 3, 12, 12)).shape == (2, 8, side, side)
    with pytest.raises(InputError, match="up to twice"):
        quick_stem(3, 8, halvings=3)


def test_it_ends_in_a_temperature_of_one_and_takes_bytes():
    model = quick_net(3, (12, 12), channels=1, width=8, pixels=Pixels((127.0,), (60.0,))).eval()
    pictures = torch.randint(256, (2, 1, 12, 12), dtype=torch.uint8)
    scores = model(pictures)
    last = next(module for module in model.modules() if isinstance(module, Temperature))
    last.set_to(2.0)
    torch.testing.assert_close(model(pictures), scores / 2)


def test_wrong_sizes():
    with pytest.raises(InputError, match="must all be at least 1"):
        quick_net(0, (28, 28))
