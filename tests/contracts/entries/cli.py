"""How the contract suite builds every public name of `chainrule.cli`."""

from chainrule.cli import main
from contracts.entry import Function, Name

ENTRIES = {
    "main": Function(example=lambda: main(["recipes"])),
    "run_process": Name("ends the process"),
}
