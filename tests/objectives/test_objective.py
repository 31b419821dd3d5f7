"""What every objective's check asks of a model and a batch first."""

import pytest
import torch
from torch import Tensor, nn

from chainrule.data import Table
from chainrule.errors import InputError
from chainrule.objectives import Loss, Model, Objective, tried


def rows(features: Tensor | None = None) -> Table:
    return Table(torch.ones(2, 3) if features is None else features, torch.zeros(2))


def test_tried_is_the_models_answer_without_a_gradient() -> None:
    layer = nn.Linear(3, 2)
    answer = tried(layer, rows())
    assert torch.equal(answer, layer(torch.ones(2, 3)))
    assert not answer.requires_grad


def test_a_function_is_a_model_too() -> None:
    assert torch.equal(tried(lambda features: features * 2, rows()), torch.full((2, 3), 2.0))


def test_the_reason_why_a_model_cannot_take_a_batch_is_told() -> None:
    with pytest.raises(InputError, match=r"`model` cannot take this `batch`.*\(2, 3\) torch.float32 on cpu.*3 and 4"):
        tried(nn.Linear(4, 2), rows())


def test_an_input_error_of_the_model_itself_comes_through() -> None:
    def fussy(features: Tensor) -> Tensor:
        raise InputError("`features` must be blue", advice="paint them")

    with pytest.raises(InputError, match="blue"):
        tried(fussy, rows())


def test_a_fault_in_the_models_code_is_not_hidden() -> None:
    def broken(features: Tensor) -> Tensor:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tried(broken, rows())


def test_an_objective_has_no_check_of_its_own_unless_it_says_so() -> None:
    class Anything(Objective[Table]):
        def __call__(self, model: Model, batch: Table) -> Loss:
            raise NotImplementedError

    Anything().check(nn.Identity(), rows())
