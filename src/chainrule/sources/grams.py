"""Short texts as numbers: their words in order, and the runs of words and characters that training texts had often."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.shapes import Float, Int

UNKNOWN_WORD = 1
"""The number of every word that training texts did not have, or too seldom."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[^\w\s]")
_OPEN, _CLOSE = "<", ">"
_PIECE = "#"  # marks runs of characters, so that none is taken for a word
_RUNS = (3, 4, 5)  # characters of a piece
_LONGEST = 40  # characters of a word that are looked at
_MOST_WORDS, _MOST_GRAMS, _MOST_PIECES = 20_000, 30_000, 20_000
_MOST_BYTES = 1 << 20  # of words, and of grams: they are written into the recipe
_LONG, _MANY = 256, 1536  # words and grams of a text that are looked at, at most
_LEVELS, _STEP, _FIRST = 91, 0.1, 35  # ratios from -4.5 to 4.5 in tenths, a printable character each


@dataclass(frozen=True)
class Vocabulary:
    """Which words and grams have numbers of their own, and what each gram says of each class.

    Args:
        words: from number 2 on.
        grams: from number 1 on: words, pairs of neighbours, and pieces of words behind a `#`.
        ratios: of every gram and class, in turn, a character each: see `gram_ratios`.
        long: words of a text that are looked at.
        many: grams of a text that are looked at.

    Example:
        >>> Vocabulary(("good",), ("good", "#goo"), "MKMK", long=4, many=8).words
        ('good',)
    """

    words: tuple[str, ...]
    grams: tuple[str, ...]
    ratios: str
    long: int
    many: int


def words_of(text: str) -> list[str]:
    """The words and signs of a text, in small letters.

    Args:
        text: any.

    Example:
        >>> words_of("It isn't bad!")
        ['it', "isn't", 'bad', '!']
    """
    return _WORD.findall(text.lower())


def grams_of(words: Sequence[str]) -> list[str]:
    """The words, pairs of neighbours and pieces of words that a text holds, each once.

    Args:
        words: of the text, as `words_of` gives them.

    Example:
        >>> grams_of(["so", "it"])
        ['so', 'it', '< so', 'so it', 'it >', '#<so', '#so>', '#<so>', '#<it', '#it>', '#<it>']
    """
    ends = [_OPEN, *words, _CLOSE]
    found = dict.fromkeys([*words, *(f"{one} {other}" for one, other in itertools.pairwise(ends))])
    for word in dict.fromkeys(words):
        found.update(dict.fromkeys(_pieces(word)))
    return list(found)


@lru_cache(maxsize=100_000)
def _pieces(word: str) -> tuple[str, ...]:
    whole = f"{_OPEN}{word[:_LONGEST]}{_CLOSE}"
    return tuple(
        _PIECE + whole[start : start + run] for run in _RUNS for start in range(len(whole) - run + 1) if len(word) > 1
    )


