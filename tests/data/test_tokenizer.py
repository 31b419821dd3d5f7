"""Characters as tokens."""

import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chainrule import InputError
from chainrule.data import Characters


@given(st.text(min_size=1))
def test_there_and_back(text):
    tokenizer = Characters.of(text)
    ids = tokenizer.encode(text)
    assert ids.dtype is torch.int64
    assert tokenizer.decode(ids) == tokenizer.decode(ids.tolist()) == text
    assert tokenizer.vocabulary == len(set(text))
    assert ids.tolist() == [sorted(set(text)).index(character) for character in text]


@given(st.text(min_size=1))
def test_saved_and_read(text):
    tokenizer = Characters.of(text)
    again = Characters.from_json(tokenizer.to_json())
    assert again.alphabet == tokenizer.alphabet
    assert json.loads(tokenizer.to_json())["kind"] == "characters"


def test_the_order_of_the_alphabet_is_kept():
    assert Characters("ba").encode("aab").tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("text", "character", "place"), [("abz", "z", 2), ("ab\N{GRINNING FACE}", "\N{GRINNING FACE}", 2), ("aAb", "A", 1)]
)
def test_unknown_characters_are_named(text, character, place):
    with pytest.raises(InputError, match=f"Got character='{character}', place={place}, unknown=1, vocabulary=3"):
        Characters("abc").encode(text)


def test_nothing_is_something():
    assert Characters("abc").encode("").tolist() == []
    assert Characters("abc").decode([]) == ""


@pytest.mark.parametrize("ids", [[-1], [3], torch.tensor([0, 9])])
def test_numbers_beyond_the_alphabet(ids):
    with pytest.raises(InputError, match="`ids` must lie between 0 and the size of the vocabulary less one"):
        Characters("abc").decode(ids)


@pytest.mark.parametrize("alphabet", ["", "aba"])
def test_an_alphabet_has_each_character_once(alphabet):
    with pytest.raises(InputError, match="`alphabet` must have at least one character, and each once"):
        Characters(alphabet)


@pytest.mark.parametrize(
    "said", ["", "[]", "{}", '{"kind": "bpe", "alphabet": "a"}', '{"kind": "characters", "alphabet": 3}']
)
def test_json_of_something_else(said):
    with pytest.raises(InputError, match="a saved alphabet must say"):
        Characters.from_json(said)
