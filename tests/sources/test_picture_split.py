"""Splits of pictures: copies on one side, given parts kept, leaks taken out; counted by hand."""

import pytest
import torch

from chainrule import InputError
from chainrule.sources.picture_split import class_order, content_units, split_pictures


def parts_of(split):
    return [set(part.tolist()) for part in split.parts]


def test_copies_stay_on_one_side_and_everything_is_used_once():
    units = torch.arange(300) // 3
    names = [f"class {int(unit) % 4}" for unit in units]
    split = split_pictures(names, [-1] * 300, units)
    assert sorted(torch.cat(split.parts).tolist()) == list(range(300))
    homes = [set(units[part].tolist()) for part in split.parts]
    assert not homes[0] & homes[1] | homes[0] & homes[2] | homes[1] & homes[2]
    assert split.notes[0] == "200 pictures are copies of others; copies stay on one side of the split."


def test_given_parts_are_kept_and_leaks_are_left_out():
    names = ["a", "b"] * 10
    given = [0] * 12 + [1] * 4 + [2] * 4
    units = torch.arange(20)
    units[0] = units[17]  # learnt from, and judged with
    units[12] = units[16]  # chosen by, and judged with
    train, validation, test = parts_of(split := split_pictures(names, given, units))
    assert (train, validation, test) == (set(range(1, 12)), {13, 14, 15}, {16, 17, 18, 19})
    assert [note for note in split.notes if "left out" in note] == [
        "1 training picture is also among those that choose or judge, and was left out.",
        "1 validation picture is also among those that choose or judge, and was left out.",
    ]


def test_what_is_missing_is_drawn_from_the_training_pictures():
    names, given = ["a", "b"] * 50, [0] * 80 + [2] * 20
    train, validation, test = parts_of(split := split_pictures(names, given, torch.arange(100)))
    assert test == set(range(80, 100))
    assert (len(train), len(validation)) == (68, 12)
    assert split.notes[-1].endswith("the test pictures are the data's own.")


def test_contradictions_are_told():
    split = split_pictures(["a", "b"] * 10, [-1] * 20, torch.tensor([5, 5, *range(100, 118)]))
    assert "1 picture stands in more than one class: one of the labels must be wrong." in split.notes


def test_small_classes_are_left_out_and_one_class_is_an_error():
    names = ["a"] * 10 + ["b"] * 10 + ["rare"] * 2
    split = split_pictures(names, [-1] * 22, torch.arange(22))
    assert split.classes == ("a", "b")
    assert split.notes[0] == "1 class with fewer than 3 different pictures to learn from was left out: rare (2)."
    assert not any(position >= 20 for part in split.parts for position in part.tolist())
    with pytest.raises(InputError, match="takes two classes"):
        split_pictures(["a"] * 10 + ["rare"], [-1] * 11, torch.arange(11))
    with pytest.raises(InputError, match="takes two classes"):  # ten copies are one picture
        split_pictures(["a"] * 10 + ["b"] * 10, [-1] * 20, torch.tensor([*range(10), *[99] * 10]))


def test_a_large_set_keeps_most_for_learning():
    split = split_pictures(["a", "b"] * 50_000, [-1] * 100_000, torch.arange(100_000))
    assert [len(part) for part in split.parts] == [90_000, 5_000, 5_000]


def test_numbers_are_ordered_as_numbers():
    assert class_order(["b", "10", "9"]) == ["10", "9", "b"]
    assert class_order(["-1", "10", "9"]) == ["-1", "9", "10"]


def test_equal_contents_are_one_unit():
    units = content_units([b"x", b"y", b"x"])
    assert units[0] == units[2] != units[1]
    assert units.dtype is torch.int64
