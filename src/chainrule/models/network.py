"""Every model is: object, encoder, embedding, head."""

from typing import Self

from torch import Tensor, nn


class Network(nn.Module):
    r"""An encoder that makes an embedding, and a head (or decoder) that makes an answer of it.

    $$z = \text{encoder}(x), \qquad \hat y = \text{head}(z)$$

    Because every family splits in the same place, transfer is "swap the head", freezing is "freeze the encoder",
    and whoever looks at embeddings need not ask which family it is.

    Args:
        encoder: from the batch's inputs to the embedding.
        head: from the embedding to the answer (an autoencoder's head is its decoder).

    Shape:
        inputs: whatever the encoder takes; returns whatever the head gives.

    Example:
        >>> import torch
        >>> network = Network(nn.Linear(3, 2), nn.Linear(2, 1))
        >>> network.embed(torch.zeros(5, 3)).shape, network(torch.zeros(5, 3)).shape
        (torch.Size([5, 2]), torch.Size([5, 1]))

    Reference:
        Goodfellow, Bengio and Courville, Deep Learning, 2016, chapter 15 (representation learning).

    Differs:
        Nothing.
    """

    def __init__(self, encoder: nn.Module, head: nn.Module) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = head

    def embed(self, *inputs: Tensor) -> Tensor:
        """The embedding of the inputs."""
        return self.encoder(*inputs)

    def forward(self, *inputs: Tensor) -> Tensor:
        """The head's answer on the embedding."""
        return self.head(self.encoder(*inputs))

    def train(self, mode: bool = True) -> Self:
        """As torch's own, but a frozen encoder stays in evaluation mode."""
        super().train(mode)
        weights = list(self.encoder.parameters())
        if weights and not any(weight.requires_grad for weight in weights):
            self.encoder.eval()
        return self

    def freeze_encoder(self) -> Self:
        """Keeps the encoder as it is, its running statistics too, so that only the head learns; returns the network."""
        self.encoder.requires_grad_(False)
        return self.train(self.training)
