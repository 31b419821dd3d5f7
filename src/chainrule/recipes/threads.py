"""How many threads torch computes with, for a while."""

from collections.abc import Generator
from contextlib import contextmanager

import torch


@contextmanager
def running_on(threads: int) -> Generator[None]:
    """Inside, torch computes with so many threads; afterwards with as many as before.

    Args:
        threads: of the CPU.

    Example:
        >>> with running_on(1):
        ...     torch.get_num_threads()
        1
    """
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
