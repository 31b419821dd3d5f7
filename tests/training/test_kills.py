"""R1: killed at any moment, a run leaves a whole checkpoint, and resumed it is the run that was never interrupted."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize("count", [12, pytest.param(200, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_killed_at_any_moment(tmp_path, count):
    command = [sys.executable, HERE / "drills.py", "kills", tmp_path, str(count)]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["kills"] == count
    assert told["runs"] >= 1
    assert {name: told[name] for name in ("lost", "torn", "mixed", "unequal")} == dict.fromkeys(
        ("lost", "torn", "mixed", "unequal"), 0
    )
