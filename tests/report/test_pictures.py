import base64
import io

import numpy as np
import pytest
import torch
from PIL import Image

from chainrule.errors import InputError
from chainrule.report import image_grid, worst_mistakes
from report.reading import SVG, parse


def pictures(svg: str) -> list[np.ndarray]:
    found = []
    for image in parse(svg).iter(f"{SVG}image"):
        head, _, data = image.get("href", "").partition(",")
        assert head == "data:image/png;base64"
        found.append(np.asarray(Image.open(io.BytesIO(base64.b64decode(data)))))
    return found


def test_bytes_come_back_as_they_were():
    pixels = np.random.default_rng(0).integers(0, 256, (3, 8, 6), dtype=np.uint8)
    shown = pictures(image_grid(pixels, title="t", black=0, white=255).svg)
    np.testing.assert_array_equal(np.stack(shown), pixels)


def test_colours_come_back_with_the_channel_last():
    pixels = torch.randint(0, 256, (2, 3, 5, 5), dtype=torch.uint8)
    shown = pictures(image_grid(pixels, title="t", black=0, white=255).svg)
    np.testing.assert_array_equal(np.stack(shown), pixels.permute(0, 2, 3, 1).numpy())


def test_brightness_is_stretched_over_all_pictures_alike():
    dark, light = pictures(image_grid(np.array([[[0.0, 1.0]], [[1.0, 2.0]]]), title="t").svg)
    assert dark.tolist() == [[0, 128]]
    assert light.tolist() == [[128, 255]]


@pytest.mark.parametrize("shape", [(4,), (2, 2), (1, 2, 4, 4), (0, 4, 4), (401, 2, 2)])
def test_odd_shapes_are_refused(shape):
    with pytest.raises(InputError):
        image_grid(np.zeros(shape), title="t")


def test_captions_pair_up():
    with pytest.raises(InputError, match="`captions` must be one per picture"):
        image_grid(np.zeros((2, 2, 2)), ["one"], title="t")


def test_the_worst_mistakes_come_first_and_right_answers_not_at_all():
    pixels = np.arange(4.0)[:, None, None] * np.ones((4, 2, 2))
    figure = worst_mistakes(pixels, [0, 1, 2, 3], [0, 2, 3, 1], [1.0, 0.5, 0.9, 0.7], classes="abcd")
    said = [text.text for text in parse(figure.svg).iter(f"{SVG}text")]
    assert said == ["c → d", "90 %", "d → b", "70 %", "b → c", "50 %"]
    assert [int(shown[0, 0]) for shown in pictures(figure.svg)] == [170, 255, 85]


def test_no_mistakes():
    assert "None among 3 pictures" in worst_mistakes(np.zeros((3, 2, 2)), [1] * 3, [1] * 3, [1.0] * 3).html
