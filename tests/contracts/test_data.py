"""What every kind of batch and every source of batches promises."""

import dataclasses
import itertools

import pytest
import torch

from chainrule.data import Rows
from contracts.entry import BatchKind, Source
from contracts.roster import Subject, each
from contracts.sameness import made, same


@each("to", BatchKind)
def test_to(subject: Subject):
    batch = made(subject.entry.build)
    there = batch.to("cpu")
    assert type(there) is type(batch)
    assert same(batch.tensors(), there.tensors())
    assert same(list(batch.inputs), list(there.inputs))
    assert {tensor.device.type for tensor in batch.to("meta").tensors().values()} == {"meta"}


@each("frozen_batch", BatchKind)
def test_frozen_batch(subject: Subject):
    batch = made(subject.entry.build)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(batch, next(iter(batch.tensors())), None)


@each("select", BatchKind)
def test_select(subject: Subject):
    batch = made(subject.entry.build)
    if isinstance(batch, Rows):
        kept = batch.select(torch.tensor([1, 0]))
        assert len(kept) == 2
        for name, tensor in batch.tensors().items():
            assert same(kept.tensors()[name], tensor[[1, 0]])


@each("random_access", Source)
def test_random_access(subject: Subject):
    """Asked twice, out of order, and from a second copy: one and the same batch."""
    one, other = made(subject.entry.build), made(subject.entry.build, 7)
    batches = [one[k].tensors() for k in range(6)]
    kept = [{name: tensor.clone() for name, tensor in batch.items()} for batch in batches]
    for k in (5, 0, 3, 3, 1000, 2):
        assert same(one[k].tensors(), other[k].tensors()), k
    for k in (4, 1, 5):
        assert same(one[k].tensors(), kept[k]), k
    for k, batch in enumerate(itertools.islice(one, 3)):
        assert same(batch.tensors(), kept[k]), k


@each("shards", Source)
def test_shards(subject: Subject):
    """The parts of all ranks, one after another, make the whole batch."""
    source = made(subject.entry.build)
    for world, k in itertools.product((1, 2), (0, 3)):
        whole, parts = source[k], [source.shard(rank, world)[k] for rank in range(world)]
        if not isinstance(whole, Rows) or len(parts[0]) == len(whole):
            assert all(same(part.tensors(), whole.tensors()) for part in parts)
            continue
        for name, tensor in whole.tensors().items():
            assert same(torch.cat([part.tensors()[name] for part in parts]), tensor), name


@each("once", Source)
def test_once(subject: Subject):
    """Every example once, the same each time, at any batch size."""
    source = made(subject.entry.build)
    whole = [batch.tensors() for batch in source.once()]
    assert same(whole, [batch.tensors() for batch in source.once()])
    if isinstance(source[0], Rows):
        smaller = [batch.tensors() for batch in source.once(3)]
        for name in whole[0]:
            joined = torch.cat([batch[name] for batch in whole])
            assert same(joined, torch.cat([batch[name] for batch in smaller])), name
