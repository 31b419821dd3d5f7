"""Shape annotations are jaxtyping's where it is installed and inert where it is not."""

import subprocess
import sys

import jaxtyping

from chainrule import shapes

NAMES = ("Bool", "Float", "Int", "Num", "Shaped", "UInt8")

WITHOUT = """
import sys
sys.modules["jaxtyping"] = None  # as if it were not installed
from torch import Tensor
from chainrule import shapes
for name in {names}:
    assert getattr(shapes, name)[Tensor, "batch feature"] is Tensor, name
import chainrule
chainrule.models.lenet5()
"""


def test_they_are_jaxtypings() -> None:
    assert all(getattr(shapes, name) is getattr(jaxtyping, name) for name in NAMES)


def test_the_library_works_without_jaxtyping() -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT.format(names=NAMES)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
