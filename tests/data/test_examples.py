"""One example at a time."""

import pytest
import torch

from chainrule import SampleError
from chainrule.data import Skip, Table, derive
from chainrule.data.examples import Examples


def decode(item: object) -> Table:
    if item == "broken":
        raise OSError("truncated")
    if item == "memory":
        raise MemoryError
    if item == "nan":
        return Table(torch.tensor([[torch.nan]]), torch.tensor([0]))
    if item == "wide":
        return Table(torch.zeros(1, 2), torch.tensor([0]))
    if item == "two":
        return Table(torch.zeros(2, 1), torch.tensor([0, 1]))
    return Table(torch.tensor([[float(item)]]), torch.tensor([item]))


@pytest.mark.parametrize(
    ("item", "fault"),
    [
        ("broken", r"example 1 \(broken\): OSError: truncated"),
        ("nan", r"example 1 \(nan\): `features` is not finite"),
        ("wide", r"example 1 \(wide\): `features` \(2,\) float32.* where the first example has `features` \(1,\)"),
        ("two", r"example 1 \(two\): `decode` must return a batch of one example, not 2"),
    ],
)
def test_a_bad_example_is_named_with_its_cause(item, fault):
    examples = Examples([7, item], decode, None, seed=0)
    assert examples.at(0).features.item() == 7
    for _ in range(2):
        with pytest.raises(SampleError, match=fault):
            examples.at(1)


def test_the_cause_is_kept():
    with pytest.raises(SampleError) as raised:
        Examples([1, "broken"], decode, None, seed=0).at(1)
    assert isinstance(raised.value.__cause__, OSError)


def test_no_memory_is_not_a_bad_example():
    with pytest.raises(MemoryError):
        Examples(["memory"], decode, Skip(), seed=0).at(0)


def test_a_replacement_is_the_first_good_one_drawn():
    items = [n if n % 3 else "broken" for n in range(30)]
    examples = Examples(items, decode, Skip(1.0), seed=4)
    for counters in ((0, 1), (5, 2), (1, 5)):
        bad = {}
        filled = examples.fill(3, counters, bad).outcome.item()
        drawn = [derive(4, 2, *counters, attempt) % 30 for attempt in range(1, 50)]
        good = next(place for place in drawn if place % 3)
        assert filled == good
        assert list(bad) == list(dict.fromkeys([3, *drawn[: drawn.index(good)]]))


def test_nothing_to_replace_with():
    with pytest.raises(SampleError, match="no good example found"):
        Examples(["broken"] * 3, decode, Skip(1.0), seed=0).fill(0, (0, 0), {})


def test_a_first_example_that_is_bad_is_no_measure_for_the_others():
    examples = Examples(["broken", 1, "wide"], decode, None, seed=0)
    assert examples.at(1).features.item() == 1
    with pytest.raises(SampleError, match="wide"):
        examples.at(2)


def test_nothing_can_be_decoded():
    def halves(item):
        return Table(torch.tensor([[item / 2]]), torch.tensor([0])) if item != "x" else decode("broken")

    with pytest.raises(SampleError, match="truncated"):
        Examples(["x"], halves, None, seed=0).at(0)


def test_names():
    examples = Examples([1, ("photos/cat.png", 3), {"a": 1}], lambda item: 1 / 0, None, seed=0)
    with pytest.raises(SampleError, match=r"example 1 \(photos/cat.png\)"):
        examples.at(1)
    with pytest.raises(SampleError, match=r"example 2 \(\{'a': 1\}\)"):
        examples.at(2)


def test_stack_is_cat():
    rows = [decode(n) for n in range(5)]
    for cast in (torch.float32, torch.bfloat16):
        cast_rows = [Table(row.features.to(cast), row.outcome) for row in rows]
        stacked = Examples([0], decode, None, 0).stack(cast_rows)
        assert torch.equal(stacked.features, torch.cat([row.features for row in cast_rows]))
