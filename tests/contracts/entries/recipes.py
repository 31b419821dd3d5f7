"""How the contract suite builds every public name of `chainrule.recipes`."""

from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

from chainrule.recipes import (
    DigitsGan,
    DigitsLenet,
    KarateGcn,
    PythonDocsGpt,
    SinusoidMaml,
    command_of,
    describe,
    digits_gan,
    digits_lenet,
    find_recipe,
    from_plain,
    karate_gcn,
    load,
    python_docs_gpt,
    read_recipe,
    recipe_name,
    resume_recipe,
    run_recipe,
    sinusoid_maml,
    to_plain,
)
from contracts.entry import Abstract, Function, Name, Preset, Recipe


def finished() -> Path:
    folder = Path(mkdtemp()) / "club"
    run_recipe(replace(karate_gcn(), steps=1, seeds=1), folder)
    return folder


ENTRIES = {
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
