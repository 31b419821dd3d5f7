"""Residual networks: published sizes, loops from the paper and a peer with copied weights, and what a block may do."""

import copy
import math

import pytest
import torch
from torch import Tensor, nn

from chainrule.data import Images
from chainrule.errors import InputError
from chainrule.layers import Pixels
from chainrule.learners import Gradient
from chainrule.models import Network, ResidualBlock, photograph_stem, resnet, resnet18, resnet34, thumbnail_stem
from chainrule.objectives import Classify
from references.resnet import SlowResNet

STEMS = pytest.mark.parametrize("stem", [photograph_stem, thumbnail_stem])


def small(stem=thumbnail_stem) -> Network:
    return resnet(3, (1, 2), width=4, stem=stem)


def stirred(model: nn.Module, seed: int = 0) -> nn.Module:
    """In double precision, with gains, shifts and running statistics that all count."""
    torch.manual_seed(seed)
    model = model.double()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            for tensor in (module.weight, module.running_var):
                nn.init.uniform_(tensor, 0.5, 2.0)
            for tensor in (module.bias, module.running_mean):
                nn.init.normal_(tensor)
    return model


def count(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def test_parameter_counts_are_the_published_ones() -> None:
    """Those of torchvision's pages for ImageNet, and of the usual network for CIFAR-10."""
    with torch.device("meta"):
        assert count(resnet18()) == 11_689_512
        assert count(resnet34()) == 21_797_672
        assert count(resnet18(10, stem=thumbnail_stem)) == 11_173_962


@pytest.mark.parametrize(("layers", "millions"), [(20, "0.27"), (32, "0.46"), (44, "0.66"), (56, "0.85"), (110, "1.7")])
def test_the_networks_for_cifar_have_the_papers_sizes(layers: int, millions: str) -> None:
    """Table 6, whose shortcuts have no parameters; ours project twice: 16 x 32 + 32 x 64, gains and shifts."""
    depth = (layers - 2) // 6
    with torch.device("meta"):
        model = resnet(10, (depth, depth, depth), width=16, stem=thumbnail_stem)
    counted = count(model) - (16 * 32 + 32 * 64 + 2 * (32 + 64))
    assert f"{counted / 1e6:.{len(millions.split('.')[1])}f}" == millions


@pytest.mark.parametrize(
    ("model", "side", "shapes"),
    [
        (resnet34, 224, [(64, 56), (64, 56), (128, 28), (256, 14), (512, 7)]),
        (lambda: resnet18(10, stem=thumbnail_stem), 32, [(64, 32), (64, 32), (128, 16), (256, 8), (512, 4)]),
        (lambda: resnet(10, (1, 1, 1), width=16, stem=thumbnail_stem), 32, [(16, 32), (16, 32), (32, 16), (64, 8)]),
    ],
)
def test_each_stage_halves_the_picture(model, side: int, shapes: list[tuple[int, int]]) -> None:
    """Table 1 and section 4.2."""
    with torch.device("meta"):
        network, seen = model(), []
        for part in network.encoder[1:-2]:
            part.register_forward_hook(lambda _module, _taken, given: seen.append(tuple(given.shape[1:])))
        embedding = network.embed(torch.zeros(2, 3, side, side))
    assert seen == [(features, size, size) for features, size in shapes]
    assert embedding.shape == (2, shapes[-1][0])


@STEMS
@pytest.mark.parametrize("training", [True, False])
def test_it_equals_the_slow_reference_forwards_and_backwards(stem, training: bool) -> None:
    model = stirred(small(stem)).train(training)
    pictures = torch.randn(3, 3, 11, 10, dtype=torch.float64)
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    leaves = {name: weights[name].requires_grad_() for name, _ in model.named_parameters()}
    slow = SlowResNet(weights, (1, 2), photograph=stem is photograph_stem, training=training)
    ours, theirs = model(pictures), slow.scores(pictures)
    torch.testing.assert_close(ours, theirs)
    pull = torch.randn_like(ours)
    ours.backward(pull)
    theirs.backward(pull)
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, leaves[name].grad, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize("training", [True, False])
def test_it_equals_the_peer_with_copied_weights(training: bool) -> None:
    peer = pytest.importorskip("transformers", reason="transformers is not installed (make bench installs peers)")
    shape = {"depths": [2, 1, 2], "hidden_sizes": [4, 8, 16], "embedding_size": 4, "num_labels": 5}
    theirs = stirred(peer.ResNetForImageClassification(peer.ResNetConfig(layer_type="basic", **shape)))
    ours = resnet(5, (2, 1, 2), width=4).double()
    mine = [name for name in ours.state_dict() if not name.startswith("encoder.0.")]  # the peer's pixels are elsewhere
    ours.load_state_dict(dict(zip(mine, theirs.state_dict().values(), strict=True)), strict=False)
    pictures = torch.randn(3, 3, 40, 33, dtype=torch.float64)
    torch.testing.assert_close(ours.train(training)(pictures), theirs.train(training)(pictures).logits)


@pytest.mark.parametrize(("before", "after", "stride"), [(4, 4, 1), (4, 8, 1), (4, 4, 2), (4, 8, 2)])
def test_a_block_that_adds_nothing_is_its_shortcut(before: int, after: int, stride: int) -> None:
    block = stirred(ResidualBlock(before, after, stride)).eval()
    nn.init.zeros_(block.branch[-1].weight)
    nn.init.zeros_(block.branch[-1].bias)
    pictures = torch.randn(2, before, 6, 6, dtype=torch.float64)
    torch.testing.assert_close(block(pictures), block.shortcut(pictures).relu(), rtol=0, atol=0)
    if before == after and stride == 1:
        assert torch.equal(block(pictures.abs()), pictures.abs())


def test_blocks_without_any_weight_change_nothing_and_pass_the_gradient() -> None:
    """All parameters zero: the identity at any depth, on the pictures that a ReLU leaves behind."""
    blocks = nn.Sequential(*(ResidualBlock(3, 3) for _ in range(20)))
    for parameter in blocks.parameters():
        nn.init.zeros_(parameter)
    pictures = torch.rand(2, 3, 4, 4).requires_grad_()
    pull = torch.randn(2, 3, 4, 4)
    answer = blocks(pictures)
    answer.backward(pull)
    assert torch.equal(answer, pictures)
    assert torch.equal(pictures.grad, pull)


@STEMS
def test_a_picture_is_judged_alone_in_evaluation(stem) -> None:
    model = stirred(small(stem)).eval()
    pictures = torch.randn(4, 3, 12, 12, dtype=torch.float64)
    together = model(pictures)
    for row in range(4):
        torch.testing.assert_close(together[row], model(pictures[row : row + 1])[0])


def test_it_starts_as_the_paper_says() -> None:
    torch.manual_seed(0)
    model = resnet18(10)
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            fan_out = module.out_channels * module.kernel_size[0] ** 2
            assert module.weight.std().item() == pytest.approx(math.sqrt(2 / fan_out), rel=0.05)
            assert abs(module.weight.mean().item()) < 0.05 * module.weight.std().item()
            assert module.bias is None
        elif isinstance(module, nn.BatchNorm2d):
            assert bool((module.weight == 1).all())
            assert not module.bias.any()


def test_stored_bytes_go_through_the_pixels() -> None:
    torch.manual_seed(0)
    model = resnet(3, (1,), width=4, channels=1, pixels=Pixels((100.0,), (50.0,)), stem=thumbnail_stem)
    stored = torch.randint(256, (2, 1, 8, 8), dtype=torch.uint8)
    plain = copy.deepcopy(model)
    plain.encoder[0] = nn.Identity()
    torch.testing.assert_close(model(stored), plain((stored.float() - 100) / 50))
    assert torch.equal(resnet18(2).encoder[0](stored), stored.float())


@STEMS
def test_channels_last_stays_so_and_changes_nothing(stem) -> None:
    model, pictures = stirred(small(stem)), torch.randn(3, 3, 12, 12, dtype=torch.float64)
    last = copy.deepcopy(model).to(memory_format=torch.channels_last)
    between: list[Tensor] = []
    for block in (part for part in last.modules() if isinstance(part, ResidualBlock)):
        block.register_forward_hook(lambda _module, _taken, given: between.append(given))
    answer, expected = last(pictures.to(memory_format=torch.channels_last)), model(pictures)
    torch.testing.assert_close(answer, expected)
    assert [given.is_contiguous(memory_format=torch.channels_last) for given in between] == [True] * 3
    answer.square().sum().backward()
    expected.square().sum().backward()
    for one, other in zip(last.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)


@STEMS
def test_half_precision_computes_every_block_in_half_the_bits(stem) -> None:
    torch.manual_seed(0)
    model, pictures, kinds = small(stem).eval(), torch.randn(3, 3, 12, 12), []
    exact = model(pictures)
    for block in (part for part in model.modules() if isinstance(part, ResidualBlock)):
        block.register_forward_hook(lambda _module, _taken, given: kinds.append(given.dtype))
    with torch.autocast("cpu", torch.bfloat16):
        half = model(pictures)
    assert kinds == [torch.bfloat16] * 3
    torch.testing.assert_close(half.float(), exact, rtol=0.05, atol=0.05)


def test_weights_can_be_arguments() -> None:
    """Under torch.func: the gradient in them is the ordinary one, and an ensemble is its members."""
    model = stirred(small()).eval()
    members = [dict(stirred(small(), seed).named_parameters()) for seed in (1, 2)]
    pictures = torch.randn(3, 3, 8, 8, dtype=torch.float64)

    def answer(weights: dict[str, Tensor]) -> Tensor:
        return torch.func.functional_call(model, weights, (pictures,))

    own = {name: weight.detach() for name, weight in model.named_parameters()}
    gradients = torch.func.grad(lambda weights: answer(weights).square().sum())(own)
    model(pictures).square().sum().backward()
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(gradients[name], parameter.grad)
    stacked = {name: torch.stack([member[name].detach() for member in members]) for name in own}
    torch.testing.assert_close(torch.vmap(answer)(stacked), torch.stack([answer(member) for member in members]))


def test_a_frozen_encoder_stays_in_every_number() -> None:
    torch.manual_seed(0)
    model = small().freeze_encoder()
    before = copy.deepcopy(model.state_dict())
    learner = Gradient(model.train(), Classify())
    learner.step(Images(torch.rand(4, 3, 8, 8), torch.tensor([0, 1, 2, 0])))
    changed = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
    assert changed == {"head.weight", "head.bias"}


def test_nothing_that_a_module_gave_is_overwritten() -> None:
    """Whoever watches a module (a figure, a search for NaN) sees what it gave, also when all is done."""
    model, given = small(), []
    for module in model.modules():
        module.register_forward_hook(lambda _module, _taken, output: given.append((output, output.clone())))
    model(torch.randn(2, 3, 8, 8))
    assert all(torch.equal(output, then) for output, then in given)


@pytest.mark.parametrize(
    "wrong", [{"classes": 0}, {"depths": ()}, {"depths": (1, 0)}, {"width": 0}, {"channels": 0}], ids=str
)
def test_sizes_that_cannot_be_are_refused(wrong: dict) -> None:
    with pytest.raises(InputError, match="a residual network's sizes must all be at least 1"):
        resnet(**{"classes": 2, "depths": (1, 1), **wrong})


@pytest.mark.parametrize("sizes", [(0, 4, 1), (4, 0, 1), (4, 4, 0)])
def test_a_block_needs_sizes(sizes: tuple[int, int, int]) -> None:
    with pytest.raises(InputError, match="a residual block's sizes must all be at least 1"):
        ResidualBlock(*sizes)


@pytest.mark.compile
def test_compiled_training_is_the_same_training() -> None:
    """Statistics of the batch, channels last: the compiled step's answer, gradient and running numbers."""
    model, pictures = stirred(small()).to(memory_format=torch.channels_last), torch.randn(3, 3, 8, 8).double()
    twin = copy.deepcopy(model)
    torch.compiler.reset()
    whole = torch.compile(twin, fullgraph=True, backend="aot_eager")
    answer, expected = whole(pictures), model(pictures)
    torch.testing.assert_close(answer, expected)
    answer.square().sum().backward()
    expected.square().sum().backward()
    for one, other in zip(twin.parameters(), model.parameters(), strict=True):
        torch.testing.assert_close(one.grad, other.grad)
    for one, other in zip(twin.buffers(), model.buffers(), strict=True):
        torch.testing.assert_close(one, other)
