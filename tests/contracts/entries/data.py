"""How the contract suite builds every public name of `chainrule.data`."""

import torch

from chainrule import data
from contracts.entry import Abstract, BatchKind, Function, Name, Source, Value


def _table() -> data.Table:
    return data.Table(torch.arange(20.0).view(10, 2), torch.arange(10) % 3)


def _drawn_inside() -> torch.Tensor:
    with data.seeded(3):
        return torch.rand(3)


def _drawn_after() -> torch.Tensor:
    data.reseed(3, 1)
    return torch.rand(3)


ENTRIES = {
    "Images": BatchKind(lambda: data.Images(torch.zeros(2, 1, 8, 8, dtype=torch.uint8), torch.tensor([3, 7]))),
    "Tokens": BatchKind(lambda: data.Tokens(torch.arange(6).view(2, 3), torch.arange(1, 7).view(2, 3))),
    "Series": BatchKind(lambda: data.Series(torch.randn(3, 5, 1), torch.randn(3, 2, 1))),
    "Table": BatchKind(_table),
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
    "Augment": Abstract("every augmentation"),
    "Batch": Abstract("every kind of batch above"),
    "Batches": Abstract("every source above"),
    "Rows": Abstract("every kind of batch above whose tensors share their first axis"),
    "BatchT": Name("a type variable"),
    "RowsT": Name("a type variable"),
    "IGNORED": Name("the target that takes no part in a loss"),
}
