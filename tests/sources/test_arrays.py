"""Arrays of pictures as people name them: what is what by name and shape, bytes by range, and clear errors."""

import gzip
import lzma
import struct

import numpy as np
import pytest

from chainrule import InputError
from chainrule.sources import arrays
from chainrule.sources.arrays import as_bytes, as_pictures, picture_arrays

PIXELS = np.arange(4 * 6 * 5, dtype=np.uint8).reshape(4, 6, 5)
LABELS = np.array([0, 1, 0, 1])


def idx(array: np.ndarray) -> bytes:
    return (
        bytes([0, 0, 8, array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.astype(np.uint8).tobytes()
    )


@pytest.mark.parametrize(("ending", "pack"), [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)])
def test_the_four_files_of_mnist(tmp_path, ending, pack):
    for name, array in {
        "train-images-idx3-ubyte": PIXELS,
        "train-labels-idx1-ubyte": LABELS,
        "t10k-images-idx3-ubyte": PIXELS[:2],
        "t10k-labels-idx1-ubyte": LABELS[:2],
    }.items():
        (tmp_path / (name + ending)).write_bytes(pack(idx(array)))
    found = picture_arrays(str(tmp_path))
    assert sorted(zip(found.parts, found.labels, strict=True)) == sorted(
        [(0, "0"), (0, "1")] * 2 + [(2, "0"), (2, "1")]
    )
    train = found.pixels[[part == 0 for part in found.parts]]
    np.testing.assert_array_equal(train[:, 0], PIXELS)


@pytest.mark.parametrize(
    ("named", "parts"),
    [
        ({"images": PIXELS, "labels": LABELS}, [-1] * 4),
        ({"X": PIXELS[:, None], "y": LABELS[:, None]}, [-1] * 4),
        ({"arr_0": PIXELS, "arr_1": np.eye(2)[LABELS]}, [-1] * 4),
        ({"x_train": PIXELS[:3], "y_train": LABELS[:3], "x_test": PIXELS[3:], "y_test": LABELS[3:]}, [0, 0, 0, 2]),
        (
            {
                "train_images": PIXELS[:2],
                "train_labels": LABELS[:2],
                "val_images": PIXELS[2:],
                "val_labels": LABELS[2:],
            },
            [0, 0, 1, 1],
        ),
        ({"images": PIXELS / 255.0, "labels": LABELS.astype(float)}, [-1] * 4),
        ({"images": PIXELS.astype(np.int64) + 100, "labels": np.array(["0", "1", "0", "1"])}, [-1] * 4),
    ],
    ids=["plain", "columns", "one-hot", "keras", "medmnist", "fractions", "wide numbers"],
)
def test_npz_by_name_and_shape(tmp_path, named, parts):
    np.savez(tmp_path / "x.npz", **named)
    found = picture_arrays(str(tmp_path / "x.npz"))
    assert list(found.parts) == parts
    assert found.labels == ("0", "1", "0", "1")
    assert tuple(found.pixels.shape) == (4, 1, 6, 5)


def test_npy_with_its_labels_beside_it(tmp_path):
    np.save(tmp_path / "images.npy", PIXELS)
    with pytest.raises(InputError, match="needs its labels beside it"):
        picture_arrays(str(tmp_path / "images.npy"))
    np.save(tmp_path / "labels.npy", LABELS)
    for path in (tmp_path / "images.npy", tmp_path):
        np.testing.assert_array_equal(picture_arrays(str(path)).pixels[:, 0], PIXELS)


def test_colours_are_found_before_and_behind_the_height():
    assert as_pictures(np.zeros((2, 8, 9, 3))).shape == as_pictures(np.zeros((2, 3, 8, 9))).shape == (2, 3, 8, 9)
    assert as_pictures(np.zeros((2, 8, 9, 4))).shape == (2, 3, 8, 9)  # without what is transparent
    with pytest.raises(InputError, match="must be pictures"):
        as_pictures(np.zeros((2, 784)))


def test_brightness_becomes_bytes():
    assert as_bytes(np.array([-1.0, 0.0, 1.0]), -1.0, 1.0).tolist() == [0, 128, 255]
    assert as_bytes(np.array([7], np.uint8), 0.0, 255.0).tolist() == [7]


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ({"images": PIXELS}, "need labels"),
        ({"images": PIXELS, "labels": LABELS[:3]}, "need labels"),
        ({"images": PIXELS * np.nan, "labels": LABELS}, "must be finite"),
        ({"images": PIXELS * 0.0, "labels": LABELS}, "one brightness"),
        ({"images": PIXELS.astype(str), "labels": LABELS}, "must be numbers"),
        ({"images": PIXELS, "labels": LABELS + 0.5}, "must be classes"),
        ({"a": PIXELS, "b": LABELS, "c": LABELS}, "need labels"),
        ({"x_train": PIXELS, "y_train": LABELS, "x_test": PIXELS[:, :3], "y_test": LABELS}, "one shape"),
    ],
)
def test_arrays_that_cannot_be_learnt_from(tmp_path, named, said):
    np.savez(tmp_path / "x.npz", **named)
    with pytest.raises(InputError, match=said):
        picture_arrays(str(tmp_path / "x.npz"))


def test_objects_and_damage_are_refused(tmp_path):
    np.save(tmp_path / "images.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    np.save(tmp_path / "labels.npy", LABELS)
    (tmp_path / "x.npz").write_bytes(b"PK\x03\x04 nothing")
    for path in (tmp_path / "images.npy", tmp_path / "x.npz"):
        with pytest.raises(InputError, match="must be a readable array"):
            picture_arrays(str(path))


def test_an_archive_that_would_fill_the_memory_is_refused_before_it_is_unpacked(tmp_path, monkeypatch):
    np.savez_compressed(tmp_path / "bomb.npz", images=np.zeros((100, 60, 60)), labels=np.zeros(100))
    assert (tmp_path / "bomb.npz").stat().st_size < 10_000
    monkeypatch.setattr(arrays, "_LARGEST", 1_000_000)
    with pytest.raises(InputError, match="the arrays are too large"):
        picture_arrays(str(tmp_path / "bomb.npz"))


def test_what_holds_no_arrays(tmp_path):
    assert picture_arrays(str(tmp_path)) is None
    assert picture_arrays(str(tmp_path / "nothing")) is None


def test_the_digits_that_ship_with_scikit_learn():
    from sklearn.datasets import load_digits

    found, truth = picture_arrays("digits"), load_digits()
    np.testing.assert_array_equal((found.pixels[:, 0].numpy() / 255 * 16).round(), truth.images)
    assert [int(label) for label in found.labels] == truth.target.tolist()
