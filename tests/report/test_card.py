from pathlib import Path

from chainrule.report import About, Outcome
from chainrule.report.card import card
from chainrule.report.summary import Summary
from report.stories import HOSTILE, SESSION


def written(**about: str) -> str:
    words = {"name": "digits-lenet", "description": "LeNet-5.", "command": "chainrule run digits-lenet"} | about
    outcome = Outcome(
        {"accuracy": 0.9867}, {"chance": {"accuracy": 0.1}, "other": {}}, "at least 98 %", reached=True, note="Of 300."
    )
    return card(Summary(About(**words), outcome, 10, 20, 7, None, "2026-11-18"), [SESSION], Path("runs/it's"))


def test_it_says_what_must_be_known():
    text = written(limits="None known.", data="Digits.")
    for part in (
        "# digits-lenet",
        "| **this run** | 0.9867 |",
        "| chance | 0.1000 |",
        "| other | – |\n\nOf 300.",
        "Bar: at least 98 % — **reached**.",
        "## Data\n\nDigits.",
        "## Limits\n\nNone known.",
        'model = cr.load("runs/it\'s")',
        "chainrule resume 'runs/it'\"'\"'s'",
        "2026-11-18, 10 of 20 steps, seed 7; chainrule 0.1.0, torch 2.13.0+cpu, python 3.11.7.",
    ):
        assert part in text, part


def test_several_lines_are_a_list():
    assert "## Data\n\n- sales.csv.\n- 3 rows were left out." in written(data="sales.csv.\n3 rows were left out.")


def test_hostile_words_stay_words():
    text = written(name=HOSTILE, description="[x](javascript:1) | `a`\n# b", limits="<img src=x>")
    assert "<script>" not in text
    assert "<img" not in text
    assert "\\[x\\](javascript:1) \\| \\`a\\` \\# b" in text


def test_a_command_can_not_leave_its_fence():
    assert "````sh\n```\n# out" in written(command="```\n# out")
