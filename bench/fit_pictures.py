"""`chainrule fit` on MNIST and Fashion-MNIST beside a plain Lightning CNN, the same processor seconds for both.

    python bench/fit_pictures.py mnist fashion-mnist

The bars are minutes on two cores: 5 for MNIST, 10 for Fashion-MNIST, at most 600 and 1,200 processor seconds. Seconds
are those of the process on one thread, because on a shared machine a clock on the wall says nothing; ours include
reading, planning, training, validation and calibration, the peer's only its training.
"""

import sys
import tempfile
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import nn

from chainrule.data import data_directory, seeded
from chainrule.recipes import Asked
from chainrule.recipes.fit_pictures import FitPictures, plan_pictures
from chainrule.training import fit
from side_by_side import save, show


@dataclass(frozen=True)
class Contest:
    """A data set, how many processor seconds each rival has, and what ours must reach."""

    seconds: float
    bar: float
    minutes: int


CONTESTS = {"mnist": Contest(330.0, 0.994, 5), "fashion-mnist": Contest(400.0, 0.925, 10)}


def step_seconds(recipe: FitPictures) -> float:
    """Processor seconds per step: the median of some."""
    learner, batches = recipe.learner(), recipe.batches()
    taken = []
    for k in range(12):
        start = time.process_time()
        learner.step(batches[k])
        taken.append(time.process_time() - start)
    return sorted(taken)[len(taken) // 2]


def ours(folder: Path, seconds: float) -> tuple[FitPictures, dict[str, float]]:
    """What `chainrule fit` does in so many processor seconds."""
    start = time.process_time()
    recipe = plan_pictures(str(folder), Asked(minutes=10.0, threads=1))
    each = step_seconds(recipe)
    left = seconds - (time.process_time() - start)
    recipe = replace(recipe, steps=int(0.92 * left / each))
    print("\n".join(recipe.notes), f"\n{recipe.steps} steps of {1e3 * each:.1f} ms", flush=True)
    with seeded(recipe.seed):
        learner = recipe.learner()
    run = fit(learner, recipe.batches(), steps=recipe.steps, hooks=recipe.hooks(), seed=recipe.seed)
    print(run.curve("validation_accuracy"), flush=True)
    model = learner.model.eval()
    recipe.finish(model)
    used = time.process_time() - start
    outcome = recipe.outcome(model)
    print(outcome.written(), outcome.note, flush=True)
    return recipe, {**outcome.metrics, "seconds": used, **{f"{name}, accuracy": found["accuracy"]
                                                            for name, found in outcome.baselines.items()}}  # fmt: skip


def lightning_cnn(recipe: FitPictures, seconds: float) -> dict[str, float]:
    """Two convolutions and two linear layers, Adam, batches of 128, as beginners' pages have it, on the same split."""
    import lightning
    from torch.utils.data import DataLoader, TensorDataset

    pictures = recipe.pictures()
    train, _, test = pictures.split.parts
    mean, deviation = torch.tensor(recipe.mean).view(1, -1, 1, 1), torch.tensor(recipe.deviation).view(1, -1, 1, 1)
    numbers = (pictures.pixels.float() - mean) / deviation

    class Plain(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Sequential(
                nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout(0.25),
                nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5), nn.Linear(128, len(recipe.classes)),
            )  # fmt: skip

        def training_step(self, batch, _):
            return F.cross_entropy(self.net(batch[0]), batch[1])

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=1e-3)

    class Stop(lightning.Callback):
        def on_train_batch_end(self, trainer, *_):
            trainer.should_stop = time.process_time() - start > seconds

    torch.manual_seed(recipe.seed)
    data = TensorDataset(numbers[train], pictures.split.labels[train])
    module = Plain()
    trainer = lightning.Trainer(
        max_epochs=1000, callbacks=[Stop()], accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, default_root_dir=tempfile.gettempdir(),
    )  # fmt: skip
    start = time.process_time()
    trainer.fit(module, DataLoader(data, 128, shuffle=True))
    used = time.process_time() - start
    module.eval()
    with torch.no_grad():
        scores = torch.cat([module.net(chunk) for chunk in numbers[test].split(500)])
    labels = pictures.split.labels[test]
    return {
        "accuracy": float((scores.argmax(1) == labels).double().mean()),
        "log loss": float(F.cross_entropy(scores, labels)),
        "seconds": used,
        "rounds": trainer.global_step * 128 / len(train),
    }


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for name in names or list(CONTESTS):
        contest = CONTESTS[name]
        recipe, found = ours(data_directory() / name, contest.seconds)
        peer = lightning_cnn(recipe, contest.seconds)
        table = {"ours": 100 * (1 - found["accuracy"]), "Lightning, plain CNN": 100 * (1 - peer["accuracy"])}
        show(f"{name}: test error", table, unit="%")
        save(
            f"fit_pictures_{name.replace('-', '_')}",
            table,
            note=f"test error after {contest.seconds:.0f} processor seconds on one thread, one seed each",
            unit="%",
            bar=f"at most {100 * (1 - contest.bar):.1f} % within {contest.minutes} minutes on 2 cores",
            reached=found["accuracy"] >= contest.bar,
            ours=found,
            peer=peer,
            steps=recipe.steps,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
