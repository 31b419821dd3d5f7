import io
import os
import subprocess
import sys

import pytest
import torch
from rich.console import Console

from chainrule.report import Progress
from report.stories import empty_run

COST = """
import io, time, torch
from rich.console import Console
from chainrule.report import Progress
from chainrule.training import Run
run = Run(None, None, 10**9)
metrics = {"loss": torch.tensor(1.0)}
def cost(console, count=50_000):
    hook = Progress(console)
    hook.on_start(run)
    run.step = 1
    hook.on_step(run, metrics)
    hook._due = float("inf")
    best = float("inf")
    for _ in range(9):
        begun = time.process_time()
        for _ in range(count):
            hook.on_step(run, metrics)
        best = min(best, time.process_time() - begun)
    hook.on_end(run)
    return best / count * 1e6
bar = cost(Console(file=io.StringIO(), force_terminal=True, width=100))
lines = cost(Console(file=io.StringIO(), width=100))
print(bar, lines)
"""


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("CI", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)


def test_lines_for_every_tenth_where_there_is_no_terminal():
    page = io.StringIO()
    run = empty_run(1000)
    run.step = 0
    hook = Progress(Console(file=page, width=40))
    hook.on_start(run)
    for _ in range(1000):
        run.step += 1
        hook.on_step(run, {"loss": torch.tensor(0.25)})
    hook.on_end(run)
    lines = page.getvalue().splitlines()
    assert [line.split(" · ")[0] for line in lines] == [f"step {k:,} of 1,000" for k in range(100, 1001, 100)]
    assert all("loss 0.250" in line and "steps/s" in line for line in lines)
    assert "\x1b" not in page.getvalue()


@pytest.mark.parametrize("steps", [1, 2, 3, 7, 10, 11])
def test_short_runs_end_with_their_last_step(steps: int):
    page = io.StringIO()
    run = empty_run(steps)
    run.step = 0
    hook = Progress(Console(file=page))
    hook.on_start(run)
    for _ in range(steps):
        run.step += 1
        hook.on_step(run, {})
    hook.on_end(run)
    lines = page.getvalue().splitlines()
    assert lines[-1].startswith(f"step {steps} of {steps}")
    assert len(lines) <= 10


def test_a_terminal_sees_at_most_ten_drawings_a_second(monkeypatch):
    page = io.StringIO()
    hook = Progress(Console(file=page, force_terminal=True, width=120))
    run = empty_run(10_000)
    run.step = 0
    now = [0.0]
    monkeypatch.setattr("chainrule.report.progress.time.perf_counter", lambda: now[0])
    drawn = []
    monkeypatch.setattr(Progress, "_draw", lambda self, run: drawn.append(now[0]))
    hook.on_start(run)
    for _ in range(10_000):
        run.step += 1
        now[0] += 0.001
        hook.on_step(run, {})
    hook.on_end(run)
    assert 90 <= len(drawn) <= 102


def test_slow_drawing_is_done_less_often(monkeypatch):
    hook = Progress(Console(file=io.StringIO(), force_terminal=True, width=120))
    run = empty_run(1000)
    run.step = 0
    now, drawing = [0.0], [0.0]

    def slow(_self: Progress, _run: object) -> None:
        now[0] += 0.05
        drawing[0] += 0.05

    monkeypatch.setattr("chainrule.report.progress.time.perf_counter", lambda: now[0])
    monkeypatch.setattr(Progress, "_draw", slow)
    hook.on_start(run)
    for _ in range(1000):
        run.step += 1
        now[0] += 0.1
        hook.on_step(run, {})
    assert drawing[0] <= 0.01 * now[0]


def test_the_bar_tells_loss_validation_speed_and_what_is_left():
    page = io.StringIO()
    run = empty_run(4)
    run.step = 0
    hook = Progress(Console(file=page, force_terminal=True, width=160))
    hook.on_start(run)
    for _ in range(2):
        run.step += 1
        run.record(validation_accuracy=0.5, loss=9.0)
        hook.on_step(run, {"loss": torch.tensor(0.125)})
    run.stop("asked to [stop]")
    hook.on_end(run)
    text = page.getvalue()
    for part in (
        "2/4",
        "50 %",
        "loss 0.125",
        "validation accuracy 0.500",
        "steps/s",
        "stopped at step 2: asked to [stop]",
    ):
        assert part in text, part


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_what_does_not_fit_beside_the_bar_is_left_out_whole(width: int):
    page = io.StringIO()
    run = empty_run(1200)
    run.step = 0
    hook = Progress(Console(file=page, force_terminal=True, width=width, color_system=None))
    hook.on_start(run)
    run.step = 1150
    run.record(validation_loss=0.105, validation_accuracy=0.983)
    hook.on_step(run, {"loss": torch.tensor(0.339)})
    hook.on_end(run)
    drawn = page.getvalue().split("\x1b[2K")[-1]
    assert "1,150/1,200" in drawn
    assert " 96 %" in drawn
    assert drawn.count("━") >= 10
    assert "…" not in drawn
    assert "left" in drawn or width == 40
    assert ("loss 0.339" in drawn) == (width >= 60)
    assert ("validation accuracy 0.983" in drawn) == (width >= 100)


def test_two_players_show_a_loss_each():
    page = io.StringIO()
    run = empty_run(1)
    run.step = 0
    hook = Progress(Console(file=page, width=120))
    hook.on_start(run)
    run.step = 1
    hook.on_step(run, {name: torch.tensor(0.5) for name in ("generator_loss", "critic_loss", "penalty")})
    assert "generator loss 0.500 · critic loss 0.500 · " in page.getvalue()
    assert "penalty" not in page.getvalue()


def test_ci_is_no_terminal(monkeypatch):
    monkeypatch.setenv("CI", "true")
    page = io.StringIO()
    run = empty_run(2)
    run.step = 0
    hook = Progress(Console(file=page, force_terminal=True))
    hook.on_start(run)
    run.step = 2
    hook.on_step(run, {})
    hook.on_end(run)
    assert page.getvalue().startswith("step 2 of 2")


def test_no_color_is_respected(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    page = io.StringIO()
    run = empty_run(2)
    hook = Progress(Console(file=page, force_terminal=True, width=80))
    hook.on_start(run)
    hook.on_end(run)
    assert "\x1b[38" not in page.getvalue()
    assert "\x1b[3" not in page.getvalue().replace("\x1b[?25", "")


def test_tensors_are_read_only_to_be_shown(monkeypatch):
    read = []
    plain = torch.Tensor.__float__
    monkeypatch.setattr(torch.Tensor, "__float__", lambda tensor: read.append(1) or plain(tensor))
    hook = Progress(Console(file=io.StringIO(), width=80))
    run = empty_run(1000)
    run.step = 0
    hook.on_start(run)
    for _ in range(1000):
        run.step += 1
        hook.on_step(run, {"loss": torch.tensor(0.5)})
    hook.on_end(run)
    assert len(read) == 10


def test_a_step_costs_less_than_a_microsecond():
    clean = {name: value for name, value in os.environ.items() if name != "CI"}
    done = subprocess.run([sys.executable, "-c", COST], capture_output=True, text=True, check=True, env=clean)
    bar, lines = map(float, done.stdout.split())
    assert bar < 1.0
    assert lines < 1.0
