"""New pictures in every form: files, Pillow's own, arrays and tensors of the same picture give the same bytes."""

import numpy as np
import pytest
import torch
from PIL import Image

from chainrule import InputError
from chainrule.recipes.picture_inputs import encoded_pictures, pictures_of_files

GREY = np.random.default_rng(0).integers(0, 255, (6, 6), np.uint8)
COLOUR = np.random.default_rng(1).integers(0, 255, (6, 6, 3), np.uint8)


def test_every_form_of_one_picture_gives_the_same(tmp_path):
    Image.fromarray(COLOUR).save(tmp_path / "x.png")
    forms = [tmp_path / "x.png", str(tmp_path / "x.png"), Image.fromarray(COLOUR), COLOUR, COLOUR[None],
             torch.from_numpy(COLOUR.transpose(2, 0, 1).copy()), [COLOUR]]  # fmt: skip
    for form in forms:
        found = encoded_pictures(form, (6, 6), 3).pixels
        assert found.dtype is torch.uint8
        assert found[0].permute(1, 2, 0).tolist() == COLOUR.tolist()


def test_grey_and_colour_become_what_the_network_takes():
    assert encoded_pictures(COLOUR, (6, 6), 1).pixels.shape == (1, 1, 6, 6)
    assert encoded_pictures(GREY, (6, 6), 3).pixels.shape == (1, 3, 6, 6)
    assert encoded_pictures(np.stack([GREY] * 3), (6, 6), 1).pixels.shape == (3, 1, 6, 6)  # three, not one in colour
    by_pillow = encoded_pictures(Image.fromarray(COLOUR), (6, 6), 1).pixels.float()
    torch.testing.assert_close(encoded_pictures(COLOUR, (6, 6), 1).pixels.float(), by_pillow, atol=1.0, rtol=0.0)


def test_numbers_are_scaled_as_they_were_for_training():
    assert encoded_pictures(np.full((2, 2), 8.0), (2, 2), 1, high=16.0).pixels.unique().tolist() == [128]
    assert encoded_pictures(np.full((2, 2), 8, np.uint8), (2, 2), 1, high=16.0).pixels.unique().tolist() == [8]


def test_files_come_in_chunks_with_their_names(tmp_path):
    (tmp_path / "in").mkdir()
    for k in range(300):
        Image.new("L", (2, 2), k % 250).save(tmp_path / "in" / f"{k:03}.bmp")
    np.save(tmp_path / "more.npy", np.stack([GREY] * 2))
    chunks = list(pictures_of_files([tmp_path / "in", tmp_path / "more.npy"], (2, 2), 1))
    assert sorted(len(rows) for _, rows in chunks) == [2, 44, 256]
    shades = {name: int(rows.pixels[place, 0, 0, 0]) for names, rows in chunks for place, name in enumerate(names)}
    assert shades[str(tmp_path / "in" / "007.bmp")] == 7
    assert shades[str(tmp_path / "in" / "299.bmp")] == 49


@pytest.mark.parametrize("inputs", [7, [], {"a": 1}, np.array(["x"]), np.full((2, 2), np.nan)])
def test_what_is_no_picture(inputs):
    with pytest.raises(InputError, match=r"(pictures|pixels) must be"):
        encoded_pictures(inputs, (2, 2), 1)


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "x.png").write_bytes(b"")
    with pytest.raises(InputError, match=r"x\.png cannot be read: .* must not be empty"):
        list(pictures_of_files([tmp_path / "x.png"], (2, 2), 1))
