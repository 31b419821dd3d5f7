"""What cannot work is said at once: which argument, what was expected, what was received, what to do (R15)."""

import re
import time

import numpy as np
import pytest
import torch

from chainrule import InputError
from chainrule.data import (
    Chain,
    Characters,
    Decoded,
    Flip,
    Graph,
    Images,
    InMemory,
    Same,
    Series,
    SeriesWindows,
    Shift,
    Skip,
    Table,
    Text,
    Tokens,
    Windows,
    image_folder,
    open_tokens,
    save_tokens,
    text,
)
from chainrule.data.folder import read_picture
from chainrule.data.idx import read_idx

pytestmark = pytest.mark.usefixtures("unchecked")

EDGES = torch.tensor([[0, 1], [1, 0]])
LABELS = torch.tensor([0, 1])
BYTES = torch.zeros(2, 1, 4, 4, dtype=torch.uint8)
NUMBERS = torch.arange(20)


def table(size: int = 8) -> Table:
    return Table(torch.zeros(size, 2), torch.zeros(size))


def spoiled(value: float) -> Table:
    rows = table()
    rows.features[3, 1] = value
    return rows


def one(item: int) -> Table:
    if item < 0:
        raise OSError("cut off")
    return table(1)


# What is done, and the words that the message must have.
CASES = {
    "pixels without channels": (lambda: Images(BYTES[:, 0], LABELS), "`pixels` of Images", "shape=(2, 4, 4)"),
    "labels as numbers with a point": (lambda: Images(BYTES, LABELS.float()), "`labels` of Images", "float32"),
    "labels as a column": (lambda: Images(BYTES, LABELS[:, None]), "`labels` of Images", "shape=(2, 1)"),
    "labels as truths": (lambda: Images(BYTES, LABELS.bool()), "`labels` of Images", "torch.bool"),
    "fewer labels than pictures": (lambda: Images(BYTES, LABELS[:1]), "one row per example", "labels=1"),
    "ids with a point": (lambda: Tokens(torch.zeros(2, 3), torch.zeros(2, 3)), "`ids` of Tokens", "float32"),
    "a series without channels": (lambda: Series(torch.zeros(2, 3), torch.zeros(2, 1, 1)), "`past`", "shape=(2, 3)"),
    "whole numbers as features": (lambda: Table(NUMBERS[:, None], NUMBERS), "`features` of Table", "int64"),
    "an edge to nobody": (lambda: Graph(torch.eye(2), EDGES + 1, LABELS), "`edge_index`", "highest=2, nodes=2"),
    "an edge from below": (lambda: Graph(torch.eye(2), EDGES - 1, LABELS), "`edge_index`", "lowest=-1"),
    "edges side by side": (lambda: Graph(torch.eye(2), torch.zeros(5, 2).long(), LABELS), "`edge_index`", "(5, 2)"),
    "edges as numbers with a point": (lambda: Graph(torch.eye(2), EDGES.float(), LABELS), "`edge_index`", "float32"),
    "a label too few": (lambda: Graph(torch.eye(2), EDGES, LABELS[:1]), "`labels` of Graph", "nodes=2"),
    "a weight too few": (lambda: Graph(torch.eye(2), EDGES, LABELS, torch.ones(1)), "`edge_weight`", "edges=2"),
    "a graph with a gap": (lambda: Same(Graph(torch.eye(2) / 0, EDGES, LABELS)), "`features` of Graph", "not_finite"),
    "an empty data set": (lambda: InMemory(table(0), 4), "at least one example", "size=0"),
    "batches of nothing": (lambda: InMemory(table(), 0), "`batch_size` must be at least 1", "batch_size=0"),
    "a row that is no number": (lambda: InMemory(spoiled(torch.nan), 4), "row 3: `features`", "bad=1"),
    "a row without end": (lambda: InMemory(spoiled(torch.inf), 4), "row 3: `features`", "rows=[3]"),
    "too many bad rows": (lambda: InMemory(spoiled(torch.nan), 4, on_bad="skip"), "max_fraction=0.05", "bad=1"),
    "an unknown rule": (lambda: InMemory(table(), 4, on_bad="ignore"), "`on_bad` must be", "on_bad='ignore'"),
    "a share above one": (lambda: Skip(1.5), "`max_fraction`", "max_fraction=1.5"),
    "a batch before the first": (lambda: InMemory(table(), 4)[-1], "numbered from 0", "k=-1"),
    "a text before the first": (lambda: Windows(NUMBERS, 4, 2)[-3], "numbered from 0", "k=-3"),
    "a file before the first": (lambda: Decoded([1], one, 1)[-1], "numbered from 0", "k=-1"),
    "ranks that do not divide": (lambda: InMemory(table(), 4).shard(0, 3), "`world` must divide", "world=3"),
    "a rank too many": (lambda: Windows(NUMBERS, 4, 2).shard(2, 2), "`rank` lie below `world`", "rank=2"),
    "no ranks": (lambda: Same(table()).shard(0, 0), "`world` must divide", "world=0"),
    "evaluation by nothing": (lambda: next(InMemory(table(), 4).once(0)), "`batch_size` must be", "batch_size=0"),
    "context below one": (lambda: Windows(NUMBERS, -4, 2), "`context` must be at least 1", "context=-4"),
    "context beyond the text": (lambda: Windows(NUMBERS, 20, 2), "longer than `context`", "tokens=20, context=20"),
    "tokens below zero": (lambda: Windows(NUMBERS - 3, 4, 2), "`tokens` must be 0 or more", "lowest=-3"),
    "tokens with a point": (lambda: Windows(NUMBERS.float(), 4, 2), "`tokens` must be whole", "float32"),
    "tokens in two dimensions": (lambda: Windows(NUMBERS.view(4, 5), 2, 2), "in one dimension", "shape=(4, 5)"),
    "tokens of text": (lambda: Windows(np.array(["a", "b"]), 1, 1), "`tokens` must be whole", "dtype='<U1'"),
    "a short text": (lambda: Text.of("abc" * 10, context=64), "`context` must be shorter", "context=64"),
    "no text": (lambda: Text.of(""), "a text must have characters", "characters=0"),
    "an unknown character": (lambda: Characters("ab").encode("abc"), "the alphabet", "character='c', place=2"),
    "a token beyond the alphabet": (lambda: Characters("ab").decode([2]), "`ids` must lie", "highest=2"),
    "a series too short": (lambda: SeriesWindows(torch.zeros(5, 1), 4, 2, 1), "`values`", "past_and_horizon=6"),
    "a series with a gap": (lambda: SeriesWindows(torch.ones(9, 1) / 0, 4, 2, 1), "`values` must be finite", "time=0"),
    "a horizon of nothing": (lambda: SeriesWindows(torch.zeros(9, 1), 4, 0, 1), "`horizon`", "horizon=0"),
    "a series of one axis": (lambda: SeriesWindows(torch.zeros(9), 4, 2, 1), "(time, channel)", "shape=(9,)"),
    "workers below zero": (lambda: Decoded([1], one, 1, workers=-1), "`workers` and `prefetch`", "workers=-1"),
    "nothing to decode": (lambda: Decoded([], one, 1), "at least one example", "size=0"),
    "an example cut off": (lambda: Decoded([-1, 1], one, 2)[0], "example 0 (-1): OSError: cut off", "on_bad"),
    "a decoder of nothing": (lambda: Decoded([1], lambda n: None, 1)[0], "`decode` must return", "NoneType"),
    "a shift of nothing": (lambda: Shift(0), "`pixels` must be at least 1", "pixels=0"),
    "a chain of nothing": (Chain, "at least one change", "Chain(Flip(), Shift(2))"),
    "a folder that is not there": (lambda: image_folder("no/such/folder", 8), "`path` must be a folder", "no/such"),
    "tokens that are not there": (lambda: open_tokens("no/such"), "`path` must be a file", "no/such"),
    "text that is not there": (lambda: text("no/such.txt"), "the file must exist", "no/such.txt"),
    "tokens too large for a file": (lambda: save_tokens("x", NUMBERS - 1), "`tokens` must be whole", "shape=(20,)"),
}


