"""From text to token numbers and back."""

import json
from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.shapes import Int

_UTF32 = np.dtype("<u4")


class Tokenizer(ABC):
    """Text to numbers and back: `decode(encode(text)) == text`.

    A tokenizer is saved with the model as JSON text: plain data, no code.
    """

    @property
    @abstractmethod
    def vocabulary(self) -> int:
        """How many tokens there are; their numbers run from 0 to `vocabulary` - 1."""

    @abstractmethod
    def encode(self, text: str) -> Int[Tensor, " token"]:
        """The text's token numbers."""

    @abstractmethod
    def decode(self, ids: Tensor | Sequence[int]) -> str:
        """The text of these token numbers."""

    @abstractmethod
    def to_json(self) -> str:
        """All that is needed to build the tokenizer again."""


class Characters(Tokenizer):
    """One token per character.

    Args:
        alphabet: the characters, each once; a character's token number is its place.

    Example:
        >>> letters = Characters.of("banana")
        >>> letters.vocabulary, letters.encode("nab").tolist(), letters.decode([1, 0, 2])
        (3, [2, 0, 1], 'ban')
        >>> letters.encode("bread")
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: `text` may only have characters of the alphabet. Got character='r', place=1, ...
    """

    def __init__(self, alphabet: str) -> None:
        codes = _codes(alphabet)
        if not len(codes) or len(np.unique(codes)) < len(codes):
            raise InputError(
                "`alphabet` must have at least one character, and each once",
                advice="make it from a text with Characters.of(text)",
                alphabet=alphabet[:100],
            )
        self.alphabet = alphabet
        self._codes = codes
        self._numbers = np.full(int(codes.max()) + 1, -1, dtype=np.int64)
        self._numbers[codes] = np.arange(len(codes))

    @classmethod
    def of(cls, text: str) -> "Characters":
        """The characters of a text, in the order of Unicode."""
        return cls("".join(map(chr, np.unique(_codes(text)))))

    @classmethod
    def from_json(cls, text: str) -> "Characters":
        """What `to_json` wrote."""
        try:
            said = json.loads(text)
            kind, alphabet = said["kind"], said["alphabet"]
        except (ValueError, KeyError, TypeError) as error:
            kind, alphabet = f"{type(error).__name__}: {error}", None
        if kind != "characters" or not isinstance(alphabet, str):
            raise InputError(
                'a saved alphabet must say {"kind": "characters", "alphabet": "..."}',
                advice="write it with Characters.to_json",
                kind=kind,
            )
        return cls(alphabet)

    @property
    def vocabulary(self) -> int:
        """How many characters there are."""
        return len(self._codes)

    def encode(self, text: str) -> Int[Tensor, " token"]:
        """Each character's place in the alphabet; an unknown one is an error that names it."""
        codes = _codes(text)
        numbers = self._numbers[np.minimum(codes, len(self._numbers) - 1)]
        unknown = (numbers < 0) | (codes >= len(self._numbers))
        if unknown.any():
            place = int(unknown.argmax())
            raise InputError(
                "`text` may only have characters of the alphabet",
                advice="leave the unknown characters out, or make the alphabet from all of the text",
                character=text[place],
                place=place,
                unknown=int(unknown.sum()),
                vocabulary=self.vocabulary,
            )
        return torch.from_numpy(numbers)

    def decode(self, ids: Tensor | Sequence[int]) -> str:
        """The characters at these places of the alphabet."""
        numbers = np.asarray(ids.detach().cpu() if isinstance(ids, Tensor) else ids, dtype=np.int64).reshape(-1)
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < self.vocabulary:
            raise InputError(
                "`ids` must lie between 0 and the size of the vocabulary less one",
                advice="decode with the tokenizer that the model was trained with",
                lowest=int(numbers.min()),
                highest=int(numbers.max()),
                vocabulary=self.vocabulary,
            )
        return self._codes[numbers].tobytes().decode("utf-32-le", "surrogatepass")

    def to_json(self) -> str:
        """The alphabet."""
        return json.dumps({"kind": "characters", "alphabet": self.alphabet})


def _codes(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), _UTF32)
