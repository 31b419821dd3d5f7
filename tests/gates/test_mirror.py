"""Tests mirror the tree: `src/chainrule/data/order.py` has `tests/data/test_order.py`."""

import re
from pathlib import Path

from gates.source import PACKAGE, ROOT


def untested(package: Path, tests: Path) -> list[str]:
    """Modules without a test file that holds at least one test."""
    wrong = []
    for module in sorted(package.rglob("*.py")):
        if module.stem in ("__init__", "__main__"):
            continue
        place = module.relative_to(package)
        test = tests / place.parent / f"test_{place.stem.lstrip('_')}.py"
        if not test.exists() or not re.search(r"^\s*(async )?def test_", test.read_text(), re.MULTILINE):
            wrong.append(f"{place} has no test in {test.relative_to(tests)}")
    return wrong


def test_every_module_has_its_test():
    assert untested(PACKAGE, ROOT / "tests") == []


def test_a_module_without_test_is_caught(tmp_path):
    for name in ("package/room/__init__.py", "package/room/order.py", "package/top.py", "tests/test_top.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "tests/test_top.py").write_text("def test_top(): ...\n")
    fault = "room/order.py has no test in room/test_order.py"
    assert untested(tmp_path / "package", tmp_path / "tests") == [fault]
    (tmp_path / "tests/room").mkdir()
    (tmp_path / "tests/room/test_order.py").write_text("# nothing yet\n")
    assert untested(tmp_path / "package", tmp_path / "tests") == [fault]
    (tmp_path / "tests/room/test_order.py").write_text("def test_order(): ...\n")
    assert untested(tmp_path / "package", tmp_path / "tests") == []
