"""Somebody's table, from a file or a frame: columns of text, numbers and dates, with every repair counted."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainrule.errors import InputError
from chainrule.sources.delimited import read_delimited, unpacked
from chainrule.sources.typed import many, typed

_ENDINGS = frozenset({".csv", ".tsv", ".tab", ".txt", ".data", ".parquet"})
SHIPPED = ("breast_cancer", "diabetes", "iris", "wine")
"""Tables that come with scikit-learn, by the name they are asked for."""


@dataclass(frozen=True)
class TableData:
    """A table as it was read.

    Args:
        frame: a polars frame of text (`String`), numbers (`Float64`) and moments (`Datetime`); a gap is null.
        digest: of the content that it was read from.
        repairs: what was found out and what was mended, how often, in sentences.
        formats: how each column of dates was written, by its name.

    Example:
        >>> import polars as pl
        >>> read_table(pl.DataFrame({"a": [1, None]})).frame["a"].to_list()
        [1.0, None]
    """

    frame: Any
    digest: str
    repairs: tuple[str, ...]
    formats: Mapping[str, str]


def read_table(
    source: Any, names: Sequence[str] = (), kinds: Mapping[str, str] | None = None, *, every_row: bool = False
) -> TableData:
    """Reads a table, whatever it was written with: finds out delimiter, encoding, header and what each column holds.

    Args:
        source: a file (.csv, .tsv, .parquet; text also packed as .gz or .xz), the name of a table that comes with
            scikit-learn (see `SHIPPED`), or a frame of polars or pandas.
        names: columns that are known already: a first row that holds most of them is a header.
        kinds: what columns are known to be: "number", "text", or how their dates are written ("%d.%m.%Y").
        every_row: whether every row needs an answer: then one with too many values is kept with the first of them,
            and a file that is too large is an error.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "prices.csv"
        ...     _ = file.write_text("town;price\\nUlm;1,5\\nKiel;?\\n")
        ...     table = read_table(file)
        >>> table.frame.rows(), table.repairs[2]
        ([('Ulm', 1.5), ('Kiel', None)], '`price` is written with decimal commas (1 value).')
    """
    if not isinstance(source, str | os.PathLike):
        return _from_frame(source, kinds)
    path = Path(source)
    if str(source) in SHIPPED and not path.exists():
        return _shipped(str(source))
    endings = [ending.lower() for ending in path.suffixes if ending.lower() not in (".gz", ".xz")]
    if endings[-1:] == [".parquet"]:
        return _parquet(path, kinds)
    if not _ENDINGS.intersection(endings[-1:]) and not path.is_file():
        raise InputError(
            "a table is a file that ends in .csv, .tsv or .parquet (.gz or .xz behind it), or a frame",
            advice=f"check the name, or try one of {', '.join(SHIPPED)}",
            path=str(path),
        )
    written = read_delimited(path, names, every_row=every_row)
    comma = written.delimiter != ","
    found = typed(written.frame, decimal_comma=comma, kinds=kinds)
    return TableData(found.frame, written.digest, (*written.repairs, *found.repairs), found.formats)


def _parquet(path: Path, kinds: Mapping[str, str] | None) -> TableData:
    import io

    import polars as pl

    content, cut = unpacked(path, 1 << 33)
    if cut:
        raise InputError("a table must be smaller than 8 GiB", advice="take a part of its rows", path=str(path))
    try:
        frame = pl.read_parquet(io.BytesIO(content))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(
            f"the file is no readable parquet ({type(error).__name__})", advice="write it again", path=str(path)
        ) from error
    return _native(frame, hashlib.sha256(content).hexdigest()[:16], kinds)


def _shipped(name: str) -> TableData:
    import polars as pl
    from sklearn import datasets

    loaders: dict[str, Any] = {
        "breast_cancer": datasets.load_breast_cancer,
        "diabetes": datasets.load_diabetes,
        "iris": datasets.load_iris,
        "wine": datasets.load_wine,
    }
    bunch = loaders[name](scaled=False) if name == "diabetes" else loaders[name]()
    frame = pl.DataFrame(bunch["data"], schema=[str(column) for column in bunch["feature_names"]])
    names = bunch.get("target_names")
    outcome = bunch["target"] if names is None else [str(names[number]) for number in bunch["target"]]
    return _from_frame(frame.with_columns(pl.Series("target", outcome)))


def _from_frame(source: Any, kinds: Mapping[str, str] | None = None) -> TableData:
    """A polars frame, or one of pandas turned into it column by column."""
    import polars as pl

    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    if not isinstance(source, pl.DataFrame):
        if type(source).__module__.split(".")[0] != "pandas":
            raise InputError(
                "a table is a file, or a frame of polars or pandas", advice="give one", got=type(source).__name__
            )
        columns = [_from_pandas(str(name), source[name]) for name in source.columns]
        if len({column.name for column in columns}) < len(columns):
            raise InputError("the columns of a frame need names of their own", advice="rename them")
        source = pl.DataFrame(columns)
    digest = hashlib.sha256(",".join(source.columns).encode())
    try:
        digest.update(source.hash_rows().to_numpy().tobytes())
    except pl.exceptions.PolarsError:  # columns of lists or objects have no hash; they are left out anyway
        digest.update(str(source).encode())
    return _native(source, digest.hexdigest()[:16], kinds)


def _from_pandas(name: str, column: Any) -> Any:
    import polars as pl

    values = column.astype(object).where(column.notna(), None).tolist()
    return pl.Series(name, values, strict=False)


def _native(frame: Any, digest: str, kinds: Mapping[str, str] | None) -> TableData:
    """Columns of any type of polars as text, numbers or dates; those of other types are left out and told."""
    import polars as pl

    columns: list[Any] = []
    repairs: list[str] = []
    for column in frame:
        kind = column.dtype
        if kind.is_numeric() or kind == pl.Duration:
            numbers = (column.dt.total_microseconds() / 1e6 if kind == pl.Duration else column).cast(pl.Float64)
            finite = pl.select(pl.when(numbers.is_finite()).then(numbers).alias(column.name)).to_series()
            infinite = int(numbers.is_infinite().sum())
            if infinite:
                repairs.append(f"{many(infinite, 'infinite value')} of `{column.name}` became gaps.")
            columns.append(finite)
        elif kind in (pl.Date, pl.Datetime):
            columns.append(column.dt.replace_time_zone(None).cast(pl.Datetime("us")) if kind == pl.Datetime
                           else column.cast(pl.Datetime("us")))  # fmt: skip
        elif kind in (pl.String, pl.Boolean, pl.Categorical, pl.Enum):
            columns.append(column.cast(pl.String))
        elif kind == pl.Null:
            columns.append(column.cast(pl.Float64))
        else:
            repairs.append(f"`{column.name}` holds neither text nor numbers nor dates ({kind}) and was left out.")
    texts = [column for column in columns if column.dtype == pl.String]
    found = typed(pl.DataFrame(texts), kinds=kinds) if texts else None
    by_name = {} if found is None else {column.name: column for column in found.frame}
    shown = pl.DataFrame([by_name.get(column.name, column) for column in columns])
    return TableData(shown, digest, (*repairs, *(found.repairs if found else ())), found.formats if found else {})
