"""P10 and the GPU bar: one meta-step of MAML, second order, beside a loop over tasks and a plain vmap.

Work: conv4 (64 features) on Omniglot's shapes, 5 ways, 1 shot, 15 query pictures per class, one inner step; and the
sine waves of the MAML paper, 25 tasks. A meta-step is loss, gradient through the inner step, and Adam.

    loop over tasks     as learn2learn and higher do: torch.autograd.grad(create_graph=True), task by task
    plain vmap          torch.func: vmap over tasks of a loss that holds grad; autograd outside
    ours                `learners.Maml`: only the losses are mapped, the inner gradient is torch's own autograd; all of
                        the learner's services on (checks for NaN, metrics)

The rivals normalise by torch's BatchNorm2d without running statistics, ours by TaskNorm; that all agree is checked.

    python bench/maml.py            # CPU: 4 tasks, one thread, process time
    python bench/maml.py            # where CUDA is at hand: 32 tasks; ours is then one CUDA graph by itself.
                                    # Bar: at most 25 ms on one H200.
"""

import copy
from collections.abc import Callable

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor, nn
from torch.func import functional_call

import chainrule as cr
from chainrule.data import Images, Tasks, by_task
from side_by_side import compare, save, show

CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
WAYS, QUERY, RATE = 5, 15, 0.4
ADAM = cr.optim.AdamW(lr=1e-3, weight_decay=0.0)
Pairs = tuple[Tensor, Tensor, Tensor, Tensor]


def omniglot_shapes(tasks: int) -> Tasks[Images]:
    random = torch.Generator().manual_seed(0)
    labels = torch.arange(WAYS)

    def pictures(each: int) -> Images:
        pixels = torch.rand(tasks * WAYS * each, 1, 28, 28, generator=random)
        return Images(pixels, labels.repeat_interleave(each).repeat(tasks))

    return Tasks(pictures(1), pictures(QUERY), tasks).to(DEVICE)


def pairs(tasks: Tasks) -> Pairs:
    parts = (*tasks.support.inputs, tasks.support.targets, *tasks.query.inputs, tasks.query.targets)
    return tuple(by_task(part, tasks.count) for part in parts)


def loop_over_tasks(model: nn.Module, loss: Callable[..., Tensor], parts: Pairs, rate: float) -> Tensor:
    start, total = dict(model.named_parameters()), 0.0
    for support, answers, query, truth in zip(*parts, strict=True):
        inner = loss(functional_call(model, start, (support,)), answers)
        gradients = torch.autograd.grad(inner, list(start.values()), create_graph=True)
        moved = {name: weight - rate * step for (name, weight), step in zip(start.items(), gradients, strict=True)}
        total = total + loss(functional_call(model, moved, (query,)), truth)
    return total / len(parts[0])


def plain_vmap(model: nn.Module, loss: Callable[..., Tensor], parts: Pairs, rate: float) -> Tensor:
    start = dict(model.named_parameters())

    def of(weights: dict[str, Tensor], inputs: Tensor, targets: Tensor) -> Tensor:
        return loss(functional_call(model, weights, (inputs,)), targets)

    def task(support: Tensor, answers: Tensor, query: Tensor, truth: Tensor) -> Tensor:
        steps = torch.func.grad(of)(start, support, answers)
        return of({name: weight - rate * steps[name] for name, weight in start.items()}, query, truth)

    return torch.vmap(task)(*parts).mean()


def stepping(model: nn.Module, loss: Callable[[], Tensor], *, capturable: bool = False) -> Callable[[], Tensor]:
    """A meta-step by hand: gradient and fused Adam."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0, fused=True, capturable=capturable)

    def step() -> Tensor:
        optimizer.zero_grad()
        value = loss()
        value.backward()
        optimizer.step()
        return value.detach()

    return step


def captured(step: Callable[[], Tensor]) -> Callable[[], Tensor]:
    """The same step as one CUDA graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        value = step()

    def replay() -> Tensor:
        graph.replay()
        return value

    replay.held = step  # what the graph reads and writes must live as long as it
    return replay


def with_torchs_norm(model: nn.Module) -> nn.Module:
    """The network as one would write it without us: the same weights, torch's batch norm without a memory."""
    model = copy.deepcopy(model)
    for parent in list(model.modules()):
        for name, part in list(parent.named_children()):
            if isinstance(part, cr.layers.TaskNorm):
                setattr(parent, name, nn.BatchNorm2d(len(part.weight), track_running_stats=False).to(DEVICE))
    return model


