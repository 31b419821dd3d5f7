"""A trained network with all that it takes to use it."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor, nn

from chainrule.recipes.recipe import Recipe


class Trained(nn.Module):
    r"""A network and the recipe that it was trained by: called on tensors, or asked about examples as people have them.

    $$\text{predict} = \text{answers} \circ \text{network} \circ \text{encoded}$$

    Args:
        network: with its weights.
        recipe: which knows how examples become tensors, and outputs answers.

    Shape:
        inputs: whatever the network takes; returns whatever it gives.

    Example:
        >>> import torch
        >>> from chainrule.recipes import find_recipe
        >>> recipe = find_recipe("digits-lenet")
        >>> Trained(recipe.learner().model, recipe)(torch.zeros(2, 1, 8, 8)).shape
        torch.Size([2, 10])

    Reference:
        Sculley et al., Hidden Technical Debt in Machine Learning Systems, 2015 (glue code; one preprocessing for both).

    Differs:
        Nothing.
    """

    def __init__(self, network: nn.Module, recipe: Recipe) -> None:
        super().__init__()
        self.network = network
        self.recipe = recipe
        self.eval()

    def forward(self, *inputs: Tensor) -> Tensor:
        """The network's answer to tensors."""
        return self.network(*inputs)

    def predict(self, inputs: Any) -> Mapping[str, Sequence[Any]]:
        """Answers to examples as people have them (a path, a frame, an array): one column per answer."""
        return self.recipe.predict(self.network, inputs)
