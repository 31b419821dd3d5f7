"""The file of an interrupted and resumed run is that of one that was not."""

import json
import math
from pathlib import Path

import pytest
import torch

import chainrule as cr
from chainrule.data import InMemory, Table
from chainrule.training import Evaluate, Hook, Metrics, fit, read_metrics


def learner():
    with cr.data.seeded(0):
        return cr.learners.Gradient(torch.nn.Linear(2, 1), cr.objectives.Regress())


def batches():
    return InMemory(Table(torch.arange(16.0).view(8, 2) / 16, torch.ones(8, 1)), batch_size=4)


class Break(Hook):
    def __init__(self, step):
        self.step = step

    def on_step(self, run, metrics):
        if run.step == self.step:
            raise RuntimeError("power")


def train(folder, steps, learner, start=0, hooks=()):
    watch = Evaluate(cr.objectives.Regress(), batches(), every=3)
    return fit(learner, batches(), steps=steps, start=start, hooks=[watch, Metrics(folder, every=2), *hooks])


def test_records_and_evaluations_by_line(tmp_path):
    run = train(tmp_path / "run", 7, learner())
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == run.history == read_metrics(tmp_path / "run" / "metrics.jsonl")
    assert [(entry["step"], "loss" in entry) for entry in run.history] == [
        (2, True), (3, False), (4, True), (6, False), (6, True), (7, False), (7, True),
    ]  # fmt: skip
    assert run.folder == tmp_path / "run"


@pytest.mark.parametrize("torn", [b"", b'{"step":6,"lo', b'{"step":7,"loss":1.0}\n{"step"'])
def test_interrupted_and_resumed_equals_uninterrupted(tmp_path, torn):
    whole = train(tmp_path / "whole", 10, learner())
    ours = learner()
    train(tmp_path / "cut", 5, ours)
    state = ours.state_dict()
    with pytest.raises(RuntimeError, match="power"):
        train(tmp_path / "cut", 10, learner(), hooks=[Break(6)])  # more was written than the state remembers
    path = tmp_path / "cut" / "metrics.jsonl"
    path.write_bytes(path.read_bytes() + torn)
    resumed = learner()
    resumed.load_state_dict(state)
    run = train(tmp_path / "cut", 10, resumed, start=5)
    assert path.read_bytes() == (tmp_path / "whole" / "metrics.jsonl").read_bytes()
    assert run.history == whole.history
    assert run.curve("loss") == whole.curve("loss")


def test_a_fresh_run_drops_what_it_finds(tmp_path):
    train(tmp_path, 4, learner())
    first = (tmp_path / "metrics.jsonl").read_bytes()
    train(tmp_path, 4, learner())
    assert (tmp_path / "metrics.jsonl").read_bytes() == first


def test_numbers_that_are_not_finite_are_still_json(tmp_path):
    class Record(Hook):
        def on_step(self, run, metrics):
            run.record(low=-math.inf, high=math.inf, none=math.nan)

    fit(learner(), batches(), steps=1, hooks=[Record(), Metrics(tmp_path)])

    def refuse(constant):
        raise AssertionError(constant)

    for line in (tmp_path / "metrics.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=refuse)
    entry = read_metrics(tmp_path / "metrics.jsonl")[0]
    assert entry["low"] == -math.inf
    assert entry["high"] == math.inf
    assert math.isnan(entry["none"])


def test_lines_that_are_no_records_are_left_out(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_bytes(
        b'[1]\n{"step":"1"}\n{"loss":1}\n{"step":1,"a":{}}\n{"step":2,"a":"text"}\n\xff\n{"step":3,"a":1}\n'
    )
    assert read_metrics(path) == [{"step": 3, "a": 1}]


def test_a_full_disk_neither_ends_the_run_nor_loses_a_line(tmp_path, caplog):
    """The disk refuses the second half of a line; once there is room again, the file is whole."""
    metrics = Metrics(tmp_path, every=1)

    class Full:
        def __init__(self, file):
            self.file = file

        def write(self, text):
            self.file.write(text[: len(text) // 2])
            self.file.flush()
            raise OSError(28, "No space left on device")

        def close(self):
            self.file.close()
            raise OSError(28, "No space left on device")

    class Fill(Hook):
        def on_step(self, run, metrics_of_step):
            if run.step == 2:
                metrics._file = Full(metrics._file)

    run = fit(learner(), batches(), steps=5, hooks=[metrics, Fill()])
    assert "could not be written, which is tried again" in caplog.text
    assert read_metrics(tmp_path / "metrics.jsonl") == run.history
    assert len((tmp_path / "metrics.jsonl").read_text().splitlines()) == 5


def test_every_is_positive():
    with pytest.raises(cr.InputError, match="`every`"):
        Metrics(Path(), every=0)
