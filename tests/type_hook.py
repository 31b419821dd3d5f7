"""The type checker of the suite: beartype, told what it cannot find out one method at a time."""

from collections.abc import Callable
from typing import Any, Self

from beartype import beartype


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """beartype's check of one function; `Self` is left to pyright, because beartype needs the whole class for it."""
    annotations = getattr(function, "__annotations__", {})
    function.__annotations__ = {name: Any if kind is Self else kind for name, kind in annotations.items()}
    return beartype(function)
