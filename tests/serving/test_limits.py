"""Limits. Oracle: the numbers themselves."""

import pytest

from chainrule.errors import InputError
from chainrule.serving.limits import Limits, Refused, too_slow


def test_as_many_as_are_allowed_and_no_more() -> None:
    Limits(examples=3).allow(3)
    with pytest.raises(Refused, match="Got examples=4, at_most=3") as caught:
        Limits(examples=3).allow(4)
    assert caught.value.status == 413


def test_a_refusal_is_our_sentence() -> None:
    assert str(Refused(422, InputError("a fact", advice="an advice", x=1))) == "a fact. Got x=1; an advice."
    assert (too_slow(30.0).status, "seconds=30.0" in str(too_slow(30.0))) == (504, True)
