"""`import chainrule` needs torch and numpy alone and is quick; rooms import only from rooms below them."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from gates.source import PACKAGE, ROOT

BAR = 0.3  # seconds of CPU time that `import chainrule` may add to `import torch`

GUARD = """
import importlib.metadata, re, sys
import numpy, torch

installed = set(importlib.metadata.packages_distributions())
known = set(sys.stdlib_module_names) | {name.split(".")[0] for name in sys.modules}
needs = {re.match(r"[\\w.-]+", line).group().replace("-", "_").lower() for line in importlib.metadata.requires("torch")}
allowed = known | needs | {"mpmath", "markupsafe", "chainrule", "torch", "numpy"}


class Guard:
    def find_spec(self, name, path=None, target=None):
        only_asks = sys._getframe(2).f_globals["__name__"] == "importlib.util"  # whether it is there: imports nothing
        if name.split(".")[0] in installed - allowed and not only_asks:
            raise ModuleNotFoundError(f"No module named {name!r} (guarded)", name=name)


sys.meta_path.insert(0, Guard())
"""

TRAIN = """
import chainrule as cr, torch

batches = cr.data.InMemory(cr.data.Table(torch.randn(32, 4), torch.arange(32) % 3), batch_size=8)
run = cr.fit(cr.learners.Gradient(cr.models.mlp((4, 8, 3)), cr.objectives.Classify()), batches, steps=3)
assert run.step == 3
"""

EVERY_MODULE = """
import importlib, pkgutil, chainrule

for module in pkgutil.walk_packages(chainrule.__path__, "chainrule."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
"""

COST = """
import time
import torch
before = time.process_time()
import chainrule
print(time.process_time() - before)
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)


def test_works_with_torch_and_numpy_alone():
    done = python(GUARD + TRAIN)
    assert done.returncode == 0, done.stderr


def test_every_module_imports_without_extras():
    done = python(GUARD + EVERY_MODULE)
    assert done.returncode == 0, done.stderr


def test_the_guard_guards():
    names = ("jaxtyping", "sklearn", "rich", "beartype", "PIL")
    tries = "".join(
        f"try:\n    import {name}\nexcept ModuleNotFoundError as error:\n    print(error)\n" for name in names
    )
    assert python(GUARD + tries).stdout.count("guarded") == len(names)


def test_import_is_quick():
    cost = min(float(python(COST).stdout) for _ in range(3))
    assert cost <= BAR, f"import chainrule costs {cost:.2f} s of CPU time on top of torch"


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    environment = {"PYTHONPATH": str(folder / "src"), "PATH": ""}
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)


def test_rooms_import_only_from_rooms_below():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("lower", "higher"), [("layers", "models"), ("data", "models"), ("training", "learners")])
def test_an_import_from_above_is_caught(tmp_path, lower, higher):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for room in layered():
        folder = tmp_path / "src" / "chainrule" / room
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
    (tmp_path / "src" / "chainrule" / "__init__.py").write_text("")
    assert lint(tmp_path).returncode == 0
    (tmp_path / "src" / "chainrule" / lower / "__init__.py").write_text(f"import chainrule.{higher}\n")
    done = lint(tmp_path)
    assert done.returncode == 1
    assert f"chainrule.{lower} -> chainrule.{higher}" in done.stdout


def layered() -> list[str]:
    """The rooms and files that the import contract names."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return re.findall(r"chainrule\.(\w+)", " ".join(contracts[0]["layers"]))


def test_every_room_has_its_place_in_the_contract():
    rooms = {place.stem for place in PACKAGE.iterdir() if place.suffix == ".py" or (place / "__init__.py").exists()}
    assert rooms - {"__init__", "__main__"} <= set(layered())
