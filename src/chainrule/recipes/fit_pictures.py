"""A classifier of somebody's pictures."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from chainrule.data import Batches, Images, InMemory, Rows, Shift, Splits
from chainrule.errors import InputError
from chainrule.layers import Pixels, Temperature, best_temperature
from chainrule.learners import Compute, Gradient
from chainrule.models import quick_net
from chainrule.objectives import Classify
from chainrule.optim import AdamW, WarmupCosine
from chainrule.recipes.budget import Budget, budget
from chainrule.recipes.fitted import Answers, Asked, Fitted, class_answers, unchanged
from chainrule.recipes.picture_inputs import encoded_pictures, pictures_of_files
from chainrule.recipes.picture_outcome import judged, picture_outcome
from chainrule.recipes.picture_rivals import mirrored_share, mirrors
from chainrule.report import Outcome
from chainrule.sources import LabelledPictures, read_pictures
from chainrule.training import Evaluate, Hook

_LOOKED_AT = 2_000  # pictures that statistics, and the validation while it learns, are taken from
_SKEWED = 3.0  # times as many pictures in one class as in another
_NARROW = 32  # where there is little time
_ROUNDS = 5  # through the data that a wide network must have
_ENOUGH = 600_000  # pictures that are enough for small data ...
_FEWEST, _MOST = 24, 120  # ... but never fewer nor more rounds than these
_LEAST_TEMPERATURE, _MOST_TEMPERATURE = 0.25, 10.0  # few pictures, all right, would ask for a temperature of 0
_READ: dict[tuple[str, Asked], LabelledPictures] = {}


@dataclass(frozen=True, kw_only=True)
class FitPictures(Fitted):
    """Settings of a picture classifier that `chainrule fit` made.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU.
        data: where the pictures lie.
        digest: of the pictures and their labels.
        asked: what the person said.
        notes: what was decided and repaired.
        classes: names, by number.
        size: height and width that every picture is brought to.
        channels: 1 for grey, 3 for colour.
        low: the brightness that became 0, where pictures came as numbers.
        high: the brightness that became 255.
        mean: of the training pixels, per channel.
        deviation: of the training pixels, per channel.
        width: features of the network's first stage.
        batch_size: pictures per step.
        shift: training pictures are moved by up to so many pixels.
        mirror: whether every other one is mirrored.
        smoothing: share of the target spread over all classes.
        weights: how much each class counts; all the same if empty.
        precision: in which the network is computed while it learns.
        optimizer: how a gradient becomes an update.
    """

    limits: ClassVar[str] = (
        "Pictures like those that it learnt from: of the same kinds, taken the same way. It always answers with one of "
        "its classes, also to a picture of something else."
    )

    classes: tuple[str, ...]
    size: tuple[int, int]
    channels: Literal[1, 3]
    low: float = 0.0
    high: float = 255.0
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    width: int = 64
    batch_size: int = 128
    shift: int = 2
    mirror: bool = False
    smoothing: float = 0.1
    weights: tuple[float, ...] = ()
    precision: Literal["float32", "bfloat16"] = "float32"
    optimizer: AdamW = AdamW(lr=4e-3, weight_decay=0.05, schedule=WarmupCosine(warmup=200))

    @property
    def title(self) -> str:
        """What it is."""
        shown = ", ".join(self.classes[:3]) + (" and so on" if len(self.classes) > 3 else "")
        return f"Tells {len(self.classes)} kinds of pictures of {Path(self.data).name} apart: {shown}."

    def pictures(self) -> LabelledPictures:
        """The pictures, as they were when this was planned."""
        return _pictures(self.data, self.asked, self.digest)

    def splits(self) -> Splits[Images]:
        """The three parts, training pictures moved about."""
        augment = Shift(self.shift, mirror=self.mirror)
        return self.pictures().splits(self.batch_size, seed=self.seed, augment=augment, workers=self.threads)

    def learner(self) -> Gradient:
        """A small residual network by gradient descent; needs no data."""
        model = quick_net(
            len(self.classes),
            self.size,
            channels=self.channels,
            width=self.width,
            pixels=Pixels(self.mean, self.deviation),
        )
        objective = Classify(smoothing=self.smoothing, weights=self.weights)
        return Gradient(model, objective, self.optimizer.over(self.steps), compute=Compute(self.precision))

    def batches(self) -> Batches[Images]:
        """The training pictures."""
        return self.splits().train

    def hooks(self) -> Sequence[Hook]:
        """Validation loss and accuracy ten times, of two thousand pictures at most."""
        some = InMemory(self.pictures().sample(1, _LOOKED_AT), 250, shuffle=False)
        return [Evaluate(Classify(), some, every=-(-self.steps // 10))]

    def finish(self, model: nn.Module) -> bool:
        """Calibrates the probabilities on the validation pictures."""
        last = _temperature_of(model)
        last.set_to(1.0)
        found = judged(model, self.splits().validation)
        best = best_temperature(found.scores, found.labels)
        last.set_to(min(max(best, _LEAST_TEMPERATURE), _MOST_TEMPERATURE))
        return True

    def outcome(self, model: nn.Module) -> Outcome:
        """Numbers of the test pictures beside three rivals; mistakes, calibration, doubtful labels."""
        temperature = float(_temperature_of(model).temperature)
        return picture_outcome(model, self.pictures(), temperature)

    def encoded(self, inputs: Any) -> Images:
        """Pictures as the network takes them: paths, arrays, tensors or Pillow's pictures, one or many."""
        return encoded_pictures(inputs, self.size, self.channels, low=self.low, high=self.high)

    def read(self, paths: Sequence[Path]) -> Iterator[tuple[list[str], Rows]]:
        """Every picture of the files and folders, and every picture of a `.npy` array."""
        return pictures_of_files(paths, self.size, self.channels, low=self.low, high=self.high)

    def answers(self, outputs: Tensor) -> Answers:
        """The likeliest class of each picture, its probability and, of few classes, that of every one."""
        return class_answers("prediction", self.classes, outputs)


