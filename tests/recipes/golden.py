"""Golden losses: the first twenty steps of every recipe, from its own seed.

Not a statement of what is right, only of what has changed. Regenerate after a change that is meant to change them:

    python tests/recipes/golden.py
"""

import json
from pathlib import Path

import torch

from chainrule.data import seeded
from chainrule.recipes import RECIPES, find_recipe
from chainrule.training import Hook, Run, fit

FOLDER = Path(__file__).parent / "golden"
STEPS = 20


class Losses(Hook):
    """Keeps every metric of every step."""

    def __init__(self) -> None:
        self.seen: dict[str, list[float]] = {}

    def on_step(self, run: Run, metrics: dict[str, torch.Tensor]) -> None:
        for name, value in metrics.items():
            self.seen.setdefault(name, []).append(float(value))


def first_steps(name: str) -> dict[str, list[float]]:
    """Every metric of the recipe's first twenty steps, at its own settings, on one thread."""
    recipe, losses = find_recipe(name), Losses()
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=STEPS, hooks=[losses], seed=recipe.seed)
    return losses.seen


if __name__ == "__main__":
    torch.set_num_threads(1)
    FOLDER.mkdir(exist_ok=True)
    for name in RECIPES:
        rounded = {metric: [float(f"{value:.6g}") for value in values] for metric, values in first_steps(name).items()}
        (FOLDER / f"{name}.json").write_text(json.dumps(rounded, indent=1) + "\n")
        print(name)
