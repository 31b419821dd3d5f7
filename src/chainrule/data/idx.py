"""The IDX format of the MNIST family: a few big-endian numbers, then the bytes."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from chainrule.data.files import existing, read_bytes
from chainrule.errors import InputError
from chainrule.shapes import UInt8

_LARGEST = 1 << 30  # bytes: no set of this family comes near it, and a damaged header must not fill the memory


def read_idx(path: Path, axes: int) -> UInt8[Tensor, "..."]:
    r"""The bytes of an IDX file: magic `0, 0, 8, axes`, the length of each axis in 4 bytes, then the values.

    Args:
        path: the file's plain name; `path.xz` and `path.gz` are found too.
        axes: how many axes it must have: 3 for pictures, 1 for labels.

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = Path(folder.name) / "labels-idx1-ubyte"
        >>> path.write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1]))
        11
        >>> read_idx(path, axes=1).tolist()
        [7, 2, 1]
        >>> folder.cleanup()

    Reference:
        LeCun, Cortes and Burges, The MNIST database of handwritten digits, 1998 (file formats).

    Differs:
        Only unsigned bytes, the kind that data sets of this family use.
    """
    path = existing(path)
    head = 4 + 4 * axes
    content = read_bytes(path, limit=_LARGEST)
    if len(content) < head or content[:4] != bytes([0, 0, 8, axes]):
        raise InputError(
            f"{path} must be an IDX file of unsigned bytes with {axes} axes",
            advice="fetch the data set again",
            starts_with=content[:4].hex(" "),
            expected=bytes([0, 0, 8, axes]).hex(" "),
        )
    shape = tuple(np.frombuffer(content, ">u4", axes, 4).tolist())
    expected = head + int(np.prod(shape, dtype=object))
    if len(content) != expected:
        raise InputError(
            f"{path} must be as long as its header says",
            advice="the file is cut off: fetch it again",
            shape=shape,
            bytes_expected=expected,
            bytes=len(content),
        )
    return torch.from_numpy(np.frombuffer(content, np.uint8, offset=head).reshape(shape).copy())
