"""The network for tables equals a slow loop over its members, each a network by itself."""

import pytest
import torch
from torch import nn

from chainrule import InputError
from chainrule.models import ClassVote, Network, NumberMean, TableEncoder

EDGES = ((0.0, 0.3, 1.0), (-1.0, 1.0))


def rows(count: int = 9) -> torch.Tensor:
    torch.manual_seed(3)
    codes = torch.arange(count) % 4
    return torch.column_stack([torch.rand(count), torch.randn(count), codes]).double()


def network(head: nn.Module) -> Network:
    return Network(TableEncoder(EDGES, (4,), width=8, depth=2, members=5, number_width=3, dropout=0.0), head).double()


def slowly(whole: Network, features: torch.Tensor, member: int) -> torch.Tensor:
    """The embedding of one member, layer by layer."""
    encoder = whole.encoder
    parts = [encoder.numbers(features[:, :2]).flatten(1), encoder.codes[0].weight[features[:, 2].long()]]
    hidden = torch.cat(parts, 1) * encoder.members.scale[member]
    for layer in encoder.layers:
        if isinstance(layer, nn.Linear):
            hidden = torch.relu(hidden @ layer.weight.T + layer.bias)
    return hidden


def test_members_answer_as_if_each_were_alone():
    torch.manual_seed(0)
    whole, features = network(ClassVote(8, 3, members=5)), rows()
    found = whole.train()(features)
    for member in range(5):
        scores = slowly(whole, features, member) @ whole.head.scores.weight[member] + whole.head.scores.bias[member]
        torch.testing.assert_close(found[:, member], scores)


def test_in_evaluation_the_probability_is_the_mean_of_the_members():
    torch.manual_seed(0)
    whole, features = network(ClassVote(8, 3, members=5)), rows()
    apart, together = whole.train()(features), whole.eval()(features)
    torch.testing.assert_close(together.exp(), apart.softmax(-1).mean(1))
    whole.head.temperature.set_to(2.0)
    torch.testing.assert_close(whole(features), together / 2)


def test_an_amount_is_the_mean_of_the_members_in_the_units_of_the_data():
    torch.manual_seed(0)
    plain, scaled = network(NumberMean(8, members=5)), network(NumberMean(8, members=5, mean=100.0, deviation=20.0))
    scaled.encoder.load_state_dict(plain.encoder.state_dict())
    scaled.head.numbers.load_state_dict(plain.head.numbers.state_dict())
    features = rows()
    torch.testing.assert_close(plain.eval()(features), plain.train()(features).mean(1))
    torch.testing.assert_close(scaled.eval()(features), 100 + 20 * plain.eval()(features))


def test_a_table_of_categories_alone_and_of_numbers_alone():
    assert TableEncoder((), (3, 2), width=4, members=2)(torch.zeros(5, 2)).shape == (5, 2, 4)
    assert TableEncoder(EDGES, (), width=4, members=2)(torch.zeros(5, 2)).shape == (5, 2, 4)


def test_a_table_of_nothing_is_refused():
    with pytest.raises(InputError, match="a table needs a column"):
        TableEncoder((), ())
    with pytest.raises(InputError, match="must be positive"):
        TableEncoder(EDGES, (), depth=0)
    with pytest.raises(InputError, match="`deviation` must be above zero"):
        NumberMean(4, 2, deviation=0.0)
