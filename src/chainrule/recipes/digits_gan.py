"""A generator of handwritten digits, and the critic that it learns from."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, cast

import torch
from torch import Tensor, nn

from chainrule.data import Batches, Images, digits, generator, seeded
from chainrule.errors import InputError
from chainrule.functional import frechet_distance, precision_recall
from chainrule.layers import Pixels
from chainrule.learners import Adversarial
from chainrule.models import Network, Players, dcgan
from chainrule.objectives import NonSaturating
from chainrule.optim import AdamW, Ema
from chainrule.recipes.digits_lenet import DigitsLenet
from chainrule.recipes.recipe import Recipe
from chainrule.report import Outcome, bars, image_grid
from chainrule.training import fit

_BAR = 0.05
_SAMPLES = 2000
_COMPARED = 600  # as many as there are held-out digits: all these measures depend on the size of the sets
_WHITE = 16.0


@dataclass(frozen=True)
class DigitsGan(Recipe):
    """Settings of `digits-gan`.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU.
        batch_size: real digits per step, and as many generated ones.
        width: feature maps of both networks at full size.
        noise: random numbers per digit.
        r1: weight of the penalty on the critic's slope at real digits.
        average: of the generator's weights.
        optimizer: how either player's gradient becomes an update.
    """

    source: ClassVar[str] = "1,197 digits of 8 x 8 pixels from scikit-learn (UCI, CC BY 4.0), labels unused."
    limits: ClassVar[str] = "It draws small digits only, some of them unreadable, and cannot be asked for a given one."

    steps: int = 1500
    seed: int = 0
    threads: int = 1
    batch_size: int = 64
    width: int = 32
    noise: int = 32
    r1: float = 1.0
    average: Ema = Ema(0.99)
    optimizer: AdamW = AdamW(lr=3e-3, betas=(0.0, 0.99), weight_decay=0.0)

    def learner(self) -> Adversarial:
        """A small DCGAN, both players with the same rule."""
        players = dcgan(8, noise=self.noise, width=self.width, pixels=Pixels((_WHITE / 2,), (_WHITE / 2,)))
        rule = self.optimizer
        return Adversarial(players, NonSaturating(), rule, rule, r1=self.r1, average=self.average)

    def batches(self) -> Batches[Images]:
        """The training digits; nobody looks at their labels."""
        return digits(self.batch_size, seed=self.seed).train

    def outcome(self, model: nn.Module) -> Outcome:
        """Which digits are drawn, as told by the `digits-lenet` classifier, beside real digits and simple models."""
        parts = digits()
        judge = _Judge(_whole(parts.train))
        held_out = torch.cat([_whole(parts.validation), _whole(parts.test)])
        samples = cast("Players", model).sample(_SAMPLES, generator(self.seed, self.steps))
        shares = judge.shares(samples)
        smallest = float(shares.min())
        return Outcome(
            metrics=judge.measure(samples),
            baselines={
                "held-out digits": judge.measure(held_out),
                **{name: judge.measure(rival) for name, rival in _rivals(judge.real).items()},
            },
            bar=f"every digit at least {100 * _BAR:.0f} % of {_SAMPLES:,} samples",
            reached=smallest >= _BAR,
            figures=(
                image_grid(
                    samples[:100],
                    title="A hundred samples",
                    caption="The first hundred that were drawn, none left out.",
                    black=0.0,
                    white=_WHITE,
                ),
                bars(
                    {str(digit): 100 * float(share) for digit, share in enumerate(shares)},
                    title="What the classifier sees",
                    caption=f"Share of {_SAMPLES:,} samples that the digits-lenet classifier takes for each digit.",
                    label="share of samples (%)",
                    reference=("bar", 100 * _BAR),
                ),
                image_grid(
                    torch.stack([samples[:10], judge.nearest(samples[:10])[1]]).flatten(0, 1),
                    title="Learnt, not copied",
                    caption="Ten samples, and under each the training digit nearest to it.",
                    black=0.0,
                    white=_WHITE,
                ),
            ),
            note="The smallest share of a digit and the mean confidence are the digits-lenet classifier's; precision, "
            "recall and Frechet distance are taken in its features; the nearest digit is the median distance to the "
            "nearest training digit, in shades from 0 to 16. Held-out digits show what perfect samples would get.",
        )

    def sample(self, model: nn.Module, prompt: str | None, count: int, path: Path) -> str:
        """Writes so many digits as one picture, ten in a row, and returns its name."""
        if prompt is not None:
            raise InputError("this generator takes no prompt", advice="leave --prompt out", prompt=prompt)
        if count < 1:
            raise InputError("a picture needs at least one digit", advice="try --count 100", count=count)
        file = path.with_suffix(".png")
        _write_png(cast("Players", model).sample(count), file)
        return str(file)


def digits_gan() -> DigitsGan:
    """A generator of handwritten digits against a critic, on scikit-learn's 8 x 8 digits, without their labels.

    `chainrule run digits-gan`: about a minute on 2 cores, each of the ten digits at least 5 % of 2,000 samples.

    Example:
        >>> digits_gan().noise
        32
    """
    return DigitsGan()


class _Judge:
    """Measures pictures with the `digits-lenet` classifier, and against the training digits."""

    def __init__(self, real: Tensor) -> None:
        recipe = DigitsLenet()
        with seeded(recipe.seed):
            learner = recipe.learner()
        fit(learner, recipe.batches(), steps=recipe.steps, seed=recipe.seed)
        self.real = real
        self.network = cast("Network", learner.model.eval())
        self.features = self._embed(real)

    @torch.no_grad()
    def _embed(self, pictures: Tensor) -> Tensor:
        return self.network.embed(pictures)

    @torch.no_grad()
    def shares(self, pictures: Tensor) -> Tensor:
        """The share of pictures taken for each of the ten digits."""
        return self.network(pictures).argmax(-1).bincount(minlength=10) / len(pictures)

    def nearest(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """The distance to the nearest training digit in pixels, and that digit."""
        apart, place = torch.cdist(pictures.flatten(1), self.real.flatten(1)).min(1)
        return apart, self.real[place]

    @torch.no_grad()
    def measure(self, pictures: Tensor) -> dict[str, float]:
        """How varied, how clear, how true and how new the pictures are.

        The classifier's smallest share of a digit and its mean confidence; precision, recall and Frechet distance in
        its features; the median distance to the nearest training digit, which copies would bring down to zero.
        """
        compared = pictures[:_COMPARED]
        features = self._embed(compared)
        precision, recall = precision_recall(self.features[:_COMPARED], features)
        return {
            "smallest share": float(self.shares(pictures).min()),
            "confidence": float(self.network(pictures).softmax(-1).max(-1).values.mean()),
            "precision": float(precision),
            "recall": float(recall),
            "Frechet": float(frechet_distance(self.features, features)),
            "nearest digit": float(self.nearest(compared)[0].median()),
        }


def _rivals(real: Tensor) -> Mapping[str, Tensor]:
    """Samples of simpler models of the same training digits."""
    chance, count = generator(0), _SAMPLES
    flat = real.flatten(1)
    wide, narrow = (torch.randn(count, flat.shape[1], generator=chance) for _ in range(2))
    values, vectors = torch.linalg.eigh(torch.cov(flat.T))
    correlated = (wide * values.clamp(min=0).sqrt()) @ vectors.T
    drawn = {
        "joint normal": flat.mean(0) + correlated,
        "pixelwise normal": flat.mean(0) + flat.std(0) * narrow,
        "uniform noise": _WHITE * torch.rand(count, flat.shape[1], generator=chance),
    }
    return {name: pixels.clamp(0, _WHITE).view(-1, *real.shape[1:]) for name, pixels in drawn.items()}


def _whole(batches: Batches[Images]) -> Tensor:
    return next(batches.once(batches.size)).pixels.float()


def _write_png(pictures: Tensor, file: Path, *, columns: int = 10, zoom: int = 6) -> None:
    from PIL import Image

    shades = (pictures[:, 0] / _WHITE).clamp(0, 1).mul(255).round().to(torch.uint8)
    shades = shades.repeat_interleave(zoom, 1).repeat_interleave(zoom, 2)
    count, side = len(shades), shades.shape[1] + 2
    columns = min(columns, count)
    sheet = torch.full((-(-count // columns) * side, columns * side), 64, dtype=torch.uint8)
    for index, shade in enumerate(shades):
        top, left = side * (index // columns) + 1, side * (index % columns) + 1
        sheet[top : top + len(shade), left : left + len(shade)] = shade
    Image.fromarray(sheet.numpy()).save(file, "PNG")
