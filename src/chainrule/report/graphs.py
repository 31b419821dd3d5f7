"""Drawing a graph."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chainrule.errors import InputError
from chainrule.report.figures import whole_numbers
from chainrule.report.markup import Attributes, tag
from chainrule.report.outcome import Figure
from chainrule.report.svg import INK, SIZE, WIDTH, colour, drawing, legend, words

_MOST = 600
_NEAR = 21.0  # between the middles of two nodes
_PUSHES = 100


def layout(edges: Any, nodes: int, *, rounds: int = 200) -> np.ndarray:
    r"""Places nodes so that distances on the page come close to distances along the edges.

    $$\min_x \sum_{i<j} \frac{(\lVert x_i - x_j \rVert - d_{ij})^2}{d_{ij}^2}$$

    Begins with the two leading components of the distances (classical scaling) and majorises the stress; the same
    graph always gets the same drawing.

    Args:
        edges: pairs of node numbers; direction does not matter.
        nodes: how many there are.
        rounds: of majorisation.

    Shape:
        edges: (2, edge); returns (node, 2), within [0, 1].

    Example:
        >>> layout([[0, 1], [1, 2]], 3).round(2).tolist()[1]
        [0.5, 0.5]

    Reference:
        Gansner, Koren and North, Graph drawing by stress majorization, 2004.

    Differs:
        Nothing.
    """
    distances = _distances(whole_pairs(edges, nodes), nodes)
    places = _scaling(distances)
    weights = 1 / np.maximum(distances, 1e-9) ** 2
    np.fill_diagonal(weights, 0.0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    for _ in range(rounds if nodes > 2 else 0):
        apart = np.linalg.norm(places[:, None] - places[None], axis=-1)
        pull = -weights * distances / np.maximum(apart, 1e-9)
        np.fill_diagonal(pull, 0.0)
        np.fill_diagonal(pull, -pull.sum(axis=1))
        places = inverse @ (pull @ places)
    return _fitted(places)


def whole_pairs(edges: Any, nodes: int) -> np.ndarray:
    """Edges as an array (2, edge), checked."""
    pairs = np.asarray(edges)
    pairs = pairs.astype(int).reshape(2, -1) if pairs.size == 0 else pairs
    if pairs.ndim != 2 or pairs.shape[0] != 2 or (pairs.size and not 0 <= pairs.min() <= pairs.max() < nodes):
        raise InputError("`edges` must be (2, edge) node numbers", advice="check them", shape=pairs.shape, nodes=nodes)
    return pairs.astype(int)


def _distances(pairs: np.ndarray, nodes: int) -> np.ndarray:
    """Steps along edges between all nodes; parts that no edge joins are put a little further than the longest way."""
    if not 0 < nodes <= _MOST:
        raise InputError(f"a graph that is drawn must have 1 to {_MOST} nodes", advice="draw a part", nodes=nodes)
    adjacent = np.zeros((nodes, nodes))
    adjacent[pairs[0], pairs[1]] = adjacent[pairs[1], pairs[0]] = 1
    steps = np.full((nodes, nodes), np.inf)
    reached = np.eye(nodes)
    length = 0
    while (reached > 0).any():
        steps[(reached > 0) & np.isinf(steps)] = length
        reached = ((reached @ adjacent) > 0) & np.isinf(steps)
        reached, length = reached.astype(float), length + 1
    longest = steps[np.isfinite(steps)].max()
    return np.where(np.isfinite(steps), steps, longest + 1)


def _scaling(distances: np.ndarray) -> np.ndarray:
    squared = distances**2
    centred = -0.5 * (squared - squared.mean(0) - squared.mean(1)[:, None] + squared.mean())
    values, vectors = np.linalg.eigh(centred)
    if len(values) < 2:
        return np.zeros((len(values), 2))
    places = vectors[:, [-1, -2]] * np.sqrt(np.maximum(values[[-1, -2]], 0))
    places = places * np.where(places[np.abs(places).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)
    turn = 2.399963 * np.arange(len(places))  # nodes with the same distances are told apart, by golden angles
    return places + 1e-2 * np.stack([np.cos(turn), np.sin(turn)], axis=1)


def _fitted(places: np.ndarray) -> np.ndarray:
    centred = places - (places.max(0) + places.min(0)) / 2
    _, _, axes = np.linalg.svd(centred - centred.mean(0), full_matrices=False)
    turned = centred @ axes.T if len(centred) > 2 else centred
    turned = turned - (turned.max(0) + turned.min(0)) / 2
    return turned / (2 * np.abs(turned).max() or 1.0) + 0.5


def graph_figure(
    edges: Any,
    labels: Any,
    predicted: Any,
    *,
    title: str,
    caption: str = "",
    classes: Sequence[str] = (),
    known: Sequence[int] = (),
    positions: Any = None,
) -> Figure:
    """Draws a graph: colour tells the predicted class, a ring a wrong one, a square a label that was given.

    Args:
        edges: pairs of node numbers.
        labels: true class per node; a negative one is not known and can't be wrong.
        predicted: predicted class per node.
        title: what it shows.
        caption: how to read it.
        classes: names by class number.
        known: nodes whose label the model was given.
        positions: where nodes stand, `layout` if `None`.

    Shape:
        edges: (2, edge); labels, predicted: (node); positions: (node, 2), within [0, 1].

    Example:
        >>> graph_figure([[0, 1], [1, 2]], [0, 0, 1], [0, 1, 1], title="Three", known=[0]).svg.count("<rect")
        2
    """
    truth, answer = whole_numbers(labels, "labels"), whole_numbers(predicted, "predicted")
    if len(truth) != len(answer) or len(answer) == 0 or answer.min() < 0:
        raise InputError("`labels` and `predicted` must pair up", advice="give one class per node",
                         labels=len(truth), predicted=len(answer))  # fmt: skip
    pairs = whole_pairs(edges, len(truth))
    places = layout(pairs, len(truth)) if positions is None else np.asarray(positions, dtype=float)
    wrong = (truth >= 0) & (truth != answer)
    seen = sorted({int(each) for each in [*truth[truth >= 0], *answer]})
    marks, taken = legend(_key(seen, bool(wrong.any()), classes, bool(len(known))), 2, 0)
    spots = _spots(places, taken + 8)
    drawn = {tuple(sorted((int(a), int(b)))) for a, b in pairs.T if a != b}
    path = "".join(
        f"M{spots[a, 0]:.1f} {spots[a, 1]:.1f}L{spots[b, 0]:.1f} {spots[b, 1]:.1f}" for a, b in sorted(drawn)
    )
    wires = tag("path", {"d": path, "stroke": "var(--muted)", "stroke-opacity": 0.45, "fill": "none"})
    given = set(known)
    nodes = [
        _node(index, (float(x), float(y)), int(answer[index]), bool(wrong[index]), index in given)
        for index, (x, y) in enumerate(spots)
    ]
    return Figure(title, caption, drawing(float(spots[:, 1].max()) + 16, title, marks, wires, *nodes))


def _spots(places: np.ndarray, top: float) -> np.ndarray:
    low, high = places.min(axis=0), places.max(axis=0)
    spread = max(float(high[0] - low[0]), 1e-9)
    tall = min(1.0, float(high[1] - low[1]) / spread)
    scale = np.array([WIDTH - 32, (WIDTH - 32) * max(tall, 0.05)])
    unit = (places - low) / np.maximum(high - low, 1e-9)
    spots = unit * scale
    for _ in range(_PUSHES):
        spots = np.clip(spots + _push(spots), 0, np.maximum(scale, 1.0))
    return spots + np.array([16, top + 12])


def _push(spots: np.ndarray) -> np.ndarray:
    """Half of what each node must move so that no two overlap."""
    gaps = spots[:, None] - spots[None]
    far = np.linalg.norm(gaps, axis=-1)
    np.fill_diagonal(far, np.inf)
    short = np.maximum(0.0, _NEAR - far) / np.maximum(far, 1e-6)
    return 0.5 * (gaps * short[..., None]).sum(axis=1)


def _node(index: int, at: tuple[float, float], answer: int, wrong: bool, given: bool) -> str:
    x, y = at
    fill: Attributes = {"fill": colour(answer), "stroke": "var(--paper)", "stroke-width": 1.5}
    square: Attributes = {"x": x - 9, "y": y - 9, "width": 18.0, "height": 18.0}
    shape = tag("rect", square | fill) if given else tag("circle", {"cx": x, "cy": y, "r": 8.5} | fill)
    ring: Attributes = {"cx": x, "cy": y, "r": 12.0, "fill": "none", "stroke": INK, "stroke-width": 1.6}
    number = words(index, x, y + 3.6, anchor="middle", fill="var(--on-series)")
    return (tag("circle", ring) if wrong else "") + shape + number


def _key(seen: list[int], wrong: bool, classes: Sequence[str], known: bool) -> list[tuple[str, str]]:
    def dot(fill: str, stroke: str = "none") -> str:
        return tag("circle", {"cx": 12, "cy": 0, "r": SIZE / 2, "fill": fill, "stroke": stroke})

    entries = [(dot(colour(each)), str(classes[each]) if classes else f"class {each}") for each in seen]
    if known:
        square: Attributes = {"x": 6, "y": -5.5, "width": 11, "height": 11, "fill": "var(--muted)"}
        entries.append((tag("rect", square), "label given"))
    if wrong:
        entries.append((dot("none", INK), "wrong"))
    return entries
