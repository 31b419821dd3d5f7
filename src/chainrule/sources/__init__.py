"""What lies in somebody's files: reads it, says what it is, and splits it honestly."""

from chainrule.sources.arrays import as_bytes, as_pictures
from chainrule.sources.columns import (
    Category,
    Column,
    Moment,
    Number,
    Unused,
    Words,
    as_numbers,
    as_text,
    category_sizes,
    column_kinds,
    describe_columns,
    number_edges,
    table_features,
    understand_columns,
)
from chainrule.sources.picture_file import fitted_picture, picture_bytes
from chainrule.sources.picture_folder import picture_files
from chainrule.sources.pictures import LabelledPictures, read_pictures
from chainrule.sources.splitting import SHARES, honest_split, split_by_time
from chainrule.sources.tables import SHIPPED, TableData, read_table
from chainrule.sources.targets import Amount, Classes, amount_of, choose_target, choose_task, classes_of, outcomes
from chainrule.sources.texts import UNKNOWN, Writing, known, read_writing

__all__ = [
    "SHARES",
    "SHIPPED",
    "UNKNOWN",
    "Amount",
    "Category",
    "Classes",
    "Column",
    "LabelledPictures",
    "Moment",
    "Number",
    "TableData",
    "Unused",
    "Words",
    "Writing",
    "amount_of",
    "as_bytes",
    "as_numbers",
    "as_pictures",
    "as_text",
    "category_sizes",
    "choose_target",
    "choose_task",
    "classes_of",
    "column_kinds",
    "describe_columns",
    "fitted_picture",
    "honest_split",
    "known",
    "number_edges",
    "outcomes",
    "picture_bytes",
    "picture_files",
    "read_pictures",
    "read_table",
    "read_writing",
    "split_by_time",
    "table_features",
    "understand_columns",
]
