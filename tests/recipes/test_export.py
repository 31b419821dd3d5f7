"""Exported networks. Oracle: the network itself; and a network whose copy answers otherwise must not pass."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from chainrule.errors import InputError
from chainrule.recipes import Asked, export, find_recipe, load, plan_table, run_recipe
from chainrule.recipes import export as exported
from chainrule.recipes.export import _compared


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "iris"
    run_recipe(plan_table("iris", Asked(minutes=0.005, threads=1)), folder)
    return folder


@pytest.mark.compile
def test_torch_alone_runs_it_for_any_number_of_examples(run: Path, tmp_path: Path) -> None:
    done = export(run, "torch", tmp_path / "iris.pt2")
    assert (done.path, done.examples) == (tmp_path / "iris.pt2", 8)
    assert done.difference < 1e-5
    trained = load(run)
    again = torch.export.load(done.path).module()
    for count in (1, 3, 7):
        (features,) = (part[:count] for part in trained.recipe.batches()[2].inputs)
        torch.testing.assert_close(again(features), trained(features), rtol=1e-4, atol=1e-5)


def test_onnxruntime_runs_it(run: Path) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is an extra: pip install 'chainrule[export]'")
    done = export(run, "onnx")
    assert done.path == run / "model.onnx"
    assert done.difference < 1e-4


def test_a_copy_that_answers_otherwise_is_not_kept(run: Path, tmp_path: Path) -> None:
    """The measure itself."""
    trained, path = load(run), tmp_path / "wrong.pt2"
    path.write_bytes(b"wrong")
    off: Callable[..., torch.Tensor] = lambda *inputs: trained(*inputs) * 1.01  # noqa: E731
    with pytest.raises(InputError, match="does not answer as the network does"):
        _compared(trained, off, trained.recipe.batches()[0].inputs, path)
    assert not path.exists()


def test_what_cannot_be_exported_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "club"
    run_recipe(replace(find_recipe("karate-gcn"), steps=1, seeds=1), folder)
    with pytest.raises(InputError, match="side by side"):
        exported(folder, "torch")
