"""Values that Python 2 stored, read as data alone: nothing that they name is imported, made or called."""

import struct
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chainrule.errors import InputError

_TYPES = frozenset({"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"})
_MOST = 1 << 28  # numbers of a matrix
_FIXED = {  # opcodes that say a value themselves
    b")": (), b"N": None, b"\x88": True, b"\x89": False,
}  # fmt: skip
_NUMBERS = {b"K": "<B", b"M": "<H", b"J": "<i", b"G": ">d"}
_TEXTS = {b"U": "<B", b"T": "<i", b"X": "<I"}  # how long they are stands before them
_TUPLES = {b"\x85": 1, b"\x86": 2, b"\x87": 3}


@dataclass(eq=False)
class Inert:
    """What stands for an object that a stored value asks for: its name and what it would be made of.

    Args:
        name: of the class or function: "numpy dtype".
        arguments: that it would be called with; `None` if it is only named.
        state: that it would be given then.
        items: that it would be filled with, as a dict.
    """

    name: str
    arguments: Any = None
    state: Any = None
    items: dict[Any, Any] = field(default_factory=dict[Any, Any])


class _Stack:
    """Follows the opcodes of protocol 2 that arrays, dicts and lists are written with; any other is refused."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.place = 0
        self.values: list[Any] = []
        self.marks: list[int] = []
        self.kept: dict[int, Any] = {}

    def take(self, count: int) -> bytes:
        """The next bytes."""
        if not 0 <= count <= len(self.content) - self.place:
            raise ValueError("the end is missing")
        self.place += count
        return self.content[self.place - count : self.place]

    def number(self, shape: str) -> Any:
        """The next bytes as one number."""
        return struct.unpack(shape, self.take(struct.calcsize(shape)))[0]

    def line(self) -> str:
        """The next bytes to the end of the line."""
        end = self.content.index(b"\n", self.place)
        return self.take(end + 1 - self.place)[:-1].decode("ascii")

    def since_mark(self) -> list[Any]:
        """What was stacked since the last mark, taken off."""
        start = self.marks.pop()
        found = self.values[start:]
        del self.values[start:]
        return found

    def run(self) -> Any:
        """The value that the content says."""
        if self.take(1) != b"\x80" or self.number("<B") != 2:
            raise ValueError("it is not of protocol 2")
        while (code := self.take(1)) != b".":
            if not self._says(code):
                self._does(code)
        return self.values.pop()

    def _says(self, code: bytes) -> bool:
        """Puts a value on the stack, where the opcode is one that does."""
        if code in _FIXED:
            self.values.append(_FIXED[code])
        elif code in _NUMBERS:
            self.values.append(self.number(_NUMBERS[code]))
        elif code in _TEXTS:
            self.values.append(self.take(self.number(_TEXTS[code])))
        elif code == b"}":
            self.values.append({})
        elif code == b"]":
            self.values.append([])
        elif code == b"c":
            self.values.append(Inert(f"{self.line()} {self.line()}"))
        elif code in b"hj":
            self.values.append(self.kept[self.number("<B" if code == b"h" else "<I")])
        else:
            return False
        return True

    def _does(self, code: bytes) -> None:
        """Changes what lies on the stack."""
        if code in b"qr":
            self.kept[self.number("<B" if code == b"q" else "<I")] = self.values[-1]
        elif code == b"(":
            self.marks.append(len(self.values))
        elif code == b"t":
            self.values.append(tuple(self.since_mark()))
        elif code in _TUPLES:
            count = _TUPLES[code]
            self.values[-count:] = [tuple(self.values[-count:])]
        elif code in b"R\x81":
            arguments, named = self.values.pop(), self.values.pop()
            self.values.append(Inert(named.name, arguments))
        elif code == b"b":
            state = self.values.pop()
            self.values[-1].state = state
        elif code in b"aesu":
            self._fills(code)
        else:
            raise ValueError(f"opcode {code!r} is not one of data")

    def _fills(self, code: bytes) -> None:
        """Puts what lies on top into the list or the dict below it."""
        many = code in b"eu"
        count = 1 if code == b"a" else 2
        found = self.since_mark() if many else [self.values.pop() for _ in range(count)][::-1]
        into = self.values[-1]
        if code in b"ae":
            into.extend(found)
            return
        into = into.items if isinstance(into, Inert) else into
        into.update(zip(found[::2], found[1::2], strict=True))


def read_inert(content: bytes, *, path: str = "") -> Any:
    """Lists, dicts, numbers and bytes that Python 2 stored; any other object as an `Inert` that names it.

    Args:
        content: of the file, unpacked.
        path: of the file, for messages.

    Example:
        >>> read_inert(bytes.fromhex("80025d71012e")), read_inert(b"\\x80\\x02cos\\nsystem\\n.").name
        ([], 'os system')
    """
    try:
        return _Stack(content).run()
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, struct.error) as error:
        raise InputError(
            f"the file does not hold stored arrays or lists ({error})", advice="get it again", path=path
        ) from error


def inert_array(stored: Any, *, path: str = "") -> np.ndarray:
    """The array that an `Inert` stands for, of numbers alone.

    Args:
        stored: as `read_inert` gave it.
        path: of the file, for messages.

    Example:
        >>> kind = Inert("numpy dtype", (b"i4", 0, 1), state=(3, b"<"))
        >>> inert_array(Inert("numpy.core.multiarray _reconstruct", (), (1, (2,), kind, False, bytes(8)))).tolist()
        [0, 0]
    """
    try:
        _, shape, kind, columns_first, content = stored.state
        code = kind.arguments[0].decode("ascii")
        if code not in _TYPES or kind.state[1] not in (b"<", b"|"):
            raise ValueError(f"numbers of the type {code!r}")
        flat = np.frombuffer(content, dtype=np.dtype(code).newbyteorder("<"))
        return flat.reshape(shape, order="F" if columns_first else "C").copy()
    except (ValueError, IndexError, TypeError, AttributeError) as error:
        raise InputError(
            f"the file does not hold an array of numbers ({error})", advice="get it again", path=path
        ) from error


def inert_rows(stored: Any, *, path: str = "") -> np.ndarray:
    """The matrix that an `Inert` of compressed sparse rows stands for, as rows of numbers.

    Args:
        stored: as `read_inert` gave it.
        path: of the file, for messages.

    Example:
        >>> inert_rows(Inert("a", state={}))
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: the file does not hold a matrix of sparse rows. Got path=''; get it again.
    """
    try:
        parts = [inert_array(stored.state[name], path=path) for name in (b"data", b"indices", b"indptr")]
        values, columns, ends = parts
        height, width = stored.state[b"_shape"]
        rows = np.repeat(np.arange(height), np.diff(ends))
        right = len(values) == len(columns) == len(rows) and (not len(columns) or 0 <= columns.min() <= columns.max())
        if not right or (len(columns) and columns.max() >= width) or height * width > _MOST:
            raise ValueError("places outside of the matrix")
        dense = np.zeros((height, width), dtype=np.float32)
        np.add.at(dense, (rows, columns), values.astype(np.float32))
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, MemoryError) as error:
        raise InputError("the file does not hold a matrix of sparse rows", advice="get it again", path=path) from error
    return dense
