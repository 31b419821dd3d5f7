"""Five reports as the recipes write them, from made-up numbers: what the page must be able to show well."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import nn

from chainrule.data import InMemory, Table, karate
from chainrule.learners import Gradient
from chainrule.objectives import Regress
from chainrule.report import (
    About,
    Axis,
    Curve,
    Figure,
    Outcome,
    bars,
    confusion,
    curves,
    graph_figure,
    image_grid,
    table_figure,
    text_figure,
    worst_mistakes,
    write_report,
)
from chainrule.training import Run

HOSTILE = "<script>alert('1')</script>\"&\u0000\u202e\ud800]]>"
SESSION = {
    "first_step": 0, "steps": 1200, "wall_seconds": 41.7, "cpu_seconds": 79.3, "wall_seconds_per_step": 0.03475,
    "peak_bytes": 431_000_000, "parameters": 61_706, "device": "CPU", "threads": 2,
    "processor": "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz, 2 logical cores",
    "chainrule": "0.1.0", "torch": "2.13.0+cpu",
    "python": "3.11.7", "system": "Linux x86_64",
}  # fmt: skip


def empty_run(steps: int) -> Run:
    """A run that is over, of a learner that does not matter."""
    learner = Gradient(nn.Linear(1, 1), Regress())
    return Run(learner, InMemory(Table(torch.zeros(2, 1), torch.zeros(2, 1)), 2), steps, step=steps)


def decay(steps: int, every: int, start: float, end: float, noise: float, seed: int) -> list[tuple[int, float]]:
    """A curve that falls and is noisy."""
    random = np.random.default_rng(seed)
    return [
        (step, end + (start - end) * math.exp(-6 * step / steps) + noise * abs(float(random.normal())) * end)
        for step in range(every, steps + 1, every)
    ]


def tell(folder: Path, about: About, outcome: Outcome, columns: dict[str, list[tuple[int, float]]]) -> Path:
    """Writes the report of one story."""
    folder.mkdir(parents=True, exist_ok=True)
    steps = max(step for points in columns.values() for step, _ in points)
    run = empty_run(steps)
    run.history = [{"step": step, name: value} for name, points in columns.items() for step, value in points]
    session = SESSION | {"steps": steps}
    (folder / "resources.json").write_text(json.dumps([session]))
    return write_report(folder, run, outcome, about)


def classifier(folder: Path) -> Path:
    """Digits: confusion, mistakes, a table of baselines."""
    from sklearn.datasets import load_digits

    found = load_digits()
    pixels, labels = found.images[:300], found.target[:300]
    random = np.random.default_rng(0)
    predicted = np.where(random.random(300) < 0.03, random.integers(0, 10, 300), labels)
    names = [str(digit) for digit in range(10)]
    figures = (
        confusion(labels, predicted, names),
        worst_mistakes(pixels, labels, predicted, random.uniform(0.4, 1.0, 300)),
    )
    outcome = Outcome(
        {"accuracy": 0.98666, "loss": 0.0612},
        {
            "most frequent class": {"accuracy": 0.1133},
            "logistic regression": {"accuracy": 0.9567, "loss": 0.201},
            "3 nearest neighbours": {"accuracy": 0.98},
        },
        "test accuracy of at least 98 %",
        reached=True,
        figures=figures,
        note="Of 300 test digits of 8 x 8 pixels; the loss is in nats.",
    )
    columns = {
        "loss": decay(1200, 1, 2.3, 0.02, 0.8, 1),
        "accuracy": [(step, 1 - value / 2.4) for step, value in decay(1200, 1, 2.3, 0.02, 0.8, 1)],
        "validation_loss": decay(1200, 100, 2.3, 0.06, 0.2, 2),
        "validation_accuracy": [(step, 1 - value / 4) for step, value in decay(1200, 100, 2.3, 0.06, 0.2, 2)],
    }
    about = About(
        "digits-lenet",
        "LeNet-5 learns to tell the 1,797 handwritten digits that ship with scikit-learn apart.",
        "chainrule run digits-lenet --out runs/digits-lenet-3 --optimizer.lr 3e-3 --seed 0",
        {
            "recipe": "digits-lenet", "steps": 1200, "seed": 0, "batch_size": 64, "shift": 1, "smoothing": 0.05,
            "optimizer": {"lr": 0.003, "betas": [0.9, 0.999], "weight_decay": 0.05, "clip": None,
                          "schedule": {"kind": "WarmupCosine", "steps": 1200, "warmup": 50}},
        },
        limits="Digits of 8 x 8 pixels, centred, one writer style per split; not for cheques, forms or photographs.",
        data="1,797 digits of 8 x 8 pixels (UCI, Alpaydin and Kaynak 1998, CC BY 4.0), split 1,197 / 300 / 300.",
    )  # fmt: skip
    return tell(folder, about, outcome, columns)


def language(folder: Path) -> Path:
    """Text: samples, bits per character beside n-gram models."""
    text = (
        'The import statement\n********************\n\nThe basic import statement (no "from" clause) is executed in\n'
        "two steps:\n\n1. find a module, loading and initialising it if necessary\n\n2. define a name or names in the "
        'local namespace\n   for the scope where the "import" statement occurs.\n\nclass Point:\n'
        "    def __init__(self):\n"
        "        self.x = 1 & <0xff>\n"
    )
    figures = (
        text_figure(text, title="A sample", caption="400 characters at temperature 0.8.", prompt="The import"),
        bars({"uniform": 6.57, "1-gram": 4.61, "3-gram": 2.74, "5-gram, interpolated": 2.031, "this model": 1.874},
             title="Bits per character", caption="Validation; lower is better.", label="bits per character",
             reference=("5-gram", 2.031)),
    )  # fmt: skip
    outcome = Outcome(
        {"bits_per_character": 1.8742},
        {"uniform": {"bits_per_character": 6.57}, "interpolated 5-gram": {"bits_per_character": 2.0312}},
        "fewer bits per character than an interpolated 5-gram model on the same split",
        reached=True,
        figures=figures,
    )
    columns = {
        "loss": decay(5000, 50, 4.6, 1.25, 0.03, 3),
        "validation_loss": decay(5000, 500, 4.6, 1.33, 0.01, 4),
        "validation_bits_per_character": [(s, v / math.log(2)) for s, v in decay(5000, 500, 4.6, 1.33, 0.01, 4)],
    }
    about = About(
        "python-docs-gpt",
        "A small GPT learns the text of Python's own help pages, character by character.",
        "chainrule run python-docs-gpt --out runs/python-docs-gpt-1",
        {"recipe": "python-docs-gpt", "steps": 5000, "seed": 1, "layers": 4, "dim": 128, "heads": 4, "context": 128},
        limits="Writes text that looks like documentation and is not: never take what it says for true.",
        sample="chainrule sample runs/python-docs-gpt-1 --prompt 'The import'",
    )
    return tell(folder, about, outcome, columns)


def adversarial(folder: Path) -> Path:
    """Two players: a sample grid and the shares of classes; the bar is missed."""
    from sklearn.datasets import load_digits

    pixels = load_digits().images[300:400] / 16
    shares = {str(digit): share for digit, share in enumerate((11.2, 9.8, 4.1, 10.4, 12.9, 8.7, 9.1, 13.3, 8.0, 12.5))}
    figures = (
        image_grid(pixels[:, None], title="Samples", caption="100 draws, not chosen."),
        bars(shares, title="Classes of 1,000 samples", caption="As told by the digits-lenet classifier.",
             label="share of samples (%)", reference=("bar", 5.0)),
    )  # fmt: skip
    outcome = Outcome(
        {"classes": 10, "least_share": 0.041}, {"untrained generator": {"classes": 3, "least_share": 0.0}},
        "all ten digits, each with at least 5 % of the samples", reached=False, figures=figures,
    )  # fmt: skip
    columns = {
        "generator_loss": decay(3000, 10, 3.0, 0.9, 0.3, 5),
        "critic_loss": decay(3000, 10, 0.4, 1.1, 0.15, 6),
        "penalty": [(step, value / 300) for step, value in decay(3000, 10, 30.0, 0.01, 0.6, 7)],
    }
    about = About(
        "digits-gan",
        "A generator learns to draw digits by deceiving a critic that learns to tell them from real ones.",
        "chainrule run digits-gan --out 'runs/digits gan' --seed 4",
        {"recipe": "digits-gan", "steps": 3000, "seed": 4, "r1": 10.0},
        sample="chainrule sample 'runs/digits gan' --count 100",
    )
    return tell(folder, about, outcome, columns)


def network(folder: Path) -> Path:
    """A graph: the karate club."""
    club = karate().test[0]
    sides = torch.tensor([0] * 9 + [1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0] + [1] * 12)
    predicted = sides.clone()
    predicted[8] = 1
    figures = (
        graph_figure(club.edge_index, club.labels, predicted, title="The karate club", known=[0, 33],
                     classes=["instructor's side", "administrator's side"],
                     caption="34 members, 78 friendships; one member is put on the wrong side."),
    )  # fmt: skip
    outcome = Outcome(
        {"accuracy": 0.96875}, {"larger side": {"accuracy": 0.5}, "label propagation": {"accuracy": 0.9375}},
        "at least 94 % of the 32 other members, mean of 20 seeds", reached=True, figures=figures,
    )  # fmt: skip
    columns = {"loss": decay(200, 1, 0.69, 0.004, 0.05, 8), "accuracy": [(s, 1.0) for s in range(10, 201, 10)]}
    about = About("karate-gcn", "A graph network divides a karate club from one known member on each side.",
                  "chainrule run karate-gcn", {"recipe": "karate-gcn", "steps": 200})  # fmt: skip
    return tell(folder, about, outcome, columns)


def meta(folder: Path) -> Path:
    """Learning to learn: errors beside a paper's, fitted sinusoids."""
    x = np.linspace(-5, 5, 101)
    points = np.array([-4.1, -3.0, -1.2, 0.4, 1.9])
    fits: dict[str, Curve] = {
        "true sinusoid": Curve(x.tolist(), (2 * np.sin(x + 1)).tolist()),
        "before": Curve(x.tolist(), (0.3 * np.sin(x)).tolist()),
        "after 1 step": Curve(x.tolist(), (1.5 * np.sin(x + 0.9)).tolist()),
        "after 10 steps": Curve(x.tolist(), (1.93 * np.sin(x + 1.02)).tolist()),
        "five examples": Curve(points.tolist(), (2 * np.sin(points + 1)).tolist(), points=True),
    }
    rows = [
        {"gradient steps": 0, "MAML": 3.21, "first order": 3.18, "paper, MAML": "–", "pretrained": 3.9},
        {"gradient steps": 1, "MAML": 0.672, "first order": 0.701, "paper, MAML": "0.67 ± 0.05", "pretrained": 3.5},
        {"gradient steps": 10, "MAML": 0.3512, "first order": 0.382, "paper, MAML": "0.35 ± 0.03", "pretrained": 2.72},
    ]
    figures = (
        table_figure(rows, title="Mean squared error by gradient steps", caption="600 tasks, 5 examples each."),
        curves(fits, title="One task", caption="Five examples, and the network before and after learning from them.",
               x=Axis("x"), y=Axis("y")),
    )  # fmt: skip
    outcome = Outcome({"error_1_step": 0.672, "error_10_steps": 0.3512}, {}, "", reached=True, figures=figures)
    outcome = replace(outcome, bar="errors within the paper's intervals")
    columns = {"loss": decay(20000, 100, 4.2, 0.9, 0.2, 9), "validation_loss": decay(20000, 1000, 4.2, 0.7, 0.05, 10)}
    about = About(
        "sinusoid-maml",
        "A network learns to learn a sinusoid from five examples.",
        "chainrule run sinusoid-maml --first-order False",
        {"recipe": "sinusoid-maml", "steps": 20000},
    )
    return tell(folder, about, outcome, columns)