def plan_pictures(data: str, asked: Asked) -> FitPictures:
    """Looks at somebody's pictures and decides how to learn to tell them apart.

    Args:
        data: a folder, a CSV that names pictures, IDX files, a `.npz`, a `.npy`, or the word `digits`.
        asked: what the person says about it.

    Example:
        >>> recipe = plan_pictures("digits", Asked(minutes=0.01, threads=1))
        >>> recipe.size, recipe.mirror, recipe.title
        ((8, 8), False, 'Tells 10 kinds of pictures of digits apart: 0, 1, 2 and so on.')
    """
    _check(asked)
    pictures = read_pictures(data, target=asked.target, minutes=asked.minutes, threads=asked.threads, seed=asked.seed)
    _keep(data, asked, pictures)
    count = len(pictures.split.parts[0])
    mean, deviation = _statistics(pictures)
    mirror, why = _mirrored(pictures)
    weights, weighed = _weights(pictures)
    batch_size = max(16, min(128, 1 << int(math.log2(max(16, count / 16)))))
    recipe = FitPictures(
        steps=1, seed=asked.seed, threads=asked.threads, data=data, digest=pictures.digest, asked=asked,
        classes=pictures.split.classes, size=pictures.size, channels=pictures.channels, low=pictures.low,
        high=pictures.high, mean=mean, deviation=deviation, batch_size=batch_size,
        shift=max(1, min(pictures.size) // 14), mirror=mirror, weights=weights,
    )  # fmt: skip
    recipe, spent = _sized(recipe, asked, count)
    kind = "grey" if pictures.channels == 1 else "coloured"
    rounds = spent.steps * batch_size / count
    notes = [
        f"{len(recipe.classes)} classes of {kind} pictures, {pictures.size[0]} x {pictures.size[1]} pixels each.",
        *pictures.notes,
        *weighed,
        f"Training pictures are moved by up to {recipe.shift} pixel{'s' * (recipe.shift > 1)}. {why}",
        f"A residual network of width {recipe.width}, computed in {recipe.precision}, which is the faster here.",
        f"{spent.told()} That is {rounds:.1f} times through the training pictures.",
    ]
    warmup = max(1, min(200, spent.steps // 5))
    optimizer = replace(recipe.optimizer, lr=4e-3 * math.sqrt(batch_size / 128), schedule=WarmupCosine(warmup=warmup))
    return replace(recipe, steps=spent.steps, optimizer=optimizer, notes=tuple(notes))


def _check(asked: Asked) -> None:
    """Whatever cannot be done with pictures is said, not left out in silence."""
    if asked.task not in (None, "classify"):
        raise InputError(
            "pictures can be told apart, and nothing else is learnt of them yet",
            advice="leave --task out",
            task=asked.task,
        )
    if asked.metric not in (None, "accuracy"):
        raise InputError(
            "a picture classifier is judged by its accuracy", advice="leave --metric out", metric=asked.metric
        )
    columns = {"time": asked.time, "series": asked.series, "group": asked.group, "horizon": asked.horizon}
    named = [name for name, value in columns.items() if value is not None]
    if named:
        raise InputError("pictures have no such column", advice=f"leave out --{' --'.join(named)}", asked=named)


def _sized(recipe: FitPictures, asked: Asked, count: int) -> tuple[FitPictures, Budget]:
    """The faster precision, the width that has time for a few rounds, and how many steps that makes."""
    rounds = min(max(_ENOUGH / count, _FEWEST), _MOST)
    enough = max(1, math.ceil(rounds * count / recipe.batch_size))

    def timed(each: FitPictures) -> Budget:
        return budget(each.learner(), each.batches(), asked.minutes, threads=asked.threads, enough=enough)

    halved = replace(recipe, precision="bfloat16")
    spent, other = timed(recipe), timed(halved)
    if other.seconds < spent.seconds:
        recipe, spent = halved, other
    if spent.steps < min(_ROUNDS * count / recipe.batch_size, enough):
        recipe = replace(recipe, width=_NARROW)
        spent = timed(recipe)
    return recipe, spent


def _statistics(pictures: LabelledPictures) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Mean and deviation of each channel, of training pictures."""
    pixels = pictures.sample(0, _LOOKED_AT).pixels.float()
    mean, deviation = pixels.mean((0, 2, 3)), pixels.std((0, 2, 3)).clamp(min=1.0)
    return tuple(mean.tolist()), tuple(deviation.tolist())


def _mirrored(pictures: LabelledPictures) -> tuple[bool, str]:
    """Whether to mirror, and why."""
    upright, mirrored = mirrored_share(pictures.sample(0, _LOOKED_AT), pictures.sample(1, _LOOKED_AT // 2))
    mirror = mirrors(upright, mirrored)
    return mirror, (
        f"They are {'' if mirror else 'not '}mirrored: nearest neighbours recognise {100 * upright:.0f} % of the "
        f"validation pictures and {100 * mirrored:.0f} % of their mirror images."
    )


def _weights(pictures: LabelledPictures) -> tuple[tuple[float, ...], list[str]]:
    """How much each class counts, where some have many more pictures than others: by the root of how rare it is."""
    labels = pictures.split.labels[pictures.split.parts[0]]
    counts = torch.bincount(labels, minlength=len(pictures.split.classes)).double()
    if float(counts.max() / counts.min()) < _SKEWED:
        return (), []
    roots = counts.rsqrt()
    weights = roots * counts.sum() / (roots * counts).sum()  # the mean over pictures is one
    return tuple(weights.tolist()), [
        f"The classes have from {int(counts.min()):,} to {int(counts.max()):,} training pictures, so the pictures of "
        f"rare ones count up to {float(weights.max() / weights.min()):.1f} times as much."
    ]


def _temperature_of(model: nn.Module) -> Temperature:
    return next(module for module in model.modules() if isinstance(module, Temperature))


def _keep(data: str, asked: Asked, pictures: LabelledPictures) -> None:
    """The last pictures that were read, so that a run reads them once."""
    _READ.clear()
    _READ[data, asked] = pictures


def _pictures(data: str, asked: Asked, digest: str) -> LabelledPictures:
    kept = _READ.get((data, asked))
    if kept is not None and kept.digest == digest:
        return kept
    pictures = read_pictures(data, target=asked.target, minutes=asked.minutes, threads=asked.threads, seed=asked.seed)
    unchanged(data, pictures.digest, digest, "the pictures are not those that this run began with")
    _keep(data, asked, pictures)
    return pictures
