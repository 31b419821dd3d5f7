"""Which column is told and what it is: planted columns, counted by hand."""

import polars as pl
import pytest
import torch

from chainrule import InputError
from chainrule.data import IGNORED
from chainrule.sources import Amount, Classes, amount_of, choose_target, choose_task, classes_of, outcomes


@pytest.mark.parametrize("name", ["target", "Label", "CLASS", "y", "outcome"])
def test_a_telling_name_is_chosen(name):
    assert choose_target(["a", name, "b"], None)[0] == name


def test_else_the_last_column_or_the_one_asked_for():
    assert choose_target(["a", "b"], None)[0] == "b"
    assert choose_target(["a", "target"], "a")[0] == "a"
    with pytest.raises(InputError, match="must be in the table"):
        choose_target(["a", "b"], "c")
    with pytest.raises(InputError, match="a column to predict and one to predict it from"):
        choose_target(["a"], None)


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["a", "b"] * 10, "classify"),
        ([0.0, 1.0] * 10, "classify"),
        ([float(place % 7) for place in range(100)], "classify"),
        ([float(place) for place in range(100)], "regress"),
        ([place / 7 for place in range(100)], "regress"),
        ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "regress"),
    ],
)
def test_classes_or_amounts(values, task):
    assert choose_task(pl.Series("y", values), None)[0] == task
    if task == "classify" and isinstance(values[0], float):
        assert choose_task(pl.Series("y", values), "regress")[0] == "regress"


@pytest.mark.parametrize(
    ("values", "wanted", "fact"),
    [
        (["a"] * 9, None, "two different values"),
        ([1.0] * 9, None, "two different values"),
        ([f"name {place}" for place in range(500)], None, "too many classes"),
        (["a", "b"] * 9, "regress", "amounts can only be told of a column of numbers"),
    ],
)
def test_targets_that_cannot_be_told(values, wanted, fact):
    with pytest.raises(InputError, match=fact):
        choose_task(pl.Series("y", values), wanted)


def test_classes_are_in_order_of_number_or_name():
    assert classes_of(pl.Series("y", [10.0, 2.0, 10.0])) == Classes("y", ("2", "10"))
    assert classes_of(pl.Series("y", ["b", "a"])) == Classes("y", ("a", "b"))


def test_class_numbers():
    target = Classes("y", ("<=50K", ">50K"))
    assert outcomes(target, pl.Series([">50K", "<=50K.", " >50K ", "50K", None])).tolist() == [
        1,
        0,
        1,
        IGNORED,
        IGNORED,
    ]


def test_amounts_are_as_torch_counts():
    values = torch.tensor([1.0, 5.0, 6.0, 9.0])
    found = amount_of(pl.Series("y", values.tolist()))
    assert found.mean == pytest.approx(values.mean().item())
    assert found.deviation == pytest.approx(values.std(unbiased=False).item())
    torch.testing.assert_close(outcomes(found, pl.Series("y", values.tolist())), values)
    assert isinstance(found, Amount)


@pytest.mark.parametrize("values", [[3.0, 3.0], [1e-300, 2e-300], [1e300, 2e300]])
def test_amounts_that_are_huge_or_tiny(values):
    with pytest.raises(InputError, match="neither huge nor tiny"):
        amount_of(pl.Series("y", values))
