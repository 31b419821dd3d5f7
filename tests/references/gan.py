"""One round of a game of two players, written from the paper: plain autograd, example by example, no sharing.

Mescheder, Geiger and Nowozin, Which Training Methods for GANs do actually Converge?, 2018: simultaneous gradient
descent (their equation 2) on the non-saturating losses (equation 1), with the R1 penalty (equation 9).
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn


def log_sigmoid(score: Tensor) -> Tensor:
    return torch.log(1 / (1 + torch.exp(-score)))


def slow_critic_gradient(critic: nn.Module, real: Tensor, fake: Tensor, gamma: float) -> list[Tensor]:
    """Of the mean over examples of -log s(D(x)) - log s(-D(G(z))) + gamma / 2 |dD/dx|^2, with respect to the critic."""
    weights = list(critic.parameters())
    total = [torch.zeros_like(weight) for weight in weights]
    for one, other in zip(real, fake, strict=True):
        x = one[None].clone().requires_grad_()
        score = critic(x).sum()
        (slope,) = torch.autograd.grad(score, x, create_graph=True)
        loss = -log_sigmoid(score) - log_sigmoid(-critic(other[None]).sum()) + gamma / 2 * (slope**2).sum()
        found = torch.autograd.grad(loss, weights, allow_unused=True, materialize_grads=True)
        total = [kept + gradient / len(real) for kept, gradient in zip(total, found, strict=True)]
    return total


def slow_generator_gradient(generator: nn.Module, critic: nn.Module, noise: Tensor) -> list[Tensor]:
    """Of the mean over noise of -log s(D(G(z))), with respect to the generator."""
    weights = list(generator.parameters())
    total = [torch.zeros_like(weight) for weight in weights]
    for z in noise:
        loss = -log_sigmoid(critic(generator(z[None])).sum())
        found = torch.autograd.grad(loss, weights)
        total = [kept + gradient / len(noise) for kept, gradient in zip(total, found, strict=True)]
    return total


def slow_round(
    generator: nn.Module,
    critic: nn.Module,
    real: Tensor,
    noise: Tensor,
    gamma: float,
    build: tuple[Callable[[nn.Module], torch.optim.Optimizer], Callable[[nn.Module], torch.optim.Optimizer]],
) -> None:
    """Both gradients at the present point, then one step of a fresh optimiser for each."""
    fake = generator(noise).detach()
    found = slow_critic_gradient(critic, real, fake, gamma), slow_generator_gradient(generator, critic, noise)
    for player, gradients, make in zip((critic, generator), found, reversed(build), strict=True):
        for weight, gradient in zip(player.parameters(), gradients, strict=True):
            weight.grad = gradient
        make(player).step()
