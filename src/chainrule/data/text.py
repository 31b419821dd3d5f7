"""Text for language models: read, split by place, cut into windows."""

from dataclasses import dataclass
from pathlib import Path

import torch

from chainrule.data.batch import Tokens
from chainrule.data.batches import Batches
from chainrule.data.files import read_bytes
from chainrule.data.token_files import narrowest
from chainrule.data.tokenizer import Characters, Tokenizer
from chainrule.data.windows import Windows
from chainrule.errors import InputError


@dataclass(frozen=True)
class Text:
    """The parts of a text: the first 90 % to learn from, the next 5 % to choose by, the last 5 % to judge with.

    Args:
        train: random windows of the first part.
        validation: the next part.
        test: the last part.
        tokenizer: how its characters became numbers.

    Example:
        >>> parts = Text.of("To be, or not to be, that is the question. " * 20, context=8, batch_size=4)
        >>> parts.vocabulary, parts.train[0].ids.shape
        (16, torch.Size([4, 8]))
    """

    train: Batches[Tokens]
    validation: Batches[Tokens]
    test: Batches[Tokens]
    tokenizer: Tokenizer

    @property
    def vocabulary(self) -> int:
        """How many tokens there are: the columns of a model's scores."""
        return self.tokenizer.vocabulary

    @classmethod
    def of(
        cls,
        characters: str,
        *,
        context: int = 256,
        batch_size: int = 32,
        seed: int = 0,
        tokenizer: Tokenizer | None = None,
        device: torch.device | str = "cpu",
    ) -> "Text":
        """The parts of a text in memory; `Characters` of the text unless another tokenizer is given."""
        if not characters:
            raise InputError("a text must have characters", advice="check what was read", characters=0)
        tokenizer = tokenizer or Characters.of(characters)
        first, second = len(characters) * 90 // 100, len(characters) * 95 // 100
        pieces = [characters[:first], characters[first:second], characters[second:]]
        encoded = [tokenizer.encode(piece) for piece in pieces]
        if min(map(len, encoded)) < context + 1:
            raise InputError(
                "`context` must be shorter than each part of the text (90, 5 and 5 per cent of it)",
                advice="take a longer text or a shorter context",
                context=context,
                tokens=[len(part) for part in encoded],
            )
        on_cpu = torch.device(device).type == "cpu"
        stored = [narrowest(part.numpy()) if on_cpu else part.int().to(device) for part in encoded]
        train, validation, test = (Windows(part, context, batch_size, seed) for part in stored)
        return cls(train, validation, test, tokenizer)


def text(
    source: Path | str,
    *,
    context: int = 256,
    batch_size: int = 32,
    seed: int = 0,
    tokenizer: Tokenizer | None = None,
    device: torch.device | str = "cpu",
) -> Text:
    """The parts of a text file, 90 / 5 / 5 by place.

    Args:
        source: a file of UTF-8 text; `.xz` and `.gz` are unpacked on the way.
        context: tokens per window.
        batch_size: windows per batch.
        seed: which windows.
        tokenizer: how text becomes numbers; `None` takes one number per character of the file.
        device: where the text lives.

    Shape:
        ids: (batch, time); following: (batch, time).

    Example:
        >>> own = text(__file__, context=16, batch_size=4)
        >>> own.tokenizer.decode(own.train[0].ids[0])[:0], own.train[0].ids.shape
        ('', torch.Size([4, 16]))
    """
    path = Path(source)
    try:
        characters = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} must be UTF-8 text", advice="convert the file, for example with iconv", byte=error.start
        ) from error
    return Text.of(characters, context=context, batch_size=batch_size, seed=seed, tokenizer=tokenizer, device=device)


def python_docs(context: int = 256, batch_size: int = 32, *, seed: int = 0, device: torch.device | str = "cpu") -> Text:
    """Python's own reference text, as `help("topics")` shows it: it ships with Python, so nothing is downloaded.

    About 0.46 million characters of a hundred kinds in Python 3.11; later versions differ in places.

    Args:
        context: characters per window.
        batch_size: windows per batch.
        seed: which windows.
        device: where the text lives.

    Shape:
        ids: (batch, time); following: (batch, time).

    Example:
        >>> docs = python_docs(context=64, batch_size=8)
        >>> docs.train[0].ids.shape, "lambda" in python_docs_text()
        (torch.Size([8, 64]), True)
    """
    return Text.of(python_docs_text(), context=context, batch_size=batch_size, seed=seed, device=device)


def python_docs_text() -> str:
    """The topics of Python's reference, by name, a blank line between two.

    Args:
        (none).

    Example:
        >>> python_docs_text().startswith('The "assert" statement')
        True
    """
    from pydoc_data.topics import topics

    return "\n\n".join(topics[name] for name in sorted(topics))
