"""What several rooms' tests share."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# A busy machine is no fault of the code; and what CI says of a commit must not depend on luck.
settings.register_profile("house", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("house")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets: `$CHAINRULE_DATA`, else `../shared/data`, else the test is skipped."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("CHAINRULE_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real data: {folder} is not there (set CHAINRULE_DATA)")
    return folder
