"""The random generators that a run draws from besides its counters: their states, taken and given back."""

import random
from typing import Any

import numpy as np
import torch


def generators_state() -> dict[str, Any]:
    """The states of Python's, NumPy's and torch's own generators, on the CPU and on every CUDA device in use.

    Example:
        >>> state = generators_state()
        >>> first = random.random()
        >>> restore_generators(state)
        >>> random.random() == first
        True
    """
    version, words, gauss = random.getstate()
    kept: dict[str, Any] = dict(np.random.get_state(legacy=False))
    inner = {
        name: torch.from_numpy(value.astype(np.int64)) if isinstance(value, np.ndarray) else value
        for name, value in kept["state"].items()
    }
    return {
        "python": (version, torch.tensor(words), gauss),
        "numpy": {**kept, "state": inner},
        "torch": torch.get_rng_state(),
        "cuda": torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else [],
    }


def restore_generators(state: dict[str, Any]) -> None:
    """Gives the generators back the states that `generators_state` took.

    Args:
        state: as `generators_state` gave it, perhaps by way of a checkpoint.

    Example:
        >>> restore_generators(generators_state())
    """
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words.tolist()), gauss))
    kept = state["numpy"]
    inner = {
        name: value.numpy().astype(np.uint32) if isinstance(value, torch.Tensor) else value
        for name, value in kept["state"].items()
    }
    np.random.set_state({**kept, "state": inner})
    torch.set_rng_state(state["torch"])
    if torch.cuda.is_available():
        for device, value in enumerate(state["cuda"][: torch.cuda.device_count()]):
            torch.cuda.set_rng_state(value, device)
