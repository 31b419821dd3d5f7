import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainrule.errors import InputError
from chainrule.report import Axis, Curve, curves
from report.reading import SVG, parse

pairs = st.lists(st.tuples(st.floats(), st.floats()), max_size=20)


@given(st.dictionaries(st.text(max_size=8), pairs, max_size=4), st.sampled_from(["linear", "log"]))
def test_any_numbers_give_a_drawing_inside_its_frame(series, scale):
    drawn = {name: ([x for x, _ in points], [y for _, y in points]) for name, points in series.items()}
    figure = curves(drawn, title="t", caption="", y=Axis("y", scale))
    root = parse(figure.svg)
    height = float(root.get("viewBox", "").split()[3])
    for line in root.iter(f"{SVG}polyline"):
        if line.get("data-name") is None:
            continue
        for point in line.get("points", "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= 360
            assert 0 <= y <= height


def test_a_gap_breaks_the_line():
    figure = curves({"a": ([0, 1, 2, 3], [1.0, math.nan, 2.0, 3.0])}, title="t", caption="")
    lines = [line for line in parse(figure.svg).iter(f"{SVG}polyline") if line.get("data-name")]
    assert [line.get("data-at") for line in lines] == ["0", "2|3"]


def test_the_values_are_in_the_page_for_reading():
    figure = curves({"a": ([0, 1000], [0.5, 0.25])}, title="t", caption="")
    assert 'data-at="0|1,000" data-values="0.5000|0.2500"' in figure.svg


def test_lines_differ_in_more_than_colour():
    lines = {str(index): ([0, 1], [index, index + 1]) for index in range(6)}
    root = parse(curves(lines, title="t", caption="").svg)
    dashes = [line.get("stroke-dasharray") for line in root.iter(f"{SVG}polyline") if line.get("data-name")]
    assert len(set(dashes)) == 6


def test_a_band_needs_both_edges():
    with pytest.raises(InputError, match="the columns of a curve must be equally long"):
        Curve([0, 1], [0, 1], low=[0])


def test_points_are_drawn_without_a_line():
    root = parse(curves({"a": Curve([0, 1], [0, 1], points=True)}, title="t", caption="").svg)
    assert not list(root.iter(f"{SVG}polyline"))
