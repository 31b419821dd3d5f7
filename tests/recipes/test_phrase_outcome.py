"""Numbers of a classifier of texts. Oracle: scikit-learn's metrics, and its own pipeline as the rival."""

import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss
from sklearn.pipeline import make_pipeline

from chainrule.recipes.phrase_outcome import RIVAL, phrase_metrics, phrase_outcome, phrase_rivals

WORDS = ("sun", "rain", "snow")


def part(count: int, seed: int) -> tuple[list[str], torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    labels = torch.randint(3, (count,), generator=draw)
    noise = torch.randint(3, (count,), generator=draw)
    texts = [f"{WORDS[a]} and {WORDS[b]} today" for a, b in zip(labels.tolist(), noise.tolist(), strict=True)]
    return texts, labels


def test_metrics_are_those_of_scikit_learn() -> None:
    shares = torch.rand(200, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(1)).softmax(1)
    labels = torch.randint(3, (200,), generator=torch.Generator().manual_seed(2))
    found = phrase_metrics(shares, labels)
    assert found["accuracy"] == pytest.approx(float((shares.argmax(1) == labels).double().mean()))
    assert found["macro F1"] == pytest.approx(f1_score(labels, shares.argmax(1), average="macro"))
    assert found["log loss"] == pytest.approx(log_loss(labels, shares))


def test_the_rival_is_scikit_learn_with_its_defaults() -> None:
    train, validation, test = part(80, 0), part(20, 1), part(30, 2)
    found = phrase_rivals(train, validation, test[0], 3)
    pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=1000))
    pipeline.fit([*train[0], *validation[0]], torch.cat((train[1], validation[1])).numpy())
    torch.testing.assert_close(found[RIVAL], torch.from_numpy(pipeline.predict_proba(test[0])))
    commonest = torch.bincount(torch.cat((train[1], validation[1])), minlength=3).argmax()
    assert set(found["commonest class"].argmax(1).tolist()) == {int(commonest)}


def test_texts_without_words_have_a_rival_too() -> None:
    train = ["! ?", "? !", "; :", ": ;"] * 5, torch.tensor([0, 0, 1, 1] * 5)
    assert phrase_rivals(train, train, ["! !"], 2)[RIVAL].argmax().item() == 0


def test_it_says_plainly_when_it_is_not_better() -> None:
    train, validation, test = part(80, 0), part(20, 1), part(60, 2)
    worse = phrase_outcome(torch.zeros(60, 3), test, train, validation, WORDS, 1.0)
    assert not worse.reached
    assert worse.metrics["log loss"] == pytest.approx(torch.tensor(3.0).log().item())
    right = phrase_outcome(torch.nn.functional.one_hot(test[1]) * 9.0, test, train, validation, WORDS, 1.0)
    assert right.reached
    assert right.metrics["accuracy"] == 1.0
    assert "60 of 60 test texts are right" in right.note
    assert [figure.title for figure in right.figures][-1] == "Worst mistakes"


def test_mistakes_show_their_text_harmlessly() -> None:
    texts, labels = ["<script>alert(1)</script> sun", "rain"] * 10, torch.tensor([0, 1] * 10)
    scores = torch.tensor([[0.0, 3.0], [0.0, 1.0]] * 10)
    found = phrase_outcome(scores, (texts, labels), (texts, labels), (texts, labels), ("sun", "rain"), 1.0)
    shown = found.figures[-1].html
    assert "&lt;script&gt;" in shown
    assert "<script>" not in shown
