"""Going on where a run left off."""

import logging
from pathlib import Path

import torch

from chainrule.errors import CheckpointError
from chainrule.training.generators import restore_generators
from chainrule.training.reading import newest_by, read
from chainrule.training.run import Learner

log = logging.getLogger(__name__)


def resume(folder: Path, learner: Learner) -> int:
    """Gives a learner and the random generators their newest whole state, and returns the step to go on from.

    A folder without any checkpoint gives 0, so that one and the same script starts a run and goes on with it. A newer
    checkpoint that is damaged is refused, and one line of the log says why. The way to it is the same at every step:
    batches are random access, so nothing is replayed.

    Args:
        folder: of the run, as `Save` was given it.
        learner: built like the one that was saved.

    Example:
        >>> import tempfile
        >>> import chainrule as cr
        >>> folder, digits = Path(tempfile.mkdtemp()), cr.data.digits()
        >>> for steps in (3, 6):
        ...     learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        ...     start = resume(folder, learner)
        ...     run = cr.fit(learner, digits.train, steps=steps, start=start, hooks=[cr.training.Save(folder)])
        >>> start, run.step
        (3, 6)
    """
    path, checkpoint, refused = newest_by(folder / "state", read)
    if path is None or checkpoint is None:
        if refused:
            raise CheckpointError(
                f"no checkpoint of `{folder}` is whole: {'; '.join(refused)}",
                advice="move `state` away to begin anew",
            )
        log.info("no checkpoint in %s: the run begins at its first step", folder)
        return 0
    if checkpoint.threads != torch.get_num_threads():
        log.warning(
            "%s was computed on %d threads, and now there are %d: the last bits may differ",
            path.name,
            checkpoint.threads,
            torch.get_num_threads(),
        )
    try:
        learner.load_state_dict(checkpoint.state["learner"])
        restore_generators(checkpoint.state["generators"])
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise CheckpointError(
            f"`{path.name}` does not fit this {type(learner).__name__} ({type(error).__name__}: {str(error)[:300]})",
            advice="build the learner with the settings that it was saved with",
        ) from error
    return checkpoint.step
