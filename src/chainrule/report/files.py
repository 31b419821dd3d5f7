"""Writing a file so that it is either the old one or the new one, never half of one."""

import os
from pathlib import Path


def place(path: Path, text: str) -> Path:
    """Writes text beside `path` and moves it there in one go.

    Args:
        path: where it shall lie; whatever lies there is replaced.
        text: its content; half of a pair of surrogates becomes a question mark.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     place(Path(folder) / "note.txt", "kept").read_text()
        'kept'
    """
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with new.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    return path
