"""From stored bytes to the numbers a network likes, as its first layer."""

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor, nn
from torch._C._functorch import is_batchedtensor

from chainrule.errors import InputError
from chainrule.shapes import Float, Num


class Pixels(nn.Module):
    r"""Turns stored pixels into numbers of mean zero and deviation one, channel by channel, and to one size.

    $$y_c = \text{resize}\Big(\frac{x_c - \mu_c}{\sigma_c}\Big)$$

    Being a layer, the preprocessing is saved with the weights and exported with the network: it can't be forgotten.

    Args:
        mean: $\mu$, per channel, in the units of the stored pixels.
        deviation: $\sigma$, per channel, in the same units.
        side: height and width that the network wants; `None` keeps the picture's own.

    Shape:
        pixels: (batch, channel, height, width), any number type;
        returns (batch, channel, rows, columns), floating point.

    Example:
        >>> pixels = Pixels(mean=(8.0,), deviation=(4.0,))
        >>> pixels(torch.full((1, 1, 1, 2), 16, dtype=torch.uint8)).flatten().tolist()
        [2.0, 2.0]

    Reference:
        LeCun, Bottou, Orr and Mueller, Efficient BackProp, 1998, section 4.3.

    Differs:
        Nothing.
    """

    mean: Tensor
    scale: Tensor

    def __init__(
        self, mean: tuple[float, ...] = (0.0,), deviation: tuple[float, ...] = (1.0,), *, side: int | None = None
    ) -> None:
        super().__init__()
        if len(mean) != len(deviation) or min(deviation, default=0.0) <= 0:
            raise InputError(
                "`mean` and `deviation` need one number per channel, deviations above zero",
                advice="measure both on the training split",
                mean=mean,
                deviation=deviation,
            )
        if side is not None and side < 1:
            raise InputError("`side` must be at least 1, or None", advice="try 32", side=side)
        self.side = side
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1))
        self.register_buffer("scale", 1 / torch.tensor(deviation).view(-1, 1, 1))

    def forward(self, pixels: Num[Tensor, "batch channel height width"]) -> Float[Tensor, "batch channel rows columns"]:
        """The standardised pixels."""
        if pixels.ndim < 3 or self.mean.numel() not in (1, pixels.shape[-3]):  # torch would make three channels of one
            raise InputError(
                "`mean` needs one number per channel of the pixels, or one for all",
                advice="measure mean and deviation on pictures of this kind",
                mean=self.mean.numel(),
                pixels=tuple(pixels.shape),
            )
        mean, scale = self.mean, self.scale
        if is_batchedtensor(mean):  # an ensemble's means under vmap: nothing can be in place
            numbers = (pixels.to(mean.dtype) - mean) * scale
        elif pixels.is_cuda and pixels.dtype is torch.uint8:
            numbers = _from_bytes(pixels, mean, scale)
        else:
            numbers = pixels.to(mean.dtype, copy=True).sub_(mean).mul_(scale)
        if self.side is None or pixels.shape[-2:] == (self.side, self.side):
            return numbers
        return F.interpolate(numbers, size=(self.side, self.side), mode="bilinear", align_corners=False)

    def extra_repr(self) -> str:
        """Channels, for `print(model)`."""
        return f"channels={self.mean.numel()}, side={self.side}"


def _from_bytes(pixels: Tensor, mean: Tensor, scale: Tensor) -> Tensor:
    """The same in two passes over memory instead of three, where operations convert as they read (not on the CPU)."""
    return (pixels - mean).mul_(scale)
