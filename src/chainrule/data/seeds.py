"""Randomness by counter: every random choice is a function of a seed and of what it is for."""

from collections.abc import Generator
from contextlib import contextmanager

import torch

_MASK = (1 << 64) - 1


def derive(seed: int, *counters: int) -> int:
    r"""A new seed from a seed and counters: `derive(seed, epoch)`, `derive(seed, step, sample)`.

    $$h_0 = \text{mix}(seed), \qquad h_i = \text{mix}(h_{i-1} \oplus c_i), \qquad \text{mix} = \text{SplitMix64}$$

    Args:
        seed: the seed of the whole run.
        counters: what the new seed is for, as whole numbers.

    Example:
        >>> derive(0, 1) != derive(0, 2) != derive(1, 2)
        True

    Reference:
        Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014.

    Differs:
        The result is cut to 63 bits, which is what `torch.Generator.manual_seed` takes.
    """
    state = _mix(seed & _MASK)
    for counter in counters:
        state = _mix(state ^ (counter & _MASK))
    return state >> 1


def _mix(value: int) -> int:
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


def generator(seed: int, *counters: int) -> torch.Generator:
    """A CPU generator that starts from `derive(seed, *counters)`.

    Args:
        seed: the seed of the whole run.
        counters: what the numbers are for, as whole numbers.

    Example:
        >>> torch.equal(torch.rand(2, generator=generator(0, 7)), torch.rand(2, generator=generator(0, 7)))
        True
    """
    return torch.Generator().manual_seed(derive(seed, *counters))


def reseed(seed: int, *counters: int) -> None:
    """Starts torch's own generators (CPU and every CUDA device in use) from `derive(seed, *counters)`.

    One microsecond on the CPU, where `torch.manual_seed` takes a hundred: it is called before every step.

    Args:
        seed: the seed of the whole run.
        counters: what the numbers are for, as whole numbers.

    Example:
        >>> reseed(0, 3); first = torch.rand(2); reseed(0, 3); torch.equal(first, torch.rand(2))
        True
    """
    value = derive(seed, *counters)
    torch.default_generator.manual_seed(value)
    if torch.cuda.is_initialized():
        for device_generator in torch.cuda.default_generators:
            device_generator.manual_seed(value)


@contextmanager
def seeded(seed: int, *counters: int) -> Generator[None]:
    """Inside, torch draws from `derive(seed, *counters)`; afterwards its generators are as they were.

    Args:
        seed: the seed of the whole run.
        counters: what the numbers are for, as whole numbers.

    Example:
        >>> with seeded(0):
        ...     layer = torch.nn.Linear(2, 2)
    """
    with torch.random.fork_rng():
        reseed(seed, *counters)
        yield
