"""A classifier of texts, from the file to an answer. Oracles: the rule the texts follow, a recipe read back."""

import random
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import torch

from chainrule.data import seeded
from chainrule.errors import InputError
from chainrule.layers import Temperature, best_temperature
from chainrule.recipes import Asked, FitPhrases, from_plain, plan_phrases, to_plain
from chainrule.training import evaluating, fit

ASKED = Asked(minutes=1.0, threads=1)
GOOD, BAD = ("lovely", "great", "moving"), ("dull", "awful", "boring")


def review(draw: random.Random) -> tuple[str, str]:
    """Whether it is good hangs on a pair of words: `not dull` is good."""
    good, turned = draw.random() < 0.5, draw.random() < 0.3
    word = draw.choice(GOOD if good != turned else BAD)
    filler = " ".join(draw.choice(["the", "film", "is", "a", "story", "of", "this"]) for _ in range(4))
    return f"{filler} {'not ' if turned else ''}{word} {draw.randrange(10**6)}", "good" if good else "bad"


@pytest.fixture(scope="module")
def reviews(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(0)
    path = tmp_path_factory.mktemp("reviews") / "reviews.csv"
    pl.DataFrame([review(draw) for _ in range(500)], schema=["text", "verdict"], orient="row").write_csv(path)
    return path


@pytest.fixture(scope="module")
def plan(reviews: Path) -> FitPhrases:
    found = plan_phrases(reviews, ASKED)
    return replace(found, steps=240, every=40, members=2, width=16, features=16, dropout=0.2, forgotten=0.1)


@pytest.fixture(scope="module")
def trained(plan: FitPhrases) -> torch.nn.Module:
    with seeded(plan.seed):
        learner = plan.learner()
    fit(learner, plan.batches(), steps=plan.steps, hooks=plan.hooks(), seed=plan.seed)
    model = learner.model.eval()
    assert plan.finish(model)
    return model


def test_the_plan_is_all_that_is_needed(plan: FitPhrases) -> None:
    """Read back from plain data, it builds the same network without the texts."""
    again = from_plain(FitPhrases, to_plain(plan))
    assert again == plan
    with seeded(0):
        one = plan.learner().model.state_dict()
    with seeded(0):
        other = replace(again, data="gone.csv").learner().model.state_dict()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_it_says_what_it_decided(reviews: Path) -> None:
    said = " ".join(plan_phrases(reviews, ASKED).notes)
    assert "Texts of 2 classes: `bad`, `good`." in said
    assert "`text` is the text." in said
    assert "350 texts to learn from, 75 to choose by, 75 to judge with." in said
    assert "begins as naive Bayes" in said


def test_it_learns_what_the_texts_say(plan: FitPhrases, trained: torch.nn.Module) -> None:
    outcome = plan.outcome(trained)
    assert outcome.metrics["accuracy"] > 0.9
    assert outcome.metrics["accuracy"] > outcome.baselines["commonest class"]["accuracy"]
    answers = plan.predict(trained, ["this film is great", "this film is not great", "this film is dull"])
    assert answers["verdict"] == ["good", "bad", "bad"]
    assert all(a + b == pytest.approx(1.0) for a, b in zip(answers["p(bad)"], answers["p(good)"], strict=True))


def test_words_of_the_test_texts_are_unknown(plan: FitPhrases) -> None:
    """The vocabulary is that of the training texts alone."""
    prepared = plan.prepared()
    train = " ".join(prepared.texts[place] for place in prepared.parts[0].tolist())
    assert set(plan.vocabulary.words) <= set(train.split())


def test_the_temperature_is_chosen_by_the_validation_texts(plan: FitPhrases, trained: torch.nn.Module) -> None:
    """The root of the likeliest one that ten mistakes' doubt leaves."""
    layer = next(module for module in trained.modules() if isinstance(module, Temperature))
    kept, rows = float(layer.temperature), plan.part(1).rows
    layer.set_to(1.0)
    with torch.no_grad(), evaluating(trained):
        scores = trained(*rows.inputs)
    layer.set_to(kept)
    wrong = int((scores.argmax(1) != rows.labels).sum())
    assert kept == pytest.approx(best_temperature(scores, rows.labels) ** (wrong / (wrong + 10)), rel=1e-3)


def test_new_texts_come_in_many_ways(plan: FitPhrases, trained: torch.nn.Module, tmp_path: Path) -> None:
    texts = ["this film is great", "dull, dull"]
    expected = plan.predict(trained, texts)
    assert plan.predict(trained, pl.DataFrame({"text": texts})) == expected
    assert plan.predict(trained, [{"text": text} for text in texts]) == expected
    assert plan.predict(trained, {"text": texts}) == expected
    assert plan.predict(trained, texts[0])["verdict"] == expected["verdict"][:1]
    table, lines, folder = tmp_path / "new.csv", tmp_path / "new.txt", tmp_path / "new"
    pl.DataFrame({"text": texts}).write_csv(table)
    lines.write_text("\n".join(texts))
    folder.mkdir()
    for place, text in enumerate(texts):
        (folder / f"{place}.txt").write_text(text)
    for path in (table, lines, folder):
        ((names, rows),) = plan.read([path])
        assert len(names) == 2
        assert plan.answered(trained, rows)["verdict"] == expected["verdict"]
    with pytest.raises(InputError, match="texts are strings"):
        plan.encoded([3])


def test_other_texts_than_those_of_the_plan_are_refused(tmp_path: Path, reviews: Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text(reviews.read_text())
    recipe = plan_phrases(path, ASKED)
    path.write_text(reviews.read_text() + "one more film,good\n")
    with pytest.raises(InputError, match="not those that this run began with"):
        recipe.batches()


def test_what_texts_have_not_is_said(reviews: Path) -> None:
    for asked, said in (
        (Asked(task="regress"), "told apart"),
        (Asked(horizon=3), "no such column"),
        (Asked(metric="RMSE"), "judged by accuracy"),
        (Asked(target="colour"), "must be in the table"),
    ):
        with pytest.raises(InputError, match=said):
            plan_phrases(reviews, asked)
