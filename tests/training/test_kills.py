"""R1: killed at any moment, a run leaves a whole checkpoint, and resumed it is the run that was never interrupted."""

import json

import pytest

from training.processes import said

FAULTS = ("lost", "torn", "mixed", "unequal", "left")


@pytest.mark.parametrize("count", [10, pytest.param(200, marks=[pytest.mark.soak, pytest.mark.timeout(3600)])])
def test_killed_at_any_moment(tmp_path, count):
    told = json.loads(said("drills.py", "kills", tmp_path, count))
    assert told["kills"] == count
    assert told["runs"] >= 1
    assert {name: told[name] for name in FAULTS} == dict.fromkeys(FAULTS, 0)
    assert told["saves_per_second"] >= 2.0, told
    print(json.dumps(told))
    if count == 200:  # the kills are spread over all that a run does
        assert told["in_a_save"] >= 40, told
        assert told["between_saves"] >= 20, told


@pytest.mark.soak
def test_what_is_counted_can_be_wrong(tmp_path):
    """The measure itself: where saves are written in place, as `torch.save` does, checkpoints are lost or torn."""
    told = json.loads(said("drills.py", "kills_in_place", tmp_path, 12))
    assert told["torn"] + told["lost"] + told["mixed"] > 0, told
