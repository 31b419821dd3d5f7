"""How alike two sets of points are: generated and real examples, compared in a space of features."""

import torch
from torch import Tensor

from chainrule.errors import InputError
from chainrule.shapes import Float


def frechet_distance(first: Float[Tensor, "first feature"], second: Float[Tensor, "second feature"]) -> Tensor:
    r"""The squared Frechet (Wasserstein-2) distance between normal distributions fitted to two sets of points.

    $$d^2 = \lVert \mu_1 - \mu_2 \rVert^2 + \text{tr}\big(\Sigma_1 + \Sigma_2 - 2 (\Sigma_1 \Sigma_2)^{1/2}\big)$$

    In a classifier's features this is what FID measures. It sees means and covariances only, and two samples of one
    distribution are never at distance 0: compare with the distance between two real samples.

    Args:
        first: points.
        second: points, as many as you like.

    Shape:
        first: (first, feature); second: (second, feature); returns a scalar.

    Example:
        >>> corners = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
        >>> round(frechet_distance(corners, corners + 3).item(), 4)
        18.0

    Reference:
        Heusel et al., GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium, 2017.
        https://arxiv.org/abs/1706.08500

    Differs:
        Any features, where FID means one Inception network's. Computed in float64 with exact square roots (of
        symmetric matrices), where the reference code adds to the diagonal when its iteration fails.
    """
    if first.shape[1:] != second.shape[1:]:
        raise InputError(
            "`first` and `second` must have the same features",
            advice="take both from one network",
            first=tuple(first.shape),
            second=tuple(second.shape),
        )
    if min(len(first), len(second)) < 2:
        raise InputError("a covariance needs two points", advice="give more", first=len(first), second=len(second))
    one, other = first.double(), second.double()
    spread, spread_other = torch.atleast_2d(torch.cov(one.T)), torch.atleast_2d(torch.cov(other.T))
    values, vectors = torch.linalg.eigh(spread)
    root = vectors * values.clamp(min=0).sqrt() @ vectors.T
    mixed = torch.linalg.eigvalsh(root @ spread_other @ root).clamp(min=0).sqrt().sum()  # tr of the root of the product
    apart = (one.mean(0) - other.mean(0)).square().sum()
    return (apart + spread.trace() + spread_other.trace() - 2 * mixed).to(first.dtype)


def precision_recall(
    real: Float[Tensor, "real feature"], generated: Float[Tensor, "generated feature"], neighbours: int = 3
) -> tuple[Tensor, Tensor]:
    r"""How many generated points lie where real ones do, and how many real ones lie where generated ones do.

    $$\text{in}(x, S) = \big[\exists\, s \in S: \lVert x - s \rVert \le r_k(s)\big], \qquad
      \text{precision} = \frac1{|G|} \sum_{g \in G} \text{in}(g, R), \quad
      \text{recall} = \frac1{|R|} \sum_{r \in R} \text{in}(r, G)$$

    where $r_k(s)$ is the distance from $s$ to its $k$-th nearest neighbour in its own set. Poor samples lower the
    precision, forgotten modes the recall. Take sets of equal size, and compare with two real samples.

    Args:
        real: points of the data.
        generated: points of the model.
        neighbours: $k$.

    Shape:
        real: (real, feature); generated: (generated, feature); returns two scalars.

    Example:
        >>> line = torch.arange(10.0)[:, None]
        >>> [share.item() for share in precision_recall(line, line[:4], neighbours=1)]
        [1.0, 0.5]

    Reference:
        Kynkaanniemi et al., Improved Precision and Recall Metric for Assessing Generative Models, 2019.
        https://arxiv.org/abs/1904.06991

    Differs:
        Nothing.
    """
    if not 1 <= neighbours < min(len(real), len(generated)):
        raise InputError(
            "`neighbours` must be at least 1 and below the size of either set",
            advice="try 3",
            neighbours=neighbours,
            real=len(real),
            generated=len(generated),
        )
    apart = torch.cdist(real, generated)  # (real, generated)
    precision = (apart <= _reach(real, neighbours)[:, None]).any(0)
    recall = (apart <= _reach(generated, neighbours)[None]).any(1)
    return precision.to(apart.dtype).mean(), recall.to(apart.dtype).mean()


def _reach(points: Tensor, neighbours: int) -> Tensor:
    """The distance from each point to its k-th nearest other point."""
    apart = torch.cdist(points, points).fill_diagonal_(0.0)
    return apart.kthvalue(neighbours + 1, dim=1).values
