"""An error is a sentence of fact, the values received, and a sentence of advice."""

import pickle

import pytest

from chainrule.errors import CheckpointError, InputError, NonFiniteError, SampleError, expect


def test_fact_values_and_advice_make_one_sentence() -> None:
    error = InputError("`heads` must divide `dim`", advice="try heads=10", dim=100, heads=8)
    assert str(error) == "`heads` must divide `dim`. Got dim=100, heads=8; try heads=10."


def test_without_values() -> None:
    assert str(InputError("the folder is empty", advice="check the path")) == "the folder is empty; check the path."


def test_values_are_shown_as_python_writes_them() -> None:
    assert "Got name='a\\n', none=None;" in str(InputError("fact", advice="advice", name="a\n", none=None))


@pytest.mark.parametrize("kind", [SampleError, CheckpointError])
def test_kinds_of_input_error(kind: type[InputError]) -> None:
    with pytest.raises(ValueError, match="Got row=3; drop it"):
        raise kind("row 3 is empty", advice="drop it", row=3)
    assert issubclass(kind, InputError)


def test_a_number_that_is_not_finite_is_not_the_callers_fault() -> None:
    assert issubclass(NonFiniteError, ArithmeticError)
    assert not issubclass(NonFiniteError, ValueError)


def test_errors_cross_process_borders() -> None:
    """A worker's error reaches its parent by pickle, with its sentence."""
    error = InputError("`heads` must divide `dim`", advice="try heads=10", dim=100, heads=8)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own bytes)
    assert str(again) == str(error)


def test_expect_passes_what_is_of_the_kind() -> None:
    expect("steps", 3, int, advice="-")
    expect("steps", 3, int | float, advice="-")


@pytest.mark.parametrize(("kind", "word"), [(int, "int"), (int | float, r"int \| float")])
def test_expect_names_argument_kind_and_what_came(kind: type, word: str) -> None:
    with pytest.raises(InputError, match=rf"`steps` must be of the kind {word}\. Got steps='str'; count them\."):
        expect("steps", "3", kind, advice="count them")