def build_vocabulary(texts: Sequence[str], labels: Int[Tensor, " text"], classes: int) -> Vocabulary:
    r"""The commonest words and grams of training texts, and the log-count ratios of the grams.

    $$r_{ic} = \log \frac{1 + n_{ic}}{\sum_j (1 + n_{jc})} - \text{mean over classes}, \qquad
      n_{ic} = \text{texts of class } c \text{ that hold gram } i$$

    Args:
        texts: to learn from.
        labels: the class of each.
        classes: how many.

    Shape:
        labels: (text).

    Example:
        >>> found = build_vocabulary(["a good one", "a bad one"] * 3, torch.tensor([0, 1] * 3), 2)
        >>> found.words, found.long
        (('a', 'one', 'bad', 'good'), 3)

    Reference:
        Wang and Manning, Baselines and Bigrams: Simple, Good Sentiment and Topic Classification, 2012.

    Differs:
        For any number of classes; ratios are kept in tenths.
    """
    each = [words_of(text) for text in texts]
    counts = Counter(word for words in each for word in words)
    least = 2 if len(texts) >= 1000 else 1
    words = _commonest(counts, _MOST_WORDS, least)
    held = Counter[str]()
    for found in each:
        held.update(grams_of(found))
    most = max(1, min(_MOST_GRAMS, 2_000_000 // classes))
    grams = _commonest({gram: n for gram, n in held.items() if gram[0] != _PIECE or gram == _PIECE}, most, 2)
    pieces = _commonest({gram: n for gram, n in held.items() if gram[0] == _PIECE and gram != _PIECE},
                        max(1, most * _MOST_PIECES // _MOST_GRAMS), 2)  # fmt: skip
    kept = (*grams, *pieces)
    long = max(1, min(_LONG, int(np.quantile([len(found) for found in each], 0.99, method="higher"))))
    numbers = {gram: place for place, gram in enumerate(kept)}
    counts = np.ones((len(kept), classes))
    sizes: list[int] = []
    for found, label in zip(each, labels.tolist(), strict=True):
        known = [numbers[gram] for gram in grams_of(found) if gram in numbers]
        counts[known, label] += 1
        sizes.append(len(known))
    many = max(1, min(_MANY, int(np.quantile(sizes, 0.99, method="higher"))))
    return Vocabulary(words, kept, _ratios(counts), long, many)


def gram_ratios(vocabulary: Vocabulary, classes: int) -> Float[Tensor, "kind class"]:
    """What each gram says of each class, a row of zeros in front for no gram.

    Args:
        vocabulary: that has them.
        classes: how many.

    Shape:
        returns (kind, class).

    Example:
        >>> gram_ratios(Vocabulary(("good",), ("good",), "ZF", long=4, many=8), 2)
        tensor([[ 0.,  0.],
                [ 1., -1.]])
    """
    codes = torch.frombuffer(bytearray(vocabulary.ratios, "ascii") or bytearray(1), dtype=torch.uint8)
    codes = codes[: len(vocabulary.ratios)]
    if len(codes) != len(vocabulary.grams) * classes:
        raise InputError(
            "a vocabulary must have a ratio per gram and class",
            advice="build it anew", ratios=len(codes), grams=len(vocabulary.grams), classes=classes,
        )  # fmt: skip
    ratios = (codes.float() - _FIRST - _LEVELS // 2) * _STEP
    return torch.cat([torch.zeros(1, classes), ratios.view(-1, classes)])


def encode_phrases(vocabulary: Vocabulary, texts: Iterable[str]) -> tuple[Tensor, Tensor]:
    """Texts as numbers of words and of grams, 0 behind their ends; as many places for every text.

    Args:
        vocabulary: of the training texts.
        texts: any.

    Shape:
        returns (text, word) and (text, gram).

    Example:
        >>> vocabulary = Vocabulary(("good",), ("good", "#goo"), "", long=2, many=2)
        >>> [found.tolist() for found in encode_phrases(vocabulary, ["Good sea!", ""])]
        [[[2, 1], [0, 0]], [[1, 2], [0, 0]]]
    """
    word_numbers, gram_numbers = _numbers(vocabulary.words, 2), _numbers(vocabulary.grams, 1)
    words: list[list[int]] = []
    grams: list[np.ndarray] = []
    for text in texts:
        found = words_of(text)
        words.append([word_numbers.get(word, UNKNOWN_WORD) for word in found[: vocabulary.long]])
        known = [gram_numbers[gram] for gram in grams_of(found[: 4 * vocabulary.long]) if gram in gram_numbers]
        grams.append(np.array(known[: vocabulary.many], dtype=np.int32))
    return _square(words, vocabulary.long), _square(grams, vocabulary.many)


@lru_cache(maxsize=8)
def _numbers(names: tuple[str, ...], first: int) -> dict[str, int]:
    return {name: place for place, name in enumerate(names, first)}


def _commonest(counts: dict[str, int], most: int, least: int) -> tuple[str, ...]:
    """The commonest names, as many as fit."""
    found: list[str] = []
    room = _MOST_BYTES
    for name in sorted(counts, key=lambda name: (-counts[name], name))[:most]:
        room -= len(name.encode("utf-8", "surrogatepass")) + 4
        if counts[name] < least or room < 0:
            break
        found.append(name)
    return tuple(found)


def _square(rows: Sequence[Sequence[int] | np.ndarray], wide: int) -> Tensor:
    """Rows of different lengths as one array with zeros behind them."""
    array = np.zeros((len(rows), wide), dtype=np.int32)
    for place, row in enumerate(rows):
        array[place, : len(row)] = row
    return torch.from_numpy(array)


def _ratios(counts: np.ndarray) -> str:
    """The log-count ratios of counts of grams and classes, one more each than there are, a character per ratio."""
    logs = np.log(counts / counts.sum(0))
    levels = np.rint((logs - logs.mean(1, keepdims=True)) / _STEP) + _LEVELS // 2
    return bytes((levels.clip(0, _LEVELS - 1) + _FIRST).astype(np.uint8).flatten()).decode("ascii")
