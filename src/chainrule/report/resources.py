"""What a run took: time, memory, and on what."""

import json
import os
import platform
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from chainrule.report.files import place
from chainrule.training import Hook, Run

NAME = "resources.json"
_MOST = 1e18  # seconds or bytes: no run takes more


class Resources(Hook):
    """Measures the time and memory that a run takes, and writes them into its folder when it ends.

    A resumed run adds a session to those already there. What killed a session also kills its measurement.

    Example:
        >>> import chainrule as cr
        >>> digits, used = cr.data.digits(), Resources()
        >>> learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        >>> run = cr.fit(learner, digits.train, steps=2, hooks=[used])
        >>> used.summary()["steps"], used.summary()["wall_seconds"] > 0
        (2, True)
    """

    def __init__(self) -> None:
        self._begun = self._cpu_begun = 0.0
        self._first = 0
        self._session: dict[str, Any] = {}

    def on_start(self, run: Run) -> None:
        """Starts the clocks."""
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        self._first = run.step
        self._cpu_begun = _cpu_seconds()
        self._begun = time.perf_counter()

    def on_step(self, run: Run, metrics: dict[str, Tensor]) -> None:
        """Costs nothing: the loop counts the steps."""

    def on_end(self, run: Run) -> None:
        """Stops the clocks and writes what they say."""
        wall, cpu = time.perf_counter() - self._begun, _cpu_seconds() - self._cpu_begun
        steps = run.step - self._first
        self._session = {
            "first_step": self._first,
            "steps": steps,
            "wall_seconds": wall,
            "cpu_seconds": cpu,
            "wall_seconds_per_step": wall / steps if steps else None,
            "peak_bytes": peak_bytes(),
            **machine(run.learner.model),
        }
        if run.folder is not None and run.folder.is_dir():
            sessions = [*read_sessions(run.folder), self._session]
            place(run.folder / NAME, json.dumps(sessions, indent=1) + "\n")

    def summary(self) -> dict[str, Any]:
        """This session's numbers by name; empty before the run has ended."""
        return dict(self._session)


def read_sessions(folder: Path) -> list[dict[str, Any]]:
    """What `Resources` wrote: one dict per session, oldest first."""
    file = folder / NAME
    if not file.is_file():
        return []
    try:
        found: Any = json.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError):
        return []  # a report without times beats no report
    return [session for session in found if _whole(session)] if isinstance(found, list) else []


def _whole(session: object) -> bool:
    """Whether a session has what it must, as numbers that can be added up."""
    if not isinstance(session, dict):
        return False
    must = [session.get(name) for name in ("steps", "wall_seconds", "cpu_seconds")]
    may = [session.get(name, 0) or 0 for name in ("peak_bytes", "device_peak_bytes")]
    return all(isinstance(value, int | float) and 0 <= value < _MOST for value in must + may)


def totals(sessions: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Times and steps added up, memory at its highest."""
    added = {
        name: sum(float(session[name]) for session in sessions) for name in ("steps", "wall_seconds", "cpu_seconds")
    }
    for name in ("peak_bytes", "device_peak_bytes"):
        if measured := [float(session[name]) for session in sessions if session.get(name)]:
            added[name] = max(measured)
    return added


def peak_bytes() -> int | None:
    """The most memory that this process has held so far, or `None` where the system does not tell.

    Example:
        >>> (peak_bytes() or 2**20) >= 2**20
        True
    """
    try:
        import resource
    except ModuleNotFoundError:  # Windows
        return None
    unit = 1 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def machine(model: torch.nn.Module) -> dict[str, Any]:
    """On what a model is trained: device, threads and versions."""
    first = next(model.parameters(), torch.zeros(()))
    found: dict[str, Any] = {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "device": _device(first.device),
        "processor": processor(),
        "threads": torch.get_num_threads(),
        "chainrule": _version(),
        "torch": str(torch.__version__),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    if first.device.type == "cuda":
        found["device_peak_bytes"] = torch.cuda.max_memory_allocated(first.device)
    return found


def processor() -> str:
    """The processor's name and the number of its cores, as far as the system tells: times mean nothing without.

    Example:
        >>> " logical core" in processor()
        True
    """
    try:
        found = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text("utf-8"), re.MULTILINE)
    except (OSError, ValueError):  # not Linux
        found = None
    count = os.cpu_count() or 1
    name = " ".join((found[1] if found else platform.processor() or platform.machine()).split())
    return f"{name}, {count} logical core" + ("s" if count > 1 else "")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("chainrule")
    except PackageNotFoundError:  # run from its source
        return "unpackaged"


def _device(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type.upper()


def _cpu_seconds() -> float:
    """Of this process and of those it started and waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system
