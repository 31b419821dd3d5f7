from pathlib import Path

from chainrule.report.about import About, flattened


def test_settings_have_the_names_of_the_command_line():
    settings = {
        "steps": 5,
        "weight_decay": 0,
        "optimizer": {"lr": 1e-3, "schedule": {"warmup": 2}},
        "empty": {},
        "out": Path("a"),
        "b": None,
        "betas": [0.9, 0.999],
        "kind": "Whole",
        "rule": {"kind": "AdamW", "clip": True},
    }
    assert flattened(settings) == {
        "steps": "5",
        "weight-decay": "0",
        "optimizer.lr": "0.001",
        "optimizer.schedule.warmup": "2",
        "empty": "{}",
        "out": '"a"',
        "b": "None",
        "betas": "0.9 0.999",
        "rule": "AdamW",
        "rule.clip": "True",
    }


def test_two_runs_do_not_share_settings():
    assert About("a", "b", "c").settings is not About("a", "b", "c").settings
