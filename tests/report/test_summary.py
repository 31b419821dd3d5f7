import math
from dataclasses import replace

import pytest

from chainrule.errors import CheckpointError, InputError
from chainrule.report import About, Figure, Outcome
from chainrule.report.summary import Summary, read_settings, read_summary


def story() -> Summary:
    outcome = Outcome({"a": 0.5}, {"b": {"a": 0.25}}, "bar", True, (Figure("t", "c", "<svg></svg>"),))
    return Summary(About("name", "says", "run", {"x": {"y": [1, None]}}), outcome, 3, 4, 0, "asked to", "2026-01-01")


def test_it_comes_back_as_it_was(tmp_path):
    (tmp_path / "summary.json").write_text(story().written())
    assert read_summary(tmp_path) == story()


def test_numbers_that_are_none_come_back(tmp_path):
    outcome = replace(story().outcome, metrics={"a": math.inf})
    (tmp_path / "summary.json").write_text(replace(story(), outcome=outcome).written())
    assert read_summary(tmp_path).outcome.metrics == {"a": math.inf}


def test_settings_come_from_the_recipe_file_if_none_are_given(tmp_path):
    assert read_settings(tmp_path, {}) == {}
    (tmp_path / "recipe.json").write_text('{"steps": 3}')
    assert read_settings(tmp_path, {}) == {"steps": 3}
    assert read_settings(tmp_path, {"steps": 4}) == {"steps": 4}


def test_the_recipe_s_name_stands_beside_its_settings(tmp_path):
    (tmp_path / "recipe.json").write_text('{"recipe": "digits-lenet", "settings": {"steps": 3}}')
    assert read_settings(tmp_path, {}) == {"recipe": "digits-lenet", "steps": 3}


DEEP = "[" * 100_000


@pytest.mark.parametrize("text", ["", "{", "3", "[]", "{}", '{"outcome": {}}', DEEP])
def test_a_spoiled_summary_is_refused_and_spoiled_settings_left_out(tmp_path, text: str):
    (tmp_path / "summary.json").write_text(text)
    with pytest.raises(CheckpointError, match="is no summary of a run"):
        read_summary(tmp_path)
    (tmp_path / "recipe.json").write_text(text)
    assert set(read_settings(tmp_path, {})) <= {"outcome"}


def test_a_summary_with_a_harmful_figure_is_refused(tmp_path):
    (tmp_path / "summary.json").write_text(story().written().replace("<svg></svg>", "<svg onload='a()'></svg>"))
    with pytest.raises(CheckpointError, match="must not reach outside itself"):
        read_summary(tmp_path)


def test_a_missing_summary_is_told(tmp_path):
    with pytest.raises(InputError, match="this run has no report yet"):
        read_summary(tmp_path)
