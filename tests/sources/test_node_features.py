"""Features of nodes as few numbers. Oracle: dense rows written out, scikit-learn's scaler and normaliser."""

import numpy as np
import polars as pl
import pytest
import torch
from sklearn.preprocessing import StandardScaler, normalize

from chainrule import InputError
from chainrule.sources import NodeColumns, node_entries, understand_nodes

RANDOM = np.random.default_rng(0)
NAMES = tuple(str(number) for number in range(40))
NOBODY = pl.Series([None] * 40, dtype=pl.String)


def dense(columns: NodeColumns, frame: pl.DataFrame, names: tuple[str, ...] = NAMES) -> np.ndarray:
    values, places, offsets = node_entries(columns, frame, names)
    counts = offsets.diff(append=torch.tensor([len(values)]))
    found = torch.zeros(len(names), columns.width)
    found[torch.repeat_interleave(torch.arange(len(names)), counts), places] = values
    return found.numpy()


def counted(words: int = 12) -> pl.DataFrame:
    counts = RANDOM.poisson(0.2, (40, words)).astype(float)
    counts[:words] += np.eye(words)  # each word stands somewhere
    return pl.DataFrame(counts, schema=[f"w{word}" for word in range(words)])


def understood(frame: pl.DataFrame, seen: torch.Tensor | None = None) -> NodeColumns:
    return understand_nodes(frame, torch.arange(40) if seen is None else seen, NOBODY, NAMES, {})


def test_words_are_shares_of_their_sum() -> None:
    frame = counted()
    columns = understood(frame)
    assert columns.words == tuple(frame.columns)
    np.testing.assert_allclose(dense(columns, frame), normalize(frame.to_numpy(), "l1"), rtol=1e-6)


def test_numbers_are_deviations_and_categories_ones() -> None:
    age, town = RANDOM.uniform(20, 80, 40), RANDOM.choice(["Ulm", "Kiel"], 40)
    frame = pl.DataFrame({"age": age, "town": town})
    found = dense(understood(frame), frame)
    np.testing.assert_allclose(found[:, :1], StandardScaler().fit_transform(age[:, None]), rtol=1e-5, atol=1e-6)
    assert (found[:, 1:].sum(1) == 1).all()
    assert len(np.unique(found[town == "Ulm", 1:], axis=0)) == 1


def test_both_stand_side_by_side() -> None:
    frame = counted().with_columns(age=pl.Series(RANDOM.uniform(20, 80, 40)))
    columns = understood(frame)
    assert (len(columns.words), len(columns.scales), columns.width) == (12, 1, 13)
    assert dense(columns, frame).shape == (40, 13)


def test_nodes_of_which_nothing_is_known_are_told_by_name() -> None:
    columns = understood(pl.DataFrame({}))
    assert (dense(columns, pl.DataFrame({})) == np.eye(40)).all()
    assert not dense(columns, pl.DataFrame({}), ("new",)).any()


def test_only_seen_nodes_decide() -> None:
    frame = counted().with_columns(age=pl.Series(RANDOM.uniform(20, 80, 40)))
    seen = torch.arange(30)
    spoiled = frame.with_columns(age=pl.when(pl.int_range(40) < 30).then("age").otherwise(1e9))
    assert understood(frame, seen) == understood(spoiled, seen)


def test_a_word_that_no_seen_node_has_is_left_out() -> None:
    frame = counted().with_columns(never=pl.Series([0.0] * 40))
    assert "never" not in understood(frame).words


def test_a_column_that_is_missing_is_named() -> None:
    frame = counted()
    with pytest.raises(InputError, match="w3"):
        node_entries(understood(frame), frame.drop("w3"), NAMES)
