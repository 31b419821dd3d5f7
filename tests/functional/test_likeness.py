"""Oracles: scipy's matrix square root, closed forms of normal distributions, and loops over points."""

import numpy as np
import pytest
import scipy.linalg
import torch

from chainrule.errors import InputError
from chainrule.functional import frechet_distance, precision_recall


def _points(count: int, features: int, seed: int) -> torch.Tensor:
    return torch.randn(count, features, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def test_frechet_distance_is_the_formula():
    first, second = _points(40, 5, 0), _points(30, 5, 1) @ torch.diag(torch.arange(1.0, 6.0).double()) + 2
    one, other = np.cov(first.T.numpy()), np.cov(second.T.numpy())
    apart = (first.mean(0) - second.mean(0)).square().sum().item()
    expected = apart + np.trace(one + other - 2 * scipy.linalg.sqrtm(one @ other).real)
    assert frechet_distance(first, second).item() == pytest.approx(expected, rel=1e-9)
    assert frechet_distance(second, first).item() == pytest.approx(expected, rel=1e-9)


def test_frechet_distance_in_one_dimension():
    """Between normals on a line: the squared differences of means and of deviations."""
    first, second = _points(50, 1, 2), 3 * _points(60, 1, 3) - 1
    expected = (first.mean() - second.mean()) ** 2 + (first.std() - second.std()) ** 2
    torch.testing.assert_close(frechet_distance(first, second), expected)


def test_frechet_distance_of_fewer_points_than_features():
    points = _points(4, 9, 4)
    assert frechet_distance(points, points).item() == pytest.approx(0.0, abs=1e-6)
    assert frechet_distance(points, points + 1).item() == pytest.approx(9.0, abs=1e-6)


@pytest.mark.parametrize("neighbours", [1, 3])
def test_precision_and_recall_with_loops(neighbours):
    real, generated = _points(25, 3, 5), 0.8 * _points(20, 3, 6) + 0.5

    def inside(points: torch.Tensor, among: torch.Tensor) -> float:
        hits = 0
        for point in points:
            for index, centre in enumerate(among):
                others = [(other - centre).norm() for place, other in enumerate(among) if place != index]
                if (point - centre).norm() <= sorted(others)[neighbours - 1]:
                    hits += 1
                    break
        return hits / len(points)

    precision, recall = precision_recall(real, generated, neighbours)
    assert precision.item() == pytest.approx(inside(generated, real))
    assert recall.item() == pytest.approx(inside(real, generated))


def test_a_lost_mode_lowers_recall_and_noise_lowers_precision():
    real = torch.cat([_points(50, 2, 7), _points(50, 2, 8) + 50])
    precision, recall = precision_recall(real, _points(50, 2, 9))
    assert recall <= 0.5 < precision
    precision, recall = precision_recall(real, torch.cat([real + 1e-3, _points(100, 2, 10) - 500]))
    assert recall > 0.9
    assert precision == 0.5


def test_too_few_points_are_refused():
    with pytest.raises(InputError, match="two points"):
        frechet_distance(_points(1, 2, 0), _points(5, 2, 0))
    with pytest.raises(InputError, match="neighbours=3, real=3"):
        precision_recall(_points(3, 2, 0), _points(5, 2, 0))
