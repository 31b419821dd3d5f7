"""Tasks and the stream of sine waves."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from chainrule.data import Sinusoids, Table, Tasks, by_task
from chainrule.errors import InputError


def _numbered(count: int, shots: int, query_shots: int) -> Tasks[Table]:
    def rows(each: int) -> Table:
        return Table(torch.arange(float(count * each))[:, None], torch.arange(count * each))

    return Tasks(rows(shots), rows(query_shots), count)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.data())
def test_selecting_tasks_takes_their_rows(count: int, shots: int, query_shots: int, data: st.DataObject) -> None:
    tasks = _numbered(count, shots, query_shots)
    chosen = data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=5))
    picked = tasks.select(torch.tensor(chosen))
    assert len(picked) == len(chosen)
    assert by_task(picked.support.outcome, len(chosen)).tolist() == [
        list(range(task * shots, (task + 1) * shots)) for task in chosen
    ]
    assert by_task(picked.targets, len(chosen)).tolist() == [
        list(range(task * query_shots, (task + 1) * query_shots)) for task in chosen
    ]


def test_a_slice_is_a_view() -> None:
    tasks = _numbered(3, 2, 2)
    assert tasks.select(slice(1, 3)).support.outcome.data_ptr() == tasks.support.outcome[2:].data_ptr()


def test_it_is_a_batch() -> None:
    tasks = _numbered(2, 3, 4)
    assert sorted(tasks.tensors()) == ["query_features", "query_outcome", "support_features", "support_outcome"]
    assert tasks.inputs[0] is tasks.query.features
    assert tasks.targets is tasks.query.outcome
    moved = tasks.to("cpu")
    assert moved.count == 2
    assert all(torch.equal(moved.tensors()[name], tensor) for name, tensor in tasks.tensors().items())
    assert tasks.each(torch.clone).support.outcome is not tasks.support.outcome


@pytest.mark.parametrize(("support", "query", "count"), [(5, 4, 2), (4, 5, 2), (4, 4, 0)])
def test_every_task_needs_equally_many_rows(support: int, query: int, count: int) -> None:
    rows = [Table(torch.zeros(length, 1), torch.zeros(length)) for length in (support, query)]
    with pytest.raises(InputError, match=f"every task needs equally many rows. Got count={count}, support={support}"):
        Tasks(rows[0], rows[1], count)


def test_a_batch_is_a_function_of_seed_and_number() -> None:
    waves = Sinusoids(tasks=3, seed=5)
    late = waves[7].tensors()
    for k in (0, 7):
        again = Sinusoids(tasks=3, seed=5)[k].tensors()
        assert all(torch.equal(tensor, again[name]) == (k == 7) for name, tensor in late.items())
    assert not torch.equal(Sinusoids(tasks=3, seed=6)[7].targets, waves[7].targets)


@pytest.mark.parametrize("world", [1, 2, 4])
def test_ranks_share_a_batch(world: int) -> None:
    waves = Sinusoids(tasks=8)
    parts = [waves.shard(rank, world)[2] for rank in range(world)]
    assert torch.equal(torch.cat([part.targets for part in parts]), waves[2].targets)
    assert torch.equal(torch.cat([part.support.features for part in parts]), waves[2].support.features)


def test_a_wave_has_one_amplitude_and_phase_in_support_and_query() -> None:
    r"""Least squares on sin x and cos x, as $A\sin(x+\varphi) = A\cos\varphi\,\sin x + A\sin\varphi\,\cos x$."""
    tasks = Sinusoids(tasks=200, shots=6, query_shots=6)[0]
    x = torch.cat([by_task(tasks.support.features, 200), by_task(tasks.query.features, 200)], 1).double()
    y = torch.cat([by_task(tasks.support.outcome, 200), by_task(tasks.query.outcome, 200)], 1).double()
    basis = torch.cat([x.sin(), x.cos()], 2)
    found = torch.linalg.lstsq(basis, y).solution.squeeze(2)  # (task, 2)
    torch.testing.assert_close(basis @ found[:, :, None], y, rtol=0, atol=1e-3)
    amplitude, phase = found.norm(dim=1), torch.atan2(found[:, 1], found[:, 0])
    for drawn, low, high in ((amplitude, 0.1, 5.0), (phase, 0.0, math.pi), (x, -5.0, 5.0)):
        margin = 0.1 * (high - low)
        assert low - 0.01 < drawn.min() < low + margin
        assert high - margin < drawn.max() < high + 0.01


def test_once_goes_through_held_out_tasks_whatever_the_batch_size() -> None:
    waves = Sinusoids(tasks=4, size=10)
    whole = next(waves.once(10))
    parts = list(waves.once())
    assert [len(part) for part in parts] == [4, 4, 2]
    assert torch.equal(torch.cat([part.targets for part in parts]), whole.targets)
    assert not torch.equal(parts[0].targets, waves[0].targets)


def test_the_same_held_out_waves_for_any_number_of_shots() -> None:
    few, many = next(Sinusoids(shots=5, size=3).once(3)), next(Sinusoids(shots=20, size=3).once(3))
    assert len(few) == len(many) == 3
    reach = [by_task(tasks.support.outcome, 3).abs().amax((1, 2)) for tasks in (few, many)]
    assert bool((reach[0] < 5).all() and (reach[1] < 5).all())


def test_sizes_must_be_positive() -> None:
    with pytest.raises(InputError, match=r"a batch of sine waves needs tasks and points\. Got tasks=25, shots=0"):
        Sinusoids(shots=0)
