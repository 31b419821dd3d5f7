import math
from dataclasses import replace

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
