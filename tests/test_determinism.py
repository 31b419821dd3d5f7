"""R16: two runs of every learner and of every family of networks end with the same numbers, bit for bit."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import families
from chainrule import data, learners, models
from chainrule.models import NGram
from contracts.sameness import same
from families import FAMILIES, become

HERE = Path(__file__).parent
SOURCE = Path(data.__file__).parents[2]


@pytest.mark.parametrize("family", FAMILIES)
def test_two_runs_are_the_same_bit_for_bit(family: str) -> None:
    assert become(family, 4) == become(family, 4)


cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")


@cuda
@pytest.mark.parametrize("family", FAMILIES)
def test_two_runs_on_a_device_are_the_same_bit_for_bit(family: str) -> None:
    """With torch's deterministic flag; CUBLAS_WORKSPACE_CONFIG is set in conftest.py."""
    torch.use_deterministic_algorithms(True)
    try:
        assert become(family, 8, "cuda") == become(family, 8, "cuda")
    finally:
        torch.use_deterministic_algorithms(False)


@pytest.mark.soak
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=cuda)])
def test_two_processes_are_the_same_bit_for_bit(device: str) -> None:
    """Two epochs of every family, in processes that hash text differently and so walk sets in another order."""
    told = []
    for seed in ("1", "2"):
        path = os.pathsep.join((str(HERE), str(SOURCE)))
        environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": seed}
        command = [sys.executable, HERE / "families.py", "11", device]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        told.append(json.loads(done.stdout))
    assert list(told[0]) == list(FAMILIES)
    assert told[0] == told[1]


def test_what_is_compared_can_differ() -> None:
    """The measure itself: another step, another network and a lost sign each give another text."""
    assert become("mlp", 4) != become("mlp", 5)
    assert become("mlp", 4) != become("players", 4)
    assert families.bits({"a": torch.zeros(1)}) != families.bits({"a": -torch.zeros(1)})


def test_no_model_and_no_learner_is_forgotten() -> None:
    """Of every file of models some network, and every learner, is in a family; a count learns nothing by steps."""
    written = (HERE / "families.py").read_text()
    made_in: dict[str, list[str]] = {}
    for name in (name for name in models.__all__ if name[0].islower()):
        made_in.setdefault(getattr(models, name).__module__, []).append(name)
    called = [made_in, {name: [name] for name in learners.__all__ if name[0].isupper()}]
    missing = [file for group in called for file, names in group.items() if not _called(names, written)]
    assert missing == []


def _called(names: list[str], text: str) -> bool:
    return re.search(rf"\b({'|'.join(names)})\(|\b({'|'.join(names)}), lambda", text) is not None


def test_counting_is_the_same_bit_for_bit() -> None:
    counted = torch.randint(5, (500,), generator=data.generator(0))
    assert same(NGram(counted, 3, 5), NGram(counted, 3, 5))
