"""What lies in somebody's files: reads it, says what it is, and splits it honestly."""

from chainrule.sources.arrays import as_bytes, as_pictures
from chainrule.sources.calendar import Cycle, calendar_features, cycles_of
from chainrule.sources.column_values import as_numbers, as_text, table_features
from chainrule.sources.columns import (
    Category,
    Column,
    Moment,
    Number,
    Unused,
    Words,
    category_sizes,
    column_kinds,
    describe_columns,
    number_edges,
)
from chainrule.sources.grams import (
    UNKNOWN_WORD,
    Vocabulary,
    build_vocabulary,
    encode_phrases,
    gram_ratios,
    grams_of,
    words_of,
)
from chainrule.sources.networks import NetworkData, is_network, read_network
from chainrule.sources.node_features import NodeColumns, node_entries, understand_nodes
from chainrule.sources.panels import Ranges, panel_of, split_ahead
from chainrule.sources.phrases import (
    LabelledPhrases,
    folded,
    is_phrases,
    phrase_classes,
    phrase_remarks,
    phrase_units,
    read_phrases,
)
from chainrule.sources.picture_file import fitted_picture, picture_bytes
from chainrule.sources.picture_folder import picture_files
from chainrule.sources.pictures import LabelledPictures, read_pictures
from chainrule.sources.series import SeriesTable, read_series
from chainrule.sources.splitting import SHARES, honest_split, split_by_time
from chainrule.sources.steps import Step, find_step, season_of
from chainrule.sources.tables import SHIPPED, TableData, read_table
from chainrule.sources.targets import Amount, Classes, amount_of, choose_target, choose_task, classes_of, outcomes
from chainrule.sources.texts import UNKNOWN, Writing, known, read_writing
from chainrule.sources.times import WAYS, seconds_or_numbers
from chainrule.sources.typed import many
from chainrule.sources.understood import understand_columns

__all__ = [
    "SHARES",
    "SHIPPED",
    "UNKNOWN",
    "UNKNOWN_WORD",
    "WAYS",
    "Amount",
    "Category",
    "Classes",
    "Column",
    "Cycle",
    "LabelledPhrases",
    "LabelledPictures",
    "Moment",
    "NetworkData",
    "NodeColumns",
    "Number",
    "Ranges",
    "SeriesTable",
    "Step",
    "TableData",
    "Unused",
    "Vocabulary",
    "Words",
    "Writing",
    "amount_of",
    "as_bytes",
    "as_numbers",
    "as_pictures",
    "as_text",
    "build_vocabulary",
    "calendar_features",
    "category_sizes",
    "choose_target",
    "choose_task",
    "classes_of",
    "column_kinds",
    "cycles_of",
    "describe_columns",
    "encode_phrases",
    "find_step",
    "fitted_picture",
    "folded",
    "gram_ratios",
    "grams_of",
    "honest_split",
    "is_network",
    "is_phrases",
    "known",
    "many",
    "node_entries",
    "number_edges",
    "outcomes",
    "panel_of",
    "phrase_classes",
    "phrase_remarks",
    "phrase_units",
    "picture_bytes",
    "picture_files",
    "read_network",
    "read_phrases",
    "read_pictures",
    "read_series",
    "read_table",
    "read_writing",
    "season_of",
    "seconds_or_numbers",
    "split_ahead",
    "split_by_time",
    "table_features",
    "understand_columns",
    "understand_nodes",
    "words_of",
]
