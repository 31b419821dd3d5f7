"""`chainrule export` as a person meets it."""

from pathlib import Path

import pytest

from chainrule.cli import main


@pytest.mark.compile
def test_it_says_where_it_lies_and_how_close_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(tmp_path / "iris")
    assert main(["fit", "iris", "--minutes", "0.005", "--threads", "1", "--out", folder]) == 0
    capsys.readouterr()
    assert main(["export", folder, "--to", "torch"]) == 0
    said = capsys.readouterr().out
    assert "On 8 examples its answers differ by at most" in said
    assert said.endswith("model.pt2\n")
    assert (tmp_path / "iris" / "model.pt2").is_file()


def test_a_folder_that_is_no_run_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "no/such/run"]) == 1
    assert "this is not the folder of a run" in capsys.readouterr().err
