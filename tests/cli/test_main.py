"""The command line as a person meets it: what it prints and how it exits."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from chainrule import __version__
from chainrule.cli import main
from chainrule.cli.main import COMMANDS


def test_without_words_it_tells_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    text = capsys.readouterr().out
    assert all(f"chainrule {name}" in text for name in COMMANDS)
    assert "Examples:" in text


@pytest.mark.parametrize("name", list(COMMANDS))
def test_the_help_of_each_fits_a_screen_and_has_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 110
    assert "Example:" in lines


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == __version__


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rnu"], "did you mean 'run'"),
        (["run", "digits-lente"], "did you mean 'digits-lenet'"),
        (["show", "karate"], "did you mean 'karate-gcn'"),
        (["resume", "nowhere"], "this is not the folder of a run"),
        (["sample", "nowhere"], "this is not the folder of a run"),
        (["runs", "nowhere"], "there is no such folder"),
        (["--verison"], "did you mean '--version'"),
        (["recipes", "--json"], "write `chainrule recipes`"),
        (["show", "karate-gcn", "more"], "this is one word too many"),
        (["resume", "nowhere", "more"], "this is one word too many"),
        (["run", "--out", "x", "karate-gcn"], "the first word says what to train"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (
            PermissionError(13, "Permission denied", "runs/x"),
            1,
            "Got path='runs/x'; choose a folder that you may write",
        ),
        (OSError(28, "No space left on device"), 1, "no space left on device; make room"),
        (KeyboardInterrupt(), 130, "`chainrule resume DIR` goes on"),
    ],
)
def test_what_the_system_says_comes_with_advice(
    error: BaseException, status: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_words: object) -> int:
        raise error

    monkeypatch.setitem(COMMANDS, "runs", refuse)
    assert main(["runs"]) == status
    assert message in capsys.readouterr().err


def test_help_is_a_command_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "run"]) == 0
    assert capsys.readouterr().out.startswith("chainrule run NAME")


@pytest.mark.parametrize("flag", ["--optimiser.lr", "--steps"])
def test_a_wrong_flag_is_status_two(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["run", "karate-gcn", flag, "x"])
    assert caught.value.code == 2
    assert flag in capsys.readouterr().err


def test_a_signal_saves_and_the_run_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-c", "import chainrule.cli as c; c.run_process()", "run", "karate-gcn"]
    process = subprocess.Popen(
        [*words, "--out", str(folder), "--steps", "1000000"], env=environment, stdout=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not (folder / "metrics.jsonl").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert f"chainrule resume {folder}" in out
    assert list((folder / "state").glob("step-*/manifest.json"))
