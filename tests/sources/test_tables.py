"""Tables from files and frames: what polars or scikit-learn itself says is the oracle."""

import datetime

import polars as pl
import pytest
from sklearn import datasets

from chainrule import InputError
from chainrule.sources import SHIPPED, read_table


def test_parquet_and_frame_and_csv_are_one_table(tmp_path):
    day = datetime.datetime(2024, 2, 3)
    frame = pl.DataFrame({"n": [1.5, None], "s": ["a", "b"], "d": [day, None], "w": [1, 2]})
    frame.write_parquet(tmp_path / "t.parquet")
    frame.with_columns(pl.col("d").dt.strftime("%Y-%m-%d")).write_csv(tmp_path / "t.csv")
    expected = frame.with_columns(pl.col("w").cast(pl.Float64), pl.col("d").cast(pl.Datetime("us")))
    for source in (frame, tmp_path / "t.parquet", tmp_path / "t.csv", str(tmp_path / "t.csv"), frame.lazy()):
        assert read_table(source).frame.equals(expected)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_tables_hold_what_scikit_learn_holds(name):
    bunch = getattr(datasets, f"load_{name}")()
    frame = read_table(name).frame
    assert frame.shape == (len(bunch.target), len(bunch.feature_names) + 1)
    if name != "diabetes":
        assert frame["target"].to_list() == [str(bunch.target_names[place]) for place in bunch.target]
        assert (frame.drop("target").to_numpy() == bunch.data).all()


def test_infinite_numbers_of_a_frame_are_gaps():
    table = read_table(pl.DataFrame({"x": [1.0, float("inf"), float("nan")]}))
    assert table.frame["x"].to_list() == [1.0, None, None]
    assert "1 infinite value of `x` became gaps" in table.repairs[0]


def test_columns_that_are_neither_are_left_out_and_told():
    table = read_table(pl.DataFrame({"x": [1, 2], "l": [[1], [2]]}))
    assert table.frame.columns == ["x"]
    assert "`l` holds neither" in table.repairs[0]


def test_kinds_of_a_frame():
    table = read_table(pl.DataFrame({"b": [True, False], "c": pl.Series(["u", "v"], dtype=pl.Categorical)}))
    assert table.frame.rows() == [("true", "u"), ("false", "v")]


def test_the_digest_is_of_the_content(tmp_path):
    one, other = pl.DataFrame({"x": [1, 2]}), pl.DataFrame({"x": [1, 3]})
    assert read_table(one).digest == read_table(one.clone()).digest != read_table(other).digest


def test_a_frame_of_pandas():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame({"x": [1.5, None], "s": ["a", None], "d": pandas.to_datetime(["2024-01-01", None])})
    assert read_table(frame).frame["x"].to_list() == [1.5, None]
    assert read_table(frame).frame["d"].dtype == pl.Datetime


@pytest.mark.parametrize(("name", "content"), [("x.parquet", b"no parquet"), ("x.parquet", b"")])
def test_a_damaged_parquet(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match="no readable parquet"):
        read_table(tmp_path / name)


@pytest.mark.parametrize("source", ["no/such/table.csv", "nothing-like-it", 5])
def test_what_is_no_table(source):
    with pytest.raises(InputError):
        read_table(source)
