"""Oracle: Python's own calendar."""

import datetime

import numpy as np
import pytest

from chainrule.sources.calendar import calendar_features, cycles_of
from chainrule.sources.steps import Step


def phase(sine: float, cosine: float) -> float:
    return float(np.arctan2(sine, cosine) / (2 * np.pi)) % 1


def same(one: float, other: float) -> bool:
    return min((one - other) % 1, (other - one) % 1) < 1e-4


@pytest.mark.parametrize("step", [Step("second", 3600), Step("second", 86_400, 3600), Step("weekday", 1)])
def test_hours_weekdays_and_days_of_the_month(step: Step) -> None:
    indices = np.arange(9000, 9400)
    features = calendar_features(step, indices, ("day", "week", "month"))
    for row, index in enumerate(indices):
        moment = step.at(int(index))
        share = (moment.hour * 60 + moment.minute) / 1440
        week = moment.weekday() / (5 if step.unit == "weekday" else 7)
        assert same(phase(features[row, 0], features[row, 1]), share)
        assert same(phase(features[row, 4], features[row, 5]), week)
        assert same(phase(features[row, 8], features[row, 9]), (moment.day - 1) / 31)


def test_the_year_of_months_and_days() -> None:
    monthly = Step("month", 1)
    features = calendar_features(monthly, np.arange(2000 * 12, 2000 * 12 + 24), ("year",))
    assert [round(12 * phase(*row)) % 12 for row in features] == [*range(12)] * 2
    daily = Step("second", 86_400)
    index = (datetime.datetime(2024, 7, 2) - datetime.datetime(1970, 1, 1)).days
    assert phase(*calendar_features(daily, np.array([index]), ("year",))[0]) == pytest.approx(0.5, abs=0.01)


def test_a_season_of_plain_numbers_and_nothing_at_all() -> None:
    features = calendar_features(Step("number", 1), np.arange(-7, 7), ("season",), season=7)
    np.testing.assert_allclose(features[:7], features[7:], atol=1e-6)
    assert calendar_features(Step("number", 1), np.arange(3), ()).tolist() == [[0.0]] * 3


@pytest.mark.parametrize(
    ("step", "length", "season", "cycles"),
    [
        (Step("second", 3600), 2000, 24, ("day", "week")),
        (Step("second", 3600), 40, 24, ()),
        (Step("second", 3600), 20_000, 24, ("day", "week", "year")),
        (Step("second", 86_400), 900, 7, ("week", "month", "year")),
        (Step("second", 7 * 86_400), 300, 52, ("month", "year")),
        (Step("month", 1), 120, 12, ("year",)),
        (Step("month", 1), 20, 12, ()),
        (Step("number", 1), 100, 1, ()),
        (Step("number", 1), 100, 9, ("season",)),
    ],
)
def test_only_cycles_that_were_seen_twice_matter(step: Step, length: int, season: int, cycles: tuple[str, ...]) -> None:
    assert cycles_of(step, length, season) == cycles
