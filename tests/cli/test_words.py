"""Tables as they are printed."""

import pytest

from chainrule.cli.words import table, wants_help


def test_numbers_stand_to_the_right_words_to_the_left(capsys: pytest.CaptureFixture[str]) -> None:
    table(("name", "value"), [("a", "1.5"), ("long name", "12,000")])
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines() if "a" in line]
    assert lines[-1].endswith("12,000")
    assert lines[-2].endswith("1.5")
    assert len(lines[-1]) == len(lines[-2])


def test_help_is_wanted_anywhere() -> None:
    assert wants_help(["x", "--help"])
    assert not wants_help(["x", "help"])
