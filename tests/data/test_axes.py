"""What a batch's tensors must look like."""

import pytest
import torch

from chainrule import InputError
from chainrule.data.axes import Axes, demand


@pytest.mark.parametrize(
    ("tensor", "numbers", "fits"),
    [
        (torch.zeros(2), "whole", False),
        (torch.zeros(2, dtype=torch.complex64), "whole", False),
        (torch.zeros(2, dtype=torch.bool), "whole", False),
        (torch.zeros(2, dtype=torch.uint8), "whole", True),
        (torch.zeros(2, dtype=torch.int64), "whole", True),
        (torch.zeros(2, dtype=torch.int64), "floating", False),
        (torch.zeros(2, dtype=torch.bfloat16), "floating", True),
        (torch.zeros(2, dtype=torch.bool), "any", True),
    ],
)
def test_numbers(tensor, numbers, fits):
    assert Axes(("batch",), numbers).fits(tensor) is fits


def test_number_of_axes():
    either = Axes(("batch", "batch output"))
    assert [either.fits(torch.zeros((2,) * n)) for n in range(4)] == [False, True, True, False]


def test_the_message_names_the_tensor_and_what_it_should_be():
    axes = {"labels": Axes(("batch",), "whole")}
    demand("Images", {"labels": torch.tensor([1]), "other": torch.zeros(1, 1)}, axes)
    with pytest.raises(InputError, match=r"`labels` of Images must be \(batch\) of whole numbers. Got shape=\(1, 2\)"):
        demand("Images", {"labels": torch.zeros(1, 2)}, axes)
