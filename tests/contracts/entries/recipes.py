"""How the contract suite builds every public name of `chainrule.recipes`."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import torch

from chainrule.data import InMemory, Table
from chainrule.errors import InputError
from chainrule.learners import Gradient
from chainrule.objectives import Regress
from chainrule.recipes import (
    Asked,
    Budget,
    DigitsGan,
    DigitsLenet,
    Exported,
    FitNodes,
    FitPictures,
    FitSeries,
    FitText,
    KarateGcn,
    PythonDocsGpt,
    SinusoidMaml,
    Trained,
    budget,
    command_of,
    describe,
    digits_gan,
    digits_lenet,
    export,
    find_recipe,
    from_plain,
    karate_gcn,
    kind_of,
    load,
    plan_nodes,
    plan_phrases,
    plan_pictures,
    plan_series,
    plan_table,
    plan_text,
    python_docs_gpt,
    read_recipe,
    recipe_kind,
    recipe_name,
    resume_recipe,
    run_recipe,
    sinusoid_maml,
    to_plain,
    understand,
)
from chainrule.sources import read_pictures
from contracts.entry import Abstract, Function, Module, Name, Preset, Recipe, Value


def finished() -> Path:
    folder = Path(mkdtemp()) / "club"
    run_recipe(replace(karate_gcn(), steps=1, seeds=1), folder)
    return folder


def says(refuses: Callable[[], object]) -> str:
    """What is said where there is no run; its own test exports one, which the type hook would disturb."""
    with pytest.raises(InputError) as raised:
        refuses()
    return str(raised.value)


@cache
def poem() -> str:
    path = Path(mkdtemp()) / "poem.txt"
    path.write_text("A rose is a rose is a rose. " * 60)
    return str(path)


SHORT = Asked(minutes=0.001, threads=1)


@cache
def sold() -> str:
    path = Path(mkdtemp()) / "sold.csv"
    rows = [f"{2000 + month // 12}-{month % 12 + 1:02d},{month % 12 + month / 9}" for month in range(90)]
    path.write_text("month,sold\n" + "\n".join(rows))
    return str(path)


@cache
def planned(plan: Callable[[str, Asked], Any], data: str, asked: Asked = SHORT) -> Any:
    """A plan, made once: how many steps fit, and what follows from that, is measured and so never twice the same."""
    return plan(data, asked)


def series_recipe() -> FitSeries:
    return replace(planned(plan_series, sold(), replace(SHORT, time="month")), steps=2, members=1, width=8, notes=())


def text_recipe() -> FitText:
    return replace(planned(plan_text, poem()), steps=2, dropout=0.0, notes=())


@cache
def friends() -> str:
    """Two rings of nodes, one of each class."""
    folder = Path(mkdtemp())
    rings = [(side * 10 + node, side * 10 + (node + 1) % 10) for side in (0, 1) for node in range(10)]
    (folder / "edges.csv").write_text("from,to\n" + "".join(f"{one},{other}\n" for one, other in rings))
    (folder / "nodes.csv").write_text("id,label\n" + "".join(f"{node},{'ab'[node // 10]}\n" for node in range(20)))
    return str(folder)


def node_recipe() -> FitNodes:
    return replace(planned(plan_nodes, friends()), steps=10, notes=())


def picture_recipe() -> FitPictures:
    return FitPictures(
        steps=2, seed=0, threads=1, data="digits", digest=read_pictures("digits").digest, asked=SHORT,
        classes=tuple("0123456789"), size=(8, 8), channels=1, low=0.0, high=16.0, mean=(78.0,), deviation=(96.0,),
        width=4, batch_size=16, shift=1,
    )  # fmt: skip


def two_steps() -> int:
    batches = InMemory(Table(torch.zeros(8, 2), torch.zeros(8, 1)), 4)
    return budget(Gradient(torch.nn.Linear(2, 1), Regress()), batches, 1.0, threads=1, enough=2).steps


@cache
def mails() -> str:
    path = Path(mkdtemp()) / "mails.tsv"
    lines = [f"{word} number {n} came today\t{word}" for n in range(40) for word in ("ham", "spam")]
    path.write_text("\n".join(lines))
    return str(path)


ENTRIES = {
    "export": Function(
        example=lambda: says(lambda: export(Path("nowhere"), "torch")),
    ),
    "Form": Name("what a network can be exported to"),
    "Exported": Value(build=lambda: Exported(Path("model.onnx"), 1e-7, 8)),
    "FitPhrases": Recipe(build=lambda: replace(planned(plan_phrases, mails()), steps=2, notes=())),
    "plan_phrases": Function(example=lambda: plan_phrases(mails(), SHORT).vocabulary),
    "FitSeries": Recipe(build=series_recipe),
    "plan_series": Function(example=lambda: series_recipe().shape.horizon),
    "FitNodes": Recipe(build=node_recipe),
    "plan_nodes": Function(example=lambda: plan_nodes(friends(), SHORT).target),
    "FitPictures": Recipe(build=picture_recipe),
    "plan_pictures": Function(example=lambda: plan_pictures("digits", SHORT).classes),
    "plan_table": Function(example=lambda: plan_table("iris", Asked(minutes=0.001, threads=1)).columns),
    "FitTable": Recipe(build=lambda: replace(planned(plan_table, "iris"), notes=())),
    "Answers": Name("one column per answer, one row per example"),
    "Asked": Value(build=lambda: Asked(target="price")),
    "Budget": Value(build=lambda: Budget(10, 0.1, spared=True)),
    "FITTED": Name("the kinds of recipes that fit makes, a dict of classes"),
    "FitText": Recipe(build=text_recipe),
    "Fitted": Abstract("what every recipe that fit makes derives from"),
    "Trained": Module(
        build=lambda: Trained(find_recipe("digits-lenet").learner().model, find_recipe("digits-lenet")),
        inputs=lambda: (torch.rand(2, 1, 8, 8),),
    ),
    "budget": Function(example=two_steps),
    "kind_of": Function(example=lambda: kind_of(poem(), SHORT)),
    "plan_text": Function(example=lambda: plan_text(poem(), SHORT).alphabet),
    "recipe_kind": Function(example=lambda: recipe_kind("fit-text").__name__),
    "understand": Function(example=lambda: understand(poem(), SHORT).title.partition(" ")[0]),
    "RECIPES": Name("the catalogue, a dict of functions"),
    "Recipe": Abstract("what every recipe derives from"),
    "DigitsGan": Recipe(build=DigitsGan),
    "DigitsLenet": Recipe(build=DigitsLenet),
    "KarateGcn": Recipe(build=KarateGcn),
    "PythonDocsGpt": Recipe(build=PythonDocsGpt),
    "SinusoidMaml": Recipe(build=SinusoidMaml),
    "command_of": Function(example=lambda: command_of(replace(karate_gcn(), seed=3), Path("x"))),
    "describe": Function(example=lambda: describe("karate-gcn")),
    "digits_gan": Preset(build=digits_gan),
    "digits_lenet": Preset(build=digits_lenet),
    "find_recipe": Function(example=lambda: find_recipe("karate-gcn")),
    "from_plain": Function(example=lambda: from_plain(KarateGcn, to_plain(karate_gcn()))),
    "karate_gcn": Preset(build=karate_gcn),
    "load": Function(example=lambda: list(load(finished()).state_dict().values())),
    "python_docs_gpt": Preset(build=python_docs_gpt),
    "read_recipe": Function(example=lambda: read_recipe(finished())),
    "recipe_name": Function(example=lambda: recipe_name(karate_gcn())),
    "resume_recipe": Function(example=lambda: resume_recipe(finished())[1].metrics),
    "run_recipe": Function(
        example=lambda: run_recipe(replace(karate_gcn(), steps=1, seeds=1), Path(mkdtemp()) / "x")[1].metrics
    ),
    "sinusoid_maml": Preset(build=sinusoid_maml),
    "to_plain": Function(example=lambda: to_plain(karate_gcn())),
}
