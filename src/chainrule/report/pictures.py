"""Figures made of pictures: grids of samples, and what a classifier got most confidently wrong."""

import base64
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrule.errors import InputError
from chainrule.report.figures import text_figure, whole_numbers
from chainrule.report.markup import Attributes, tag
from chainrule.report.outcome import Figure
from chainrule.report.svg import MUTED, SIZE, WIDTH, drawing, shortened, width_of, words

_MOST = 400


def image_grid(
    pixels: Any,
    captions: Sequence[str] = (),
    *,
    title: str,
    caption: str = "",
    columns: int = 10,
    black: float | int | None = None,
    white: float | int | None = None,
) -> Figure:
    """Shows pictures side by side, their pixels as squares.

    Args:
        pixels: one picture after another, grey or with three channels.
        captions: a few letters under each, or none; a line break begins a second line.
        title: what they are.
        caption: how they came about.
        columns: pictures per row.
        black: the darkest brightness; the least among all pictures if `None`.
        white: the lightest; the greatest among all pictures if `None`.

    Shape:
        pixels: (picture, height, width) or (picture, channel, height, width).

    Example:
        >>> image_grid(np.eye(8)[None], ["one"], title="A diagonal").svg.count("<image")
        1
    """
    shades = _shades(pixels, black, white)
    if captions and len(captions) != len(shades):
        raise InputError(
            "`captions` must be one per picture", advice="leave them out", pictures=len(shades), captions=len(captions)
        )
    count, columns = len(shades), max(1, min(columns, len(shades)))
    side = min(118.0, WIDTH / columns)
    height, width = shades.shape[1:3]
    tall = (side - 3) * height / width
    lines = max((caption.count("\n") + 1 for caption in captions), default=0)
    step = tall + (SIZE + 2) * lines + (7 if captions else 3)
    parts: list[str] = []
    for index in range(count):
        x, y = side * (index % columns) + 1.5, step * (index // columns) + 1.5
        box: Attributes = {"x": x, "y": y, "width": side - 3, "height": tall}
        parts.append(tag("image", box | {"image-rendering": "pixelated", "href": _png(shades[index])}))
        for row, said in enumerate(captions[index].split("\n") if captions else ()):
            most = max(3, int(side / width_of("m")))
            below = y + tall + (SIZE + 2) * (row + 1) - 1
            parts.append(words(shortened(said, most), x + (side - 3) / 2, below, anchor="middle", fill=MUTED))
    return Figure(title, caption, drawing(step * math.ceil(count / columns) + 2, title, *parts))


def _shades(pixels: Any, black: float | int | None, white: float | int | None) -> np.ndarray:
    """Bytes, channel last or no channel."""
    array = np.asarray(pixels).astype(float)
    if array.ndim == 4 and array.shape[1] in (1, 3):
        array = array[:, 0] if array.shape[1] == 1 else array.transpose(0, 2, 3, 1)
    elif array.ndim != 3:
        raise InputError(
            "`pixels` must be (picture, height, width), or with 1 or 3 channels before the height",
            advice="reshape them",
            shape=array.shape,
        )
    if not 0 < len(array) <= _MOST:
        raise InputError(f"a grid must have 1 to {_MOST} pictures", advice="choose some of them", pictures=len(array))
    array = np.nan_to_num(array)
    low = float(array.min()) if black is None else black
    high = float(array.max()) if white is None else white
    return (((array - low) / ((high - low) or 1.0)).clip(0, 1) * 255).round().astype(np.uint8)


def _png(shades: np.ndarray) -> str:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(shades).save(file, "PNG", optimize=True)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def worst_mistakes(
    pixels: Any,
    labels: Any,
    predicted: Any,
    confidence: Any,
    *,
    classes: Sequence[str] = (),
    count: int = 10,
    title: str = "Most confident mistakes",
) -> Figure:
    """Shows the pictures whose wrong class was answered with the highest probability.

    Args:
        pixels: pictures, as `image_grid` takes them.
        labels: true class numbers.
        predicted: class numbers that were answered.
        confidence: probability of each answer.
        classes: short names by class number; the numbers themselves if empty.
        count: how many to show at most.
        title: what it shows.

    Shape:
        pixels: (picture, height, width) or (picture, channel, height, width); labels, predicted, confidence: (picture).

    Example:
        >>> worst_mistakes(np.zeros((2, 8, 8)), [1, 2], [1, 3], [0.9, 0.8]).caption
        'Under each: true class → answer, and its probability. 1 of 1 mistake among 2 pictures.'
    """
    truth, answer = whole_numbers(labels, "labels"), whole_numbers(predicted, "predicted")
    sure, shown = np.asarray(confidence).astype(float), np.asarray(pixels)
    if not len(truth) == len(answer) == len(sure) == len(shown):
        raise InputError("pictures, labels, answers and probabilities must pair up", advice="give one each",
                         pixels=len(shown), labels=len(truth), predicted=len(answer), confidence=len(sure))  # fmt: skip
    wrong = np.flatnonzero(truth != answer)
    if not len(wrong):
        return text_figure(f"None among {len(truth):,} pictures.", title=title)
    worst = wrong[np.argsort(-sure[wrong], kind="stable")][:count]
    name = [str(each) for each in classes].__getitem__ if classes else str
    said = [f"{name(int(truth[each]))} → {name(int(answer[each]))}\n{100 * sure[each]:.0f} %" for each in worst]
    many = f"{len(wrong):,} mistake" + ("s" if len(wrong) > 1 else "")
    caption = (
        f"Under each: true class → answer, and its probability. {len(worst)} of {many} among {len(truth):,} pictures."
    )
    columns = 5 if max(len(each.split("\n")[0]) for each in said) <= 11 else 3
    extremes = float(shown.min()), float(shown.max())
    return image_grid(
        shown[worst], said, title=title, caption=caption, columns=columns, black=extremes[0], white=extremes[1]
    )
