"""How the contract suite builds every public name of `chainrule.report`."""

from chainrule.report import Figure, Outcome
from contracts.entry import Value

ENTRIES = {
    "Figure": Value(build=lambda: Figure("Loss", "Lower is better.", "<svg></svg>")),
    "Outcome": Value(
        build=lambda: Outcome({"accuracy": 0.9}, {"chance": {"accuracy": 0.1}}, "accuracy of at least 0.8", True),
        skips={"hashable": "its metrics are dicts"},
    ),
}
