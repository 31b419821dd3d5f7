"""A residual network written with loops from the paper's figures: one place of one picture at a time."""

import torch
from torch import Tensor


def slow_convolution(pictures: Tensor, kernels: Tensor, stride: int) -> Tensor:
    """(batch, before, height, width) with (after, before, size, size); zeros around the picture, no bias."""
    size = kernels.shape[-1]
    padded = _framed(pictures, size // 2, 0.0)
    return _slide(padded, size, stride, lambda window: torch.einsum("bcij,ocij->bo", window, kernels))


def slow_max_pool(pictures: Tensor, size: int, stride: int) -> Tensor:
    """The largest number in each window; nothing is larger than what lies outside the picture is small."""
    padded = _framed(pictures, size // 2, float("-inf"))
    return _slide(padded, size, stride, lambda window: window.flatten(2).amax(2))


class SlowResNet:
    """The forward pass from a `state_dict`; strides and modes are what weights don't tell."""

    def __init__(self, weights: dict[str, Tensor], depths: tuple[int, ...], *, photograph: bool, training: bool):
        self.weights, self.depths, self.photograph, self.training = weights, depths, photograph, training

    def scores(self, pictures: Tensor) -> Tensor:
        """(batch, classes)."""
        hidden = self._stem(pictures)
        for stage, depth in enumerate(self.depths):
            for block in range(depth):
                hidden = self._block(hidden, f"encoder.{2 + stage}.{block}", 2 if stage and not block else 1)
        embedding = hidden.sum((2, 3)) / (hidden.shape[2] * hidden.shape[3])
        return embedding @ self.weights["head.weight"].T + self.weights["head.bias"]

    def _stem(self, pictures: Tensor) -> Tensor:
        hidden = self._normed(pictures, "encoder.1", 0, 2 if self.photograph else 1).clamp(min=0)
        return slow_max_pool(hidden, 3, 2) if self.photograph else hidden

    def _block(self, x: Tensor, name: str, stride: int) -> Tensor:
        """Figure 2 and equation 2: y = relu(F(x) + W_s x)."""
        hidden = self._normed(x, name + ".branch", 0, stride).clamp(min=0)
        update = self._normed(hidden, name + ".branch", 3, 1)
        projected = f"{name}.shortcut.0.weight" in self.weights
        return (update + (self._normed(x, name + ".shortcut", 0, stride) if projected else x)).clamp(min=0)

    def _normed(self, x: Tensor, name: str, place: int, stride: int) -> Tensor:
        """A convolution and, right after it, batch normalisation (section 3.4)."""
        x = slow_convolution(x, self.weights[f"{name}.{place}.weight"], stride)
        norm, channels = f"{name}.{place + 1}", []
        for channel in range(x.shape[1]):
            values = x[:, channel]
            if self.training:
                mean = values.sum() / values.numel()
                variance = ((values - mean) ** 2).sum() / values.numel()
            else:
                mean = self.weights[norm + ".running_mean"][channel]
                variance = self.weights[norm + ".running_var"][channel]
            standard = (values - mean) / (variance + 1e-5) ** 0.5
            channels.append(standard * self.weights[norm + ".weight"][channel] + self.weights[norm + ".bias"][channel])
        return torch.stack(channels, dim=1)


def _framed(pictures: Tensor, frame: int, value: float) -> Tensor:
    batch, channels, height, width = pictures.shape
    padded = pictures.new_full((batch, channels, height + 2 * frame, width + 2 * frame), value)
    padded[:, :, frame : frame + height, frame : frame + width] = pictures
    return padded


def _slide(padded: Tensor, size: int, stride: int, function) -> Tensor:
    rows = range(0, padded.shape[2] - size + 1, stride)
    columns = range(0, padded.shape[3] - size + 1, stride)
    answers = [[function(padded[:, :, i : i + size, j : j + size]) for j in columns] for i in rows]
    return torch.stack([torch.stack(row, dim=2) for row in answers], dim=2)  # (batch, feature, rows, columns)
