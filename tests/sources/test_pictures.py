"""Somebody's pictures from disk to batches: what was painted arrives, and whatever is broken is counted before."""

import shutil

import numpy as np
import pytest
import torch
from PIL import Image

from chainrule import InputError
from chainrule.sources import pictures as room
from chainrule.sources import read_pictures
from chainrule.sources.pictures import chosen_size


@pytest.fixture
def shapes(tmp_path):
    """Two classes of forty small pictures each: bright at the left or at the right, no two alike."""
    drawn = np.random.default_rng(0)
    for name, side in (("left", slice(0, 6)), ("right", slice(6, 12))):
        (tmp_path / name).mkdir()
        for k in range(40):
            values = drawn.integers(0, 60, (12, 12), np.uint8)
            values[:, side] += 150
            Image.fromarray(values).save(tmp_path / name / f"{k:02}.png")
    return tmp_path


def test_what_was_painted_arrives(shapes):
    found = read_pictures(str(shapes))
    assert (found.size, found.channels, found.split.classes) == ((12, 12), 1, ("left", "right"))
    parts = found.splits(8)
    assert [parts.train.size, parts.validation.size, parts.test.size] == [56, 12, 12]
    for batches in (parts.train, parts.validation, parts.test):
        for batch in batches.once():
            halves = batch.pixels.float()[..., :6].mean((1, 2, 3)), batch.pixels.float()[..., 6:].mean((1, 2, 3))
            assert torch.equal((halves[1] > halves[0]).long(), batch.labels)


def test_a_second_look_is_the_same_and_a_change_is_seen(shapes):
    first, again = read_pictures(str(shapes)), read_pictures(str(shapes))
    assert first.digest == again.digest
    assert all(torch.equal(one, other) for one, other in zip(first.split.parts, again.split.parts, strict=True))
    Image.new("L", (12, 12), 7).save(shapes / "left" / "00.png")
    assert read_pictures(str(shapes)).digest != first.digest


def test_whatever_is_broken_is_counted(shapes):
    (shapes / "left" / "empty.png").write_bytes(b"")
    (shapes / "left" / "text.jpg").write_bytes(b"hello")
    whole = (shapes / "right" / "00.png").read_bytes()
    (shapes / "right" / "cut.png").write_bytes(whole[: len(whole) // 2])
    shutil.copy(shapes / "left" / "01.png", shapes / "left" / "copy.png")
    shutil.copy(shapes / "left" / "02.png", shapes / "right" / "wrong.png")
    Image.new("CMYK", (12, 12)).save(shapes / "left" / "ink.jpg")
    Image.fromarray(np.full((12, 12), 40_000, np.uint16)).save(shapes / "left" / "deep.png")
    notes = read_pictures(str(shapes)).notes
    assert (
        "3 of 87 pictures could not be read and were left out: left/empty.png, left/text.jpg, right/cut.png." in notes
    )
    assert "1 picture was of 16 bits or more: their upper 8 count." in notes
    assert "1 picture was CMYK, and became red, green and blue." in notes
    assert "2 pictures are copies of others; copies stay on one side of the split." in notes
    assert "1 picture stands in more than one class: one of the labels must be wrong." in notes


def test_colour_is_kept_and_mixed_sizes_become_one(shapes):
    Image.new("RGB", (300, 200), (255, 0, 0)).save(shapes / "left" / "large.png")
    found = read_pictures(str(shapes))
    assert (found.channels, found.size) == (3, (12, 12))
    assert "Pictures of 2 sizes from 12 x 12 to 200 x 300 are scaled, and cut in the middle, to 12 x 12." in found.notes


def test_most_of_them_broken_is_an_error(shapes):
    for k in range(30):
        for name in ("left", "right"):
            (shapes / name / f"{k:02}.png").write_bytes(b"")
    with pytest.raises(InputError, match="most of the pictures cannot be read"):
        read_pictures(str(shapes))


def test_one_class_is_an_error(shapes):
    shutil.rmtree(shapes / "left")
    with pytest.raises(InputError, match="takes two classes"):
        read_pictures(str(shapes))


@pytest.mark.parametrize("name", ["nothing", "words.txt"])
def test_what_holds_no_pictures(tmp_path, name):
    (tmp_path / "words.txt").write_text("hello")
    with pytest.raises(InputError, match="pictures must lie in a folder"):
        read_pictures(str(tmp_path / name))


def test_a_csv_can_be_given_itself(shapes):
    rows = [f"{name}/{k:02}.png,{name[0]}" for name in ("left", "right") for k in range(40)]
    (shapes / "list.csv").write_text("\n".join(["picture,side", *rows]))
    assert read_pictures(str(shapes / "list.csv")).split.classes == ("l", "r")


def test_too_many_for_the_memory_are_decoded_when_they_are_wanted(shapes, monkeypatch):
    held = read_pictures(str(shapes))
    monkeypatch.setattr(room, "_ROOM", 1000)
    lazy = read_pictures(str(shapes))
    assert lazy.pixels is None
    assert len(lazy.files) == 80
    assert [len(part) for part in lazy.split.parts] == [len(part) for part in held.split.parts]
    batch = next(lazy.splits(4, workers=0).test.once(12))
    assert batch.pixels.shape == (12, 3, 12, 12)
    assert lazy.sample(0, 5).pixels.shape[0] <= 5
    assert any("too many for the memory" in note for note in lazy.notes)


def test_large_arrays_are_scaled_to_what_the_time_allows(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 255, (40, 100, 100, 3), np.uint8)
    np.savez(tmp_path / "x.npz", images=pixels, labels=np.arange(40) % 2)
    found = read_pictures(str(tmp_path / "x.npz"), minutes=0.01, threads=1)
    assert found.size == (64, 64)
    assert "Pictures of 100 x 100 are scaled to 64 x 64, so that the time suffices." in found.notes


@pytest.mark.parametrize(
    ("sizes", "count", "pace", "expected"),
    [
        ([(28, 28)], 10**9, 1.0, (28, 28)),  # their own, however little time there is
        ([(40, 30)], 10**9, 1.0, (40, 30)),
        ([(640, 480)] * 9, 1000, 1e9, (128, 128)),
        ([(640, 480)] * 9, 1000, 4e3, (96, 96)),  # 2 x 28 sqrt(4) = 112
        ([(640, 480)] * 9, 1000, 1.1e3, (24, 24)),  # 28 sqrt(1.1) = 29.4, and half of 64 is too much
        ([(9, 20), (10, 30)], 1000, 1e9, (10, 10)),
    ],
)
def test_the_size_is_the_smaller_of_what_there_is_and_what_the_time_allows(sizes, count, pace, expected):
    assert chosen_size(sizes, count, pace) == expected
