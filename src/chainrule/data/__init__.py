"""Datasets, tokenisers, augmentation, batches: `batches[k]` is a function of (seed, k)."""

from chainrule.data.batch import IGNORED, Batch, BatchT, Graph, Images, Rows, RowsT, Series, Table, Tokens
from chainrule.data.batches import Augment, Batches, InMemory, Same, Splits, part_of_rank
from chainrule.data.order import Order
from chainrule.data.seeds import derive, generator, reseed, seeded
from chainrule.data.sets import digits
from chainrule.data.tasks import Sinusoids, Tasks, by_task

__all__ = [
    "IGNORED",
    "Augment",
    "Batch",
    "BatchT",
    "Batches",
    "Graph",
    "Images",
    "InMemory",
    "Order",
    "Rows",
    "RowsT",
    "Same",
    "Series",
    "Sinusoids",
    "Splits",
    "Table",
    "Tasks",
    "Tokens",
    "by_task",
    "derive",
    "digits",
    "generator",
    "part_of_rank",
    "reseed",
    "seeded",
]
