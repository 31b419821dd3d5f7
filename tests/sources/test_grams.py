"""Oracles: scikit-learn's CountVectorizer, log-count ratios by its counts, the definition of a piece."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from chainrule.errors import InputError
from chainrule.sources import (
    UNKNOWN_WORD,
    Vocabulary,
    build_vocabulary,
    encode_phrases,
    gram_ratios,
    grams_of,
    words_of,
)

TEXTS = ["A good, good film!", "a bad film", "good fun", "no fun; bad"] * 3
LABELS = torch.tensor([0, 1, 0, 1] * 3)


def test_grams_are_those_of_scikit_learn() -> None:
    """Words and pairs as its word analyser has them, pieces as its character analyser has them, but for word ends."""
    words = ["gut", "ist", "gut"]
    pairs = CountVectorizer(ngram_range=(1, 2)).build_analyzer()(" ".join(words))
    found = grams_of(words)
    assert {gram for gram in found if gram[0] not in "#<" and gram[-1] != ">"} == set(pairs)
    pieces = CountVectorizer(analyzer="char_wb", ngram_range=(3, 5)).build_analyzer()(" ".join(words))
    own = {gram[1:].replace("<", " ").replace(">", " ") for gram in found if gram[0] == "#"}
    assert own == set(pieces)
    assert len(found) == len(set(found))


def test_ratios_are_log_count_ratios() -> None:
    vocabulary = build_vocabulary(TEXTS, LABELS, 2)
    ratios = gram_ratios(vocabulary, 2)
    held = np.array([[gram in grams_of(words_of(text)) for gram in vocabulary.grams] for text in TEXTS])
    counts = np.stack([1 + held[LABELS.numpy() == each].sum(0) for each in range(2)])
    logs = np.log(counts / counts.sum(1, keepdims=True)).T
    expected = logs - logs.mean(1, keepdims=True)
    assert np.abs(ratios[1:].numpy() - expected).max() <= 0.05 + 1e-6  # they are kept in tenths
    assert not ratios[0].any()


def test_numbers_lead_back_to_the_words() -> None:
    vocabulary = build_vocabulary(TEXTS, LABELS, 2)
    words, grams = encode_phrases(vocabulary, ["Good film", "unheard of", ""])
    assert [vocabulary.words[number - 2] for number in words[0].tolist() if number] == ["good", "film"]
    assert words[1].tolist()[:2] == [UNKNOWN_WORD] * 2
    assert not words[2].any()
    assert not grams[2].any()
    assert {vocabulary.grams[number - 1] for number in grams[0].tolist() if number} <= set(grams_of(["good", "film"]))


@given(st.lists(st.text(), min_size=1, max_size=5))
def test_any_text_has_numbers(texts: list[str]) -> None:
    vocabulary = Vocabulary(("good", "a"), ("good", "a good", "#goo"), "", long=3, many=2)
    words, grams = encode_phrases(vocabulary, texts)
    assert len(words) == len(grams) == len(texts)
    assert words.shape[1] <= 3
    assert grams.shape[1] <= 2
    assert int(words.max()) < 4
    assert int(grams.max()) < 4


def test_ratios_must_fit_the_grams() -> None:
    with pytest.raises(InputError, match="a ratio per gram and class"):
        gram_ratios(Vocabulary(("good",), ("good",), "MMM", long=1, many=1), 2)


def test_only_common_words_are_kept() -> None:
    vocabulary = build_vocabulary(["seldom", *["often often"] * 999], torch.tensor([0, *[1] * 999]), 2)
    assert vocabulary.words == ("often",)
