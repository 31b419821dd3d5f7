"""The books stay true: every row of the courses stands in them once, and what they claim to exist does."""

import csv
import importlib
import importlib.util
import os
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BOOKS = ROOT / "curriculum"
FILES = ("mannheim", "mannheim-summary", "berkeley-1", "berkeley-2", "tuebingen")
COLUMNS = ["id", "name", "status", "where", "note"]
STATUSES = ("built", "torch", "claim", "open", "named", "out")


@cache
def rows(file: str) -> tuple[dict[str, str], ...]:
    with (BOOKS / f"{file}.csv").open(newline="", encoding="utf-8") as book:
        reader = csv.DictReader(book, strict=True)
        assert reader.fieldnames == COLUMNS
        return tuple(reader)


def resolve(path: str) -> Any:
    """The object at a dotted path: the longest importable module, then attributes."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for name in parts[length:]:
            found = getattr(found, name)
        return found
    raise ModuleNotFoundError(path)


def inventory() -> Path:
    return Path(os.environ.get("CHAINRULE_CURRICULUM", ROOT.parent / "shared" / "curriculum"))


def ids_of_markdown(file: str) -> list[str]:
    """The ids of one inventory, in order: first cells such as `F01`, `M-A01`, `N207`, errata of the notes left out."""
    ids: list[str] = []
    headed = errata = False
    for line in (inventory() / f"{file}.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            errata = line.lstrip("# ").startswith("Seed errata")
        if not line.startswith("|"):
            headed = False
            continue
        first = line.strip().strip("|").split("|")[0].strip().strip("`*")
        if not headed:
            headed, of_ids = True, first in ("ID", "#")
        elif of_ids and not errata and re.fullmatch(r"([A-Z]-)?[A-Z]\d+", first):
            ids.append(first)
    return ids


@pytest.mark.parametrize("file", FILES)
def test_every_row_is_well_formed(file: str) -> None:
    for row in rows(file):
        assert None not in row.values(), row  # a missing cell
        assert None not in row, row  # a cell too many
        assert row["id"], row
        assert row["name"], row
        assert row["status"] in STATUSES, row
        assert all(cell == cell.strip() for cell in row.values()), row
        assert len(row["name"]) <= 110, row


@pytest.mark.parametrize("file", FILES)
def test_every_id_stands_once(file: str) -> None:
    assert [name for name, count in Counter(row["id"] for row in rows(file)).items() if count > 1] == []


@pytest.mark.parametrize("file", FILES)
def test_where_is_given_exactly_where_something_exists(file: str) -> None:
    for row in rows(file):
        assert bool(row["where"]) == (row["status"] in ("built", "torch", "claim")), row


@pytest.mark.parametrize("file", FILES)
def test_every_where_resolves(file: str) -> None:
    home = {"built": "chainrule.", "torch": "torch."}
    for row in rows(file):
        if row["status"] in home:
            assert row["where"].startswith(home[row["status"]]), row
            try:
                resolve(row["where"])
            except (AttributeError, ModuleNotFoundError) as error:
                pytest.fail(f"{file}:{row['id']} says {row['where']}, which does not resolve: {error}")


@pytest.mark.parametrize("file", FILES)
def test_every_claim_exists(file: str) -> None:
    known = resolve("chainrule.claims").CLAIMS if importlib.util.find_spec("chainrule.claims") else {}
    assert [row for row in rows(file) if row["status"] == "claim" and row["where"] not in known] == []


@pytest.mark.parametrize("file", FILES)
def test_ids_are_those_of_the_inventory(file: str) -> None:
    if not inventory().is_dir():
        pytest.skip(f"no inventories at {inventory()}: set CHAINRULE_CURRICULUM")
    assert [row["id"] for row in rows(file)] == ids_of_markdown(file)


def test_the_counts_in_the_readme_are_true() -> None:
    text = (BOOKS / "README.md").read_text(encoding="utf-8")
    written = dict(re.findall(r"^\| `([a-z0-9-]+)\.csv` \|([\d ,|]+)\|$", text, re.MULTILINE))
    for file in FILES:
        count = Counter(row["status"] for row in rows(file))
        numbers = [int(cell.replace(",", "")) for cell in written[file].split("|")]
        assert numbers == [len(rows(file)), *(count[status] for status in STATUSES)], file
