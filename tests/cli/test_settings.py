"""Settings as the command line names them; the pages of the classes are the oracle."""

from chainrule.cli.settings import meanings, setting_rows
from chainrule.optim import AdamW, WarmupCosine
from chainrule.recipes import find_recipe


def test_every_setting_of_every_depth_has_a_row_and_a_meaning() -> None:
    rows = {name: (value, meaning) for name, value, meaning in setting_rows(find_recipe("digits-lenet"))}
    assert rows["--batch-size"] == ("64", "digits per step.")
    assert rows["optimizer"][0] == "AdamW"
    assert rows["--optimizer.betas"][0] == "0.9 0.999"
    assert rows["--optimizer.schedule.warmup"] == ("50", meanings(WarmupCosine)["warmup"])
    assert all(meaning for _, meaning in rows.values())


def test_what_can_be_chosen_is_named() -> None:
    rows = {name: (value, meaning) for name, value, meaning in setting_rows(find_recipe("python-docs-gpt"))}
    assert rows["--precision"][1].startswith("float32 or bfloat16: ")
    maml = {name: (value, meaning) for name, value, meaning in setting_rows(find_recipe("sinusoid-maml"))}
    assert maml["--first-order"][1].endswith("--no-first-order turns it off.")


def test_settings_without_settings_are_named_by_their_class() -> None:
    assert ("schedule", "Constant") in [row[:2] for row in setting_rows(AdamW())]


def test_a_meaning_stands_on_one_line() -> None:
    assert meanings(AdamW)["weight_decay"] == (
        "λ, for parameters of two axes and more; biases, norms and gains are not decayed."
    )
    assert meanings(int) == {}
