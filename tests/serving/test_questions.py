"""Questions and answers without a web. Oracle: `predict` of the same run; the values written out by hand."""

import base64
import math
import time
from pathlib import Path

import pytest
import torch

from chainrule import load
from chainrule.data import Table
from chainrule.errors import InputError
from chainrule.serving.limits import Limits, Refused
from chainrule.serving.questions import Desk, takes
from serving.runs import ROWS, picture_run, png, table_run, text_run

FAR = time.monotonic() + 1e6


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    return Desk(load(table_run(tmp_path_factory.mktemp("table"))), Limits())


def test_several_questions_are_answered_as_each_alone(desk: Desk) -> None:
    questions = [desk.question(ROWS[start : start + 1 + start % 3], FAR) for start in range(0, 12, 2)]
    together = desk.answer(questions)
    for question, found in zip(questions, together, strict=True):
        alone = desk.answer([question])[0]
        assert len(found) == question.size
        for ours, theirs in zip(found, alone, strict=True):
            assert ours["verdict"] == theirs["verdict"]
            assert ours["probability"] == pytest.approx(theirs["probability"], rel=1e-4)


def test_a_row_that_lacks_a_column_has_a_gap(desk: Desk) -> None:
    some = desk.question([{"age": 30.0, "town": "Ulm", "seen": "01.01.2010", "said": "bad"}, {"town": "Kiel"}], FAR)
    gap = {"age": None, "town": "Kiel", "seen": None, "said": None}
    assert isinstance(some.examples, Table)
    assert torch.equal(some.examples.features[1:], desk.recipe.encoded([gap]).inputs[0])


def test_rows_with_columns_of_their_own_are_no_way_to_fill_the_memory(desk: Desk) -> None:
    rows = [{f"{row}.{place}": 1 for place in range(100)} for row in range(1000)]
    with pytest.raises(Refused, match="rows have too many columns"):
        desk.question(rows, FAR)


def test_what_is_no_number_is_null(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = {"verdict": ["yes"], "p": [math.nan], "q": [-math.inf], "r": [0.5]}
    monkeypatch.setattr(type(desk.recipe), "answered", lambda *_: odd)
    found = desk.answer([desk.question(ROWS[:1], FAR)])
    assert found == [[{"verdict": "yes", "p": None, "q": None, "r": 0.5}]]


def test_time_is_looked_at_between_pictures_and_between_texts(tmp_path: Path) -> None:
    over = time.monotonic() - 1
    pictures = Desk(load(picture_run(tmp_path / "pictures")), Limits())
    with pytest.raises(Refused, match="within its time"):
        pictures.question([base64.b64encode(png(0)).decode()], over)
    texts = Desk(load(text_run(tmp_path / "text")), Limits())
    with pytest.raises(Refused, match="within its time"):
        texts.answer([texts.question("the sea", over)])
    with pytest.raises(InputError, match="a text must be a string"):
        texts.question([""], FAR)
    with pytest.raises(InputError, match="a file of texts must have a line"):
        texts.question_of_file("a.txt", b"\n\n", FAR)


def test_each_kind_says_what_it_takes(desk: Desk) -> None:
    assert takes(desk.recipe)["kind"] == "table"
    assert ".csv" in takes(desk.recipe)["files"]
