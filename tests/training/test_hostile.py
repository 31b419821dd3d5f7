"""R8: whatever a file holds, nothing in it runs, little memory is taken, and an error comes at once."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MEMORY = 32 << 20  # what a forked process takes to run at all


def test_no_file_does_harm(tmp_path):
    command = [sys.executable, HERE / "hostile.py", tmp_path]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len({case["name"].split(":")[0] for case in told}) >= 40
    for case in told:
        harmless = case["name"] == "names of other files"  # which nobody asks for, so it loads
        assert case["error"] == ("NoneType" if harmless else "CheckpointError"), case
        assert case["events"] == [], case
        assert case["mark"] is False, case
        assert case["seconds"] < 1.0, case
        assert case["rss"] <= 2 * case["bytes"] + MEMORY, case
