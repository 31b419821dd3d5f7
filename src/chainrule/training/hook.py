"""What watches a run and changes nothing."""

from torch import Tensor

from chainrule.training.run import Run


class Hook:
    """Watches a run: evaluates, logs, saves, draws a bar, asks it to stop. It never changes what is computed.

    `metrics` are tensors on the learner's device: reading one (`.item()`) waits for the device, so a hook reads
    them only when it has something to say.
    """

    def on_start(self, run: Run) -> None:
        """Before the first step."""

    def on_step(self, run: Run, metrics: dict[str, Tensor]) -> None:
        """After every step; `run.step` counts it already."""

    def on_end(self, run: Run) -> None:
        """At the end, also after an error."""
