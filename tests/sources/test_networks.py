"""Graphs in folders as people have them: what is found, what is mended, what is refused."""

from pathlib import Path

import pytest
import torch

from chainrule import InputError
from chainrule.sources import is_network, read_network

EDGES = "from,to\nann,bob\nbob,cid\ncid,dan\n"
NODES = "name,age,town,label\nann,20,Ulm,x\nbob,30,Kiel,\ncid,40,Ulm,y\ndan,50,,x\n"


def folder(tmp_path: Path, nodes: str = NODES, edges: str = EDGES) -> Path:
    (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "edges.csv").write_text(edges)
    return tmp_path


def test_a_graph_is_read(tmp_path: Path) -> None:
    network = read_network(folder(tmp_path))
    assert network.names == ("ann", "bob", "cid", "dan")
    assert network.answers.to_list() == ["x", None, "y", "x"]
    assert network.frame.columns == ["age", "town"]
    assert network.edges.shape == (2, 6)
    assert network.parts is None


@pytest.mark.parametrize(
    ("files", "is_one"),
    [
        (["edges.csv", "nodes.csv"], True),
        (["karate_edges.csv", "karate_clubs.csv"], True),
        (["links.tsv.gz", "vertices.parquet", "notes.md"], True),
        (["edges.csv"], False),
        (["nodes.csv", "clubs.csv"], False),
        (["edges.csv", "a.csv", "b.csv"], False),
        (["edges.csv", "nodes.csv", "c.csv"], True),
        (["ledges.csv", "c.csv"], False),
        (["ind.cora.graph"], True),
        (["ind.cora.graph.xz"], True),
        ([], False),
    ],
)
def test_what_a_graph_is_called(tmp_path: Path, files: list[str], is_one: bool) -> None:
    for name in files:
        (tmp_path / name).touch()
    assert is_network(tmp_path) == is_one
    assert not is_network(tmp_path / "nowhere")


def test_the_name_column_is_the_one_that_edges_use(tmp_path: Path) -> None:
    nodes = "label,rank,person\nx,1,ann\n,2,bob\ny,3,cid\nx,4,dan\n"
    network = read_network(folder(tmp_path, nodes))
    assert network.names == ("ann", "bob", "cid", "dan")
    assert network.frame.columns == ["rank"]


def test_long_numbers_stay_names(tmp_path: Path) -> None:
    first, second = 9007199254740993, 9007199254740992  # one float
    nodes = f"id,label\n{first},x\n{second},y\n7,x\n"
    network = read_network(folder(tmp_path, nodes, f"a,b\n{first},{second}\n7,{first}\n"))
    assert network.names == (str(first), str(second), "7")


def test_a_split_is_found(tmp_path: Path) -> None:
    nodes = "name,split,label\nann,train,x\nbob,Test,y\ncid,validation,y\ndan,,x\n"
    network = read_network(folder(tmp_path, nodes))
    assert network.parts is not None
    assert network.parts.tolist() == [0, 2, 1, -1]
    assert network.frame.columns == []


def test_a_column_called_part_that_is_no_split_is_a_feature(tmp_path: Path) -> None:
    nodes = "name,part,label\nann,north,x\nbob,south,y\ncid,north,y\ndan,south,x\n"
    assert read_network(folder(tmp_path, nodes)).frame.columns == ["part"]


def test_nodes_said_twice_and_nodes_without_name_are_counted(tmp_path: Path) -> None:
    nodes = NODES + "ann,20,Ulm,x\n,60,Ulm,x\neve,70,Ulm,x\n"
    network = read_network(folder(tmp_path, nodes))
    assert network.names == ("ann", "bob", "cid", "dan", "eve")
    said = " ".join(network.notes)
    assert "1 of 7 nodes had no name" in said
    assert "1 of 6 nodes were said twice" in said
    assert "1 node has no edge" in said


def test_answers_to_every_node_need_no_label(tmp_path: Path) -> None:
    nodes = "name,age\nann,20\nbob,30\ncid,40\ndan,50\n"
    network = read_network(folder(tmp_path, nodes), target="label", every_node=True)
    assert network.answers is None
    assert network.frame.columns == ["age"]


@pytest.mark.parametrize(
    ("nodes", "edges", "match"),
    [
        (NODES + "ann,21,Ulm,x\n", EDGES, "two rows that say different things"),
        (NODES, "from,to\n1,2\n2,3\n", "no column of the node table holds the names"),
        (NODES, "", "must not be empty"),
        (NODES, "from,to\n", "needs edges"),
        ("name\nann\nbob\ncid\n", EDGES, "needs a column to predict"),
        ("", EDGES, "must not be empty"),
    ],
)
def test_tables_that_make_no_graph_are_refused(tmp_path: Path, nodes: str, edges: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        read_network(folder(tmp_path, nodes, edges))


def test_a_folder_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one table of edges and one of nodes"):
        read_network(tmp_path)


def test_the_name_is_no_class(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="names of nodes are no classes"):
        read_network(folder(tmp_path), target="name")


def test_the_digest_is_of_both_files(tmp_path: Path) -> None:
    before = read_network(folder(tmp_path)).digest
    assert read_network(folder(tmp_path)).digest == before
    assert read_network(folder(tmp_path, edges=EDGES + "ann,dan\n")).digest != before
    assert read_network(folder(tmp_path, nodes=NODES.replace("50", "51"))).digest != before


def test_weights_come_along(tmp_path: Path) -> None:
    network = read_network(folder(tmp_path, edges="from,to,weight\nann,bob,2\nbob,cid,3\n"))
    assert network.weights is not None
    assert torch.equal(network.weights.sort().values, torch.tensor([2.0, 2.0, 3.0, 3.0]))
