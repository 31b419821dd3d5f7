"""Many related series from somebody's table: times in order, on even steps, every gap marked and told."""

import difflib
from dataclasses import dataclass
from typing import Any

import numpy as np

from chainrule.errors import InputError
from chainrule.sources.steps import Step, find_step, uneven
from chainrule.sources.tables import TableData, read_table
from chainrule.sources.times import seconds_or_numbers
from chainrule.sources.typed import many

_SPARSE = 0.5  # share of places without a value beyond which a table is no series
_LONGEST = 50_000_000  # places of all series together
_KEY, _TIME, _VALUE = "which series", "when", "how much"  # no column of a file ends up with blanks and these words


@dataclass(frozen=True)
class SeriesTable:
    """Series as they were read: evenly spaced, not a number in a gap.

    Args:
        names: of the series.
        starts: the step at which each begins.
        values: of each, from its first value to its last.
        step: of all of them.
        way: how times were written, in the language of `strftime`; empty for ISO 8601 and plain numbers.
        digest: of the content they were read from.
        notes: what was found out and mended, and how often.

    Example:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"year": [2001, 2003, 2002], "tons": [1.0, 3.0, 2.0]})
        >>> series = read_series(frame, time="year")
        >>> series.names, series.values[0].tolist(), series.step.name
        (('tons',), [1.0, 2.0, 3.0], 'step')
    """

    names: tuple[str, ...]
    starts: tuple[int, ...]
    values: tuple[np.ndarray, ...]
    step: Step
    way: str
    digest: str
    notes: tuple[str, ...]


def read_series(
    source: Any,
    *,
    time: str,
    series: str | None = None,
    targets: tuple[str, ...] = (),
    step: Step | None = None,
) -> SeriesTable:
    """Reads series from a table: a column that says when, and one of values per series or one that tells them apart.

    Rows out of order are sorted, rows of one moment averaged, gaps filled in later and marked; all is counted.

    Args:
        source: a file or a frame, as `read_table` takes it.
        time: the column that says when: dates, whole numbers or years.
        series: the column that says which series a row belongs to; without it every column is a series.
        targets: the columns of values; every column of numbers if empty.
        step: between two moments, where it is known already; found out if `None`.

    Example:
        >>> import polars as pl
        >>> frame = pl.DataFrame({"day": ["2024-01-01", "2024-01-02", "2024-01-04"] * 2, "shop": list("aaabbb"),
        ...     "sold": [1.0, 2.0, 4.0, 5.0, 6.0, 8.0]})
        >>> found = read_series(frame, time="day", series="shop")
        >>> found.names, found.values[1].tolist(), found.notes[-1]
        (('a', 'b'), [5.0, 6.0, nan, 8.0], '2 of 8 moments have no value (gaps): ...')
    """
    table = read_table(source)
    notes = list(table.repairs)
    columns = _columns(table, time, series, targets)
    times, dates, way = seconds_or_numbers(table.frame[time], table.formats.get(time, ""))
    long = _long(table.frame, times, series, columns, time, notes)
    if step is None:
        step = find_step([part[_TIME].to_numpy() for part in _parts(long)], dates=dates)
    elif dates != (step.unit != "number"):
        raise InputError(
            "times must be of the kind that the model was trained with",
            advice="write dates where it had dates, and numbers where it had numbers",
            trained_with=step.name, time=time,
        )  # fmt: skip
    names, starts, values = _gridded(long, step, notes)
    return SeriesTable(names, starts, values, step, way, table.digest, tuple(notes))


def _columns(table: TableData, time: str, series: str | None, targets: tuple[str, ...]) -> list[str]:
    """The columns of values, once it is sure that all columns asked for are there."""
    import polars as pl

    frame = table.frame
    for flag, name in (("--time", time), ("--series", series), *(("--target", target) for target in targets)):
        if name is not None and name not in frame.columns:
            near = difflib.get_close_matches(name, frame.columns, n=1)
            advice = f"did you mean {near[0]!r}" if near else f"choose one of {', '.join(frame.columns[:20])}"
            raise InputError(f"the column given by `{flag}` must be in the table", advice=advice, got=name)
    taken = [name for name in (time, series) if name is not None]
    found = list(targets) or [name for name in frame.columns if name not in taken]
    numbers = [name for name in found if frame[name].dtype == pl.Float64 and frame[name].is_not_null().any()]
    wrong = [name for name in targets if name not in numbers or name in taken]
    if wrong or not numbers:
        raise InputError(
            "a forecast needs a column of numbers that is neither the time nor the series",
            advice="name one with `--target`", target=wrong or None, columns=frame.columns[:20],
        )  # fmt: skip
    return numbers


