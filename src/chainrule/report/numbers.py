"""How numbers are written for people: one place, so that every table, axis and caption agrees."""

import math
from collections.abc import Sequence

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_MINUS = "−"


def number(value: float | int, *, digits: int = 4) -> str:
    """A measured number: whole numbers whole, others to so many significant digits, extremes as powers of ten.

    Args:
        value: what was measured.
        digits: significant digits of a number that is not whole.

    Example:
        >>> number(1797), number(0.98333333), number(-2.5), number(12345.678)
        ('1,797', '0.9833', '−2.500', '12,346')
        >>> number(3.14e-7), number(float("nan")), number(float("-inf"))
        ('3.14 × 10⁻⁷', 'not a number', '−∞')
    """
    if math.isnan(value):
        return "not a number"
    sign = _MINUS if value < 0 else ""
    size = abs(value)
    if math.isinf(size):
        return sign + "∞"
    if isinstance(value, int):
        return f"{sign}{size:,}"
    if size == 0:
        return "0"
    if not 1e-3 <= size < 1e9:
        mantissa, exponent = f"{size:.{digits - 1}e}".split("e")
        return f"{sign}{mantissa.rstrip('0').rstrip('.')} × 10{str(int(exponent)).translate(_RAISED)}"
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    return f"{sign}{size:,.{decimals}f}"


def decimals(values: Sequence[float | int]) -> int | None:
    """How many decimals suit all numbers of a column, or `None` where each must be written for itself."""
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    if not sizes or all(isinstance(value, int) for value in values) or max(sizes) >= 1e9 or max(sizes) < 1e-3:
        return None
    places = max(0, 3 - math.floor(math.log10(max(sizes))))
    return places if min(sizes) * 10**places >= 10 else None


def column(values: Sequence[float | int], *, signed: bool = False, places: int | None = None) -> list[str]:
    """Numbers as they stand under each other, with equally many decimals where that shows them all.

    Args:
        values: from top to bottom.
        signed: whether positive numbers, too, have their sign.
        places: decimals; as many as suit all if `None`.

    Example:
        >>> column([3.21, 0.672, 0.3512]), column([1, 10]), column([0.8667, -0.00001], signed=True, places=4)
        (['3.210', '0.672', '0.351'], ['1', '10'], ['+0.8667', '0.0000'])
    """
    places = decimals(values) if places is None else places
    return [_fixed(value, places, signed) for value in values]


def _fixed(value: float | int, places: int | None, signed: bool) -> str:
    if places is None or isinstance(value, int) or not math.isfinite(value):
        text = number(abs(value))
    else:
        text = f"{abs(value):,.{places}f}"
    if math.isnan(value) or not text.strip("0.,"):
        return text
    return (_MINUS if value < 0 else "+" if signed else "") + text


def tick(value: float | int) -> str:
    """A number on an axis: as short as it can be said exactly.

    Args:
        value: where the tick is.

    Example:
        >>> [tick(value) for value in (0.0, 0.25, -2.0, 15000.0, 1e-5, 2e7)]
        ['0', '0.25', '−2', '15,000', '10⁻⁵', '2×10⁷']
    """
    if value == 0:
        return "0"
    sign, size = (_MINUS if value < 0 else ""), abs(value)
    if 1e-3 <= size < 1e6:
        text = f"{size:,.10f}".rstrip("0").rstrip(".")
        return sign + text
    mantissa, exponent = f"{size:.9e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".")
    power = "10" + str(int(exponent)).translate(_RAISED)
    return sign + (power if mantissa == "1" else f"{mantissa}×{power}")


def duration(seconds: float | int) -> str:
    """A stretch of time in the units that people say.

    Args:
        seconds: how long.

    Example:
        >>> [duration(seconds) for seconds in (0.00042, 0.25, 42.0, 192.4, 7384.0, 200000.0)]
        ['420 µs', '250 ms', '42.0 s', '3 min 12 s', '2 h 03 min', '2 d 08 h']
    """
    if seconds < 1:
        return f"{seconds * 1e6:.0f} µs" if seconds < 1e-3 else f"{seconds * 1e3:.3g} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    minutes = round(seconds / 60)
    if minutes < 1440:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    hours = round(seconds / 3600)
    return f"{hours // 24} d {hours % 24:02d} h"


def memory(size: float | int) -> str:
    """An amount of memory in powers of 1024.

    Args:
        size: how many bytes.

    Example:
        >>> memory(512), memory(431_000_000), memory(12 * 1024**3)
        ('512 B', '411 MiB', '12.0 GiB')
    """
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
