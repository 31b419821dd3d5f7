"""The loop."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from chainrule.data import Batches, reseed
from chainrule.errors import InputError, expect
from chainrule.training.hook import Hook
from chainrule.training.run import Learner, Run


def fit(
    learner: Learner,
    batches: Batches[Any],
    *,
    steps: int,
    hooks: Sequence[Hook] = (),
    start: int = 0,
    seed: int = 0,
) -> Run:
    """Trains: one learner, one stream of batches, so many steps. There is no algorithm in here.

    What changes the numbers is in the learner; what only watches is a hook. Every step draws its random numbers
    from (seed, step) and its batch from (batches.seed, step), so that a run may stop and go on anywhere.

    Args:
        learner: what changes the numbers; called once per step.
        batches: batch k of an endless stream, for any k.
        steps: the step to train to.
        hooks: what watches, in this order; ended in the reverse order, also after an error.
        start: the step to go on from, after the learner was given its state back.
        seed: where dropout and other noise in the network begin.

    Example:
        >>> import chainrule as cr
        >>> digits = cr.data.digits()
        >>> learner = cr.learners.Gradient(cr.models.lenet5(), cr.objectives.Classify())
        >>> run = cr.fit(learner, digits.train, steps=3)
        >>> run.step, run.done
        (3, True)
    """
    expect("learner", learner, Learner, advice="wrap the network, for instance Gradient(model, Classify())")
    expect("batches", batches, Batches, advice="wrap the tensors, for instance InMemory(Table(x, y), batch_size=64)")
    expect("steps", steps, int, advice="say how many batches to learn from")
    for hook in hooks:
        expect("hooks", hook, Hook, advice="pass hooks, for instance [Evaluate(objective, batches)]")
    if not 0 <= start <= steps:
        raise InputError(
            "`steps` must reach at least `start`", advice="train to a later step", start=start, steps=steps
        )
    run = Run(learner, batches, steps, step=start, seed=seed)
    with ExitStack() as ending:  # ends every hook that was started, in the reverse order, whatever another one raised
        for hook in hooks:
            ending.callback(hook.on_end, run)
            hook.on_start(run)
        while not run.done:
            reseed(run.seed, run.step)
            metrics = learner.step(batches[run.step])
            run.step += 1
            for hook in hooks:
                hook.on_step(run, metrics)
        _ = learner.model  # a learner that does not wait for its device says here what went wrong in the last steps
    return run
