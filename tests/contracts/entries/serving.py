"""How the contract suite builds every public name of `chainrule.serving`."""

import importlib.util
import tempfile
from pathlib import Path

from chainrule.errors import InputError
from chainrule.serving import Limits, Refused, web_app
from contracts.entry import Function, Name, Value
from serving.runs import picture_run


def _paths() -> list[str]:
    if importlib.util.find_spec("fastapi") is None:
        return []
    with tempfile.TemporaryDirectory() as name:
        return sorted(web_app(picture_run(Path(name))).openapi()["paths"])


ENTRIES = {
    "LOOPBACK": Name("the names that a machine has for itself"),
    "Limits": Value(build=Limits),
    "Refused": Function(example=lambda: Refused(413, InputError("too much", advice="ask in parts")).status),
    "web_app": Function(example=_paths),
}
