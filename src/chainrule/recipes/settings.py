"""Frozen settings as plain data and back: what `recipe.json` holds, typed on the way in.

Nothing in a file chooses what is imported: a tagged value ("kind") is looked up among the classes that the field's own
annotation names, and every value must have the type that the field declares.
"""

import difflib
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from chainrule.errors import InputError

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
SettingsT = TypeVar("SettingsT")


def to_plain(value: Any) -> Plain:
    """Frozen dataclasses, tuples and plain values as what JSON can hold.

    Args:
        value: settings.

    Example:
        >>> from chainrule.optim import Sgd
        >>> to_plain(Sgd(lr=0.5))["lr"]
        0.5
    """
    if is_dataclass(value):
        inner = {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
        return {"kind": type(value).__name__, **inner}
    if isinstance(value, tuple | list):
        return [to_plain(entry) for entry in cast("list[Any]", value)]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise InputError("settings are plain values and frozen dataclasses", advice="leave it out", value=value)


def from_plain(kind: type[SettingsT], plain: Plain, name: str = "settings") -> SettingsT:
    """The settings that `to_plain` wrote; anything else is refused with its name.

    Args:
        kind: the class, or the annotation, that the value must have.
        plain: what was read.
        name: how the value is called in messages.

    Example:
        >>> from chainrule.optim import Sgd
        >>> from_plain(Sgd, to_plain(Sgd(lr=0.5))) == Sgd(lr=0.5)
        True
        >>> from_plain(Sgd, {"kind": "Sgd", "rate": 1.0})
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: settings has no field 'rate'. Got kind='Sgd'; did you mean 'lr', 'momentum', ...
    """
    return cast("SettingsT", _typed(kind, plain, name))


def _typed(kind: Any, plain: Plain, name: str) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        return _one_of(inner, plain, name)
    if origin is Literal:
        if plain not in inner:
            raise InputError(f"{name} must be one of {', '.join(map(repr, inner))}", advice="choose one", got=plain)
        return plain
    if origin is tuple:
        return _tuple(inner, plain, name)
    if is_dataclass(kind):
        return _dataclass(cast("type[Any]", kind), plain, name)
    if kind is float and isinstance(plain, int) and not isinstance(plain, bool):
        return float(plain)
    matches = plain is None if kind is type(None) else type(plain) is kind
    if not matches:
        raise InputError(f"{name} must be of type {kind.__name__}", advice="mend recipe.json", got=plain)
    return plain


def _one_of(kinds: tuple[Any, ...], plain: Plain, name: str) -> Any:
    if isinstance(plain, dict):
        tagged = [kind for kind in kinds if is_dataclass(kind) and cast("type", kind).__name__ == plain.get("kind")]
        if tagged:
            return _typed(tagged[0], plain, name)
    for kind in kinds:
        try:
            return _typed(kind, plain, name)
        except InputError:
            continue
    raise InputError(f"{name} has none of the types it may have", advice="mend recipe.json", got=plain)


def _tuple(kinds: tuple[Any, ...], plain: Plain, name: str) -> tuple[Any, ...]:
    if not isinstance(plain, list):
        raise InputError(f"{name} must be a list", advice="mend recipe.json", got=plain)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        kinds = (kinds[0],) * len(plain)
    if len(kinds) != len(plain):
        raise InputError(f"{name} must have {len(kinds)} entries", advice="mend recipe.json", got=plain)
    return tuple(_typed(kind, entry, f"{name}[{i}]") for i, (kind, entry) in enumerate(zip(kinds, plain, strict=True)))


def _dataclass(kind: type[Any], plain: Plain, name: str) -> Any:
    if not isinstance(plain, Mapping) or plain.get("kind") != kind.__name__:
        raise InputError(f"{name} must be the settings of {kind.__name__}", advice="mend recipe.json", got=plain)
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]
    for given in plain:
        if given != "kind" and given not in known:
            near = difflib.get_close_matches(given, known, n=3) or known
            raise InputError(
                f"{name} has no field {given!r}",
                advice="did you mean " + ", ".join(map(repr, near)),
                kind=kind.__name__,
            )
    given = {key: _typed(hints[key], value, f"{name}.{key}") for key, value in plain.items() if key != "kind"}
    return kind(**given)
