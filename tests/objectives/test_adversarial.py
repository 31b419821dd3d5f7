"""Oracles: closed forms on known densities (the optimal critic and the value there), and finite differences."""

import math

import pytest
import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.objectives import Game, Hinge, LeastSquares, Minimax, NonSaturating, gradient_penalty

GAMES = [Minimax(), NonSaturating(), Hinge(), LeastSquares()]
GRID = torch.linspace(-20, 20, 8001, dtype=torch.float64)


def _normal(mean: float, deviation: float) -> Tensor:
    return torch.exp(-0.5 * ((GRID - mean) / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))


def _expected(game: Game, scores: Tensor, data: Tensor, model: Tensor) -> Tensor:
    """The critic's loss over densities: the loss of one score per point, weighed by the densities there."""
    step = GRID[1] - GRID[0]
    nothing = scores.new_zeros(())
    on_real = torch.func.vmap(lambda score: game.critic_loss(score[None], nothing[None]))(scores)
    on_fake = torch.func.vmap(lambda score: game.critic_loss(nothing[None], score[None]))(scores)
    constant = game.critic_loss(nothing[None], nothing[None])
    at_zero_fake = (on_real - constant, on_fake)  # the constant is counted once
    return ((data * at_zero_fake[0] + model * at_zero_fake[1]) * step).sum()


@pytest.mark.parametrize("game", [Minimax(), NonSaturating()])
def test_optimal_critic_on_two_normals(game):
    """s* = log p_data - log p_model minimises the loss at every point, and the value there is log 4 - 2 JSD."""
    data, model = _normal(0.0, 1.0), _normal(1.5, 2.0)
    best = (torch.log(data) - torch.log(model)).requires_grad_()
    loss = _expected(game, best, data, model)
    (slope,) = torch.autograd.grad(loss, best)
    assert slope.abs().max() < 1e-12
    middle, step = (data + model) / 2, GRID[1] - GRID[0]
    divergence = 0.5 * ((data * torch.log(data / middle) + model * torch.log(model / middle)) * step).sum()
    torch.testing.assert_close(loss.detach(), math.log(4) - 2 * divergence, atol=1e-9, rtol=0)
    for nudge in (0.1, -0.1):
        assert _expected(game, best.detach() + nudge, data, model) > loss


def test_optimal_critic_of_least_squares():
    """(p_data) / (p_data + p_model), and at equal densities the loss is 1/4."""
    data, model = _normal(0.0, 1.0), _normal(1.0, 1.0)
    best = (data / (data + model)).requires_grad_()
    (slope,) = torch.autograd.grad(_expected(LeastSquares(), best, data, model), best)
    assert slope.abs().max() < 1e-12
    half = torch.full((3,), 0.5)
    assert LeastSquares().critic_loss(half, half).item() == 0.25


def test_optimal_critic_of_hinge_is_a_sign():
    """1 where data is denser, -1 elsewhere; the value is then the overlap, twice."""
    data, model = _normal(-1.0, 1.0), _normal(1.0, 1.0)
    best = torch.sign(data - model)
    loss, step = _expected(Hinge(), best, data, model), GRID[1] - GRID[0]
    torch.testing.assert_close(loss, 2 * (torch.minimum(data, model) * step).sum(), atol=1e-9, rtol=0)
    for nudge in (0.1, -0.1):
        assert _expected(Hinge(), best + nudge, data, model) >= loss


@pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
def test_gradients_by_finite_differences(game):
    torch.manual_seed(0)
    real = (3 * torch.randn(5, dtype=torch.float64)).requires_grad_()
    fake = (3 * torch.randn(4, dtype=torch.float64)).requires_grad_()
    assert torch.autograd.gradcheck(game.critic_loss, (real, fake))
    assert torch.autograd.gradcheck(game.generator_loss, (fake,))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: type(game).__name__)
def test_the_two_pull_apart(game):
    """The critic wants real scores up and fake ones down; the generator wants fake ones up."""
    real, fake = torch.zeros(3, requires_grad=True), torch.full((3,), 0.3, requires_grad=True)
    game.critic_loss(real, fake).backward()
    assert bool((real.grad < 0).all())
    assert bool((fake.grad > 0).all())
    (pull,) = torch.autograd.grad(game.generator_loss(fake), fake)
    assert bool((pull < 0).all())


def test_the_saturating_generator_is_the_negative_critic():
    fake = torch.randn(6)
    undecided = torch.full((1,), 40.0)  # real and sure: no loss from that side
    torch.testing.assert_close(Minimax().generator_loss(fake), -Minimax().critic_loss(undecided, fake))


def test_losses_stay_finite_at_extreme_scores():
    far = torch.tensor([-1e4, 1e4], requires_grad=True)
    for game in GAMES:
        total = game.critic_loss(far, far) + game.generator_loss(far)
        (slope,) = torch.autograd.grad(total, far)
        assert bool(torch.isfinite(total))
        assert bool(torch.isfinite(slope).all())


def test_penalty_of_a_linear_critic_is_its_squared_weights():
    critic = nn.Linear(7, 1)
    examples = torch.randn(5, 7, requires_grad=True)
    penalty = gradient_penalty(critic(examples).squeeze(1), examples)
    torch.testing.assert_close(penalty, critic.weight.square().sum())


def test_penalty_gradient_by_finite_differences():
    """With respect to the critic's own weights: what training follows."""
    torch.manual_seed(1)
    first, second = torch.randn(4, 3, dtype=torch.float64), torch.randn(1, 4, dtype=torch.float64)
    examples = torch.randn(6, 3, dtype=torch.float64)

    def penalty(first: Tensor, second: Tensor) -> Tensor:
        inputs = examples.clone().requires_grad_()
        return gradient_penalty((torch.tanh(inputs @ first.T) @ second.T).squeeze(1), inputs)

    assert torch.autograd.gradcheck(penalty, (first.requires_grad_(), second.requires_grad_()))


def test_penalty_without_a_gradient_says_how():
    with pytest.raises(InputError, match=r"requires_grad_\(\) before scoring"):
        gradient_penalty(torch.zeros(2), torch.zeros(2, 3))
