"""What was measured, line by line, in a file that an interruption does not spoil."""

import json
import logging
import math
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from torch import Tensor

from chainrule.errors import InputError
from chainrule.training.hook import Hook
from chainrule.training.run import Run

log = logging.getLogger(__name__)
_WORDS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


class Metrics(Hook):
    """Records the training metrics every so many steps, and appends all that is recorded to `folder/metrics.jsonl`.

    A run that was interrupted and resumed leaves the same file as one that was not: what it says of steps past the
    checkpoint is dropped when the run goes on. For that, let this hook stand behind those that record (`Evaluate`) and
    before `Save`. Tensors are read, and so waited for, only when a line is written.

    Args:
        folder: of the run.
        every: steps between two records; the last step is recorded too.

    Example:
        >>> import tempfile
        >>> import chainrule as cr
        >>> folder = Path(tempfile.mkdtemp())
        >>> learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        >>> run = cr.fit(learner, cr.data.digits().train, steps=5, hooks=[Metrics(folder, every=2)])
        >>> [entry["step"] for entry in read_metrics(folder / "metrics.jsonl")]
        [2, 4, 5]
    """

    def __init__(self, folder: Path, *, every: int = 50) -> None:
        if every < 1:
            raise InputError("`every` must be at least 1", advice="try 50", every=every)
        self.folder = folder
        self.every = every
        self._written = 0
        self._file: TextIO | None = None

    def on_start(self, run: Run) -> None:
        """Takes up the file where the run goes on; whatever a fresh run finds there is dropped."""
        run.folder = run.folder or self.folder
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "metrics.jsonl"
        kept = [entry for entry in read_metrics(path) if run.step > 0 and entry["step"] <= run.step]
        _rewrite(path, kept)
        run.history[:0] = kept
        self._written = len(kept)
        self._file = path.open("a", encoding="utf-8")

    def on_step(self, run: Run, metrics: dict[str, Tensor]) -> None:
        """Records when it is time; writes what is new."""
        if run.step % self.every == 0 or run.step == run.steps:
            run.record(**{name: float(value) for name, value in metrics.items()})
        if len(run.history) > self._written:
            self._append(run)

    def on_end(self, run: Run) -> None:
        """Writes what is left."""
        self._append(run)
        if self._file is not None:
            self._file.close()
        self._file = None

    def _append(self, run: Run) -> None:
        if len(run.history) == self._written:
            return
        path = self.folder / "metrics.jsonl"
        try:
            if self._file is None:  # the last write failed, perhaps in the middle of a line
                _rewrite(path, run.history)
                self._file = path.open("a", encoding="utf-8")
            else:
                self._file.write("".join(_line(entry) for entry in run.history[self._written :]))
                self._file.flush()
            self._written = len(run.history)
        except OSError as error:
            log.warning("metrics of step %d could not be written, which is tried again: %s", run.step, error)
            with suppress(OSError):
                if self._file is not None:
                    self._file.close()
            self._file = None


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """What a run recorded, in order; lines that were torn by an interruption are left out.

    Args:
        path: a run's `metrics.jsonl`; a missing one is empty.

    Example:
        >>> read_metrics(Path("no/such/metrics.jsonl"))
        []
    """
    if not path.is_file():
        return []
    parsed = (_parse(line) for line in path.read_bytes().splitlines())
    return [entry for entry in parsed if entry is not None]


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or type(entry.get("step")) is not int:
        return None
    entry = {name: _WORDS.get(value, value) if isinstance(value, str) else value for name, value in entry.items()}
    return entry if all(type(value) in (int, float) for value in entry.values()) else None


def _line(entry: dict[str, Any]) -> str:
    written = {name: value if math.isfinite(value) else str(value) for name, value in entry.items()}
    return json.dumps(written, separators=(",", ":")) + "\n"


def _rewrite(path: Path, entries: list[dict[str, Any]]) -> None:
    text = "".join(_line(entry) for entry in entries).encode()
    if path.is_file() and path.read_bytes() == text:
        return
    partial = path.with_name(f".{path.name}.tmp")
    with partial.open("wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
