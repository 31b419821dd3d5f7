"""The recipe in small; the soak runs it whole and asks for its bar."""

import itertools
import lzma
import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import torch
from torch import nn

from chainrule.data import seeded
from chainrule.errors import InputError
from chainrule.recipes import python_docs_gpt
from chainrule.recipes.python_docs_gpt import PythonDocsGpt
from chainrule.report import Outcome
from chainrule.training import fit
from references.ngram import SlowNGram

TOY = PythonDocsGpt(steps=30, layers=1, dim=32, heads=2, context=32, dropout=0.0, batch_size=16)
BITS = "validation bits per character"


def trained(recipe: PythonDocsGpt) -> nn.Module:
    with seeded(recipe.seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, seed=recipe.seed)
    return learner.model


@cache
def toy() -> tuple[nn.Module, Outcome]:
    model = trained(TOY)
    return model, TOY.outcome(model)


def test_thirty_steps_are_better_than_a_guess_and_worse_than_the_bar() -> None:
    _, outcome = toy()
    uniform = math.log2(TOY.parts().vocabulary)
    assert outcome.baselines["5-gram"][BITS] < outcome.metrics[BITS] < uniform - 1
    assert not outcome.reached
    assert outcome.metrics["test perplexity"] == pytest.approx(2 ** outcome.metrics["test bits per character"])


def test_the_rivals_are_those_that_were_promised() -> None:
    baselines = toy()[1].baselines
    assert list(baselines) == [f"{order}-gram" for order in range(1, 7)] + ["gzip", "xz"]
    bits = [baselines[f"{order}-gram"][BITS] for order in range(1, 7)]
    assert bits == sorted(bits, reverse=True)
    assert bits[4] < 2.0  # a strong one: plain interpolation of raw counts costs 2.16


def test_the_bigram_baseline_is_the_slow_reference_s() -> None:
    parts = TOY.parts()
    train, held = (torch.as_tensor(part.tokens).tolist() for part in (parts.train, parts.validation))
    slow = SlowNGram(train, 2, parts.vocabulary)
    pairs = {pair: slow.probability(pair[:1], pair[1]) for pair in set(itertools.pairwise(held))}
    cost = -math.fsum(math.log2(pairs[pair]) for pair in itertools.pairwise(held)) / (len(held) - 1)
    assert toy()[1].baselines["2-gram"][BITS] == pytest.approx(cost, rel=1e-4)


def test_xz_pays_for_what_the_held_out_text_adds() -> None:
    parts = TOY.parts()
    train, held = (parts.tokenizer.decode(torch.as_tensor(part.tokens)) for part in (parts.train, parts.validation))
    added = len(lzma.compress((train + held).encode())) - len(lzma.compress(train.encode()))
    assert toy()[1].baselines["xz"][BITS] == 8 * added / len(held)


def test_the_report_shows_a_text_and_the_rivals() -> None:
    assert [figure.title for figure in toy()[1].figures] == ["What it writes", "Beside models that count"]


def test_a_sample_goes_on_from_its_prompt() -> None:
    model, _ = toy()
    with seeded(0):
        first, second = (TOY.sample(model, "The with", 40, Path("unused")) for _ in range(2))
    with seeded(0):
        again = TOY.sample(model, "The with", 40, Path("unused"))
    assert first.startswith("The with")
    assert len(first) == len("The with") + 40
    assert first == again != second


def test_a_prompt_in_unknown_letters_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="character='语'"):
        TOY.sample(toy()[0], "语", 1, Path("unused"))


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_the_bar_is_reached() -> None:
    recipe = python_docs_gpt()
    outcome = recipe.outcome(trained(recipe))
    assert outcome.reached, outcome.metrics
    assert outcome.metrics[BITS] < outcome.baselines["5-gram"][BITS] - 0.05


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_another_seed_reaches_the_bar_too() -> None:
    recipe = replace(python_docs_gpt(), seed=1)
    assert recipe.outcome(trained(recipe)).reached
