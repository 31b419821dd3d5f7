"""Scripts of this folder, run in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import chainrule

HERE = Path(__file__).parent


def said(script: str, *words: object) -> str:
    """What a script prints; it finds the tests, and the very package that is under test."""
    path = os.pathsep.join((str(HERE.parent), str(Path(chainrule.__file__).parents[1])))
    environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, HERE / script, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout
