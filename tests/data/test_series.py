"""Windows of a time series."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule.data import SeriesWindows
from references.streams import slow_starts


@settings(deadline=None, max_examples=25)
@given(
    st.integers(1, 6),
    st.integers(1, 5),
    st.integers(0, 20),
    st.integers(1, 3),
    st.sampled_from([torch.float32, torch.float64]),
)
def test_as_a_loop_over_windows(past, horizon, more, channels, dtype):
    values = torch.randn(past + horizon + more, channels, dtype=dtype)
    windows = SeriesWindows(values, past, horizon, batch_size=3, seed=5)
    for k in (0, 300):
        batch = windows[k]
        for row, start in enumerate(slow_starts(more + 1, 3, seed=5, k=k)):
            assert torch.equal(batch.past[row], values[start : start + past])
            assert torch.equal(batch.future[row], values[start + past : start + past + horizon])


@given(st.integers(1, 6), st.integers(1, 5), st.integers(0, 20), st.integers(1, 4))
def test_once_forecasts_every_moment_once_up_to_the_last(past, horizon, more, batch_size):
    values = torch.arange(float(past + horizon + more))[:, None]
    windows = SeriesWindows(values, past, horizon, batch_size=2)
    batches = list(windows.once(batch_size))
    futures = torch.cat([batch.future.flatten() for batch in batches])
    assert futures.tolist() == values[len(values) - windows.size * horizon :, 0].tolist()
    assert len(values) - len(futures) - past < horizon
    for batch in batches:
        assert torch.equal(batch.past[:, -1, 0] + 1, batch.future[:, 0, 0])


@pytest.mark.parametrize("world", [1, 2, 4])
def test_parts_of_ranks_make_the_whole(world):
    windows = SeriesWindows(torch.randn(90, 2), past=5, horizon=3, batch_size=8, seed=1)
    for k in (0, 31):
        parts = [windows.shard(rank, world)[k].future for rank in range(world)]
        assert torch.equal(torch.cat(parts), windows[k].future)
