"""Text, split and cut into windows."""

import gzip
import lzma

import pytest
import torch

from chainrule import InputError
from chainrule.data import IGNORED, Characters, Text, python_docs, python_docs_text, text


def parts_of(splits) -> str:
    """The text back from the windows of all three parts (their first characters are never predicted)."""
    whole = []
    for part in (splits.train, splits.validation, splits.test):
        batches = list(part.once())
        targets = torch.cat([batch.following.flatten() for batch in batches])
        first = int(batches[0].ids[0, 0])
        whole.append(splits.tokenizer.decode([first, *targets[targets != IGNORED].tolist()]))
    return "|".join(whole)


def test_ninety_five_five_by_place():
    characters = "".join(chr(97 + i % 26) for i in range(1_000))
    splits = Text.of(characters, context=8, batch_size=4)
    assert parts_of(splits) == "|".join((characters[:900], characters[900:950], characters[950:]))


def test_a_file_plain_or_packed(tmp_path):
    characters = "Größe 1 – déjà vu\r\n" * 40
    (tmp_path / "a.txt").write_bytes(characters.encode())
    (tmp_path / "a.txt.xz").write_bytes(lzma.compress(characters.encode()))
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(characters.encode()))
    for name in ("a.txt", "a.txt.xz", "a.txt.gz"):
        splits = text(tmp_path / name, context=8, batch_size=2)
        assert parts_of(splits).replace("|", "") == characters
        assert splits.vocabulary == len(set(characters))


def test_another_tokenizer():
    letters = Characters("xyz")
    splits = Text.of("xyxyxyxy" * 30, context=4, batch_size=2, tokenizer=letters)
    assert splits.vocabulary == 3
    with pytest.raises(InputError, match="`text` may only have characters of the alphabet"):
        Text.of("abc" * 100, context=4, batch_size=2, tokenizer=letters)


def test_python_docs():
    docs = python_docs(context=32, batch_size=4)
    assert parts_of(docs).replace("|", "", 2).startswith(python_docs_text()[:1000])
    assert docs.train.size > 10 * docs.test.size
    batch = docs.train[0]
    assert int(batch.ids.max()) < docs.vocabulary
    assert torch.equal(batch.ids[:, 1:], batch.following[:, :-1])


def test_too_short_and_not_text(tmp_path):
    with pytest.raises(InputError, match=r"`context` must be shorter than each part.*context=100, tokens=\[90, 5, 5\]"):
        Text.of("ab" * 50, context=100, batch_size=1)
    with pytest.raises(InputError, match="a text must have characters"):
        Text.of("")
    (tmp_path / "a.txt").write_bytes(b"abc\xff")
    with pytest.raises(InputError, match=r"a.txt must be UTF-8 text. Got byte=3"):
        text(tmp_path / "a.txt")
    with pytest.raises(InputError, match=r"the file must exist. Got path=.*b.txt"):
        text(tmp_path / "b.txt")
