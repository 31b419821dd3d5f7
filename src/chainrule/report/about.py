"""What a run is, in words: everything about it that is neither measured nor computed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field


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
    """Settings by the names that the command line gives them (`optimizer.lr`), values as they would be typed."""
    flat: dict[str, str] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping) and value:
            flat |= flattened({str(key): inner for key, inner in value.items()}, f"{prefix}{name}.".replace("_", "-"))
        else:
            flat[f"{prefix}{name}".replace("_", "-")] = (
                value if isinstance(value, str) else json.dumps(value, default=str)
            )
    return flat
