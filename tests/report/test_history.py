import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainrule.report.history import binned, history_figures, merged, read_history


def test_the_file_is_preferred_and_a_torn_line_left_out(tmp_path):
    (tmp_path / "metrics.jsonl").write_text('{"step": 1, "loss": 2.0}\n{"step": 2, "loss": 1.0}\n{"step": 3, "lo')
    assert read_history(tmp_path, [{"step": 9, "loss": 9.0}]) == [{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.0}]


def test_memory_serves_where_there_is_no_file(tmp_path):
    assert read_history(tmp_path, [{"step": 9, "loss": 9.0}]) == [{"step": 9, "loss": 9.0}]


def test_a_step_that_was_taken_twice_counts_once():
    entries = [{"step": 2, "a": 1.0}, {"step": 1, "a": 0.0}, {"step": 2, "a": 3.0, "b": 4.0}]
    assert merged(entries) == [{"step": 1, "a": 0.0}, {"step": 2, "a": 3.0, "b": 4.0}]


def test_training_and_validation_share_a_chart():
    history = [{"step": 1, "loss": 2.0, "validation_loss": 2.5, "accuracy": 0.5}, {"step": 2, "validation_loss": 2.25}]
    loss, accuracy = history_figures(history)
    assert (loss.title, accuracy.title) == ("Loss", "Accuracy")
    said = "Training ends at 2.000; validation ends at 2.250 (best 2.250 at step 2)."
    assert (
        loss.caption
        == f"{said} Training: single batches, with dropout, augmentation and smoothing where there are any."
    )
    assert "single batches" not in accuracy.caption
    assert 'data-name="training"' in loss.svg
    assert 'data-name="validation"' in loss.svg


def test_what_falls_far_is_shown_on_a_log_scale():
    falling, flat = history_figures([{"step": k, "far": 10.0**-k, "near": 1 + k / 10} for k in range(4)])
    assert "10⁻³" not in flat.svg
    assert "0.001" in falling.svg


def test_a_value_that_is_not_finite_is_counted():
    (figure,) = history_figures([{"step": 1, "loss": 1.0}, {"step": 2, "loss": math.nan}])
    assert "Not finite and left out: 1." in figure.caption


def test_a_number_of_hundreds_of_digits_is_left_out():
    (figure,) = history_figures([{"step": 1, "loss": 1.0}, {"step": 2, "loss": 10**400}])
    assert "Not finite and left out: 1." in figure.caption


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=2000))
def test_bins_keep_mean_and_extremes(values: list[float]):
    curve = binned(range(len(values)), values, bins=10)
    assert len(curve.x) <= max(10, 20)
    if not curve.low:
        assert list(curve.y) == values
        return
    assert min(curve.low) == min(values)
    assert max(curve.high) == max(values)
    size = math.ceil(len(values) / 10)
    sizes = [min(size, len(values) - start) for start in range(0, len(values), size)]
    mean = sum(count * value for count, value in zip(sizes, curve.y, strict=True)) / len(values)
    assert mean == pytest.approx(sum(values) / len(values), rel=1e-9, abs=1e-3)
