"""Who learns, chooses and judges in a graph. Oracle: the table that was written."""

import itertools
from pathlib import Path

import pytest

from chainrule import InputError
from chainrule.data import IGNORED
from chainrule.recipes.prepared_nodes import PreparedNodes, prepare_nodes


def folder(tmp_path: Path, labels: list[str], split: list[str] | None = None, age: list[int] | None = None) -> Path:
    count = len(labels)
    (tmp_path / "edges.csv").write_text("from,to\n" + "".join(f"n{n},n{(n + 1) % count}\n" for n in range(count)))
    head = "name,age," + ("split," if split else "") + "label\n"
    rows = [
        f"n{n},{age[n] if age else n * n},{split[n] + ',' if split else ''}{label}\n" for n, label in enumerate(labels)
    ]
    (tmp_path / "nodes.csv").write_text(head + "".join(rows))
    return tmp_path


def prepared(folder: Path, seed: int = 0) -> PreparedNodes:
    return prepare_nodes(str(folder), target=None, seed=seed)


def test_labelled_nodes_are_split_class_by_class(tmp_path: Path) -> None:
    found = prepared(folder(tmp_path, ["a", "b"] * 20 + [""] * 10))
    parts = [part.tolist() for part in (found.train, found.validation, found.test)]
    assert sorted(itertools.chain(*parts)) == list(range(40))
    assert [len(part) for part in parts] == [28, 6, 6]
    assert sum(place % 2 for place in parts[2]) == 3
    assert set(found.seen.tolist()) == set(parts[0]) | set(range(40, 50))
    assert "10 nodes without `label` are to be told." in found.notes
    assert (found.shown(found.test) != IGNORED).nonzero().flatten().tolist() == parts[2]


def test_nodes_with_the_same_features_stay_together(tmp_path: Path) -> None:
    found = prepared(folder(tmp_path, ["a", "b"] * 20, age=[0, 0, 1, 1, 2, 2, *range(10, 44)]))
    sides = {
        place: side for side, part in enumerate((found.train, found.validation, found.test)) for place in part.tolist()
    }
    assert all(sides[place] == sides[place + 1] for place in (0, 2, 4))


def test_a_split_that_the_data_names_is_kept(tmp_path: Path) -> None:
    split = ["train"] * 10 + ["val"] * 4 + ["test"] * 4 + [""] * 2
    found = prepared(folder(tmp_path, ["a", "b"] * 10, split))
    assert (found.train.tolist(), found.validation.tolist(), found.test.tolist()) == (
        list(range(10)), list(range(10, 14)), list(range(14, 18)),
    )  # fmt: skip
    assert any("2 labels outside of that split" in note for note in found.notes)


def test_a_split_without_nodes_to_choose_by_is_completed(tmp_path: Path) -> None:
    found = prepared(folder(tmp_path, ["a", "b"] * 20, ["train"] * 30 + ["test"] * 10))
    assert found.test.tolist() == list(range(30, 40))
    assert sorted([*found.train.tolist(), *found.validation.tolist()]) == list(range(30))
    assert any("none to choose by" in note for note in found.notes)


def test_a_class_that_none_to_learn_from_has_is_counted(tmp_path: Path) -> None:
    labels = ["a", "b"] * 8 + ["c", "a", "b", "a"]
    found = prepared(folder(tmp_path, labels, ["train"] * 12 + ["val"] * 4 + ["test"] * 4))
    assert found.target.names == ("a", "b")
    assert found.test.tolist() == [17, 18, 19]
    assert any("1 node to choose by or to judge with of a class" in note for note in found.notes)


def test_another_graph_is_read_again(tmp_path: Path) -> None:
    before = prepared(folder(tmp_path, ["a", "b"] * 10)).network.digest
    assert prepared(folder(tmp_path, ["a", "b"] * 12)).network.digest != before


@pytest.mark.parametrize(
    ("labels", "split", "match"),
    [
        (["a"] * 20, None, "two different values at least"),
        ([""] * 20, None, "5 nodes with a label"),
        (["a", "b", *[""] * 18], None, "5 nodes with a label"),
        (["a"] * 10 + ["b"] * 10, ["train"] * 10 + ["val"] * 5 + ["test"] * 5, "two classes at least"),
        ([f"x{n}" for n in range(200)], None, "too many classes"),
    ],
)
def test_labels_that_teach_nothing_are_refused(
    tmp_path: Path, labels: list[str], split: list[str] | None, match: str
) -> None:
    with pytest.raises(InputError, match=match):
        prepared(folder(tmp_path, labels, split))
