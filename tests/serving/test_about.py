"""What a served model says of itself. Oracle: the fields of the recipe it was made from."""

from pathlib import Path

import pytest

from chainrule import load
from chainrule.recipes import Fitted
from chainrule.serving.about import told
from chainrule.serving.limits import Limits
from serving.runs import amount_run, phrase_run, picture_run, series_run, table_run, text_run


def recipe_of(folder: Path) -> Fitted:
    recipe = load(folder).recipe
    assert isinstance(recipe, Fitted)
    return recipe


def test_a_table_tells_its_columns_and_classes(tmp_path: Path) -> None:
    recipe = recipe_of(table_run(tmp_path))
    about = told(recipe, Limits(examples=7))
    assert (about["kind"], about["answer"]) == ("table", "verdict")
    assert about["most"]["examples"] == 7
    assert [(column["name"], column["kind"]) for column in about["columns"]] == [
        ("age", "number"), ("town", "category"), ("seen", "date"), ("said", "text"),
    ]  # fmt: skip
    assert about["columns"][2]["usual"] == "01.07.2012"
    usual = {column["name"]: column.get("usual", "") for column in about["columns"]}
    assert len(recipe.encoded([usual])) == 1  # what it shows as usual can be asked


@pytest.mark.parametrize(
    ("make", "kind", "answer", "classes"),
    [
        (amount_run, "table", "price", []),
        (picture_run, "pictures", "prediction", ["disc", "ring", "cross", "bar"]),
        (text_run, "text", "continuation", []),
        (series_run, "series", "0.5", []),
        (phrase_run, "phrases", "kind", ["ham", "spam"]),
    ],
)
def test_each_kind_names_its_answer(make, kind, answer, classes, tmp_path: Path) -> None:
    about = told(recipe_of(make(tmp_path)), Limits())
    assert (about["kind"], about["answer"], about["classes"]) == (kind, answer, classes)
    assert [column["name"] for column in about["columns"]] == {
        "series": ["day", "shop", "sold"], "table": ["age", "town", "seen", "said"],
    }.get(kind, [])  # fmt: skip
