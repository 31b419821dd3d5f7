"""What a served model is, in plain values: for `GET /about`, and for the page to make its form of."""

import datetime
from typing import Any

from chainrule.recipes import FitPhrases, FitPictures, FitSeries, FitTable, Fitted
from chainrule.serving.limits import Limits
from chainrule.serving.questions import takes
from chainrule.sources import Category, Classes, Column, Moment, Number, Unused, Words


def told(recipe: Fitted, limits: Limits) -> dict[str, Any]:
    """What a recipe says of itself: title, kind, classes, columns, what it must not be used for, what may be asked.

    Args:
        recipe: that `chainrule fit` made.
        limits: of a request.
    """
    return {
        "title": recipe.title,
        **takes(recipe),
        "classes": _classes(recipe),
        "columns": _columns(recipe),
        "answer": _answer(recipe),
        "limits": recipe.limits,
        "most": {"bytes": limits.bytes, "examples": limits.examples, "seconds": limits.seconds},
    }


def _classes(recipe: Fitted) -> list[str]:
    if isinstance(recipe, FitPictures | FitPhrases):
        return list(recipe.classes)
    return list(recipe.target.names) if isinstance(recipe, FitTable) and isinstance(recipe.target, Classes) else []


def _answer(recipe: Fitted) -> str:
    """The column of the answer that matters most."""
    if isinstance(recipe, FitTable):
        return recipe.target.name
    if isinstance(recipe, FitPhrases):
        return recipe.columns[1]
    if isinstance(recipe, FitPictures):
        return "prediction"
    return "0.5" if isinstance(recipe, FitSeries) else "continuation"


def _columns(recipe: Fitted) -> list[dict[str, Any]]:
    if isinstance(recipe, FitTable):
        return [_column(column) for column in recipe.columns if not isinstance(column, Unused)]
    if isinstance(recipe, FitSeries):
        names = [*([recipe.series] if recipe.series else []), *(recipe.targets or ())]
        return [{"name": recipe.time, "kind": "time"}, *({"name": name, "kind": "series"} for name in names)]
    return []


def _column(column: Column) -> dict[str, Any]:
    """One field of the form, with a value that is usual."""
    match column:
        case Category():
            return {"name": column.name, "kind": "category", "values": list(column.values), "usual": column.values[0]}
        case Moment():
            return {"name": column.name, "kind": "date", **_date(column)}
        case Words():
            return {"name": column.name, "kind": "text"}
        case Number():
            low, high = column.edges[0] + column.origin, column.edges[-1] + column.origin
            return {"name": column.name, "kind": "number", "low": low, "high": high,
                    "usual": column.usual + column.origin}  # fmt: skip
        case Unused():
            return {"name": column.name, "kind": "unused"}


def _date(column: Moment) -> dict[str, Any]:
    """How a date is written, and one from the middle of those that were seen."""
    years = [part.usual + part.origin for part in column.parts if part.name == "year"]
    usual = datetime.datetime(min(9999, max(1, int(years[0]))) if years else 2000, 7, 1, 12)
    written = (column.written or "%Y-%m-%dT%H:%M:%S").replace("%.f", "")
    return {
        "written": column.written,
        "exact": any(part.name == "hour" for part in column.parts),
        "usual": usual.strftime(written),
        "iso": f"{usual:%Y-%m-%d}",
    }
