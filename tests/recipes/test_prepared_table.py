"""Who learns, who chooses, who judges: planted copies, groups, gaps and second files, counted by hand."""

import numpy as np
import polars as pl
import pytest
import torch

from chainrule import InputError
from chainrule.recipes.prepared_table import named, prepare

RANDOM = np.random.default_rng(0)


def plain(rows: int = 200) -> pl.DataFrame:
    numbers = RANDOM.normal(size=(rows, 2))
    return pl.DataFrame({"a": numbers[:, 0], "b": numbers[:, 1], "target": ["yes", "no"] * (rows // 2)})


def prepared(frame: pl.DataFrame, test: str | None = None, *, group: str | None = None, target: str | None = None):
    return prepare(named(frame), test, target=target, task=None, group=group, seed=0)


def test_every_row_takes_part_once():
    table = prepared(plain())
    places = torch.cat([table.train, table.validation, table.test])
    assert sorted(places.tolist()) == list(range(200))
    assert table.frame.columns == ["a", "b"]
    assert table.task == "classify"


def test_rows_without_an_answer_are_left_out_and_counted():
    frame = plain().with_columns(pl.when(pl.col("a") > 1).then(None).otherwise(pl.col("target")).alias("target"))
    table = prepared(frame)
    gaps = frame["target"].null_count()
    assert len(table.frame) == 200 - gaps
    assert f"{gaps} of 200 rows had no `target` and were left out." in table.notes


def test_copies_stay_on_one_side():
    frame = plain(100)
    table = prepared(pl.concat([frame, frame.head(30)]))
    home = torch.empty(130, dtype=torch.int64)
    for number, places in enumerate((table.train, table.validation, table.test)):
        home[places] = number
    assert torch.equal(home[:30], home[100:])
    assert "Copies of other rows (30) stay on one side of the split with them." in table.notes


def test_copies_that_are_no_accident_are_not_tied():
    frame = pl.DataFrame({"a": ["u", "v"] * 100, "target": ["yes", "no"] * 100})
    assert "too many to be an accident" in " ".join(prepared(frame).notes)


def test_groups_and_copies_stay_together():
    frame = plain(120).with_columns(pl.Series("who", [f"p{place // 4}" for place in range(120)]))
    frame = frame.with_columns(pl.Series("a", [*frame["a"][:-1], frame["a"][0]]))
    table = prepared(frame, group="who")
    homes = [set(frame["who"][places.tolist()].to_list()) for places in (table.train, table.validation, table.test)]
    assert not homes[0] & homes[1]
    assert not homes[0] & homes[2]
    assert not homes[1] & homes[2]
    with pytest.raises(InputError, match="column to group by must be in the table"):
        prepared(frame, group="nobody")


def test_a_second_file_judges(tmp_path):
    frame = plain()
    second = frame.head(10).with_columns(pl.col("target") + ".")
    second.write_csv(tmp_path / "test.csv")
    table = prepared(frame, str(tmp_path / "test.csv"))
    assert table.test.tolist() == list(range(200, 210))
    assert len(table.train) + len(table.validation) == 200
    assert set(table.answers.to_list()) == {"yes", "no"}


def test_rows_of_the_second_file_that_were_learnt_from_are_counted(tmp_path):
    frame = plain()
    frame.head(10).write_parquet(tmp_path / "test.parquet")
    said = " ".join(prepared(frame, str(tmp_path / "test.parquet")).notes)
    assert "10 of 10 rows to judge with stand among those to learn from, too." in said


def test_a_second_file_without_a_column(tmp_path):
    plain().drop("a").write_csv(tmp_path / "test.csv")
    with pytest.raises(InputError, match="must have the same columns"):
        prepared(plain(), str(tmp_path / "test.csv"))


@pytest.mark.parametrize(
    ("frame", "fact"),
    [
        (plain().with_columns(target=pl.lit(None, dtype=pl.String)), "empty in every row"),
        (plain().with_columns(target=pl.lit("yes")), "two different values"),
        (plain(6), "10 rows with an answer"),
        (plain().select("target"), "a column to predict and one to predict it from"),
        (plain(12).with_columns(who=pl.lit("x")), "rows to learn from, to choose by and to judge with"),
    ],
)
def test_tables_that_cannot_be_learnt(frame, fact):
    with pytest.raises(InputError, match=fact):
        prepared(frame, group="who" if "who" in frame.columns else None, target="target")


def test_a_frame_that_is_gone():
    with pytest.raises(InputError, match="not here any more"):
        prepare("a frame (0123)", None, target=None, task=None, group=None, seed=0)
