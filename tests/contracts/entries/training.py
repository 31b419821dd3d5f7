"""How the contract suite builds every public name of `chainrule.training`."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from chainrule.data import IGNORED, InMemory, Table
from chainrule.learners import Gradient
from chainrule.objectives import Regress
from chainrule.training import (
    Evaluate,
    Hook,
    Metrics,
    Run,
    Save,
    StopOnSignal,
    counted,
    evaluate,
    evaluating,
    exit_code,
    fit,
    generators_state,
    load,
    load_model,
    newest,
    read_metrics,
    restore_generators,
    resume,
    save,
    save_model,
)
from contracts.entry import Abstract, Function


def _batches() -> InMemory[Table]:
    return InMemory(Table(torch.arange(16.0).view(8, 2) / 16, torch.ones(8, 1)), batch_size=4)


def _run(hook: bool = False) -> Run:
    learner = Gradient(nn.Linear(2, 1), Regress())
    return fit(learner, _batches(), steps=4, hooks=[Evaluate(Regress(), _batches(), every=2)] if hook else [])


def _evaluating() -> list[bool]:
    network = nn.Sequential(nn.Dropout(), nn.Dropout().eval())
    with evaluating(network):
        inside = network.training
    return [inside, *(module.training for module in network)]


def _in_folder(act: Callable[[Path], Any]) -> Callable[[], Any]:
    """An example that needs a folder of its own."""

    def example() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return act(Path(folder))

    return example


def _hooked(*hooks: Hook) -> Run:
    return fit(Gradient(nn.Linear(2, 1), Regress()), _batches(), steps=4, hooks=hooks)


def _resumed(folder: Path) -> tuple[int, Any]:
    _hooked(Save(folder, every=2))
    learner = Gradient(nn.Linear(2, 1), Regress())
    return resume(folder, learner), learner.state_dict()


def _loaded(folder: Path) -> nn.Module:
    save_model(folder / "model.safetensors", nn.Linear(2, 1))
    module = nn.Linear(2, 1)
    load_model(folder / "model.safetensors", module)
    return module


def _recorded(folder: Path) -> list[Any]:
    _hooked(Metrics(folder, every=2))
    return read_metrics(folder / "metrics.jsonl")


def _drawn() -> Any:
    state = generators_state()
    first = torch.rand(2)
    restore_generators(state)
    return first, torch.rand(2)


ENTRIES = {
    "Metrics": Function(example=_in_folder(lambda folder: _hooked(Metrics(folder, every=1)).history)),
    "Save": Function(example=_in_folder(lambda folder: _hooked(Save(folder, every=2)).step)),
    "StopOnSignal": Function(example=lambda: _hooked(StopOnSignal()).stopped),
    "exit_code": Function(example=lambda: exit_code(_run())),
    "generators_state": Function(example=lambda: generators_state()["torch"]),
    "load": Function(example=_in_folder(lambda folder: load(save(folder, 1, {"w": torch.rand(2)})))),
    "load_model": Function(example=_in_folder(_loaded)),
    "newest": Function(example=_in_folder(lambda folder: newest(folder)[1])),
    "read_metrics": Function(example=_in_folder(_recorded)),
    "restore_generators": Function(example=_drawn),
    "resume": Function(example=_in_folder(_resumed)),
    "save": Function(example=_in_folder(lambda folder: save(folder, 1, {}).name)),
    "save_model": Function(example=_in_folder(lambda folder: save_model(folder / "model", nn.Linear(2, 1)))),
    "Evaluate": Function(example=lambda: _run(hook=True).history),
    "Run": Function(example=lambda: _run().step),
    "counted": Function(example=lambda: counted(Table(torch.zeros(2, 1), torch.tensor([1, IGNORED])))),
    "evaluate": Function(example=lambda: evaluate(nn.Linear(2, 1), Regress(), _batches())),
    "evaluating": Function(example=_evaluating),
    "fit": Function(example=lambda: dict(_run().learner.model.named_parameters())),
    "Hook": Abstract("every hook above"),
    "Learner": Abstract("every learner in `learners`"),
}
