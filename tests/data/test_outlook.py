"""Oracle: windows cut out of each series by a loop."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chainrule.data import OutlookWindows, Panel
from chainrule.errors import InputError, SampleError

PAST, HORIZON = 4, 2


def panel(lengths: tuple[int, ...], gap: int | None = None) -> Panel:
    rooms = [length + HORIZON for length in lengths]
    places = sum(rooms)
    observed = torch.ones(places).bool()
    if gap is not None:
        observed[gap] = False
    return Panel(
        values=torch.arange(float(places)), observed=observed, calendar=torch.arange(float(places))[:, None] / 10,
        starts=torch.tensor([sum(rooms[:index]) for index in range(len(rooms))]), lengths=torch.tensor(lengths),
        which=torch.arange(len(lengths)) + 1, moments=100 * torch.arange(len(lengths)),
    )  # fmt: skip


def slow_windows(source: Panel, first: list[int], last: list[int], stride: int) -> list[dict[str, list[float]]]:
    found = []
    for series in range(len(source.lengths)):
        start, length = int(source.starts[series]), int(source.lengths[series])
        for origin in range(first[series], last[series] + 1, stride):
            past = range(origin - PAST, origin)
            future = range(origin, origin + HORIZON)
            found.append(
                {
                    "past": [float(source.values[start + max(0, place)]) for place in past],
                    "observed": [float(place >= 0 and bool(source.observed[start + max(0, place)])) for place in past],
                    "calendar": [float(source.calendar[start + place]) for place in future],
                    "future": [
                        float(source.values[start + place])
                        if place < length and source.observed[start + place]
                        else -1.0
                        for place in future
                    ],
                    "which": [series + 1.0],
                    "moment": [100.0 * series + origin],
                }
            )
    return found


@given(st.lists(st.integers(5, 12), min_size=1, max_size=4), st.integers(1, 3), st.integers(1, 5))
def test_once_gives_the_windows_of_a_loop(lengths: list[int], stride: int, batch_size: int) -> None:
    source = panel(tuple(lengths), gap=3)
    first, last = [1] * len(lengths), [length - HORIZON for length in lengths]
    windows = OutlookWindows(source, PAST, HORIZON, torch.tensor(first), torch.tensor(last), stride=stride)
    expected = slow_windows(source, first, last, stride)
    rows = [(batch, row) for batch in windows.once(batch_size) for row in range(len(batch))]
    assert len(rows) == windows.size == len(expected)
    for (batch, row), wanted in zip(rows, expected, strict=True):
        for name, values in wanted.items():
            got = torch.nan_to_num(batch.tensors()[name][row].float(), nan=-1.0).flatten()
            torch.testing.assert_close(got, torch.tensor(values))


def test_random_windows_are_windows_of_once_and_every_series_comes() -> None:
    source = panel((6, 12, 9))
    windows = OutlookWindows(
        source, PAST, HORIZON, torch.tensor([2, 2, 2]), torch.tensor([4, 10, 7]), batch_size=50, seed=3
    )
    whole = torch.cat([batch.moment for batch in windows.once()])
    drawn = windows[7]
    assert set(drawn.moment.tolist()) <= set(whole.tolist())
    assert set(drawn.which.tolist()) == {1, 2, 3}


def test_a_forecast_of_what_has_not_come_has_no_targets() -> None:
    source = panel((6,))
    (batch,) = OutlookWindows(source, PAST, HORIZON, torch.tensor([6]), torch.tensor([6])).once()
    assert batch.future.isnan().all()
    assert batch.past.tolist() == [[2.0, 3.0, 4.0, 5.0]]
    torch.testing.assert_close(batch.calendar[0, :, 0], torch.tensor([0.6, 0.7]))


def test_series_that_are_too_short_take_no_part() -> None:
    source = panel((6, 3))
    windows = OutlookWindows(source, PAST, HORIZON, torch.tensor([2, 2]), torch.tensor([4, 1]))
    assert windows.size == 3
    assert windows.series(torch.arange(3)).tolist() == [0, 0, 0]
    with pytest.raises(InputError, match="long enough for one window"):
        OutlookWindows(source, PAST, HORIZON, torch.tensor([2, 2]), torch.tensor([1, 1]))


def test_values_are_finite() -> None:
    with pytest.raises(SampleError, match="`values` must be finite"):
        Panel(
            torch.tensor([torch.nan]), torch.ones(1).bool(), torch.zeros(1, 1), torch.tensor([0]), torch.tensor([1]),
            torch.tensor([1]), torch.tensor([0]),
        )  # fmt: skip
