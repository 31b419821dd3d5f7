"""Columns of times, however they are written, as seconds since 1970 or as whole numbers."""

from typing import Any

from chainrule.errors import InputError

WAYS = (
    *("%Y/%m/%d %H:%M", "%Y/%m/%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S%.fZ", "%Y-%m-%d %H:%M:%S%z", "%Y-%m-%dT%H:%M:%S%z"),
    *("%Y-%m-%d %H", "%Y%m%d%H", "%Y%m%d", "%d-%m-%Y", "%d-%m-%Y %H:%M", "%m-%d-%Y", "%Y.%m.%d", "%b-%y", "%b %Y"),
)
"""Ways to write a time that a table's reader leaves as text, because elsewhere they may mean something else."""

_MOSTLY = 0.95  # share of a column that must be times of one kind
_PACKED_DATES = (18_000_101, 21_001_231)  # 20240131 is a date rather than a number


def seconds_or_numbers(column: Any, way: str = "") -> tuple[Any, bool, str]:
    """A column of times as whole numbers, nothing where there is no time.

    Gives the numbers, whether they are seconds since 1970, and how they were written where not as ISO 8601.

    Args:
        column: of a polars frame: dates, numbers or text.
        way: how its dates were written, if that is known.

    Example:
        >>> import polars as pl
        >>> numbers, dates, way = seconds_or_numbers(pl.Series("t", ["1970/1/1 0:01", "1970/1/1 1:00"]))
        >>> numbers.to_list(), dates, way
        ([60, 3600], True, '%Y/%m/%d %H:%M')
    """
    import polars as pl

    if column.dtype == pl.Datetime:
        return column.dt.epoch("s"), True, way
    if column.dtype == pl.Float64:
        return _numbers(column)
    for tried in WAYS:
        found = _dated(column, tried)
        if found.is_not_null().sum() >= _MOSTLY * max(1, int(column.is_not_null().sum())):
            return found.dt.epoch("s"), True, tried if "%z" not in tried and "%.f" not in tried else ""
    raise InputError(
        "the column given by `--time` must hold dates or whole numbers",
        advice="write them as 2024-01-31 or 2024-01-31 18:00", column=column.name, such_as=column.head(3).to_list(),
    )  # fmt: skip


def _numbers(column: Any) -> tuple[Any, bool, str]:
    import polars as pl

    there = column.drop_nulls()
    if len(there) and not (there == there.round()).all():
        raise InputError(
            "times that are numbers must be whole ones",
            advice="number the moments 0, 1, 2, ..., or write dates",
            column=column.name,
            such_as=there.filter(there != there.round()).head(3).to_list(),
        )
    whole = column.cast(pl.Int64)
    if len(there) and _PACKED_DATES[0] <= there.min() and there.max() <= _PACKED_DATES[1]:
        dates = _dated(whole.cast(pl.String), "%Y%m%d")
        if dates.is_not_null().sum() == len(there):
            return dates.dt.epoch("s"), True, "%Y%m%d"
    return whole, False, ""


def _dated(column: Any, way: str) -> Any:
    import polars as pl

    text = column.cast(pl.String).str.strip_chars()
    if way.startswith("%Y"):  # polars takes 01 for a year too
        text = pl.select(pl.when(text.str.contains(r"^\d{4}")).then(text)).to_series()
    if way in ("%b-%y", "%b %Y"):
        return ("1 " + text).str.to_datetime("%d " + way, strict=False, time_unit="us")
    if way == "%Y-%m-%d %H":
        return (text + ":00").str.to_datetime(way + ":%M", strict=False, time_unit="us")
    if way == "%Y%m%d%H":
        return (text + "00").str.to_datetime(way + "%M", strict=False, time_unit="us")
    if "%H" not in way:
        return text.str.to_date(way, strict=False).cast(pl.Datetime("us"))
    dates = text.str.to_datetime(way, strict=False, time_unit="us")
    return dates.dt.replace_time_zone(None) if "%z" in way else dates
