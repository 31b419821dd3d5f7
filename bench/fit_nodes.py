"""`chainrule fit` on Cora from its files beside PyTorch Geometric's GCN example: the public split, ten seeds.

The peer has the settings of that project's `examples/gcn.py`: 16 hidden numbers, dropout 0.5, Adam at 0.01 with a
weight decay of 5e-4 on the first layer, rows of features normalised, 200 steps, judged by the test nodes at the step
that was best on the validation nodes. Both see the same graph, and run in turns in one process on one thread.

    python bench/fit_nodes.py
"""

import time
from statistics import mean, stdev

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import nn

from chainrule.data import IGNORED, data_directory, seeded
from chainrule.recipes import Asked
from chainrule.recipes.fit_nodes import FitNodes, plan_nodes
from chainrule.training import fit
from side_by_side import save

SEEDS = 10
STEPS = 200
BAR = 0.815


def ours(recipe: FitNodes, seed: int) -> float:
    """Test accuracy of a training with this seed."""
    with seeded(seed):
        learner = recipe.learner()
    fit(learner, recipe.batches(), steps=recipe.steps, seed=seed)
    model = learner.model.eval()
    recipe.finish(model)
    graph = recipe.part("test").batch
    judged = graph.labels != IGNORED
    with torch.no_grad():
        answers = model(*graph.inputs).argmax(1)
    return float((answers == graph.labels)[judged].double().mean())


class PeerGcn(nn.Module):
    """The network of the example."""

    def __init__(self, features: int, hidden: int, classes: int) -> None:
        from torch_geometric.nn import GCNConv

        super().__init__()
        self.first = GCNConv(features, hidden, cached=True)
        self.second = GCNConv(hidden, classes, cached=True)

    def forward(self, features: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        hidden = self.first(F.dropout(features, 0.5, self.training), edges).relu()
        return self.second(F.dropout(hidden, 0.5, self.training), edges)


def peers(recipe: FitNodes, seed: int) -> float:
    """Test accuracy of the example with this seed."""
    parts = {name: recipe.part(name).batch for name in ("train", "validation", "test")}
    graph = parts["train"]
    counts = torch.from_numpy(recipe.prepared().network.frame.to_numpy()).float()
    inputs = counts / counts.sum(1, keepdim=True).clamp(min=1.0)
    torch.manual_seed(seed)
    model = PeerGcn(inputs.shape[1], 16, len(recipe.target.names))
    groups = [{"params": model.first.parameters(), "weight_decay": 5e-4}, {"params": model.second.parameters()}]
    optimizer = torch.optim.Adam(groups, lr=0.01, weight_decay=0.0)
    best = told = 0.0
    for _ in range(STEPS):
        model.train()
        optimizer.zero_grad()
        F.cross_entropy(model(inputs, graph.edge_index), graph.labels, ignore_index=IGNORED).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            answers = model(inputs, graph.edge_index).argmax(1)
        found = {
            name: float((answers == part.labels)[part.labels != IGNORED].double().mean())
            for name, part in parts.items()
        }
        if found["validation"] > best:
            best, told = found["validation"], found["test"]
    return told


def main() -> None:
    torch.set_num_threads(1)
    recipe = plan_nodes(str(data_directory() / "planetoid" / "ind.cora.graph.xz"), Asked(threads=1))
    table: dict[str, dict[str, list[float]]] = {}
    for seed in range(SEEDS):
        for name, run in (("chainrule fit", ours), ("PyTorch Geometric's GCN example", peers)):
            begin = time.process_time()
            accuracy = run(recipe, seed)
            seconds = time.process_time() - begin
            found = table.setdefault(name, {"accuracy": [], "seconds": []})
            found["accuracy"].append(accuracy)
            found["seconds"].append(seconds)
            print(f"seed {seed}  {name:<34}{100 * accuracy:6.2f} %{seconds:8.2f} s", flush=True)
    means = {name: mean(found["accuracy"]) for name, found in table.items()}
    for name, found in table.items():
        spread = 100 * stdev(found["accuracy"])
        print(f"{name:<34}{100 * means[name]:6.2f} ± {spread:.2f} %{mean(found['seconds']):8.2f} s of CPU time per run")
    reached = means["chainrule fit"] >= BAR
    bar = f"mean of {SEEDS} seeds of at least {100 * BAR:.1f} %"
    print(f"{bar}: {'reached' if reached else 'missed'}")
    save(
        "fit_nodes",
        means,
        note=f"test accuracy on Cora from files, public split, mean of {SEEDS} seeds; 1 thread",
        unit="accuracy",
        bar=bar,
        reached=reached,
        seconds={name: mean(found["seconds"]) for name, found in table.items()},
        all={name: found["accuracy"] for name, found in table.items()},
    )


if __name__ == "__main__":
    main()
