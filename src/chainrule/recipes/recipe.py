"""A recipe: a whole experiment as one frozen value."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from torch import nn

from chainrule.data import Batches
from chainrule.errors import InputError
from chainrule.report import Outcome
from chainrule.training import Hook, Learner


@dataclass(frozen=True)
class Recipe(ABC):
    """Everything a run depends on: settings as fields, parts as methods that build them anew.

    The command line is built from the fields (`--optimizer.lr 3e-4`), and `recipe.json` holds nothing else: a run
    is repeated by building the same recipe again.

    Args:
        steps: how long to train.
        seed: where every random number of the run begins.
        threads: of the CPU; a part of the recipe because it decides the last bits, and because small networks are
            faster on one.
    """

    source: ClassVar[str]
    """What it learns from, and under which licence: for the card."""
    limits: ClassVar[str]
    """What the trained model must not be used for, and where it fails: for the card."""

    steps: int
    seed: int
    threads: int = 1

    @abstractmethod
    def learner(self) -> Learner:
        """The learner, its weights drawn from the seed (call under `seeded(self.seed)`)."""

    @abstractmethod
    def batches(self) -> Batches[Any]:
        """What it learns from."""

    @abstractmethod
    def outcome(self, model: nn.Module) -> Outcome:
        """Final numbers of a trained model, beside its baselines."""

    def hooks(self) -> Sequence[Hook]:
        """What this recipe watches while it trains: usually one `Evaluate`."""
        return ()

    def finish(self, model: nn.Module) -> bool:
        """A last change after training, such as calibration on the validation split; whether there was one."""
        return False

    def provenance(self) -> str:
        """What it learnt from, and what was done with that: for the card."""
        return self.source

    def predict(self, model: nn.Module, inputs: Any) -> Mapping[str, Sequence[Any]]:
        """Answers to examples as people have them, one column per answer, one row per example."""
        raise InputError(
            "this recipe's model takes tensors, as its batches have them",
            advice="call it on them; `predict` is for what `chainrule fit` made",
            recipe=type(self).__name__,
        )

    def sample(self, model: nn.Module, prompt: str | None, count: int, path: Path) -> str:
        """Draws from a generative model: text is returned, pictures are written beside `path` and their name is."""
        raise InputError(
            "only a generative model can be sampled",
            advice="sample a run of python-docs-gpt or digits-gan",
            recipe=type(self).__name__,
        )
