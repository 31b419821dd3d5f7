import pytest
import torch
from torch import nn

from chainrule.data import generator
from chainrule.errors import InputError
from chainrule.layers import Pixels
from chainrule.models import Players


def _players() -> Players:
    return Players(nn.Linear(3, 2), nn.Linear(2, 1), noise=3)


def test_forward_is_the_critic_on_prepared_numbers():
    players = Players(nn.Identity(), nn.Flatten(0), noise=1, pixels=Pixels((8.0,), (4.0,)))
    assert players(torch.full((3, 1, 1, 1), 16, dtype=torch.uint8)).tolist() == [2.0] * 3


def test_samples_come_from_the_given_generator_or_torchs_own():
    players = _players()
    assert torch.equal(players.sample(4, generator(1)), players.sample(4, generator(1)))
    noise = torch.randn(4, 3, generator=generator(1))
    with torch.no_grad():
        assert torch.equal(players.sample(4, generator(1)), players.generator(noise))
    with torch.random.fork_rng():
        torch.manual_seed(5)
        first = players.sample(4)
        torch.manual_seed(5)
        assert torch.equal(first, players.sample(4))


def test_samples_have_no_graph_and_the_models_dtype():
    sample = _players().double().sample(2)
    assert not sample.requires_grad
    assert sample.dtype == torch.float64


def test_noise_must_be_positive():
    with pytest.raises(InputError, match="noise=0"):
        Players(nn.Identity(), nn.Identity(), noise=0)
