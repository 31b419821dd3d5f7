"""Everything that a report says beside the curves and the settings, as one value that a file can hold."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chainrule.errors import CheckpointError, InputError
from chainrule.report.about import About
from chainrule.report.outcome import Figure, Outcome

NAME = "summary.json"


@dataclass(frozen=True)
class Summary:
    """A finished run: what it is, what came out, how far it got."""

    about: About
    outcome: Outcome
    step: int
    steps: int
    seed: int
    stopped: str | None
    date: str

    def written(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self), default=str, indent=1) + "\n"


def read_summary(folder: Path) -> Summary:
    """What was written of the run in `folder`."""
    file = folder / NAME
    try:
        found: dict[str, Any] = json.loads(file.read_text("utf-8"))
        outcome = found.pop("outcome")
        figures = tuple(Figure(**figure) for figure in outcome.pop("figures"))
        found["about"], found["outcome"] = About(**found["about"]), Outcome(**outcome, figures=figures)
        return Summary(**found)
    except FileNotFoundError as error:
        raise InputError("this run has no report yet", advice="train it to its end", folder=str(folder)) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError(f"`{file}` is no summary of a run ({error})", advice="restore it") from error


def read_settings(folder: Path, settings: Mapping[str, object]) -> Mapping[str, object]:
    """The settings that were handed in, or those that `recipe.json` holds, if it can be read."""
    file = folder / "recipe.json"
    if settings or not file.is_file():
        return settings
    try:
        found: Any = json.loads(file.read_text("utf-8"))
    except (ValueError, RecursionError):
        return {}  # a report without settings beats no report
    if not isinstance(found, dict):
        return {}
    inner = found.pop("settings", {})
    return {str(name): value for name, value in (found | (inner if isinstance(inner, dict) else {})).items()}
