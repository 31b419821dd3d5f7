"""A run folder: whole, repeatable, resumable; and nothing hostile in it is believed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from chainrule.errors import InputError
from chainrule.recipes import command_of, find_recipe, load, read_recipe, resume_recipe, run_recipe
from chainrule.training import Hook, Run

SHORT = replace(find_recipe("karate-gcn"), steps=30, seeds=2)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "club"
    run_recipe(SHORT, folder)
    return folder


class StopAt(Hook):
    def __init__(self, step: int) -> None:
        self.step = step

    def on_step(self, run: Run, metrics: dict[str, torch.Tensor]) -> None:
        if run.step == self.step:
            run.stop("enough")


def test_the_folder_holds_what_it_promises(finished: Path) -> None:
    names = {path.name for path in finished.iterdir()}
    assert {"model.safetensors", "recipe.json", "metrics.jsonl", "report.html", "card.md", "state"} <= names
    assert read_recipe(finished) == SHORT


def test_the_model_comes_back_ready(finished: Path) -> None:
    model = load(finished)
    assert not model.training
    assert model(*SHORT.batches()[0].inputs).shape == (34, 2)


def test_a_stopped_run_goes_on_to_the_same_weights(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "club"
    run, outcome = run_recipe(SHORT, folder, hooks=[StopAt(13)])
    assert (run.step, outcome) == (13, None)
    run, outcome = resume_recipe(folder)
    assert run.step == 30
    assert outcome is not None
    for ours, theirs in zip(load(folder).parameters(), load(finished).parameters(), strict=True):
        assert torch.equal(ours, theirs)
    assert (folder / "metrics.jsonl").read_text() == (finished / "metrics.jsonl").read_text()


def test_a_run_is_never_overwritten(finished: Path) -> None:
    with pytest.raises(InputError, match="never overwritten"):
        run_recipe(SHORT, finished)


def test_the_command_repeats_every_changed_setting() -> None:
    recipe = find_recipe("digits-lenet")
    changed = replace(recipe, steps=5, optimizer=replace(recipe.optimizer, lr=0.5, betas=(0.8, 0.9), clip=1.0))
    assert command_of(changed, Path("x")) == (
        "chainrule run digits-lenet --out x --steps 5 --optimizer.lr 0.5 --optimizer.betas 0.8 0.9 --optimizer.clip 1.0"
    )


def test_the_command_is_read_back_to_the_same_recipe() -> None:
    import shlex

    from chainrule.cli.recipes import _parsed

    recipe = find_recipe("digits-lenet")
    schedule = replace(recipe.optimizer.schedule, warmup=7)
    changed = replace(recipe, batch_size=32, optimizer=replace(recipe.optimizer, schedule=schedule, clip=0.5))
    words = shlex.split(command_of(changed, Path("there")))[3:]
    assert _parsed(recipe, words) == (changed, Path("there"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "nul",
        '{"recipe": 3, "settings": {}}',
        '{"recipe": "os.system", "settings": {}}',
        '{"recipe": "karate-gcn", "settings": {"kind": "KarateGcn", "source": "x"}}',
        '{"recipe": "karate-gcn", "settings": {"kind": "KarateGcn", "_instantiator": "os.system"}}',
        '{"recipe": "karate-gcn", "settings": {"kind": "DigitsLenet"}}',
        "[" * 100_000,
        '{"recipe": "karate-gcn", "settings": {"kind": "KarateGcn", "steps": 1e999}}',
    ],
)
def test_a_hostile_recipe_is_refused_in_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_text(text)
    with pytest.raises(InputError):
        read_recipe(tmp_path)


def test_a_huge_recipe_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_text(" " * (1 << 25))
    with pytest.raises(InputError, match="too large for a recipe"):
        read_recipe(tmp_path)


def test_damaged_weights_are_refused(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "recipe.json").write_text((finished / "recipe.json").read_text())
    whole = bytearray((finished / "model.safetensors").read_bytes())
    whole[-5] ^= 1
    (tmp_path / "model.safetensors").write_bytes(whole)
    with pytest.raises(InputError, match=r"model\.safetensors"):
        load(tmp_path)


def test_threads_are_given_back(finished: Path) -> None:
    threads = torch.get_num_threads()
    resume_recipe(finished)
    assert torch.get_num_threads() == threads
    assert json.loads((finished / "summary.json").read_text())
