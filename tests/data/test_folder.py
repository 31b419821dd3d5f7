"""Folders of pictures."""

import io
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from chainrule import InputError, SampleError
from chainrule.data import Flip, image_folder
from chainrule.data.folder import read_picture
from chainrule.learners import Gradient
from chainrule.models import lenet5
from chainrule.objectives import Classify
from contracts.sameness import made, same

COLOURS = {"blue": (0, 0, 255), "green": (0, 255, 0), "red": (255, 0, 0)}


def fill(folder: Path, count: int = 20, ending: str = "png") -> Path:
    """A folder of three classes of one colour each."""
    for name, colour in COLOURS.items():
        (folder / name).mkdir(parents=True)
        for i in range(count):
            Image.new("RGB", (24 + i, 20), colour).save(folder / name / f"{i:03d}.{ending}")
    return folder


@pytest.mark.parametrize("ending", ["png", "jpg", "JPEG", "webp"])
def test_labels_are_the_folders(tmp_path, ending):
    parts = image_folder(fill(tmp_path / "a", 4, ending), side=8, batch_size=6, workers=2)
    assert parts.classes == ("blue", "green", "red")
    for batch in (parts.train[0], *parts.test.once(), *parts.validation.once()):
        assert batch.pixels.shape[1:] == (3, 8, 8)
        for pixels, label in zip(batch.pixels, batch.labels.tolist(), strict=True):
            colour = torch.tensor(COLOURS[parts.classes[label]])
            assert (pixels.flatten(1).int() - colour[:, None]).abs().max() <= 3  # JPEG and WebP round


def test_every_picture_is_in_one_part(tmp_path):
    parts = image_folder(fill(tmp_path / "a"), side=4)
    sizes = [part.size for part in (parts.train, parts.validation, parts.test)]
    assert sizes == [48, 6, 6]
    items = [item for part in (parts.train, parts.validation, parts.test) for item in part._examples.items]
    assert len({path for path, _ in items}) == 60
    assert all(label == parts.classes.index(path.parent.name) for path, label in items)


def test_the_parts_depend_on_the_names_alone(tmp_path):
    one, other = image_folder(fill(tmp_path / "a"), side=4), image_folder(fill(tmp_path / "b"), side=4, seed=9)

    def names(parts):
        return [[(p.parent.name, p.name) for p, _ in part._examples.items] for part in (parts.train, parts.test)]

    assert names(one) == names(other)


def test_what_is_not_a_picture_is_passed_over(tmp_path):
    folder = fill(tmp_path / "a", 4)
    (folder / ".hidden").mkdir()
    (folder / "notes.txt").write_text("x")
    (folder / "red" / "notes.txt").write_text("x")
    (folder / "red" / "._003.png").write_bytes(b"x")
    parts = image_folder(folder, side=4)
    assert sum(part.size for part in (parts.train, parts.validation, parts.test)) == 12


def reference(path: Path, side: int) -> np.ndarray:
    """The middle square, each pixel of the small picture the mean of what it covers."""
    pixels = np.asarray(Image.open(path).convert("RGB"), dtype=float)
    height, width = pixels.shape[:2]
    edge = min(height, width)
    top, left = (height - edge) // 2, (width - edge) // 2
    square = pixels[top : top + edge, left : left + edge]
    cell = edge // side
    return square.reshape(side, cell, side, cell, 3).mean((1, 3))


def test_middle_square_scaled(tmp_path):
    """On a slope, any honest filter gives the mean of what a small pixel covers, except at the rim."""
    down, right, channel = np.mgrid[:64, :96, :3]
    Image.fromarray((down + right + 20 * channel).astype(np.uint8)).save(tmp_path / "a.png")
    got = read_picture((tmp_path / "a.png", 0), side=8).pixels[0].permute(1, 2, 0).numpy()
    assert np.abs(got - reference(tmp_path / "a.png", 8))[1:-1, 1:-1].max() <= 1


