"""Honest splits: who learns, who chooses and who judges, decided before anything is looked at."""

import math

import torch
from torch import Tensor

from chainrule.data import generator
from chainrule.errors import InputError
from chainrule.shapes import Int

SHARES = (0.7, 0.15, 0.15)  # to learn from, to choose by, to judge with
_LEAST = 1e-9


def honest_split(
    units: Int[Tensor, " example"],
    strata: Int[Tensor, " label"] | None = None,
    *,
    shares: tuple[float, float, float] = SHARES,
    seed: int = 0,
) -> tuple[Tensor, Tensor, Tensor]:
    r"""Positions of the training, validation and test examples; no unit is cut apart.

    A unit is what must not stand on both sides: one person's rows, copies of one picture, rows that are equal. Within
    every stratum (a class, say) units are drawn in a random order and each goes to the part that is furthest below
    its share of the strata so far:

    $$\text{part}(u) = \arg\max_p \big(s_p N - n_p\big), \qquad N = \text{examples of the strata so far}, \quad
      n_p = \text{those that part } p \text{ has}$$

    Args:
        units: which unit an example belongs to.
        strata: which stratum, for instance its class; a unit lies in the stratum of its first example.
        shares: of the three parts.
        seed: of the order.

    Shape:
        units: (example); strata: (label), as many as examples; returns the positions of each part, ascending.

    Example:
        >>> train, validation, test = honest_split(torch.arange(20), torch.arange(20) % 2)
        >>> len(train), len(validation), len(test)
        (14, 3, 3)
        >>> twins = honest_split(torch.arange(20) // 2)      # twins stay together
        >>> all(len(set((part // 2).tolist())) * 2 == len(part) for part in twins)
        True

    Reference:
        Kaufman, Rosset and Perlich, Leakage in Data Mining, 2011.

    Differs:
        Nothing.
    """
    if len(shares) != 3 or min(shares) < 0 or not math.isclose(sum(shares), 1.0, abs_tol=1e-6):
        raise InputError("`shares` must be three shares that sum to one", advice="try (0.7, 0.15, 0.15)", shares=shares)
    if strata is not None and len(strata) != len(units):
        raise InputError(
            "`strata` must have one entry per example", advice="leave it out", strata=len(strata), units=len(units)
        )
    _, places = torch.unique(units, return_inverse=True)
    count = int(places.max()) + 1 if len(places) else 0
    sizes = torch.bincount(places, minlength=count)
    first = torch.full((count,), len(units)).scatter_reduce(0, places, torch.arange(len(units)), "amin")
    of_unit = torch.zeros(count, dtype=torch.int64) if strata is None else strata[first]
    part_of_unit = torch.empty(count, dtype=torch.int64)
    order = torch.randperm(count, generator=generator(seed, 0))
    wanted, have = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    for stratum in of_unit.unique().tolist():
        drawn = order[of_unit[order] == stratum]
        wanted = [due + share * float(sizes[drawn].sum()) for due, share in zip(wanted, shares, strict=True)]
        part_of_unit[drawn] = _dealt(sizes[drawn], wanted, have)
    part = part_of_unit[places]
    train, validation, test = ((part == number).nonzero().flatten() for number in range(3))
    return train, validation, test


def split_by_time(
    times: Int[Tensor, " example"], *, shares: tuple[float, float, float] = SHARES
) -> tuple[Tensor, Tensor, Tensor]:
    """Positions of the earliest, the middle and the latest examples: nobody learns from the future.

    Examples of one moment stay together, in the later part.

    Args:
        times: when each example happened, in any whole unit.
        shares: of the three parts.

    Shape:
        times: (example); returns the positions of each part, in order of time.

    Example:
        >>> [part.tolist() for part in split_by_time(torch.tensor([5, 1, 2, 4, 3]), shares=(0.6, 0.2, 0.2))]
        [[1, 2, 4], [3], [0]]
    """
    order = times.argsort(stable=True)
    sorted_times = times[order]
    ends = [round(sum(shares[: number + 1]) * len(times) - _LEAST) for number in range(2)]
    cuts = [int((sorted_times < sorted_times[end]).sum()) if 0 < end < len(times) else end for end in ends]
    return order[: cuts[0]], order[cuts[0] : cuts[1]], order[cuts[1] :]


def _dealt(sizes: Tensor, wanted: list[float], have: list[float]) -> Tensor:
    """The part of each unit, in the order given: the one furthest below what it should have; `have` is counted on."""
    parts: list[int] = []
    for size in sizes.tolist():
        part = max(range(3), key=lambda number: wanted[number] - have[number])
        have[part] += size
        parts.append(part)
    return torch.tensor(parts, dtype=torch.int64)