def hostile(folder: Path) -> Path:
    """Every text is an attack, every number is odd."""
    figures = (
        text_figure(HOSTILE, title=HOSTILE, caption=HOSTILE, prompt=HOSTILE),
        table_figure([{HOSTILE: HOSTILE, "n": math.nan}], title=HOSTILE),
        confusion([0, 1], [1, 1], [HOSTILE, "x"], title=HOSTILE),
        bars({HOSTILE: 1.0}, title=HOSTILE, label=HOSTILE),
        image_grid(np.zeros((1, 2, 2)), [HOSTILE], title=HOSTILE),
        curves({HOSTILE: ([0, 1], [math.inf, 2.0])}, title=HOSTILE, caption=HOSTILE, x=Axis(HOSTILE), y=Axis(HOSTILE)),
        graph_figure([[0], [1]], [0, 1], [0, 0], title=HOSTILE, classes=[HOSTILE, "b"]),
        Figure("plain", "", html="<div>" + "unbroken" * 60 + "</div>"),
    )
    outcome = Outcome({HOSTILE: math.nan, "b": 1e300}, {HOSTILE: {HOSTILE: -math.inf}}, HOSTILE, False, figures)
    settings = {HOSTILE: HOSTILE, "nested": {"deep": {"x" * 200: "y" * 300}}}
    about = About(HOSTILE, HOSTILE, f"run '{HOSTILE}' " + "z" * 300, settings, HOSTILE, HOSTILE, HOSTILE)
    return tell(folder, about, outcome, {"step_loss": [(1, math.nan), (2, 1.0)], HOSTILE: [(1, 1e300), (3, 1e-300)]})


STORIES = {story.__name__: story for story in (classifier, language, adversarial, network, meta, hostile)}