@pytest.mark.parametrize("case", CASES)
def test_said_at_once(case):
    action, *words = CASES[case]
    start = time.process_time()
    with pytest.raises(InputError) as raised:
        action()
    assert time.process_time() - start < 1
    for word in words:
        assert re.search(re.escape(word), str(raised.value)), (word, str(raised.value))
    assert re.search(r"; [a-z0-9\"']", str(raised.value)), "no advice"


def test_files(tmp_path):
    """Files: cut off, of another kind, with objects in them, or none where there should be some."""
    (tmp_path / "images").write_bytes(bytes([0, 0, 8, 3, 0, 0, 0, 9]) + bytes(30))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    (tmp_path / "latin.txt").write_bytes("Größe".encode("latin-1"))
    np.save(tmp_path / "objects.npy", np.array([{}, []], dtype=object), allow_pickle=True)
    (tmp_path / "photos" / "cat").mkdir(parents=True)
    (tmp_path / "pets" / "cat").mkdir(parents=True)
    (tmp_path / "pets" / "dog").mkdir(parents=True)
    pictures = Decoded([(tmp_path / "picture.png", 0)], lambda item: read_picture(item, side=4), 1, augment=Flip())
    actions = {
        "images": lambda: read_idx(tmp_path / "images", axes=3),
        "latin.txt": lambda: text(tmp_path / "latin.txt"),
        "objects.npy": lambda: open_tokens(tmp_path / "objects.npy"),
        "photos": lambda: image_folder(tmp_path / "photos", 8),
        "pets": lambda: image_folder(tmp_path / "pets", 8),
        "picture.png": lambda: pictures[0],
    }
    for name, action in actions.items():
        start = time.process_time()
        with pytest.raises(InputError, match=re.escape(name)):
            action()
        assert time.process_time() - start < 1
