"""The type hook: every call into chainrule has its annotations checked, shapes too, unless `torch.compile` is tested.

`torch.compile` cannot trace the checks, so `pytest -m compile` runs without them (jaxtyping issue 384).
"""

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from jaxtyping import config as shape_checks
from jaxtyping import install_import_hook

os.environ.setdefault("MPLBACKEND", "agg")  # no test opens a window
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # what torch's deterministic flag asks for on a CUDA device


def pytest_configure(config: pytest.Config) -> None:
    """Installs the hook before the first test file imports it; `test_type_hook` fails where it is missing."""
    if config.option.markexpr.strip() != "compile" and find_spec("beartype"):
        install_import_hook("chainrule", "type_hook.checked")


@pytest.fixture
def unchecked() -> Iterator[None]:
    """Lets malformed arguments through the type hook, for tests of the library's own messages."""
    shape_checks.update("jaxtyping_disable", True)
    yield
    shape_checks.update("jaxtyping_disable", False)
