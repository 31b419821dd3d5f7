"""What a run is, in words: everything about it that is neither measured nor computed."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast


@dataclass(frozen=True)
class About:
    """What a reader of the report must be told.

    Args:
        name: of the recipe.
        description: what was trained, on what, in one sentence.
        command: what to type to repeat the run, exactly.
        settings: everything that the run depends on: plain values, nested; read from `recipe.json` if empty.
        limits: what the model must not be used for, and where it fails.
        data: what it learnt from, and under which licence.
        sample: what to type to draw samples; empty for a model that can't.

    Example:
        >>> about = About("digits-lenet", "LeNet-5 learns handwritten digits.", "chainrule run digits-lenet")
        >>> about.sample
        ''
    """

    name: str
    description: str
    command: str
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
    limits: str = ""
    data: str = ""
    sample: str = ""


def flattened(settings: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    """Settings by the names that the command line gives them (`optimizer.lr`), values as they would be typed.

    What holds other settings is named by its class, and the class of the whole is left out.
    """
    flat: dict[str, str] = {}
    for name, value in settings.items():
        if name == "kind" and isinstance(value, str):
            flat |= {prefix[:-1]: value} if prefix else {}
            continue
        if isinstance(value, Mapping) and value:
            flat |= flattened({str(key): inner for key, inner in value.items()}, f"{prefix}{name}.".replace("_", "-"))
        else:
            flat[f"{prefix}{name}".replace("_", "-")] = _typed(value)
    return flat


def _typed(value: object) -> str:
    if isinstance(value, list | tuple) and value:
        return " ".join(map(_typed, cast("Sequence[object]", value)))
    return str(value) if value is None or isinstance(value, bool | str) else json.dumps(value, default=str)
