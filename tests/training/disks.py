"""Disks that are full: one that refuses the byte after so many, and a true small volume."""

import contextlib
import errno
import io
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

OPEN = Path.open


def filling(room: int) -> Callable[..., Any]:
    """A `Path.open` whose new files share a disk with so much room."""
    left = [room]

    class Filling(io.FileIO):
        def write(self, data: Any) -> int:
            size = memoryview(data).nbytes
            fits = min(size, left[0])
            if size and not fits:
                raise OSError(errno.ENOSPC, "No space left on device")
            left[0] -= fits
            return super().write(memoryview(data).cast("B")[:fits])

    def opened(path: Path, mode: str = "r", *options: Any, **named: Any) -> Any:
        if mode != "wb":
            return OPEN(path, mode, *options, **named)
        return io.BufferedWriter(Filling(path, mode))

    return opened


@contextlib.contextmanager
def volume(folder: Path, megabytes: int) -> Iterator[Path]:
    """A file system of its own, of so many megabytes; the test is skipped where none can be mounted."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", folder]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a volume needs more rights than this process has")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
