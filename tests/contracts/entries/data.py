"""How the contract suite builds every public name of `chainrule.data`."""

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from chainrule import InputError, data
from contracts.entry import Abstract, BatchKind, Function, Name, Source, Value


def _table() -> data.Table:
    return data.Table(torch.arange(20.0).view(10, 2), torch.arange(10) % 3)


def _drawn_inside() -> torch.Tensor:
    with data.seeded(3):
        return torch.rand(3)


def _drawn_after() -> torch.Tensor:
    data.reseed(3, 1)
    return torch.rand(3)


def _labels_of_idx() -> list[int]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels-idx1-ubyte"
        path.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1]))
        return data.read_idx(path, axes=1).tolist()


def _one_row(item: int) -> data.Table:
    return data.Table(torch.tensor([[float(item)]]), torch.tensor([item]))


def _changed(change: data.Augment[data.Images]) -> torch.Tensor:
    rows = data.Images(torch.arange(96).view(2, 3, 4, 4).byte(), torch.tensor([0, 1]))
    return change.apply(rows, change.draw(2, data.generator(3))).pixels


def _refused(reader: Callable[[], object]) -> str:
    """What a reader of real data says where there is none; its own test reads them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHAINRULE_DATA", "no/such/folder")
        with pytest.raises(InputError) as raised:
            reader()
    return str(raised.value)


def _written_and_read() -> list[int]:
    with tempfile.TemporaryDirectory() as folder:
        return data.open_tokens(data.save_tokens(Path(folder) / "tokens", torch.tensor([3, 1, 300]))).tolist()


def _panel() -> data.Panel:
    return data.Panel(
        values=torch.arange(40.0), observed=torch.ones(40).bool(), calendar=torch.zeros(40, 2),
        starts=torch.tensor([0, 22]), lengths=torch.tensor([20, 16]), which=torch.tensor([1, 2]),
        moments=torch.tensor([0, 5]),
    )  # fmt: skip


def _outlooks() -> data.OutlookWindows:
    first, last = torch.tensor([3, 3]), torch.tensor([18, 14])
    return data.OutlookWindows(_panel(), 5, 2, first, last, batch_size=4, seed=1)


ENTRIES = {
    "read_idx": Function(example=_labels_of_idx),
    "Outlook": BatchKind(lambda: next(_outlooks().once(3))),
    "OutlookWindows": Source(_outlooks),
    "Panel": Value(_panel, skips={"hashable": "it holds tensors", "equal": "it holds tensors"}),
    "Images": BatchKind(lambda: data.Images(torch.zeros(2, 1, 8, 8, dtype=torch.uint8), torch.tensor([3, 7]))),
    "SparseGraph": BatchKind(
        lambda: data.SparseGraph(
            torch.ones(3),
            torch.tensor([3, 7, 1]),
            torch.tensor([0, 2]),
            torch.tensor([[0, 1], [1, 0]]),
            torch.tensor([1, data.IGNORED]),
        )
    ),
    "Tokens": BatchKind(lambda: data.Tokens(torch.arange(6).view(2, 3), torch.arange(1, 7).view(2, 3))),
    "Series": BatchKind(lambda: data.Series(torch.randn(3, 5, 1), torch.randn(3, 2, 1))),
    "Table": BatchKind(_table),
    "Phrases": BatchKind(
        lambda: data.Phrases(torch.arange(6).view(2, 3), torch.arange(4).view(2, 2), torch.tensor([0, 1]))
    ),
    "Graph": BatchKind(
        lambda: data.Graph(torch.eye(3), torch.tensor([[0, 1], [1, 2]]), torch.tensor([0, data.IGNORED, 1]))
    ),
    "InMemory": Source(lambda: data.InMemory(_table(), batch_size=4, seed=1)),
    "Sinusoids": Source(lambda: data.Sinusoids(tasks=4, shots=1, query_shots=1, size=10)),
    "Tasks": BatchKind(lambda: data.Sinusoids(tasks=2, shots=1, query_shots=1)[0]),
    "by_task": Function(example=lambda: data.by_task(torch.arange(6), 2)),
    "Same": Source(lambda: data.Same(_table())),
    "Splits": Value(
        build=lambda: data.Splits(data.Same(_table()), data.Same(_table()), data.Same(_table())),
        skips=dict.fromkeys(("equal", "hashable"), "its three sources are compared by identity"),
    ),
    "Order": Function(example=lambda: data.Order(7, seed=2).positions(3, 20)),
    "derive": Function(example=lambda: data.derive(1, 2, 3)),
    "digits": Function(example=lambda: data.digits(batch_size=8).train[3].pixels),
    "generator": Function(example=lambda: torch.rand(2, generator=data.generator(0, 7))),
    "part_of_rank": Function(example=lambda: data.part_of_rank(64, 1, 4)),
    "reseed": Function(example=_drawn_after),
    "seeded": Function(example=_drawn_inside),
    "Windows": Source(lambda: data.Windows(torch.arange(100), context=7, batch_size=4, seed=1)),
    "SeriesWindows": Source(
        lambda: data.SeriesWindows(torch.arange(80.0).view(40, 2), past=5, horizon=3, batch_size=4, seed=1)
    ),
    "Decoded": Source(lambda: data.Decoded(range(11), _one_row, batch_size=4, seed=1, workers=2)),
    "Text": Value(
        build=lambda: data.Text.of("to be or not to be " * 30, context=8, batch_size=4),
        skips=dict.fromkeys(("equal", "hashable"), "its three sources are compared by identity"),
    ),
    "Skip": Value(build=lambda: data.Skip(0.1)),
    "Chain": Function(example=lambda: _changed(data.Chain(data.Flip(), data.Shift(1)))),
    "Flip": Function(example=lambda: _changed(data.Flip())),
    "Shift": Function(example=lambda: _changed(data.Shift(2))),
    "Characters": Function(example=lambda: data.Characters.of("banana").encode("nab")),
    "cifar10": Function(example=lambda: _refused(data.cifar10)),
    "data_directory": Function(example=lambda: _refused(data.data_directory)),
    "fashion_mnist": Function(example=lambda: _refused(data.fashion_mnist)),
    "image_folder": Function(example=lambda: _refused(lambda: data.image_folder("no/such/folder", side=8))),
    "karate": Function(example=lambda: data.karate().test[0].labels),
    "mnist": Function(example=lambda: _refused(data.mnist)),
    "open_tokens": Function(example=_written_and_read),
    "python_docs": Function(example=lambda: data.python_docs(context=8, batch_size=2).train[3].ids),
    "python_docs_text": Function(example=data.python_docs_text),
    "read_bytes": Function(example=lambda: data.read_bytes(Path(__file__), limit=3)),
    "save_tokens": Function(example=_written_and_read),
    "text": Function(example=lambda: data.text(__file__, context=8, batch_size=2).train[3].ids),
    "Augment": Abstract("every augmentation"),
    "Batch": Abstract("every kind of batch above"),
    "Batches": Abstract("every source above"),
    "Rows": Abstract("every kind of batch above whose tensors share their first axis"),
    "BatchT": Name("a type variable"),
    "RowsT": Name("a type variable"),
    "Tokenizer": Abstract("Characters, and every other tokenizer"),
    "OnBad": Name("an alias: the words and the value that say what to do with bad examples"),
    "IGNORED": Name("the target that takes no part in a loss"),
}
