"""The one error type that says "what you passed cannot work": a fact, what was received, and advice."""

from types import UnionType
from typing import Any


class InputError(ValueError):
    """A wrong argument, file or batch: one sentence of fact, the values received, one of advice.

    Args:
        fact: what must hold, naming the argument: "`heads` must divide `dim`".
        advice: what to do: "try heads=10".
        received: the values that broke the rule, by name.

    Example:
        >>> raise InputError("`heads` must divide `dim`", advice="try heads=10", dim=100, heads=8)
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: `heads` must divide `dim`. Got dim=100, heads=8; try heads=10.
    """

    def __init__(self, fact: str, *, advice: str, **received: object) -> None:
        got = ", ".join(f"{name}={value!r}" for name, value in received.items())
        super().__init__(f"{fact}. Got {got}; {advice}." if got else f"{fact}; {advice}.")

    def __reduce__(self) -> tuple[Any, ...]:
        """As its finished sentence, so that a worker's error can be raised by its parent."""
        return type(self).__new__, (type(self), str(self))


def expect(name: str, value: object, kind: type | UnionType, *, advice: str) -> None:
    """Raises an `InputError` unless an argument is of its kind: for what Python would stumble over much later.

    Args:
        name: the argument.
        value: what was passed.
        kind: what it must be an instance of.
        advice: what to do.

    Example:
        >>> expect("model", "lenet5", int, advice="pass the network itself")
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: `model` must be of the kind int. Got model='str'; pass the network itself.
    """
    if not isinstance(value, kind):
        wanted = kind.__name__ if isinstance(kind, type) else str(kind)
        raise InputError(f"`{name}` must be of the kind {wanted}", advice=advice, **{name: type(value).__name__})


class SampleError(InputError):
    """One example of a data set cannot be used; the message names its file or row."""


class NonFiniteError(ArithmeticError):
    """A loss or gradient became infinite or NaN; the message names step, batch and first bad module."""


class CheckpointError(InputError):
    """A checkpoint is incomplete, damaged or not ours; the message names the file and what is wrong with it."""