def on_cuda(model: nn.Module, tasks: Tasks[Images], parts: Pairs) -> dict[str, Callable[[], object]]:
    """What only a CUDA device can show: ours one operation at a time and in half precision, and the peer as a graph."""

    def ours(precision: str, execution: str) -> Callable[[], object]:
        how = cr.learners.Compute(precision, execution)
        maml = cr.learners.Maml(copy.deepcopy(model), cr.objectives.Classify(), ADAM, inner_rate=RATE, compute=how)
        return lambda: maml.step(tasks)

    plain = with_torchs_norm(model)
    whole = stepping(plain, lambda: plain_vmap(plain, F.cross_entropy, parts, RATE), capturable=True)
    return {
        "ours, one operation at a time": ours("float32", "eager"),
        "ours, bfloat16": ours("bfloat16", "captured"),
        "plain vmap, one CUDA graph": captured(whole),
    }


def pictures(tasks: int, rounds: int) -> None:
    torch.manual_seed(0)
    model, batch = cr.models.conv4(WAYS).to(DEVICE), omniglot_shapes(tasks)
    parts, copies = pairs(batch), [with_torchs_norm(model), with_torchs_norm(model), copy.deepcopy(model)]
    maml = cr.learners.Maml(copies[2], cr.objectives.Classify(), ADAM, inner_rate=RATE)
    agree(model, batch, parts)
    rivals: dict[str, Callable[[], object]] = {
        "loop over tasks": stepping(copies[0], lambda: loop_over_tasks(copies[0], F.cross_entropy, parts, RATE)),
        "plain vmap": stepping(copies[1], lambda: plain_vmap(copies[1], F.cross_entropy, parts, RATE)),
        "ours": lambda: maml.step(batch),
    }
    if CUDA:
        rivals |= on_cuda(model, batch, parts)
    table = {
        name: micro / 1e3
        for name, micro in compare(rivals, rounds=rounds, device=DEVICE, repeat=3 if CUDA else 1).items()
    }
    title = f"conv4, 5-way 1-shot, 15 query pictures per class, {tasks} tasks, second order ({DEVICE})"
    show(title, table, unit="ms")
    extra = {"peak_memory_gb": torch.cuda.max_memory_allocated() / 1e9} if CUDA else {}
    save(f"maml_conv4_{DEVICE}", table, note=title, unit="ms", bar="at most 25 ms for 32 tasks on one H200", **extra)


def agree(model: nn.Module, batch: Tasks[Images], parts: Pairs) -> None:
    """All rivals compute one and the same number."""
    ours = cr.objectives.Adapted(cr.objectives.Classify(), 1, RATE)(model, batch).value
    plain = with_torchs_norm(model)
    others = [way(plain, F.cross_entropy, parts, RATE) for way in (loop_over_tasks, plain_vmap)]
    for other in others:
        torch.testing.assert_close(other, ours, rtol=2e-2, atol=2e-2)  # TF32 on the GPU


def waves(rounds: int) -> None:
    torch.manual_seed(0)
    batch = cr.data.Sinusoids(tasks=25)[0]
    parts, models = pairs(batch), [cr.models.mlp((1, 40, 40, 1)) for _ in range(4)]
    exact = cr.learners.Maml(models[2], cr.objectives.Regress(), ADAM)
    first = cr.learners.Maml(models[3], cr.objectives.Regress(), ADAM, first_order=True)
    table = compare(
        {
            "loop over tasks": stepping(models[0], lambda: loop_over_tasks(models[0], F.mse_loss, parts, 0.01)),
            "plain vmap": stepping(models[1], lambda: plain_vmap(models[1], F.mse_loss, parts, 0.01)),
            "ours": lambda: exact.step(batch),
            "ours, first order": lambda: first.step(batch),
        },
        rounds=rounds,
        repeat=20,
    )
    show("sine waves, 1-40-40-1, 10 shots, 25 tasks (CPU, one thread)", table)
    save("maml_waves", table, note="sine waves, 1-40-40-1, 10 shots, 25 tasks, one inner step")


if __name__ == "__main__":
    torch.set_num_threads(1)
    if not CUDA:
        waves(rounds=9)
    pictures(tasks=32 if CUDA else 4, rounds=5 if CUDA else 7)
