"""A language model of somebody's text, from the file to an answer. Oracles: the text itself, a recipe read back."""

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from chainrule.data import seeded
from chainrule.errors import InputError
from chainrule.recipes import (
    Asked,
    FitText,
    command_of,
    from_plain,
    load,
    plan_text,
    read_recipe,
    resume_recipe,
    run_recipe,
    to_plain,
)

ASKED = Asked(minutes=0.02, threads=1)


def story(sentences: int = 300) -> str:
    draw = random.Random(0)
    return " ".join(
        f"The {draw.choice(['cat', 'dog', 'owl'])} saw a {draw.choice(['fox', 'hen'])}." for _ in range(sentences)
    )


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "story.txt"
    path.write_text(story())
    return path


@pytest.fixture(scope="module")
def finished(text: Path) -> Path:
    folder = text.parent / "run"
    recipe = replace(plan_text(str(text), ASKED), steps=60, layers=1, dim=32, heads=2, context=32)
    run_recipe(recipe, folder)
    return folder


def test_the_plan_is_all_that_is_needed(text: Path) -> None:
    """Read back from plain data, it builds the same network without the text."""
    recipe = plan_text(str(text), ASKED)
    assert set(recipe.alphabet) == {*story()[: len(story()) * 9 // 10], "\N{REPLACEMENT CHARACTER}"}
    assert any("language model" in note for note in recipe.notes)
    again = from_plain(FitText, to_plain(replace(recipe, data="gone.txt")))
    with seeded(0):
        one = recipe.learner().model.state_dict()
    with seeded(0):
        other = again.learner().model.state_dict()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_a_run_is_judged_once(finished: Path) -> None:
    assert (finished / "report.html").is_file()
    with pytest.raises(InputError, match="its test split was used"):
        resume_recipe(finished)
    _, outcome = resume_recipe(finished, again=True)
    assert outcome is not None
    assert outcome.note.endswith("The test split was used 2 times.")
    assert "used 2 times" in (finished / "card.md").read_text()


def test_it_learns_and_goes_on_from_a_prompt(finished: Path) -> None:
    model = load(finished)
    answers = model.predict(["The cat saw a ", "The \u4e2d"])
    assert [len(said) for said in answers["continuation"]] == [200, 200]
    assert model.predict("The cat")["continuation"] == model.predict("The cat")["continuation"]
    outcome = read_recipe(finished).outcome(model.network)
    assert outcome.metrics["test bits per character"] < 3.0 < outcome.baselines["1-gram"]["test bits per character"]


def test_the_command_names_what_was_asked(finished: Path, text: Path) -> None:
    recipe = read_recipe(finished)
    words = command_of(recipe, finished).split()
    assert words[:3] == ["chainrule", "fit", str(text)]
    assert words[words.index("--minutes") + 1] == "0.02"


def test_another_text_in_its_place_is_refused(finished: Path, text: Path) -> None:
    recipe = replace(read_recipe(finished), digest="0" * 64)
    with pytest.raises(InputError, match="not the one that this run began with"):
        recipe.batches()


@pytest.mark.parametrize("length", [1, 300])
def test_a_text_that_is_too_short_is_refused(length: int, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("ab" * (length // 2) + "c")
    with pytest.raises(InputError, match="at least 320 characters"):
        plan_text(str(tmp_path / "a.txt"), ASKED)
