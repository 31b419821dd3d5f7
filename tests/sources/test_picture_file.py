"""Picture files of every kind: each comes out as the bytes that were painted, or says what is wrong."""

import struct
import zlib

import numpy as np
import pytest
import torch
from PIL import Image

from chainrule import InputError
from chainrule.errors import SampleError
from chainrule.sources.picture_file import fitted_picture, picture_bytes, picture_header

RED = (200, 40, 30)


def bomb(width: int, height: int) -> bytes:
    """A PNG that claims to be huge, in a few bytes."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(100))) + chunk(b"IEND", b"")


@pytest.mark.parametrize("ending", ["png", "jpg", "webp", "bmp", "gif", "tiff"])
def test_every_format_gives_what_was_painted(tmp_path, ending):
    file = tmp_path / f"red.{ending}"
    Image.new("RGB", (20, 10), RED).save(file)
    found = picture_bytes(file, (5, 7)).float()
    expected = torch.tensor(RED, dtype=torch.float32).view(3, 1, 1).expand(3, 5, 7)
    torch.testing.assert_close(found, expected, atol=4.0, rtol=0.0)  # JPEG and WebP round


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "YCbCr", "HSV"])
def test_every_mode_becomes_grey_and_colour(mode):
    white = Image.new("RGB", (4, 4), "white").convert("RGBA")
    picture = white.convert("RGB").convert(mode) if mode in ("YCbCr", "CMYK", "HSV", "P") else white.convert(mode)
    for channels in (1, 3):
        assert fitted_picture(picture, (2, 2), channels).min() >= 250


def test_sixteen_bits_are_cut_to_the_upper_eight(tmp_path):
    values = np.array([[0, 257, 32896, 65535]], np.uint16).repeat(4, 0)
    Image.fromarray(values).save(tmp_path / "deep.png")
    assert picture_bytes(tmp_path / "deep.png", (4, 4), 1)[0, 0].tolist() == [0, 1, 128, 255]
    assert picture_header(tmp_path / "deep.png").mode == "I;16"


def test_fractions_are_parts_of_white():
    assert fitted_picture(Image.fromarray(np.full((2, 2), 0.5, np.float32)), (2, 2), 1).unique().tolist() == [128]


def test_what_is_transparent_stands_on_white():
    ink = Image.new("RGBA", (2, 1), (0, 0, 0, 255))
    ink.putpixel((1, 0), (0, 0, 0, 0))
    assert fitted_picture(ink, (1, 2), 1)[0, 0].tolist() == [0, 255]


def test_a_turned_photograph_is_put_upright(tmp_path):
    lying = Image.new("L", (4, 2))
    lying.paste(255, (0, 0, 2, 2))  # white at the left
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter turn to the right makes it upright: white on top
    lying.save(tmp_path / "lying.png", exif=exif)
    upright = picture_bytes(tmp_path / "lying.png", (4, 2), 1)[0]
    assert upright[:2].min() == 255
    assert upright[2:].max() == 0


def test_of_an_animation_the_first_frame(tmp_path):
    frames = [Image.new("L", (6, 6), shade) for shade in (250, 10)]
    frames[0].save(tmp_path / "two.gif", save_all=True, append_images=frames[1:])
    assert picture_header(tmp_path / "two.gif").animated
    assert picture_bytes(tmp_path / "two.gif", (2, 2), 1).unique().tolist() == [250]


def test_the_middle_is_cut_out(tmp_path):
    wide = Image.new("L", (30, 10), 0)
    wide.paste(255, (10, 0, 20, 10))
    wide.save(tmp_path / "wide.png")
    assert picture_bytes(tmp_path / "wide.png", (10, 10), 1).unique().tolist() == [255]
    assert picture_header(tmp_path / "wide.png").width == 30


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "must not be empty"),
        (b"not a picture at all", "must hold a whole picture"),
        (bomb(60_000, 60_000), "too large"),
        (bomb(10_000, 10_000), "too large"),
    ],
)
def test_what_is_no_picture_says_so(tmp_path, content, said):
    file = tmp_path / "x.png"
    file.write_bytes(content)
    for read in (picture_header, lambda path: picture_bytes(path, (4, 4))):
        with pytest.raises(SampleError, match=said):
            read(file)


@pytest.mark.parametrize("ending", ["png", "jpg", "webp"])
def test_a_file_that_is_cut_off(tmp_path, ending):
    file = tmp_path / f"cut.{ending}"
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8)).save(file)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(InputError, match="must hold a whole picture"):
        picture_bytes(file, (8, 8))
