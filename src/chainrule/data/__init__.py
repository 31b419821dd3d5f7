"""Datasets, tokenisers, augmentation, batches: `batches[k]` is a function of (seed, k)."""

from chainrule.data.augment import Chain, Flip, Shift
from chainrule.data.bad import OnBad, Skip
from chainrule.data.batch import IGNORED, Batch, BatchT, Graph, Images, Rows, RowsT, Series, Table, Tokens
from chainrule.data.batches import Augment, Batches, InMemory, Same, Splits, part_of_rank
from chainrule.data.decoded import Decoded
from chainrule.data.files import data_directory, read_bytes
from chainrule.data.folder import image_folder
from chainrule.data.idx import read_idx
from chainrule.data.karate import karate
from chainrule.data.order import Order
from chainrule.data.outlook import Outlook, OutlookWindows, Panel
from chainrule.data.phrases import Phrases
from chainrule.data.seeds import derive, generator, reseed, seeded
from chainrule.data.series import SeriesWindows
from chainrule.data.sets import cifar10, digits, fashion_mnist, mnist
from chainrule.data.sparse_graph import SparseGraph
from chainrule.data.tasks import Sinusoids, Tasks, by_task
from chainrule.data.text import Text, python_docs, python_docs_text, text
from chainrule.data.token_files import open_tokens, save_tokens
from chainrule.data.tokenizer import Characters, Tokenizer
from chainrule.data.windows import Windows

__all__ = [
    "IGNORED",
    "Augment",
    "Batch",
    "BatchT",
    "Batches",
    "Chain",
    "Characters",
    "Decoded",
    "Flip",
    "Graph",
    "Images",
    "InMemory",
    "OnBad",
    "Order",
    "Outlook",
    "OutlookWindows",
    "Panel",
    "Phrases",
    "Rows",
    "RowsT",
    "Same",
    "Series",
    "SeriesWindows",
    "Shift",
    "Sinusoids",
    "Skip",
    "SparseGraph",
    "Splits",
    "Table",
    "Tasks",
    "Text",
    "Tokenizer",
    "Tokens",
    "Windows",
    "by_task",
    "cifar10",
    "data_directory",
    "derive",
    "digits",
    "fashion_mnist",
    "generator",
    "image_folder",
    "karate",
    "mnist",
    "open_tokens",
    "part_of_rank",
    "python_docs",
    "python_docs_text",
    "read_bytes",
    "read_idx",
    "reseed",
    "save_tokens",
    "seeded",
    "text",
]
