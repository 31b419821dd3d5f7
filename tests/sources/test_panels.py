"""Oracles: parts whose targets are listed one by one, and series written out by hand."""

import polars as pl
import torch
from hypothesis import given
from hypothesis import strategies as st

from chainrule.sources import panel_of, read_series, split_ahead


@given(
    st.lists(st.integers(1, 400), min_size=1, max_size=6), st.integers(1, 12), st.integers(1, 30), st.integers(1, 20)
)
def test_no_target_is_in_two_parts_and_none_is_older_than_those_of_an_earlier_part(
    lengths: list[int], horizon: int, least: int, windows: int
) -> None:
    ranges = split_ahead(torch.tensor(lengths), horizon, least=least, windows=windows)
    for series, length in enumerate(lengths):
        parts: list[set[int]] = []
        for (first, last), stride in ((ranges.train, 1), (ranges.validation, horizon), (ranges.test, horizon)):
            origins = range(int(first[series]), int(last[series]) + 1, stride)
            parts.append({place for origin in origins for place in range(origin, origin + horizon)})
        train, validation, test = parts
        if length < least + 3 * horizon:
            assert not (train | validation | test)
            continue
        assert min(train) == least
        assert max(train) < min(validation)
        assert max(validation) < min(test)
        assert max(test) == length - 1
        assert len(train | validation | test) == length - least
        assert len(test) % horizon == len(validation) % horizon == 0


def test_a_gap_holds_the_value_before_it_and_never_one_that_is_to_come() -> None:
    frame = pl.DataFrame({"t": [0, 1, 4, 5], "a": [1.0, 2.0, 9.0, 8.0], "b": [None, 5.0, 6.0, None]})
    panel = panel_of(read_series(frame, time="t"), 2, known=("b",))
    assert panel.values.tolist() == [1.0, 2.0, 2.0, 2.0, 9.0, 8.0, 8.0, 8.0, 5.0, 5.0, 5.0, 6.0, 6.0, 6.0]
    assert panel.observed.int().tolist() == [1, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0]
    assert (panel.starts.tolist(), panel.lengths.tolist()) == ([0, 8], [6, 4])
    assert (panel.which.tolist(), panel.moments.tolist()) == ([0, 1], [0, 1])
