"""Standard picture sets."""

import json
import shutil

import numpy as np
import pytest
import torch

from chainrule import InputError
from chainrule.data import cifar10, digits, fashion_mnist, mnist


def test_digits_are_scikit_learns():
    from sklearn.datasets import load_digits

    features, labels = load_digits(return_X_y=True)
    known = {(row.astype(np.uint8).tobytes(), int(label)) for row, label in zip(features, labels, strict=True)}
    parts = digits()
    batches = [next(part.once(2000)) for part in (parts.train, parts.validation, parts.test)]
    found = [
        (p.numpy().tobytes(), int(y)) for batch in batches for p, y in zip(batch.pixels, batch.labels, strict=True)
    ]
    assert len(found) == 1797
    assert set(found) == known
    assert [len(batch) for batch in batches] == [1197, 300, 300]


def test_the_seed_changes_the_order_and_not_the_split():
    one, other = digits(seed=0), digits(seed=1)
    assert not torch.equal(one.train[0].pixels, other.train[0].pixels)
    assert torch.equal(next(one.test.once(300)).pixels, next(other.test.once(300)).pixels)


@pytest.mark.data
def test_mnist(shared_data, monkeypatch):
    """Oracle: the published counts, mean and deviation of the training digits."""
    monkeypatch.setenv("CHAINRULE_DATA", str(shared_data))
    parts = mnist(batch_size=32)
    train, validation, test = (next(part.once(60_000)) for part in (parts.train, parts.validation, parts.test))
    assert [len(part) for part in (train, validation, test)] == [55_000, 5_000, 10_000]
    labels = torch.cat([train.labels, validation.labels])
    assert labels.bincount().tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    pixels = torch.cat([train.pixels, validation.pixels]).float() / 255
    assert abs(pixels.mean().item() - 0.1307) < 5e-5
    assert abs(pixels.std().item() - 0.3081) < 5e-5
    assert parts.train[0].pixels.shape == (32, 1, 28, 28)


@pytest.mark.data
def test_fashion_mnist(shared_data, monkeypatch):
    monkeypatch.setenv("CHAINRULE_DATA", str(shared_data))
    parts = fashion_mnist()
    labels = torch.cat([next(part.once(60_000)).labels for part in (parts.train, parts.validation)])
    assert labels.bincount().tolist() == [6_000] * 10
    assert parts.classes[int(next(parts.test.once(1)).labels)] == "ankle boot"  # the well-known first test picture


@pytest.mark.data
def test_cifar10(shared_data, monkeypatch):
    monkeypatch.setenv("CHAINRULE_DATA", str(shared_data))
    parts = cifar10(batch_size=16)
    sheets = len(list((shared_data / "cifar10").glob("data_batch_*")))
    train, test = next(parts.train.once(50_000)), next(parts.test.once(10_000))
    assert (len(train), parts.validation.size) == (9_000 * sheets, 1_000 * sheets)
    assert test.labels.bincount().tolist() == [1_000] * 10
    mean = train.pixels.float().mean((0, 2, 3)) / 255
    assert torch.allclose(mean, torch.tensor([0.4914, 0.4822, 0.4465]), atol=5e-3)  # of all 50,000
    first = [parts.classes[label] for label in train.labels[:5].tolist()]
    assert first == ["frog", "truck", "truck", "deer", "automobile"]  # as every tutorial shows them


def test_a_small_cifar10_of_our_own(tmp_path, monkeypatch):
    """Tiles are read row by row: picture i of a sheet lies at row i // 100, column i % 100."""
    from PIL import Image

    folder = tmp_path / "cifar10"
    folder.mkdir()
    monkeypatch.setenv("CHAINRULE_DATA", str(tmp_path))
    with pytest.raises(InputError, match="must hold data_batch_1 and test_batch"):
        cifar10()
    pixels = np.zeros((3200, 3200, 3), np.uint8)
    for i in (0, 7, 250, 9_999):
        row, column = divmod(i, 100)
        pixels[row * 32 : row * 32 + 32, column * 32 : column * 32 + 32] = (i % 251, 3, 200)
    Image.fromarray(pixels).save(folder / "data_batch_1.png", compress_level=1)
    shutil.copy(folder / "data_batch_1.png", folder / "test_batch.png")
    for name in ("train", "test"):
        (folder / f"{name}_lables.json").write_text(json.dumps([i % 10 for i in range(10_000)]))
    parts = cifar10()
    pictures = torch.cat([next(part.once(10_000)).pixels for part in (parts.train, parts.validation)])
    for i in (0, 7, 250, 9_999):
        assert pictures[i].flatten(1).unique(dim=1).flatten().tolist() == [i % 251, 3, 200]
    assert not pictures[8].any()
    (folder / "test_lables.json").write_text("[1, 2")
    with pytest.raises(InputError, match=r"test_lables.json must be a JSON list of whole numbers"):
        cifar10()
    (folder / "test_lables.json").write_text("[1, 2]")
    with pytest.raises(InputError, match=r"test_lables.json must hold a label per picture. Got labels=\(2,\)"):
        cifar10()
    (folder / "test_batch.png").write_bytes(b"no picture")
    with pytest.raises(InputError, match=r"test_batch.png must be a picture"):
        cifar10()


def test_no_data_is_said_at_once(tmp_path, monkeypatch):
    monkeypatch.setenv("CHAINRULE_DATA", str(tmp_path))
    for reader in (mnist, fashion_mnist):
        with pytest.raises(InputError, match="the data set's file must exist"):
            reader()
