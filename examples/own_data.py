"""From somebody's data to answers: what `chainrule fit` and `chainrule predict` do, in Python.

Instead of `iris` give a file (a table, a text), a folder of pictures, or a frame's file; `Asked` is what the flags say.

    python examples/own_data.py
"""

import tempfile
from pathlib import Path

import chainrule as cr
from chainrule.recipes import Asked, run_recipe, understand

recipe = understand("iris", Asked(minutes=0.02, threads=1))
print(recipe.title, *recipe.notes, sep="\n  - ")

with tempfile.TemporaryDirectory() as folder:
    run, outcome = run_recipe(recipe, Path(folder) / "flowers")
    assert outcome is not None  # it is None where a run was stopped
    for name, numbers in {"this run": outcome.metrics, **outcome.baselines}.items():
        print(f"{name}: accuracy {numbers['accuracy']:.3f}")

    model = cr.load(Path(folder) / "flowers")  # its preprocessing inside
    answers = model.predict([{"sepal length (cm)": 5.0, "sepal width (cm)": 3.4, "petal length (cm)": 1.5,
                              "petal width (cm)": 0.2}])  # fmt: skip
    print(answers["target"], answers["probability"])