def test_grey_palettes_and_cameras_held_sideways(tmp_path):
    Image.new("L", (6, 6), 77).save(tmp_path / "grey.png")
    assert read_picture((tmp_path / "grey.png", 0), side=3, channels=1).pixels.unique().tolist() == [77]
    assert read_picture((tmp_path / "grey.png", 0), side=3).pixels.shape == (1, 3, 3, 3)
    palette = Image.new("P", (6, 6), 1)
    palette.putpalette([0, 0, 0, 10, 20, 30])
    palette.save(tmp_path / "palette.png", transparency=bytes([255, 128]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pixels = read_picture((tmp_path / "palette.png", 0), side=2).pixels
    assert pixels[0, :, 0, 0].tolist() == [10, 20, 30]
    halves = np.zeros((16, 16, 3), np.uint8)
    halves[:8] = 255  # bright above
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera lay on its side: turn by 90 degrees clockwise
    Image.fromarray(halves).save(tmp_path / "turned.jpg", exif=exif, quality=95)
    turned = read_picture((tmp_path / "turned.jpg", 0), side=8, channels=1).pixels[0, 0].float()
    assert turned[:, 4:].mean() > 200
    assert turned[:, :4].mean() < 50


@pytest.mark.parametrize("workers", [0, 2])
def test_a_corrupt_picture_is_named_or_skipped(tmp_path, workers):
    """R13: one in a hundred is cut off."""
    folder = fill(tmp_path / "a", 50)
    whole = image_folder(folder, side=8, batch_size=8)
    broken = whole.train._examples.items[17][0]
    broken.write_bytes(broken.read_bytes()[:60])
    strict = image_folder(folder, side=8, batch_size=8, workers=workers)
    with pytest.raises(SampleError, match=rf"{broken.parent.name}/{broken.name}\): .*[Tt]runcated"):
        list(strict.train.once())
    lenient = image_folder(folder, side=8, batch_size=8, workers=workers, on_bad="skip", augment=Flip())
    again = image_folder(folder, side=8, batch_size=8, workers=0, on_bad="skip", augment=Flip())
    for k in range(20):
        assert torch.equal(lenient.train[k].pixels, again.train[k].pixels)
    assert list(lenient.train.bad) == [17]
    assert str(broken) in lenient.train.bad[17]


def spoil(paths):
    """Each in another way: cut off, empty, text, another format, garbage inside."""
    disguised = io.BytesIO()
    Image.new("RGB", (8, 8)).save(disguised, "TIFF")
    for place, path in enumerate(paths):
        raw = path.read_bytes()
        ways = (raw[:60], b"", b"<html>not found</html>", disguised.getvalue(), raw[:40] + bytes(len(raw) - 40))
        path.write_bytes(ways[place % len(ways)])


def test_one_picture_in_a_hundred_is_corrupt(tmp_path):
    """R13 for files: "raise" names the first, "skip" trains on, counts all and ends with the same weights twice."""
    folder = fill(tmp_path / "a", 208)
    items = [path for path, _ in image_folder(folder, side=8).train._examples.items]
    assert len(items) == 504
    broken = [17, 101, 250, 251, 499]
    spoil([items[place] for place in broken])
    with pytest.raises(SampleError) as caught:
        list(image_folder(folder, side=8, workers=2).train.once())
    assert f"example 17 ({items[17]})" in str(caught.value)
    ended = []
    for workers in (0, 2):
        train = image_folder(folder, side=8, workers=workers, on_bad="skip", augment=Flip()).train
        learner = made(lambda: Gradient(lenet5(3, channels=3), Classify()))
        losses = [learner.step(train[k])["loss"].item() for k in range(16)]  # two epochs and a little
        assert losses[-1] < losses[0]
        assert sorted(train.bad) == broken
        assert all(str(items[place]) in cause for place, cause in train.bad.items())
        ended.append((learner.state_dict(), losses, train.bad))
    assert same(ended[0], ended[1])


def test_other_formats_are_not_opened(tmp_path):
    """A file is what it holds, not what it is called: only the three formats are decoded."""
    folder = fill(tmp_path / "a", 3)
    disguised = io.BytesIO()
    Image.new("RGB", (8, 8)).save(disguised, "TIFF")
    for file in (folder / "red").iterdir():
        file.write_bytes(disguised.getvalue())
    parts = image_folder(folder, side=4, on_bad="skip")
    with pytest.raises(SampleError, match="UnidentifiedImageError"):
        list(parts.test.once())


def test_a_picture_that_claims_to_be_enormous(tmp_path):
    small = io.BytesIO()
    Image.new("L", (9_000, 9_000)).save(small, "PNG", compress_level=9)
    (tmp_path / "bomb.png").write_bytes(small.getvalue())
    with pytest.raises(SampleError, match=r"a picture is too large. Got size=\(9000, 9000\)"):
        read_picture((tmp_path / "bomb.png", 0), side=8)


def test_malformed_folders(tmp_path):
    with pytest.raises(InputError, match=r"`path` must be a folder. Got path=.*nowhere"):
        image_folder(tmp_path / "nowhere", side=8)
    with pytest.raises(InputError, match=r"sub-folder for each of two classes or more. Got path=.*, classes=\[\]"):
        image_folder(tmp_path, side=8)
    (tmp_path / "cat").mkdir()
    with pytest.raises(InputError, match=r"two classes or more. Got path=.*, classes=\['cat'\]"):
        image_folder(tmp_path, side=8)
    (tmp_path / "dog").mkdir()
    with pytest.raises(InputError, match=r"at least 3 pictures.*pictures=\{'cat': 0, 'dog': 0\}"):
        image_folder(tmp_path, side=8)
