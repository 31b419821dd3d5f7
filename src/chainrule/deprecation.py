"""What will go says so, names its end, and is gone by then: a test fails once the version reaches it."""

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def deprecated(
    *, since: str, ends: str, use: str
) -> Callable[[Callable[_Arguments, _Result]], Callable[_Arguments, _Result]]:
    """Marks a function that will go: calling it warns, with both versions and what to use instead.

    Args:
        since: the version that deprecates it.
        ends: the version that no longer has it.
        use: what takes its place.

    Example:
        >>> @deprecated(since="0.4", ends="0.6", use="chainrule.fit")
        ... def train():
        ...     return "trained"
        >>> import warnings
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     train(), str(caught[0].message)
        ('trained', 'train is deprecated since 0.4 and ends with 0.6; use chainrule.fit.')
    """

    def mark(function: Callable[_Arguments, _Result]) -> Callable[_Arguments, _Result]:
        message = f"{function.__qualname__} is deprecated since {since} and ends with {ends}; use {use}."

        @functools.wraps(function)
        def warned(*args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
            warnings.warn(message, DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return warned

    return mark
