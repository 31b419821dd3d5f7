"""The settings of a recipe as the command line names them: their values, and what each means."""

import inspect
import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints


def setting_rows(settings: Any, prefix: str = "") -> list[tuple[str, str, str]]:
    """Flag, value and meaning of every setting, at any depth; what holds others is named without dashes.

    Args:
        settings: a frozen dataclass.
        prefix: what stands before every name.

    Example:
        >>> from chainrule.optim import Sgd
        >>> setting_rows(Sgd(lr=0.5), "optimizer.")[0]
        ('--optimizer.lr', '0.5', 'η, the learning rate.')
    """
    rows: list[tuple[str, str, str]] = []
    said, hints = meanings(type(settings)), get_type_hints(type(settings))
    for field in fields(settings):
        inner = getattr(settings, field.name)
        name = f"{prefix}{field.name.replace('_', '-')}"
        meaning = said.get(field.name, "")
        if is_dataclass(inner):
            rows += [(name, type(inner).__name__, meaning), *setting_rows(inner, f"{name}.")]
            continue
        if get_origin(hints[field.name]) is Literal:
            meaning = f"{' or '.join(map(str, get_args(hints[field.name])))}: {meaning}"
        if isinstance(inner, bool):
            meaning += f" --{prefix}no-{field.name.replace('_', '-')} turns it off."
        rows.append((f"--{name}", " ".join(map(str, inner)) if isinstance(inner, tuple) else str(inner), meaning))
    return rows


def meanings(kind: type) -> Mapping[str, str]:
    """What each argument of a class means: the `Args:` of its page, each on one line.

    Args:
        kind: a class with a page.

    Example:
        >>> from chainrule.optim import WarmupCosine
        >>> meanings(WarmupCosine)["warmup"]
        'W, steps until the full rate.'
    """
    section = re.search(r"^Args:\n((?:(?: .*)?\n)+)", (inspect.getdoc(kind) or "") + "\n", re.MULTILINE)
    entries = re.findall(r"^ {4}(\w+): (.*(?:\n {5,}.*)*)", section[1] if section else "", re.MULTILINE)
    return {name: " ".join(text.split()).replace("$", "") for name, text in entries}
