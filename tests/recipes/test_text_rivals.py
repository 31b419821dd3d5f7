"""What language models are measured beside. Oracle: the closed form of a text without structure."""

import math
import random

import pytest

from chainrule.data import Text
from chainrule.recipes.text_rivals import BITS, compressed, counted, tokens_of


def parts() -> Text:
    draw = random.Random(0)
    return Text.of("".join(draw.choice("abcd") for _ in range(20_000)), context=16, batch_size=2)


def test_nobody_can_guess_what_is_drawn() -> None:
    """Four letters drawn evenly cost two bits each, whoever counts; a compressor somewhat more."""
    text = parts()
    for rival in counted(text, (1, 2, 3)).values():
        assert rival[f"test {BITS}"] == pytest.approx(2.0, abs=0.03)
        assert rival[f"validation {BITS}"] == pytest.approx(2.0, abs=0.03)
    for rival in compressed(text).values():
        assert 1.99 < rival[f"test {BITS}"] < 2.6


def test_what_repeats_costs_next_to_nothing() -> None:
    text = Text.of("abcdefgh" * 2_500, context=16, batch_size=2)
    assert counted(text, (3,))["3-gram"][f"test {BITS}"] < 0.05 < math.log2(8)
    assert compressed(text)["xz"][f"test {BITS}"] < 0.2


def test_the_parts_are_those_of_the_text() -> None:
    text = parts()
    assert [len(tokens_of(part)) for part in (text.train, text.validation, text.test)] == [18_000, 1_000, 1_000]
