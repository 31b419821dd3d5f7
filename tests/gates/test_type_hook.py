"""The type hook is on in this very run: wrong types and wrong shapes raise."""

import pytest
import torch
from beartype.roar import BeartypeCallHintViolation
from jaxtyping import TypeCheckError

from chainrule.data import Table
from chainrule.layers import Pixels
from chainrule.training import counted


def test_wrong_shape_is_caught():
    with pytest.raises(TypeCheckError, match="pixels"):
        Pixels()(torch.zeros(3, 4))


def test_wrong_type_is_caught():
    with pytest.raises((TypeCheckError, BeartypeCallHintViolation)):
        counted("not a batch")


def test_fields_of_a_batch_share_their_axes():
    with pytest.raises(TypeCheckError):
        Table(torch.zeros(3), torch.zeros(3))


@pytest.mark.usefixtures("unchecked")
def test_unchecked_lets_malformed_arguments_through():
    assert Pixels()(torch.zeros(1, 3, 4)).shape == (1, 3, 4)
