import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chainrule.errors import InputError
from chainrule.report import bars, confusion, table_figure, text_figure
from report.reading import SVG, parse


def texts(svg: str) -> list[str]:
    return [text.text or "" for text in parse(svg).iter(f"{SVG}text")]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=40))
def test_confusion_counts_as_scikit_learn_does(pairs):
    from sklearn.metrics import confusion_matrix

    truth, answer = np.array(pairs).T
    expected = confusion_matrix(truth, answer, labels=range(4))
    figure = confusion(truth, answer, ["a", "b", "c", "d"])
    counts = [int(text) for text in texts(figure.svg) if text.isdigit()]
    assert counts == [int(count) for count in expected.flatten() if count]
    assert f"{np.trace(expected)} of {len(pairs)} correct" in figure.caption


def test_confusion_takes_tensors_and_many_classes():
    labels = torch.arange(40)
    figure = confusion(labels, labels, [f"class {index}" for index in range(40)])
    assert len(list(parse(figure.svg).iter(f"{SVG}rect"))) == 1600


@pytest.mark.parametrize(("labels", "predicted"), [([0, 1], [0]), ([0, 2], [0, 1]), ([-1], [0])])
def test_confusion_refuses_what_does_not_pair_up(labels, predicted):
    with pytest.raises(InputError, match="`labels` and `predicted` must pair up and name a class"):
        confusion(labels, predicted, ["a", "b"])


def test_confusion_refuses_scores():
    with pytest.raises(InputError, match=r"`predicted` must be one whole number per example.*argmax"):
        confusion([0], [[0.1, 0.9]], ["a", "b"])


def test_numbers_of_a_table_stand_at_the_right():
    rows = [{"name": "x", "error": 3.21, "paper": "0.67 ± 0.05"}, {"name": "y", "error": 0.6725, "paper": "–"}]
    root = parse(table_figure(rows, title="t").html)
    assert [head.get("class") for head in root.iter("th")] == [None, "number", "number"]
    assert [each.text for each in root.iter("td")] == ["x", "3.210", "0.67 ± 0.05", "y", "0.672", "–"]


def test_a_table_without_rows_is_refused():
    with pytest.raises(InputError, match="a table must have a row"):
        table_figure([], title="t")


@given(st.text())
def test_text_is_kept(text: str):
    root = parse(text_figure(text, title="t", prompt=text).html)
    assert root.tag == "pre"
    assert {child.tag for child in root} <= {"b"}


@given(st.dictionaries(st.text(max_size=30), st.floats(), max_size=12), st.floats(-1e6, 1e6))
def test_bars_of_any_numbers(values, reference):
    root = parse(bars(values, title="t", label="share (%)", reference=("bar", reference)).svg)
    boxes = list(root.iter(f"{SVG}rect"))
    assert len(boxes) == len(values)
    assert all(float(box.get("width", -1)) >= 0 for box in boxes)


def test_bars_are_as_long_as_their_values():
    boxes = list(parse(bars({"a": 1.0, "b": 2.0}, title="t", label="x").svg).iter(f"{SVG}rect"))
    one, two = (float(box.get("width", 0)) for box in boxes)
    assert two == pytest.approx(2 * one, abs=0.02)
