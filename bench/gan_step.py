"""One round of two players: ours beside a hand-written loop that does the same maths, and beside the usual one.

    python bench/gan_step.py

"same maths" takes both gradients at the same point, from the same generated examples, as ours does, but computes each
loss from its own forward pass, as one writes it down. "alternating" is what most scripts do: the critic's step first,
then fresh noise through the generator and the new critic.
"""

import copy

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import nn

from chainrule.data import digits, reseed
from chainrule.layers import Pixels
from chainrule.learners import Adversarial
from chainrule.models import Players, dcgan
from chainrule.optim import AdamW, Ema
from side_by_side import compare, save, show

R1, DECAY, NOISE = 1.0, 0.99, 32
RULE = AdamW(lr=3e-3, betas=(0.0, 0.99), weight_decay=0.0)


class ByHand:
    """A GAN loop as people write it."""

    def __init__(self, players: Players, *, alternating: bool) -> None:
        self.generator, self.critic, self.players = players.generator, players.critic, players
        self.average = copy.deepcopy(players.generator)
        settings = {"lr": RULE.lr, "betas": RULE.betas, "fused": True, "weight_decay": 0.0}
        self.move_generator = torch.optim.AdamW(self.generator.parameters(), **settings)
        self.move_critic = torch.optim.AdamW(self.critic.parameters(), **settings)
        self.alternating = alternating
        self.count = 0

    def step(self, pixels: torch.Tensor) -> None:
        real = self.players.numbers(pixels).requires_grad_()
        noise = torch.randn(len(real), NOISE)
        fake = self.generator(noise)
        real_scores, fake_scores = self.critic(real), self.critic(fake.detach())
        (slope,) = torch.autograd.grad(real_scores.sum(), real, create_graph=True)
        penalty = slope.square().sum([1, 2, 3]).mean()
        critic_loss = F.softplus(-real_scores).mean() + F.softplus(fake_scores).mean() + R1 / 2 * penalty
        self.move_critic.zero_grad()
        critic_loss.backward()
        if self.alternating:
            self.move_critic.step()
            fake = self.generator(torch.randn(len(real), NOISE))
        _learns(self.critic, False)
        generator_loss = F.softplus(-self.critic(fake)).mean()
        self.move_generator.zero_grad()
        generator_loss.backward()
        _learns(self.critic, True)
        if not self.alternating:
            self.move_critic.step()
        self.move_generator.step()
        self.count += 1
        with torch.no_grad():
            for kept, weight in zip(self.average.parameters(), self.generator.parameters(), strict=True):
                kept.lerp_(weight, (1 - DECAY) / (1 - DECAY**self.count))


def _learns(network: nn.Module, on: bool) -> None:
    for parameter in network.parameters():
        parameter.requires_grad_(on)


def _players(width: int) -> Players:
    torch.manual_seed(0)
    return dcgan(8, noise=NOISE, width=width, pixels=Pixels((8.0,), (8.0,)))


def _agree(batch) -> None:
    """Five steps of ours and of the same maths by hand end at the same weights."""
    ours = Adversarial(_players(8), generator_rule=RULE, critic_rule=RULE, r1=R1, average=Ema(DECAY))
    hand = ByHand(_players(8), alternating=False)
    for step in range(5):
        reseed(0, step)
        ours.step(batch)
        reseed(0, step)
        hand.step(batch.pixels)
    for one, other in zip(ours.model.generator.parameters(), hand.average.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)


def main() -> None:
    torch.set_num_threads(1)
    batch = digits(64).train[0]
    _agree(batch)
    results = {}
    for width in (4, 32):
        ours = Adversarial(_players(width), generator_rule=RULE, critic_rule=RULE, r1=R1, average=Ema(DECAY))
        same = ByHand(_players(width), alternating=False)
        usual = ByHand(_players(width), alternating=True)
        table = compare(
            {
                "ours": lambda ours=ours: ours.step(batch),
                "by hand, same maths": lambda same=same: same.step(batch.pixels),
                "by hand, alternating": lambda usual=usual: usual.step(batch.pixels),
            },
            rounds=9,
            repeat=10,
        )
        show(f"one round, batch 64 of 8 x 8 digits, width {width}", table)
        results |= {f"width {width}: {name}": value for name, value in table.items()}
    save("gan_step", results, note="DCGAN 8 x 8, batch 64, R1, average; CPU time of one thread", bar="<= 1.0 x by hand")


if __name__ == "__main__":
    main()
