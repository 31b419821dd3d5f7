"""The few-shot network: the papers' sizes, and normalisation by the batch at hand."""

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from chainrule.errors import InputError
from chainrule.models import conv4


@pytest.mark.parametrize(
    ("settings", "embedding"),
    [({}, 64), ({"stride": 2}, 64), ({"channels": 3, "side": 84, "width": 32}, 32 * 5 * 5)],
)
def test_embeddings_have_the_papers_sizes(settings: dict[str, int], embedding: int) -> None:
    """MAML section 5.2 and its appendix: 64 numbers for Omniglot, 32 x 5 x 5 for miniImageNet."""
    model = conv4(5, **settings)
    channels, side = settings.get("channels", 1), settings.get("side", 28)
    assert model.embed(torch.zeros(2, channels, side, side)).shape == (2, embedding)


def test_it_is_written_out_as_torch_operations() -> None:
    torch.manual_seed(0)
    model, pixels = conv4(3, width=4, side=16).double(), torch.rand(5, 1, 16, 16, dtype=torch.float64)
    hidden, weights = pixels, dict(model.encoder.named_parameters())
    for first in (0, 4, 8, 12):  # written as the papers have it, ReLU before pooling
        hidden = F.conv2d(hidden, weights[f"{first}.weight"], weights[f"{first}.bias"], padding=1)
        centred = hidden - hidden.mean((0, 2, 3), keepdim=True)
        hidden = centred / (centred.square().mean((0, 2, 3), keepdim=True) + 1e-5).sqrt()
        scale, shift = weights[f"{first + 1}.weight"], weights[f"{first + 1}.bias"]
        hidden = F.max_pool2d((hidden * scale[:, None, None] + shift[:, None, None]).relu(), 2)
    torch.testing.assert_close(model(pixels), F.linear(hidden.flatten(1), model.head.weight, model.head.bias))


def test_evaluation_normalises_by_the_batch_too() -> None:
    torch.manual_seed(1)
    model, pixels = conv4(3, width=4, side=16), torch.rand(5, 1, 16, 16)
    assert torch.equal(model.train()(pixels), model.eval()(pixels))
    assert not list(model.buffers())


@pytest.mark.parametrize("settings", [{"stride": 3}, {"side": 15}, {"width": 0}])
def test_settings_that_cannot_work(settings: dict[str, int]) -> None:
    with pytest.raises(InputError, match="conv4 halves a picture of at least 16 x 16 pixels"):
        conv4(5, **settings)
