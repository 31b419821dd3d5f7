"""Two networks that play against each other."""

import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.layers import Pixels
from chainrule.shapes import Float, Shaped


class Players(nn.Module):
    r"""A generator that makes examples of noise, and a critic that scores how real an example looks.

    $$z \sim N(0, I), \qquad x = \text{generator}(z), \qquad s = \text{critic}(x)$$

    Called with stored examples it scores them; `sample` gives examples as they are stored. Between the two lies
    the preprocessing: both networks see numbers of about unit size, whatever the data is stored as.

    Args:
        generator: from noise to numbers.
        critic: from numbers to one score per example, high for real.
        noise: how many normal random numbers an example is made of.
        pixels: how stored pixels become the networks' numbers; `None` where the data is such numbers already.

    Shape:
        examples: (batch, ...), as stored; returns (batch).

    Example:
        >>> players = Players(nn.Linear(3, 2), nn.Linear(2, 1), noise=3)    # points in the plane
        >>> players.sample(5).shape, players(torch.zeros(4, 2)).shape
        (torch.Size([5, 2]), torch.Size([4]))

    Reference:
        Goodfellow et al., Generative Adversarial Nets, 2014. https://arxiv.org/abs/1406.2661

    Differs:
        The critic gives a score (a logit or a plain number) instead of a probability.
    """

    def __init__(self, generator: nn.Module, critic: nn.Module, *, noise: int, pixels: Pixels | None = None) -> None:
        super().__init__()
        if noise < 1:
            raise InputError("`noise` must be at least 1", advice="try 64", noise=noise)
        self.generator = generator
        self.critic = critic
        self.noise = noise
        self.pixels = pixels

    def forward(self, examples: Shaped[Tensor, "batch ..."]) -> Float[Tensor, " batch"]:
        """The critic's scores of stored examples."""
        return self.score(self.numbers(examples))

    def numbers(self, examples: Shaped[Tensor, "batch ..."]) -> Float[Tensor, "batch ..."]:
        """Stored examples as the numbers that the networks work with."""
        return examples if self.pixels is None else self.pixels(examples)

    def score(self, numbers: Float[Tensor, "batch ..."]) -> Float[Tensor, " batch"]:
        """The critic's scores of numbers."""
        return self.critic(numbers).view(len(numbers))

    def draw(self, count: int, generator: torch.Generator | None = None) -> Float[Tensor, "count noise"]:
        """Noise for so many examples, on the network's device; from torch's own generator unless given one."""
        weight = next(self.generator.parameters())
        return torch.randn(count, self.noise, generator=generator, device=weight.device, dtype=weight.dtype)

    @torch.no_grad()
    def sample(self, count: int, generator: torch.Generator | None = None) -> Float[Tensor, "count ..."]:
        """So many generated examples, in the units of the stored ones (not rounded)."""
        numbers = self.generator(self.draw(count, generator))
        return numbers if self.pixels is None else numbers / self.pixels.scale + self.pixels.mean

    def extra_repr(self) -> str:
        """The noise, for `print(model)`."""
        return f"noise={self.noise}"
