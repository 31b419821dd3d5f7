"""Every benchmark runs by `make bench` and has its last table, with date, versions and both sides of every ratio."""

import json

import pytest

from gates.source import ROOT

SCRIPTS = sorted(file for file in (ROOT / "bench").glob("*.py") if file.stem != "side_by_side")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda file: file.stem)
def test_a_benchmark_can_be_run_and_was(script):
    text = script.read_text()
    assert "__main__" in text, "make bench would leave it out"
    tables = [*(ROOT / "bench" / "results").glob(f"{script.stem}*.json")]
    assert tables, f"run python bench/{script.name}"
    for table in tables:
        record = json.loads(table.read_text())
        assert {"date", "torch", "python", "processor", "table"} <= set(record), table.name
        assert len(record["table"]) >= 2, f"{table.name} has nothing to compare with"
