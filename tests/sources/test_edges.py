"""Edge tables as people write them. Oracle: a set of pairs kept by hand."""

from pathlib import Path

import pytest
import torch

from chainrule import InputError
from chainrule.sources.edges import EdgeTable, joined, read_edges

NAMES = ["a", "b", "c", "d"]


def read(tmp_path: Path, text: str, name: str = "edges.csv") -> EdgeTable:
    (tmp_path / name).write_text(text)
    return read_edges(tmp_path / name)


def arcs(table: EdgeTable, names: list[str] = NAMES) -> set[tuple[str, str]]:
    edges, _, _ = joined(table, names)
    return {(names[one], names[other]) for one, other in edges.T.tolist()}


BOTH = {("a", "b"), ("b", "a"), ("c", "b"), ("b", "c")}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("edges.csv", "source,target\na,b\nb,c\n"),
        ("edges.csv", "kind,to,from\nx,a,b\ny,b,c\nz,b,c\n"),
        ("edges.tsv", "u\tv\na\tb\nb\tc\n"),
        ("edges.csv", "who;whom\na;b\nb;c\nc;b\n"),
        ("edges.txt", "a b\nb c\nc b\nb a\n"),
    ],
    ids=["named", "in other columns", "tabs", "first two", "no header"],
)
def test_the_two_ends_are_found(tmp_path: Path, name: str, text: str) -> None:
    assert arcs(read(tmp_path, text, name)) == BOTH


def test_numbers_and_text_name_the_same_node(tmp_path: Path) -> None:
    table = read(tmp_path, "from,to\n1,2\n2,x3\n")
    assert arcs(table, ["1", "2", "x3"]) == {("1", "2"), ("2", "1"), ("2", "x3"), ("x3", "2")}


def test_every_repair_is_counted(tmp_path: Path) -> None:
    table = read(tmp_path, "from,to\na,b\nb,a\nb,c\na,a\nb,z\n,c\nc,d\nc,d\n")
    edges, weights, notes = joined(table, NAMES)
    said = " ".join((*table.notes, *notes))
    assert weights is None
    assert edges.shape == (2, 6)
    for part in (
        "1 edge lacked an end", "1 edge goes to a node that the node table does not have", "1 edge joins a node to",
        "2 edges were said before", "Edges go both ways",
    ):  # fmt: skip
        assert part in said


def test_one_way_edges_stand_once(tmp_path: Path) -> None:
    table = read(tmp_path, "from,to,directed\na,b,true\nb,c,false\nb,a,yes\n")
    assert arcs(table) == BOTH
    table = read(tmp_path, "from,to,directed\na,b,1\nb,c,0\n")
    assert arcs(table) == BOTH - {("b", "a")}


def test_weights_stand_beside_their_edges_and_the_greatest_wins(tmp_path: Path) -> None:
    table = read(tmp_path, "from,to,weight\na,b,2\nb,a,5\nb,c,\nc,d,0\n")
    edges, weights, _ = joined(table, NAMES)
    assert weights is not None
    assert dict(zip(map(tuple, edges.T.tolist()), weights.tolist(), strict=True)) == {
        (0, 1): 5.0, (1, 0): 5.0, (1, 2): 1.0, (2, 1): 1.0,
    }  # fmt: skip
    assert any("1 edge had no `weight` and counts as 1" in note for note in table.notes)
    assert any("1 edge of weight 0" in note for note in table.notes)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "must not be empty"),
        ("from,to\n", "needs edges"),
        ("from\na\nb\n", "needs two columns"),
        ("from,to\n,b\n,c\n", "needs edges"),
        ("from,to,weight\na,b,-1\nb,c,2\n", "must not be negative"),
        ("from,to,weight\na,b,x\nb,c,y\n", "must be numbers"),
    ],
)
def test_tables_without_edges_are_refused(tmp_path: Path, text: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("ends", "match"),
    [((("x", "y"), ("y", "x")), "most edges go to nodes"), ((("a", "b"), ("a", "b")), "no edge joins two nodes")],
)
def test_edges_that_join_nobody_are_refused(ends: tuple[tuple[str, ...], tuple[str, ...]], match: str) -> None:
    with pytest.raises(InputError, match=match):
        joined(EdgeTable(ends, None, torch.zeros(2).bool(), ""), NAMES)