def _long(frame: Any, times: Any, series: str | None, columns: list[str], time: str, notes: list[str]) -> Any:
    """One row per value, in the order of the file: which series, when, how much; nothing is missing in it."""
    import polars as pl

    kept = frame.select(columns if series is None else [series, *columns]).with_columns(times.alias(_TIME))
    undated = int(times.is_null().sum())
    if undated:
        notes.append(f"{undated:,} of {len(frame):,} rows had no readable `{time}` and were left out.")
    if series is not None:
        nameless = int(frame[series].is_null().sum())
        if nameless:
            notes.append(f"{many(nameless, 'row')} had no `{series}` and were left out.")
        kept = (
            kept.drop_nulls([series]).with_columns(_named(kept.drop_nulls([series])[series]).alias(_KEY)).drop(series)
        )
    kept = kept.drop_nulls([_TIME])
    long = kept.unpivot(
        on=columns, index=[_TIME] if series is None else [_TIME, _KEY], variable_name="column", value_name=_VALUE
    )
    if series is None:
        long = long.rename({"column": _KEY})
    elif len(columns) > 1:
        long = long.with_columns((pl.col(_KEY) + " " + pl.col("column")).alias(_KEY))
    disordered = int(long.select((pl.col(_TIME).diff() < 0).over(_KEY).sum()).item() or 0)
    if disordered:
        notes.append(f"{many(disordered, 'row')} came after a later one: rows were sorted by `{time}`.")
    long = long.drop_nulls([_VALUE]).select(_KEY, _TIME, _VALUE)
    if not len(long):
        raise InputError("a table must have values with times", advice="look at the columns", rows=len(frame))
    return long


def _named(column: Any) -> Any:
    """Names of series as text; a number that was read as 7.0 is 7."""
    import polars as pl

    if column.dtype == pl.Float64 and (column == column.floor()).all():
        return column.cast(pl.Int64).cast(pl.String)
    return column.cast(pl.String)


def _parts(long: Any) -> list[Any]:
    """Each series with its different times, rising."""
    import polars as pl

    times = long.select(_KEY, _TIME).unique().sort(_KEY, _TIME)
    return times.with_columns(pl.col(_TIME)).partition_by(_KEY, maintain_order=True)


def _gridded(
    long: Any, step: Step, notes: list[str]
) -> tuple[tuple[str, ...], tuple[int, ...], tuple[np.ndarray, ...]]:
    """Every series as an even row of values from its first to its last."""
    import polars as pl

    places, moved = step.index(long[_TIME].to_numpy())
    uneven(moved, len(long))
    if moved:
        notes.append(f"{moved:,} of {len(long):,} values lay off the even steps and count for the nearest one.")
    means = (
        long.with_columns(pl.Series("place", places))
        .group_by(_KEY, "place")
        .agg(pl.col(_VALUE).mean(), pl.len().alias("rows"))
        .sort(_KEY, "place")
    )
    doubled = int((means["rows"] - 1).sum())
    if doubled:
        notes.append(f"{many(doubled, 'value')} had the series and the time of another one: their mean was taken.")
    names: list[str] = []
    starts: list[int] = []
    values: list[np.ndarray] = []
    parts = means.partition_by(_KEY, maintain_order=True)
    room = sum(int(part["place"][-1] - part["place"][0]) + 1 for part in parts)
    gaps = room - len(means)
    if gaps > _SPARSE * room or room > _LONGEST:
        raise InputError(
            f"a series must have a value at most of its moments, one {step.name} apart",
            advice="look for a wrong date, or sum up over longer steps first",
            moments=room, with_a_value=len(means),
        )  # fmt: skip
    for part in parts:
        where = part["place"].to_numpy()
        row = np.full(int(where[-1] - where[0]) + 1, np.nan)
        row[where - where[0]] = part[_VALUE].to_numpy()
        names.append(str(part[_KEY][0]))
        starts.append(int(where[0]))
        values.append(row)
    if gaps:
        notes.append(
            f"{gaps:,} of {room:,} moments have no value (gaps): they are marked, hold the value before where the "
            "model looks back, and are never a target."
        )
    return tuple(names), tuple(starts), tuple(values)
