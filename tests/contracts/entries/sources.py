"""How the contract suite builds every public name of `chainrule.sources`."""

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import polars as pl
import torch
from PIL import Image

from chainrule import sources
from contracts.entry import Function, Name, Value


def _grey() -> Path:
    file = Path(mkdtemp()) / "grey.png"
    Image.new("L", (9, 5), 200).save(file)
    return file


ENTRIES = {
    "many": Function(lambda: sources.many(2, "row")),
    "LabelledPictures": Value(
        lambda: sources.read_pictures("digits"),
        skips=dict.fromkeys(("equal", "hashable"), "it holds tensors; its digest is what is compared"),
    ),
    "as_bytes": Function(lambda: sources.as_bytes(np.array([0.0, 1.0]), 0.0, 1.0).tolist()),
    "as_pictures": Function(lambda: sources.as_pictures(np.zeros((2, 8, 8, 3))).shape),
    "fitted_picture": Function(lambda: sources.fitted_picture(Image.new("L", (8, 8), 7), (4, 4), 1)),
    "picture_bytes": Function(lambda: sources.picture_bytes(_grey(), (4, 4), 1)),
    "picture_files": Function(lambda: [file.name for file in sources.picture_files(_grey().parent)[0]]),
    "read_pictures": Function(lambda: sources.read_pictures("digits").digest),
    "outcomes": Function(lambda: sources.outcomes(sources.Classes("y", ("a", "b")), pl.Series(["b", "c"]))),
    "amount_of": Function(lambda: sources.amount_of(pl.Series("y", [1.0, 2.0]))),
    "classes_of": Function(lambda: sources.classes_of(pl.Series("y", ["a", "b"]))),
    "choose_task": Function(lambda: sources.choose_task(pl.Series("y", ["a", "b"]), None)),
    "choose_target": Function(lambda: sources.choose_target(["x", "y", "z"], None)),
    "describe_columns": Function(lambda: sources.describe_columns([sources.Number("x", (0.0, 1.0), usual=0.5)])),
    "column_kinds": Function(lambda: sources.column_kinds([sources.Number("x", (0.0, 1.0), usual=0.5)])),
    "category_sizes": Function(lambda: sources.category_sizes([sources.Category("town", ("Ulm",))])),
    "number_edges": Function(lambda: sources.number_edges([sources.Number("x", (0.0, 1.0), usual=0.5)])),
    "table_features": Function(
        lambda: sources.table_features([sources.Number("x", (0.0, 1.0), usual=0.5)], pl.DataFrame({"x": [1.0, None]}))
    ),
    "understand_columns": Function(
        lambda: sources.understand_columns(pl.DataFrame({"x": [1.0, 2.0]}), torch.arange(2), pl.Series([0.0, 5.0]), {})
    ),
    "as_text": Function(lambda: sources.as_text(pl.Series([1.0, None])).to_list()),
    "as_numbers": Function(lambda: sources.as_numbers(pl.Series(["1", "x"])).to_list()),
    "read_table": Function(lambda: sources.read_table("iris").digest),
    "TableData": Value(lambda: sources.TableData(None, "d", (), {}), skips={"hashable": "it holds a frame"}),
    "Unused": Value(lambda: sources.Unused("id", "identifier")),
    "Words": Value(lambda: sources.Words("text", ("good",), sources.Number("x", (0.0, 1.0), usual=0.5))),
    "Moment": Value(lambda: sources.Moment("day", "%Y-%m-%d", (sources.Number("x", (0.0, 1.0), usual=0.5),))),
    "Category": Value(lambda: sources.Category("town", ("Ulm",))),
    "Number": Value(lambda: sources.Number("x", (0.0, 1.0), usual=0.5)),
    "Classes": Value(lambda: sources.Classes("income", ("high", "low"))),
    "Amount": Value(lambda: sources.Amount("price", 1.0, 2.0)),
    "Column": Name("the kinds of columns, as one type"),
    "SHIPPED": Name("the names of the tables that come with scikit-learn"),
    "SHARES": Name("how much of the data learns, chooses and judges unless one says otherwise"),
    "honest_split": Function(lambda: [part.tolist() for part in sources.honest_split(torch.arange(20) // 2)]),
    "split_by_time": Function(lambda: [part.tolist() for part in sources.split_by_time(torch.tensor([3, 1, 2]))]),
}
