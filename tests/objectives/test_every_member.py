"""The mean of the members' own losses, member by member."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from chainrule import InputError
from chainrule.data import Table
from chainrule.objectives import Classify, EveryMember, Regress


def test_it_is_the_mean_over_members():
    torch.manual_seed(0)
    scores = torch.randn(6, 4, 3, dtype=torch.float64, requires_grad=True)
    batch = Table(torch.zeros(6, 1), torch.tensor([0, 1, 2, 0, 1, 2]))
    found = EveryMember(Classify())(lambda _features: scores, batch).value
    slow = torch.stack([F.cross_entropy(scores[:, member], batch.outcome) for member in range(4)]).mean()
    torch.testing.assert_close(found, slow)
    one, other = (torch.autograd.grad(value, scores)[0] for value in (found, slow))
    torch.testing.assert_close(one, other)


def test_it_is_never_below_the_loss_of_the_mean_answer():
    """Jensen: what members lose apart from each other is their disagreement."""
    torch.manual_seed(1)
    answers = torch.randn(8, 5)
    batch = Table(torch.zeros(8, 1), torch.randn(8))
    apart = EveryMember(Regress())(lambda _features: answers, batch).value
    together = Regress()(lambda _features: answers.mean(1), batch).value
    torch.testing.assert_close(apart - together, answers.var(1, unbiased=False).mean())


@pytest.mark.usefixtures("unchecked")
def test_answers_without_members_are_refused():
    with pytest.raises(InputError, match="one answer per example and member"):
        EveryMember(Regress())(lambda features: features[:, 0], Table(torch.zeros(3, 2), torch.zeros(3)))
