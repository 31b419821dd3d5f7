"""Windows of a long text."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from chainrule.data import IGNORED, Windows, open_tokens, save_tokens
from references.streams import slow_starts


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 60), st.integers(1, 5), st.integers(0, 3), st.data())
def test_as_a_loop_over_windows(size, batch_size, seed, data):
    context = data.draw(st.integers(1, size - 1))
    tokens = torch.arange(size) * 3
    windows = Windows(tokens, context, batch_size, seed)
    for k in (0, 400):
        starts = slow_starts(size - context, batch_size, seed, k)
        batch = windows[k]
        assert batch.ids.tolist() == [tokens[s : s + context].tolist() for s in starts]
        assert batch.following.tolist() == [tokens[s + 1 : s + context + 1].tolist() for s in starts]


@given(st.integers(2, 60), st.integers(1, 8), st.integers(1, 5))
def test_once_predicts_every_token_once(size, context, batch_size):
    if context >= size:
        context = size - 1
    tokens = torch.arange(size)
    windows = Windows(tokens, context, 2)
    batches = list(windows.once(batch_size))
    targets = torch.cat([batch.following.flatten() for batch in batches])
    inputs = torch.cat([batch.ids.flatten() for batch in batches])
    learnt = targets != IGNORED
    assert targets[learnt].tolist() == list(range(1, size))
    assert inputs[learnt].tolist() == list(range(size - 1))
    assert not learnt[size - 1 :].any()
    assert sum(len(batch) for batch in batches) == windows.size


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32, np.int64])
def test_a_file_gives_what_memory_gives(tmp_path, kind):
    tokens = np.random.default_rng(0).integers(0, 200, 5_000).astype(kind)
    path = save_tokens(tmp_path / "text.tokens", tokens)
    np.save(tmp_path / "text.npy", tokens)
    sources = [Windows(x, 16, 8, seed=3) for x in (torch.from_numpy(tokens.astype(np.int64)), tokens, open_tokens(path),
                                                   open_tokens(tmp_path / "text.npy"))]  # fmt: skip
    for k in (0, 9, 123):
        assert len({source[k].ids.numpy().tobytes() for source in sources}) == 1
        assert sources[2][k].ids.dtype is torch.int64
    whole = [torch.cat([batch.following for batch in source.once()]) for source in sources]
    assert all(torch.equal(one, whole[0]) for one in whole)


def test_every_start_is_reached():
    windows = Windows(torch.arange(12), 4, batch_size=50)
    assert windows[0].ids[:, 0].unique().tolist() == list(range(8))


def test_epochs_count_windows_of_the_text():
    assert Windows(torch.arange(101), context=10, batch_size=5).epochs(4) == 2.0


@pytest.mark.parametrize("world", [1, 2, 4])
def test_parts_of_ranks_make_the_whole(world):
    windows = Windows(torch.arange(500), 7, batch_size=8, seed=1)
    for k in (0, 31):
        parts = [windows.shard(rank, world)[k].ids for rank in range(world)]
        assert torch.equal(torch.cat(parts), windows[k].ids)
