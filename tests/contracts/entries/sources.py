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


def _phrases() -> pl.DataFrame:
    texts = [f"film {number} was good fun" for number in range(20)]
    return pl.DataFrame({"text": texts, "stars": ["one", "two"] * 10})


def _series() -> sources.SeriesTable:
    return sources.read_series(pl.DataFrame({"t": [0, 1, 3], "x": [1.0, 2.0, 4.0]}), time="t")


def _club() -> Path:
    folder = Path(mkdtemp())
    (folder / "edges.csv").write_text("from,to\nann,bob\nbob,cid\n")
    (folder / "nodes.csv").write_text("name,age,label\nann,20,x\nbob,30,\ncid,40,y\n")
    return folder


def _node_columns() -> sources.NodeColumns:
    return sources.understand_nodes(_AGES, torch.arange(3), pl.Series(["x", "y", "x"]), ("a", "b", "c"), {})


_AGES = pl.DataFrame({"age": [20.0, 30.0, 40.0]})

ENTRIES = {
    "read_writing": Function(example=lambda: sources.read_writing(__file__).digest),
    "known": Function(example=lambda: sources.known("abz", "ab" + sources.UNKNOWN)),
    "Writing": Value(build=lambda: sources.Writing("abc", (), "ba78")),
    "UNKNOWN": Name("the character that stands for all that a model does not know"),
    "NetworkData": Value(
        lambda: sources.read_network(_club()),
        skips=dict.fromkeys(("equal", "hashable"), "it holds tensors; its digest is what is compared"),
    ),
    "NodeColumns": Value(_node_columns),
    "is_network": Function(lambda: sources.is_network(_club())),
    "read_network": Function(lambda: sources.read_network(_club()).edges),
    "understand_nodes": Function(_node_columns),
    "node_entries": Function(lambda: list(sources.node_entries(_node_columns(), _AGES, ("a", "b", "c")))),
    "Cycle": Name("the cycles of the calendar, as one type"),
    "WAYS": Name("how times may be written besides the ways that every table's dates are"),
    "Ranges": Value(
        lambda: sources.split_ahead(torch.tensor([50]), 5, least=9),
        skips=dict.fromkeys(("equal", "hashable"), "it holds tensors"),
    ),
    "SeriesTable": Value(_series, skips=dict.fromkeys(("equal", "hashable"), "it holds arrays")),
    "Step": Value(lambda: sources.Step("second", 3600)),
    "calendar_features": Function(
        lambda: sources.calendar_features(sources.Step("second", 3600), np.arange(5), ("day",)).tolist()
    ),
    "cycles_of": Function(lambda: sources.cycles_of(sources.Step("second", 3600), 2000)),
    "find_step": Function(lambda: sources.find_step([np.array([0, 3600, 7200])], dates=True)),
    "panel_of": Function(lambda: sources.panel_of(_series(), 2).values),
    "read_series": Function(lambda: sources.read_series(pl.DataFrame({"t": [0, 1], "x": [1.0, 2.0]}), time="t").names),
    "season_of": Function(lambda: sources.season_of([np.sin(np.arange(200) * 2 * np.pi / 12)])),
    "seconds_or_numbers": Function(lambda: list(sources.seconds_or_numbers(pl.Series("t", [1.0, 2.0]))[0])),
    "split_ahead": Function(lambda: sources.split_ahead(torch.tensor([50]), 5, least=9).test),
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
    "LabelledPhrases": Value(lambda: sources.LabelledPhrases(("good",), ("1",), "ab", ())),
    "UNKNOWN_WORD": Name("the number of a word that is not known"),
    "Vocabulary": Value(lambda: sources.Vocabulary(("good",), ("good",), "MM", long=1, many=1)),
    "build_vocabulary": Function(
        lambda: sources.build_vocabulary(["so good", "so bad"] * 2, torch.tensor([0, 1] * 2), 2)
    ),
    "encode_phrases": Function(
        lambda: sources.encode_phrases(sources.Vocabulary(("good",), ("good",), "", long=2, many=2), ["so good"])
    ),
    "folded": Function(lambda: sources.folded(" So  GOOD ")),
    "gram_ratios": Function(
        lambda: sources.gram_ratios(sources.Vocabulary(("good",), ("good",), "MM", long=1, many=1), 2)
    ),
    "grams_of": Function(lambda: sources.grams_of(["so", "good"])),
    "is_phrases": Function(lambda: sources.is_phrases(_phrases())),
    "phrase_classes": Function(lambda: sources.phrase_classes(["a", "b"] * 3, [])),
    "phrase_remarks": Function(lambda: sources.phrase_remarks(["a", "A"], ["0", "1"])),
    "phrase_units": Function(lambda: sources.phrase_units(["a", "A", "b"])),
    "read_phrases": Function(lambda: sources.read_phrases(_phrases()).texts),
    "words_of": Function(lambda: sources.words_of("So good!")),
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
