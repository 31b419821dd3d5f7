"""From text to numbers and dates: what each column of a text file holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GAPS = ("", "?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "<na>", "null", "none", "missing")
MOSTLY = 0.95  # share of a column's values that must be of a kind for the column to be of it
FORMATS = (
    *("%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%SZ", "%Y/%m/%d"),
    *("%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S%.f", "%d.%m.%Y", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S", "%m/%d/%Y"),
    *("%d/%m/%Y", "%m/%d/%Y %H:%M", "%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%d/%m/%Y %H:%M:%S", "%d-%b-%Y"),
    *("%b %d, %Y", "%d %b %Y", "%B %d, %Y", "%d %B %Y", "%Y-%m"),
)
"""How dates are written, in the language of `strftime`; where two fit, the first."""

_PLAIN = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"
_COMMA = r"^[-+]?(\d+|\d{1,3}(\.\d{3})+)?,\d+([eE][-+]?\d+)?$"
_THOUSANDS = r"^[-+]?\d{1,3}(,\d{3})+(\.\d+)?$"
_CODE = r"^0\d+$"
_SIGNS = r"[$€£¥%\s]"
_NOT_NUMBERS = r"^[-+]?(inf|infinity)$"


@dataclass(frozen=True)
class Typed:
    """A frame whose columns are text, numbers or dates.

    Args:
        frame: a polars frame.
        formats: how each column of dates was written, by its name.
        repairs: what was mended and how often, in sentences.
    """

    frame: Any
    formats: dict[str, str]
    repairs: tuple[str, ...]


def many(count: int, noun: str) -> str:
    """A count with its noun.

    Args:
        count: how many.
        noun: of one.

    Example:
        >>> many(1, "row"), many(2000, "row")
        ('1 row', '2,000 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def typed(frame: Any, *, decimal_comma: bool = False, kinds: Mapping[str, str] | None = None) -> Typed:
    """Finds out of every column of text whether it holds numbers, dates or words, and turns it into that.

    Args:
        frame: a polars frame, every column of it text.
        decimal_comma: whether 1,5 is one and a half.
        kinds: what some columns are known to be: "number", "text", or how their dates are written.
    """
    columns: list[Any] = []
    formats: dict[str, str] = {}
    repairs: list[str] = []
    told: dict[str, int] = {}
    for column in frame:
        known = (kinds or {}).get(column.name, "")
        values = _without_gaps(column, told)
        if known == "text":
            columns.append(values)
            continue
        found = None if known not in ("", "number") else _number(values, decimal_comma, repairs, sure=bool(known))
        if found is None and known != "number":
            found, written = _date(values, known, repairs)
            if found is not None:
                formats[column.name] = written
        columns.append(values if found is None else found)
    if told:
        ways = ", ".join(
            f'"{way}" {many(count, "time")}' for way, count in sorted(told.items(), key=lambda way: -way[1])
        )
        repairs.insert(0, f"Values that are missing were found written as {ways}.")
    return Typed(frame.clear() if not columns else _frame(columns), formats, tuple(repairs))


def _frame(columns: list[Any]) -> Any:
    import polars as pl

    return pl.DataFrame(columns)


def _without_gaps(column: Any, told: dict[str, int]) -> Any:
    import polars as pl

    values = column.str.strip_chars()
    gaps = values.str.to_lowercase().is_in(GAPS) & values.is_not_null()
    for way, count in values.filter(gaps).value_counts().iter_rows():
        told[way] = told.get(way, 0) + count
    return pl.select(pl.when(gaps).then(None).otherwise(values).alias(column.name)).to_series()


def _number(values: Any, decimal_comma: bool, repairs: list[str], *, sure: bool) -> Any:
    """The column as numbers, or nothing where too few of its values are; gaps where one is not."""
    import polars as pl

    there = int(values.is_not_null().sum())
    infinite = int(values.str.to_lowercase().str.contains(_NOT_NUMBERS).sum() or 0)
    plain = _cast(values)
    if not sure and _holds(values, _CODE) > 0.05 * there:
        return None  # 00123 is a name, not a number
    if decimal_comma and (commas := _holds(values, _COMMA)):
        other = _cast(_from_comma(values))
        if other.is_not_null().sum() > plain.is_not_null().sum():
            plain = other
            repairs.append(f"`{values.name}` is written with decimal commas ({many(commas, 'value')}).")
    if plain.is_not_null().sum() < MOSTLY * there:
        bare = values.str.replace_all(_SIGNS, "")
        cleaned = _cast(pl.select(pl.when(bare.str.contains(_THOUSANDS)).then(bare.str.replace_all(",", ""))
                                  .otherwise(bare).alias(values.name)).to_series())  # fmt: skip
        mended = int(cleaned.is_not_null().sum() - plain.is_not_null().sum())
        if mended and (sure or cleaned.is_not_null().sum() >= MOSTLY * there):
            plain = cleaned
            repairs.append(f"{many(mended, 'value')} of `{values.name}` had signs (such as $, % or ,) taken off.")
    good = int(plain.is_not_null().sum())
    if not sure and (not good or good + infinite < MOSTLY * there):
        return None
    if infinite:
        repairs.append(f"{many(infinite, 'infinite value')} of `{values.name}` became gaps.")
    if good + infinite < there:
        wrong = values.filter(values.is_not_null() & plain.is_null())
        example = wrong.filter(~wrong.str.to_lowercase().str.contains(_NOT_NUMBERS)).head(1).to_list()
        count = there - good - infinite
        repairs.append(
            f"{many(count, 'value')} of `{values.name}` not written as numbers (such as {example}) became gaps."
        )
    return plain


def _cast(values: Any) -> Any:
    """As numbers, nothing where a value is not written as one or is beyond all numbers."""
    import polars as pl

    fits = values.str.contains(_PLAIN)
    numbers = pl.select(pl.when(fits).then(values).alias(values.name)).to_series().cast(pl.Float64, strict=False)
    return pl.select(pl.when(numbers.is_finite()).then(numbers).alias(values.name)).to_series()


def _from_comma(values: Any) -> Any:
    import polars as pl

    changed = values.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    return pl.select(
        pl.when(values.str.contains(_COMMA)).then(changed).otherwise(values).alias(values.name)
    ).to_series()


def _date(values: Any, known: str, repairs: list[str]) -> tuple[Any, str]:
    """The column as dates and how they are written, or nothing where too few of its values are."""
    import polars as pl

    there = int(values.is_not_null().sum())
    if not there or (not known and not _holds(values.head(1000).drop_nulls(), r"\d") > 0):
        return None, ""
    best, found, way = (-1 if known else MOSTLY * there - 1e-9), None, ""
    for written in (known,) if known else FORMATS:
        few = values.drop_nulls().head(50)
        if not known and _dates(few, written).is_not_null().sum() < 0.8 * len(few):
            continue
        dates = _dates(values, written)
        count = int(dates.is_not_null().sum())
        if count > best:
            best, found, way = count, dates, written
    if found is not None and best < there:
        repairs.append(
            f"{many(there - int(best), 'value')} of `{values.name}` not written as the other dates became gaps."
        )
    return (found.cast(pl.Datetime("us")), way) if found is not None else (None, "")


def _dates(values: Any, written: str) -> Any:
    import polars as pl

    if written == "%Y-%m":
        return (values + "-01").str.to_datetime("%Y-%m-%d", strict=False, time_unit="us")
    if "%H" not in written:
        return values.str.to_date(written, strict=False).cast(pl.Datetime("us"))
    return values.str.to_datetime(written, strict=False, time_unit="us")


def _holds(values: Any, pattern: str) -> int:
    return int(values.str.contains(pattern).sum() or 0)
