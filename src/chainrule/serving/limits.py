"""How much may be asked at once, and how it is said that it was too much."""

from dataclasses import dataclass

from chainrule.errors import InputError


@dataclass(frozen=True)
class Limits:
    """What one request, and all of them together, may take.

    Args:
        bytes: of a request's body.
        examples: of one request.
        seconds: that a request may last, from its first byte to its answer.
        waiting: requests at once; the next one is turned away.
        batch: examples that the network is given at once, where requests come together.
        pause: seconds that the first of a batch waits for others.

    Example:
        >>> Limits(examples=8).seconds
        30.0
    """

    bytes: int = 1 << 24
    examples: int = 1024
    seconds: float = 30.0
    waiting: int = 64
    batch: int = 64
    pause: float = 0.005

    def allow(self, examples: int) -> None:
        """Refuses a request of more examples than are allowed."""
        if examples > self.examples:
            raise Refused(
                413,
                InputError(
                    "a request may have so many examples and no more",
                    advice="ask in parts, or use `chainrule predict`", examples=examples, at_most=self.examples,
                ),
            )  # fmt: skip


class Refused(Exception):  # noqa: N818 (what happened, not what went wrong: a request was turned away)
    """A request that is not answered: the status that HTTP has for the reason, and the reason as our sentence.

    Args:
        status: 400 not understood, 403 from a strange page, 413 too much, 422 not what the model takes, 503 too many
            at once, 504 too slow.
        reason: what must hold, what came, what to do.

    Example:
        >>> Refused(422, InputError("a picture must be whole", advice="send it again")).status
        422
    """

    def __init__(self, status: int, reason: InputError | str) -> None:
        super().__init__(str(reason))
        self.status = status


def too_slow(seconds: float) -> Refused:
    """What a request is told whose time is over."""
    advice = "ask for fewer examples, or use `chainrule predict`"
    return Refused(504, InputError("a request must be answered within its time", advice=advice, seconds=seconds))
