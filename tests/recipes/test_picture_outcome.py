"""What is said of a classifier: a network whose answers are known gives numbers known beforehand."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from chainrule.recipes.picture_outcome import judged, picture_outcome
from chainrule.report import wilson
from chainrule.sources import LabelledPictures, read_pictures


class Brightness(nn.Module):
    """Answers with the class whose number the first pixel holds, as surely as it is told to."""

    def __init__(self, classes: int, sure: float) -> None:
        super().__init__()
        self.classes, self.sure = classes, sure

    def forward(self, pixels: Tensor) -> Tensor:
        return self.sure * nn.functional.one_hot(pixels[:, 0, 0, 0].long() % self.classes, self.classes).float()


def painted(tmp_path, classes: int, *, wrong: int = 0) -> LabelledPictures:
    """Noise whose first pixel is the label, but for every `wrong`-th picture."""
    count = 20 * classes
    pixels = np.random.default_rng(0).integers(0, 255, (count, 6, 6), np.uint8)
    labels = np.arange(count) % classes
    pixels[:, 0, 0] = labels
    if wrong:
        pixels[::wrong, 0, 0] = (labels[::wrong] + 1) % classes
    np.savez(tmp_path / "x.npz", images=pixels, labels=labels)
    return read_pictures(str(tmp_path / "x.npz"))


def test_a_perfect_network(tmp_path):
    outcome = picture_outcome(Brightness(4, 20.0), painted(tmp_path, 4), 1.0)
    assert outcome.metrics["accuracy"] == outcome.metrics["macro F1"] == 1.0
    assert outcome.metrics["log loss"] == pytest.approx(0, abs=1e-4)
    assert outcome.reached
    assert "12 of 12 test pictures are right" in outcome.note
    assert f"{100 * wilson(12, 12)[0]:.2f} and 100.00 %" in outcome.note


def test_labels_that_may_be_wrong_are_found(tmp_path):
    pictures = painted(tmp_path, 4, wrong=7)
    outcome = picture_outcome(Brightness(4, 5.0), pictures, 1.0)
    last = outcome.figures[-1]
    assert last.title.startswith("Labels that may be wrong")
    validation = pictures.split.parts[1].tolist()
    assert f"of {sum(position % 7 == 0 for position in validation)} mistake" in last.caption


def test_it_says_so_when_it_is_no_better(tmp_path):
    pictures = painted(tmp_path, 3, wrong=1)
    outcome = picture_outcome(Brightness(3, 1.0), pictures, 1.0)
    assert outcome.metrics["accuracy"] == 0.0
    assert not outcome.reached
    assert outcome.bar.startswith("test accuracy of at least that of the best rival")


def test_many_classes_are_shown_as_a_table(tmp_path):
    outcome = picture_outcome(Brightness(41, 9.0), painted(tmp_path, 41), 1.0)
    assert outcome.figures[0].title == "What is taken for what most often"


def test_every_example_is_judged_once(tmp_path):
    pictures = painted(tmp_path, 4, wrong=5)
    found = judged(Brightness(4, 1.0), pictures.splits(7).train)
    assert torch.equal(found.labels, pictures.split.labels[pictures.split.parts[0]])
    missed = (found.scores.argmax(1) != found.labels).nonzero().flatten()
    assert torch.equal(found.wrong, missed)
    assert torch.equal(found.pixels, pictures.pixels[pictures.split.parts[0][missed]])
