"""`chainrule serve` as a person meets it: a process, a port, a question, Ctrl-C."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from chainrule.cli import main
from chainrule.cli.serve import allowed_names
from serving.runs import ROWS, table_run

pytest.importorskip("fastapi", reason="the extra `web` is not installed")


def test_it_answers_until_ctrl_c(tmp_path: Path) -> None:
    start = "from chainrule.cli import run_process; run_process()"
    command = [sys.executable, "-c", start, "serve", str(table_run(tmp_path / "run")), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert address is not None
            body, kind = json.dumps({"inputs": ROWS[:2]}).encode(), {"Content-Type": "application/json"}
            asked = urllib.request.Request(f"{address.group()}/predict", body, kind)  # noqa: S310 (our own server)
            with urllib.request.urlopen(asked, timeout=20) as answer:  # noqa: S310
                assert len(json.load(answer)["answers"]) == 2
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    assert (process.returncode, errors) == (0, "")


def test_what_is_wrong_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(table_run(tmp_path / "run"))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for words, says in (
            (["no/such/run"], "this is not the folder of a run"),
            (["--port", "1"], "the first word says which run"),
            ([run, "--port", port], "this place cannot be listened at"),
            ([run, "--port", "70000"], "a port is a number from 0 to 65535"),
            ([run, "--port", "0", "--host", "no host"], "this place cannot be listened at"),
        ):
            assert main(["serve", *words]) == 1
            assert says in capsys.readouterr().err


def test_the_help_fits_on_one_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 100
    assert "Example:" in lines


def test_other_names_are_let_in_only_if_asked_for() -> None:
    assert "box.example" not in allowed_names("127.0.0.1")
    assert allowed_names("Box.example")[-1] == "box.example"
    assert allowed_names("0.0.0.0") == allowed_names("::") == ()  # noqa: S104
