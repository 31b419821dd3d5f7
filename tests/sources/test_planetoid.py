"""The Planetoid sets. Oracle: counts that their papers give; a tiny set written out by hand."""

import struct
from pathlib import Path

import numpy as np
import pytest

from chainrule import InputError
from chainrule.data import data_directory
from chainrule.sources import is_network, read_network


def text(content: bytes) -> bytes:
    return b"T" + struct.pack("<i", len(content)) + content


def array(values: np.ndarray) -> bytes:
    """An array as Python 2 stores it: three names, and the bytes."""
    shape = b"(" + b"".join(b"J" + struct.pack("<i", size) for size in values.shape) + b"t"
    kind = b"cnumpy\ndtype\n" + text(values.dtype.str[1:].encode()) + b"K\0K\1\x87R(K\3" + text(b"<") + b"NNNtb"
    begin = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85" + text(b"b") + b"\x87R"
    return begin + b"(K\1" + shape + kind + b"\x89" + text(values.tobytes()) + b"tb"


def rows(values: np.ndarray) -> bytes:
    """Sparse rows as Python 2 stores them."""
    places, columns = values.nonzero()
    ends = np.concatenate((np.zeros(1, np.int32), np.bincount(places, minlength=len(values)).cumsum()))
    parts = {
        "data": values[places, columns].astype("<f4"),
        "indices": columns.astype("<i4"),
        "indptr": ends.astype("<i4"),
    }
    said = b"".join(text(name.encode()) + array(part) for name, part in parts.items())
    shape = b"J%sJ%s\x86" % tuple(struct.pack("<i", size) for size in values.shape)
    return b"cscipy.sparse.csr\ncsr_matrix\n)\x81}(" + said + text(b"_shape") + shape + b"ub"


def lists(graph: dict[int, list[int]]) -> bytes:
    said = b"".join(
        b"K%c](" % node + b"".join(b"K%c" % other for other in others) + b"e" for node, others in graph.items()
    )
    return b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(" + said + b"u"


def write(folder: Path, **changed: bytes) -> Path:
    """Five nodes: two to learn from, one more that is known, two to judge with, in turned order."""
    words, sides = np.eye(5, 4, dtype=np.float32), np.eye(2, dtype=np.int32)[[0, 1, 0, 1, 0]]
    graph = {0: [1, 0], 1: [0, 2, 2], 2: [1, 3], 3: [2, 4], 4: [3]}
    stored = {
        "x": rows(words[:2]), "y": array(sides[:2]), "allx": rows(words[:3]), "ally": array(sides[:3]),
        "tx": rows(words[[4, 3]]), "ty": array(sides[[4, 3]]), "graph": lists(graph),
    }  # fmt: skip
    for name, content in (stored | changed).items():
        (folder / f"ind.toy.{name}").write_bytes(b"\x80\2" + content + b".")
    (folder / "ind.toy.test.index").write_text("4\n3\n")
    return folder


def test_a_tiny_set_is_read(tmp_path: Path) -> None:
    network = read_network(write(tmp_path))
    assert (network.frame.to_numpy() == np.eye(5, 4)).all()
    assert network.answers.to_list() == ["0", "1", "0", "1", "0"]
    assert network.parts is not None
    assert network.parts.tolist() == [0, 0, 1, 2, 2]
    edges = {(one, other) for one, other in network.edges.T.tolist()}
    assert edges == {(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2), (3, 4), (4, 3)}


@pytest.mark.parametrize(
    "changed",
    [
        {"graph": b"K\1"},
        {"graph": lists({0: [9]})},
        {"ally": lists({})},
        {"tx": rows(np.eye(2, 3, dtype=np.float32))},
        {"tx": rows(np.eye(1, 4, dtype=np.float32))},
        {"y": b"cos\nsystem\n" + text(b"true") + b"\x85R"},
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, changed: dict[str, bytes]) -> None:
    with pytest.raises(InputError):
        read_network(write(tmp_path, **changed))


def test_there_is_one_target(tmp_path: Path) -> None:
    assert read_network(write(tmp_path), target="class").answers.name == "class"
    with pytest.raises(InputError, match="leave --target out"):
        read_network(tmp_path, target="age")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (write(tmp_path) / "ind.toy.tx").unlink()
    with pytest.raises(InputError, match=r"ind\.toy\.tx"):
        read_network(tmp_path)


def test_of_two_sets_one_must_be_chosen(tmp_path: Path) -> None:
    (write(tmp_path) / "ind.other.graph").touch()
    with pytest.raises(InputError, match="only one set"):
        read_network(tmp_path)
    assert len(read_network(tmp_path / "ind.toy.graph").names) == 5


@pytest.mark.parametrize("order", ["", "x\n", "4\n4\n", "-1\n2\n"])
def test_a_wrong_order_is_refused(tmp_path: Path, order: str) -> None:
    (write(tmp_path) / "ind.toy.test.index").write_text(order)
    with pytest.raises(InputError, match=r"test\.index"):
        read_network(tmp_path)


@pytest.mark.parametrize(
    ("name", "nodes", "words", "classes", "learn", "edges"),
    [("cora", 2708, 1433, 7, 140, 5278), ("citeseer", 3327, 3703, 6, 120, 4552)],
)
def test_the_counts_of_the_papers(name: str, nodes: int, words: int, classes: int, learn: int, edges: int) -> None:
    try:
        file = data_directory() / "planetoid" / f"ind.{name}.graph.xz"
    except InputError as error:
        pytest.skip(str(error))
    if not file.exists():
        pytest.skip("the Planetoid sets are not on this machine")
    assert is_network(file)
    network = read_network(file)
    assert network.parts is not None
    assert (len(network.names), network.frame.width) == (nodes, words)
    assert network.answers.drop_nulls().n_unique() == classes
    assert [int((network.parts == part).sum()) for part in range(3)] == [learn, 500, 1000]
    assert network.edges.shape[1] == 2 * edges
