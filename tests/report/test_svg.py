from hypothesis import given
from hypothesis import strategies as st

from chainrule.report.axis import Axis, ruler
from chainrule.report.svg import COLOURS, WIDTH, Frame, axes, colour, drawing, legend, shortened, width_of, words
from report.reading import parse


@given(st.text(), st.text())
def test_a_drawing_is_xml_whatever_it_says(name: str, text: str):
    root = parse(drawing(10, name, words(text, 1, 2, turn=-90, anchor="end", halo=True)))
    assert root.get("viewBox") == "0 0 360 10"


def test_axes_label_every_tick():
    frame = Frame(ruler(Axis("a"), [0, 10], 40, 340), ruler(Axis("b"), [0, 1], 180, 20))
    root = parse(f"<g>{axes(frame, 'time (s)', 'loss')}</g>")
    said = [text.text for text in root.iter("text")]
    assert said == ["loss", "0", "0.2", "0.4", "0.6", "0.8", "1", "0", "2", "4", "6", "8", "10", "time (s)"]


@given(st.lists(st.text(min_size=1, max_size=70), max_size=7))
def test_a_legend_stays_on_the_page(names: list[str]):
    marks, height = legend([("<g></g>", name) for name in names], 2, 0)
    texts = list(parse(f"<g>{marks}</g>").iter("text"))
    assert len(texts) == len(names)
    assert all(float(text.get("x", 0)) + width_of(text.text or "") <= WIDTH + 1 for text in texts)
    assert all(float(text.get("y", 0)) <= height + 1e-6 for text in texts)


def test_colours_come_round():
    assert colour(0) == colour(len(COLOURS)) == "var(--series-1)"


def test_a_long_name_is_cut():
    assert (shortened("abcdef", 6), shortened("abcdefg", 6)) == ("abcdef", "abcde…")
