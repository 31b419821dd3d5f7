import json
import os
import time

import pytest
from torch import Tensor, nn

from chainrule.report import Resources
from chainrule.report.resources import machine, peak_bytes, read_sessions, totals
from chainrule.training import fit
from report.stories import empty_run


def test_it_measures_the_wall_and_this_process(tmp_path):
    run, used = empty_run(4), Resources()
    run.step, run.folder = 2, tmp_path
    used.on_start(run)
    time.sleep(0.05)
    begun = time.process_time()
    while time.process_time() - begun < 0.05:
        pass
    run.step = 4
    used.on_end(run)
    found = used.summary()
    assert found["first_step"] == 2
    assert found["steps"] == 2
    assert found["wall_seconds"] >= 0.1
    assert 0.03 <= found["cpu_seconds"] <= found["wall_seconds"] + 0.05
    assert found["wall_seconds_per_step"] == found["wall_seconds"] / 2
    assert read_sessions(tmp_path) == [found]


def test_a_resumed_run_adds_a_session(tmp_path):
    run = empty_run(1)
    run.folder = tmp_path
    for _ in range(2):
        used = Resources()
        used.on_start(run)
        used.on_end(run)
    assert len(read_sessions(tmp_path)) == 2


def test_memory_that_was_held_is_counted():
    before = peak_bytes()
    if before is None:
        pytest.skip("this system does not tell how much memory a process holds")
    held = bytearray(before + 50_000_000 - before // 2)
    held[::4096] = b"x" * len(held[::4096])
    assert (peak_bytes() or 0) >= before


def test_totals_add_times_and_take_the_highest_memory():
    sessions = [{"steps": 3, "wall_seconds": 1.0, "cpu_seconds": 2.0, "peak_bytes": 5},
                {"steps": 4, "wall_seconds": 0.5, "cpu_seconds": 1.0, "peak_bytes": None}]  # fmt: skip
    assert totals(sessions) == {"steps": 7, "wall_seconds": 1.5, "cpu_seconds": 3.0, "peak_bytes": 5}


@pytest.mark.parametrize(
    "text",
    ["", "{", "3", '["x"]', '[{"steps": 1}]', "[" * 100_000, '[{"steps": 1, "wall_seconds": NaN, "cpu_seconds": 1}]'],
)
def test_a_spoiled_file_is_as_good_as_none(tmp_path, text: str):
    (tmp_path / "resources.json").write_text(text)
    assert read_sessions(tmp_path) == []


def test_a_run_that_fails_is_measured_too():
    class Failing:
        model = nn.Linear(1, 1)

        def step(self, batch: object) -> dict[str, Tensor]:
            raise RuntimeError("no")

        def state_dict(self) -> dict[str, object]:
            return {}

        def load_state_dict(self, state: dict[str, object]) -> None: ...

    used = Resources()
    with pytest.raises(RuntimeError, match="no"):
        fit(Failing(), empty_run(1).batches, steps=1, hooks=[used])
    assert used.summary()["steps"] == 0


def test_the_machine_is_plain_data():
    json.dumps(machine(nn.Linear(1, 1)))
    assert machine(nn.Linear(1, 1))["device"] == "CPU"
    assert machine(nn.Linear(3, 2))["parameters"] == 8
    assert f"{os.cpu_count()} logical core" in machine(nn.Linear(1, 1))["processor"]
