"""`chainrule fit` on short texts beside TF-IDF and logistic regression: SST-2 and rt-polarity, from scratch.

    python bench/fit_phrases.py [sst2] [rt-polarity]

SST-2 has its own files to choose by and to judge with; rt-polarity is split several times and the mean is shown. The
rivals count words and pairs of words, learn from the texts to choose by, too, and are scikit-learn's: one with its
defaults (the bar is a point above it), one whose penalty was chosen by the texts to choose by, where that is another.
"""

import csv
import lzma
import sys
import tempfile
import time
from pathlib import Path

import torch

from chainrule.data import data_directory, seeded
from chainrule.recipes import Asked
from chainrule.recipes.fit_phrases import FitPhrases, plan_phrases
from chainrule.training import fit
from side_by_side import save

RIVAL = "TF-IDF + logistic regression"
SEEDS = {"sst2": 1, "rt-polarity": 3}
BAR = "1 point of accuracy above TF-IDF + logistic regression with its defaults, on each set"


def plan(name: str, seed: int, folder: Path) -> FitPhrases:
    """The recipe that `chainrule fit` makes."""
    data = data_directory() / name
    asked = Asked(seed=seed, threads=1)
    if name == "sst2":
        own, choose, judge = (str(data / f"{part}.tsv.xz") for part in ("train", "dev", "test"))
        return plan_phrases(own, asked, validation=choose, test=judge)
    path = folder / "sentences.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["sentence", "label"])
        for label in ("pos", "neg"):
            text = lzma.decompress((data / f"rt-polarity.{label}.xz").read_bytes())
            try:
                lines = text.decode()
            except UnicodeDecodeError:
                lines = text.decode("latin-1")
            writer.writerows([line, label] for line in lines.split("\n") if line)
    return plan_phrases(path, asked)


def measure(name: str, seed: int) -> dict[str, dict[str, float]]:
    """Every metric of ours and of each rival, and our processor seconds, with planning."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        recipe = plan(name, seed, Path(folder))
        with seeded(recipe.seed):
            learner = recipe.learner()
        fit(learner, recipe.batches(), steps=recipe.steps, seed=recipe.seed)
        model = learner.model.eval()
        recipe.finish(model)
        seconds = time.process_time() - begin
        outcome = recipe.outcome(model)
    found: dict[str, dict[str, float]] = {"ours": {**outcome.metrics, "seconds": seconds}}
    found |= {rival: dict(numbers) for rival, numbers in outcome.baselines.items()}
    found.setdefault(f"{RIVAL}, tuned", found[RIVAL])
    print(name, seed, {rival: round(value["accuracy"], 4) for rival, value in found.items()}, f"{seconds:.0f} s",
          flush=True)  # fmt: skip
    return found


def main(names: list[str]) -> None:
    torch.set_num_threads(1)
    table: dict[str, float] = {}
    details: dict[str, dict[str, dict[str, float]]] = {}
    for name in names or list(SEEDS):
        runs = [measure(name, seed) for seed in range(SEEDS[name])]
        details[name] = {
            rival: {metric: sum(run[rival][metric] for run in runs) / len(runs) for metric in runs[0][rival]}
            for rival in runs[0]
        }
        table |= {f"{name}: {rival}": 100 * details[name][rival]["accuracy"] for rival in details[name]}
    gains = {name: 100 * (found["ours"]["accuracy"] - found[RIVAL]["accuracy"]) for name, found in details.items()}
    reached = all(gain >= 1.0 for gain in gains.values())
    for name, gain in gains.items():
        print(f"{name}: {gain:+.2f} points")
    print(f"{BAR}: {'reached' if reached else 'missed'}")
    if not names:
        note = "test accuracy, mean over the splits of rt-polarity; one thread; gains in points under `gains`"
        save("fit_phrases", table, note=note, unit="%", bar=BAR, gains=gains, reached=reached, all=details)


if __name__ == "__main__":
    main(sys.argv[1:])
