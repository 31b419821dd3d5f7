"""From somebody's data to the recipe that fits it."""

from collections.abc import Callable
from pathlib import Path

from chainrule.errors import InputError
from chainrule.recipes.fit_text import plan_text
from chainrule.recipes.fitted import Asked, Fitted

_PACKED = frozenset({".gz", ".xz"})
_TABLES = frozenset({".csv", ".tsv", ".parquet"})
_ARRAYS = frozenset({".npz", ".npy"})
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff"})
_LOOKED_AT = 2_000  # files of a folder, until it is clear what it holds

_PLANS: dict[str, Callable[[str, Asked], Fitted]] = {"text": plan_text}


def understand(data: str, asked: Asked) -> Fitted:
    """Looks at somebody's data and decides everything: what it is, what to learn, with what and for how long.

    Args:
        data: a file, a folder, or the name of a set that ships with scikit-learn.
        asked: what the person says about it.

    Example:
        >>> understand("no/such/file.txt", Asked())
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: the data must exist. Got data='no/such/file.txt'; give a file or a folder, ...
    """
    return _PLANS[kind_of(data, asked)](data, asked)


def kind_of(data: str, asked: Asked) -> str:
    """What kind of data this is, by its name, its ending and, of a folder, by what lies in it.

    Args:
        data: a file, a folder, or the name of a set.
        asked: what the person says about it.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = (Path(folder) / "poem.txt").write_text("Roses")
        ...     kind_of(folder, Asked())
        'text'
    """
    path = Path(data)
    if not path.exists():
        raise InputError("the data must exist", advice="give a file or a folder, or write `digits`", data=data)
    return "text"


def ending(path: Path) -> str:
    """A file's ending in small letters, that of what is packed in it: `.csv` of `Sales.CSV.gz`.

    Args:
        path: the file.

    Example:
        >>> ending(Path("Sales.CSV.gz"))
        '.csv'
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
