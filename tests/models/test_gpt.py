"""GPT: against loops with copied weights, blind to the future, with GPT-2's published size and start."""

import math

import pytest
import torch
from torch import Tensor, nn

from chainrule.data import Tokens
from chainrule.errors import InputError
from chainrule.models import Network, Rotary, gpt, gpt2, gpt2_small
from chainrule.objectives import NextToken
from references.transformer import SlowGpt2, slow_rotary

BOTH = pytest.mark.parametrize("build", [gpt, gpt2])


def small(build=gpt, **settings: float) -> Network:
    return build(layers=2, dim=12, heads=3, vocabulary=7, context=10, **settings).double()


def stirred(model: Network) -> Network:
    """Weights large enough that every term counts, biases and gains too."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.3)
    return model


def test_gpt2_equals_the_slow_reference() -> None:
    model = stirred(small(gpt2))
    ids = torch.randint(7, (2, 6))
    slow = SlowGpt2(model.state_dict(), layers=2, heads=3)
    torch.testing.assert_close(model(ids), torch.stack([slow.scores(row.tolist()) for row in ids]))


def test_gpt_without_its_differences_equals_gpt2() -> None:
    """Rotary turned off, biases and places zero, exact GELU: one and the same network."""
    ours, other = stirred(small(gpt)), small(gpt2)
    for attention in (block.attention for block in ours.encoder.blocks):
        attention.places = nn.Identity()
    for block in other.encoder.blocks:
        block.feedforward[1] = nn.GELU()
    other.head[1].weight = nn.Parameter(torch.empty_like(other.head[1].weight))
    with torch.no_grad():
        for name, parameter in other.named_parameters():
            parameter.copy_(ours.state_dict().get(name, torch.zeros_like(parameter)))
    ids = torch.randint(7, (2, 10))
    torch.testing.assert_close(ours(ids), other(ids))


@BOTH
def test_the_past_does_not_depend_on_the_future(build) -> None:
    """The gradient of the answers at places 0 to 3 in the vectors of places 4 and later is exactly zero."""
    model, ids = stirred(small(build)), torch.randint(7, (1, 8))
    vectors: list[Tensor] = []
    model.encoder.tokens.register_forward_hook(lambda _m, _i, out: vectors.append(out) or out.retain_grad())
    model(ids)[:, :4].square().sum().backward()
    gradient = vectors[0].grad[0]  # (time, dim)
    assert not gradient[4:].any()
    assert bool((gradient[:4] != 0).all())


@BOTH
def test_rows_do_not_disturb_each_other(build) -> None:
    model, ids = stirred(small(build)), torch.randint(7, (3, 5))
    together = model(ids)
    for row in range(3):
        torch.testing.assert_close(together[row], model(ids[row : row + 1])[0])


@BOTH
def test_places_are_told_apart(build) -> None:
    """Without positions a repeated token would have the same answer everywhere."""
    scores = stirred(small(build))(torch.tensor([[1, 2, 1, 1]]))[0]
    assert not torch.allclose(scores[0], scores[2])
    assert not torch.allclose(scores[2], scores[3])


def test_gpt2_small_has_the_published_size() -> None:
    with torch.device("meta"):
        model = gpt2_small()
    assert sum(parameter.numel() for parameter in model.parameters()) == 124_439_808


@pytest.mark.parametrize(("layers", "dim", "vocabulary", "context"), [(1, 4, 3, 2), (3, 16, 11, 9)])
def test_parameter_counts_follow_their_formulas(layers: int, dim: int, vocabulary: int, context: int) -> None:
    blocks = layers * 12 * dim**2
    sizes = {"layers": layers, "dim": dim, "heads": 2, "vocabulary": vocabulary, "context": context}
    count = [sum(parameter.numel() for parameter in build(**sizes).parameters()) for build in (gpt, gpt2)]
    assert count[0] == 2 * vocabulary * dim + blocks + layers * 2 * dim + dim
    assert count[1] == (vocabulary + context) * dim + blocks + layers * 13 * dim + 2 * dim


@BOTH
def test_starts_near_the_uniform_guess(build) -> None:
    """A fresh model knows nothing: its loss is log(vocabulary)."""
    ids = torch.randint(50, (4, 33))
    model = build(layers=6, dim=64, heads=4, vocabulary=50, context=32)
    loss = NextToken()(model, Tokens(ids[:, :-1], ids[:, 1:])).value.item()
    assert loss == pytest.approx(math.log(50), abs=0.1)


def test_what_blocks_add_starts_smaller_the_deeper_the_network() -> None:
    added = gpt(layers=8, dim=128, heads=2, vocabulary=9, context=8).encoder.blocks[0].feedforward[2].weight
    assert added.std().item() == pytest.approx(0.02 / 4, rel=0.05)


def test_dropout_is_for_training_alone() -> None:
    model, ids = stirred(small(dropout=0.5)), torch.randint(7, (2, 6))
    assert not torch.equal(model(ids), model(ids))
    model.eval()
    assert torch.equal(model(ids), model(ids))


def test_rotary_equals_complex_multiplication() -> None:
    vectors = torch.randn(1, 1, 9, 6, dtype=torch.float64)
    turned = Rotary(6, context=9).double()(vectors)[0, 0]
    expected = torch.stack([slow_rotary(vectors[0, 0, place], place) for place in range(9)])
    torch.testing.assert_close(turned, expected, atol=1e-6, rtol=1e-6)  # its tables are made in float32


def test_rotary_products_depend_on_the_distance_alone() -> None:
    query, key = torch.randn(2, 8).double()
    rotary = Rotary(8, context=40).double()
    queries, keys = (rotary(part.expand(1, 1, 40, 8))[0, 0] for part in (query, key))
    products = queries @ keys.T  # (place, place)
    for distance in (0, 3, 17):
        along = products.diagonal(-distance)
        torch.testing.assert_close(along, along[:1].expand_as(along), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    ("wrong", "fact"),
    [({"heads": 5}, "`heads` must divide `dim`"), ({"layers": 0}, "at least 1"), ({"heads": 12}, "must be even")],
)
def test_refuses_sizes_that_cannot_be(wrong: dict[str, int], fact: str) -> None:
    with pytest.raises(InputError, match=fact):
        gpt(**{"layers": 1, "dim": 12, "heads": 3, "vocabulary": 7, **wrong})


def test_refuses_a_text_longer_than_its_context() -> None:
    with pytest.raises(InputError, match="longer than the model's context"):
        small()(torch.zeros(1, 11, dtype=torch.int64))
