"""How a step is computed: oracles are the kinds of numbers that come out, and the setting of torch as it was before."""

import pytest
import torch

from chainrule.errors import InputError
from chainrule.learners import Compute
from chainrule.learners.compute import forward_in, multiplying_in

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("precision", "kind"), [("float32", torch.float32), ("tf32", torch.float32), ("bfloat16", torch.bfloat16)]
)
def test_forward_in(precision, kind):
    square = torch.ones(2, 2)
    with forward_in(precision, CPU):
        assert (square @ square).dtype == kind
    assert (square @ square).dtype == torch.float32


def test_an_outer_autocast_stays():
    with torch.autocast("cpu", torch.bfloat16), forward_in("float32", CPU):
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16


@pytest.mark.parametrize(("precision", "inside"), [("float32", "highest"), ("tf32", "high"), ("bfloat16", "highest")])
def test_multiplying_in_is_over_at_the_end_also_after_an_error(precision, inside):
    seen = []

    def fail():
        seen.append(torch.get_float32_matmul_precision())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), multiplying_in(precision):
        fail()
    assert seen == [inside]
    assert torch.get_float32_matmul_precision() == "highest"


def test_unknown_words_are_refused(unchecked):
    with pytest.raises(InputError, match=r"`execution` must be one of auto, eager, captured, compiled.*'fast'"):
        Compute(execution="fast")
    with pytest.raises(InputError, match=r"`precision` must be one of float32, tf32, bfloat16.*'half'"):
        Compute(precision="half")
