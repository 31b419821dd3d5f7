"""Saves a run while it goes on."""

import itertools
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from torch import Tensor

from chainrule.errors import CheckpointError, InputError
from chainrule.training.checkpoint import clean, prune, steps_in, write_checkpoint
from chainrule.training.generators import generators_state
from chainrule.training.hook import Hook
from chainrule.training.model_file import write_model
from chainrule.training.reading import read, read_manifest
from chainrule.training.run import Run
from chainrule.training.staging import Staging
from chainrule.training.state import pack

log = logging.getLogger(__name__)


class Save(Hook):
    """Saves the whole state of a run every so many steps, and at its end: `folder/state/step-N`, `model.safetensors`.

    Training waits only while the state is copied; one thread in the background writes the copy. A save that fails (a
    full disk) is reported as a warning at the next step and tried again, sooner at first and then ever more rarely;
    the checkpoint before it stands, and training goes on. It is an error only when the very last save of a run fails,
    or when it is not the disk that fails: a state that no file can hold will not fit the next time either.

    A run that ended by itself or was asked to stop is saved as it stands. After an error it is not: an error may leave
    half an update behind, and the newest checkpoint is whole (`NonFiniteError` changes nothing, and loses nothing but
    the steps since that checkpoint).

    Args:
        folder: of the run; a new one, or the one that `resume` was given.
        every: steps between two checkpoints.
        keep: how many checkpoints stay, at least two.
        background: `False` writes while training waits.

    Example:
        >>> import tempfile
        >>> import chainrule as cr
        >>> folder = Path(tempfile.mkdtemp())
        >>> learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        >>> run = cr.fit(learner, cr.data.digits().train, steps=5, hooks=[Save(folder, every=2)])
        >>> sorted(str(path.relative_to(folder)) for path in folder.glob("*/step-*"))
        ['state/step-00000004', 'state/step-00000005']
        >>> (folder / "model.safetensors").exists()
        True
    """

    def __init__(self, folder: Path, *, every: int = 100, keep: int = 2, background: bool = True) -> None:
        if every < 1 or keep < 2:
            raise InputError(
                "`every` must be at least 1 and `keep` at least 2",
                advice="a single checkpoint has no reserve",
                every=every,
                keep=keep,
            )
        self.folder = folder
        self.every = every
        self.keep = keep
        self.background = background
        self.failures = 0
        self._staging = Staging()
        self._writer: ThreadPoolExecutor | None = None
        self._pending: tuple[int, Future[None]] | None = None
        self._claimed = False
        self._saved = -1
        self._due = 0

    def on_start(self, run: Run) -> None:
        """Makes the folder ready, and checks that it is this run's and that the state can be written."""
        self._claimed = False
        run.folder = run.folder or self.folder
        states = self.folder / "state"
        states.mkdir(parents=True, exist_ok=True)
        clean(states)
        _claim(states, run)
        pack(run.learner.state_dict())
        self._saved = -1  # a checkpoint of this step may be there, and a kill have come before its model's file
        self._due = self._next(run)
        self._claimed = True

    def on_step(self, run: Run, metrics: dict[str, Tensor]) -> None:
        """Saves when it is time; tells of a save that failed as soon as that is known."""
        if self._pending is not None and self._pending[1].done():
            self._settle(run)
        if run.step >= self._due and not run.done:  # the last state is saved by `on_end`
            self._settle(run)
            self._due = self._next(run)
            self._start(run)

    def on_end(self, run: Run) -> None:
        """Waits for the writer; then saves the last state, unless the run broke off."""
        try:
            self._settle(run)
            if self._claimed and run.done and self._saved != run.step:
                self._job(run)()
                self._saved = run.step
        finally:
            if self._writer is not None:
                self._writer.shutdown()
            self._writer = None

    def _next(self, run: Run) -> int:
        return run.step - run.step % self.every + self.every

    def _start(self, run: Run) -> None:
        job = self._job(run)
        if self.background:
            self._writer = self._writer or ThreadPoolExecutor(1, "chainrule-save")
            self._pending = run.step, self._writer.submit(job)
            return
        done: Future[None] = Future()
        try:
            done.set_result(job())
        except OSError as error:
            done.set_exception(error)
        self._pending = run.step, done  # only now: an interrupt leaves nothing that `on_end` would wait for

    def _settle(self, run: Run) -> None:
        """Waits for the save under way, if any, and takes note of how it went."""
        if self._pending is None:
            return
        step, future = self._pending
        self._pending = None
        error = future.exception()
        if error is None:
            self._saved, self.failures = step, 0
            return
        if not isinstance(error, OSError):  # no disk can mend it: trying again would fail for ever
            raise error
        self.failures += 1
        self._due = min(self._due, run.step + min(2**self.failures, self.every))
        log.warning("step %d could not be saved: %s; tried again at step %d", step, error, self._due)

    def _job(self, run: Run) -> Callable[[], None]:
        state = {"learner": run.learner.state_dict(), "generators": generators_state()}
        skeleton, tensors = pack(state)
        tensors, weights = self._staging.take([tensors, dict(run.learner.model.state_dict())])
        return partial(_write, self.folder, self.keep, run.step, run.seed, skeleton, tensors, weights)


def _write(
    folder: Path,
    keep: int,
    step: int,
    seed: int,
    skeleton: Any,
    tensors: dict[str, Tensor],
    weights: dict[str, Tensor],
) -> None:
    if not (folder / "state" / f"step-{step:08d}").exists():  # else it is the model's file that is missing
        write_checkpoint(folder / "state", step, skeleton, tensors, seed=seed)
    prune(folder / "state", keep)
    write_model(folder / "model.safetensors", weights)


def _claim(states: Path, run: Run) -> None:
    """The folder must not know a later step than the run, nor another seed; damaged later ones are set aside."""
    for step, path in steps_in(states):
        try:
            seed = read(path).seed if step > run.step else read_manifest(path)["seed"]
        except (CheckpointError, OSError):
            if step > run.step:
                _set_aside(path)
            continue
        if step > run.step or seed != run.seed:
            raise InputError(
                "a run is saved into a folder of its own, or goes on from the newest step in it",
                advice="choose a new folder, or start=resume(folder, learner) with the same seed",
                folder=str(states.parent),
                saved_step=step,
                start=run.step,
                saved_seed=seed,
                seed=run.seed,
            )
        return


def _set_aside(path: Path) -> None:
    names = (path.with_name(f"{path.name}.refused{count or ''}") for count in itertools.count())
    path.rename(next(name for name in names if not name.exists()))
