"""Shape annotations: jaxtyping's, or inert stand-ins where jaxtyping is not installed.

`Float[Tensor, "batch feature"]` in a signature is documentation that the test suite checks (the hook of
jaxtyping and beartype); at run time it costs nothing, and the library imports without either package.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxtyping import Bool as Bool
    from jaxtyping import Float as Float
    from jaxtyping import Int as Int
    from jaxtyping import Num as Num
    from jaxtyping import Shaped as Shaped
    from jaxtyping import UInt8 as UInt8
else:
    try:
        from jaxtyping import Bool, Float, Int, Num, Shaped, UInt8
    except ModuleNotFoundError:

        class _Inert:
            """`_Inert[Tensor, "axes"]` is just `Tensor`."""

            def __class_getitem__(cls, item):
                return item[0]

        Bool = Float = Int = Num = Shaped = UInt8 = _Inert
