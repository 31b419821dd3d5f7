"""Every example runs, in an empty folder, and ends by printing what it promises."""

import os
import re
import subprocess
import sys

import pytest

from gates.source import ROOT

LAST_LINE = {
    "digits": r"test accuracy (9[5-9]|100)\.\d%",
    "language_model": r"GPT, 400 steps +[23]\.\d\d bits per character .+",
    "own_data": r"\['setosa'\] \[0\.[89]\d+\]",
    "own_learner": r"stopped at step 50 and resumed: the same weights, bit for bit",
    "own_objective": r"sparse accuracy \d\d\.\d%, weights near zero [78]\d%",
}


def test_every_example_is_run():
    assert sorted(file.stem for file in (ROOT / "examples").glob("*.py")) == sorted(LAST_LINE)


@pytest.mark.parametrize("name", LAST_LINE)
def test_example(name, tmp_path):
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / f"{name}.py")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert re.fullmatch(LAST_LINE[name], done.stdout.splitlines()[-1]), done.stdout
