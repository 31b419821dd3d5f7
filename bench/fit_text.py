"""`chainrule fit` on tiny Shakespeare beside nanoGPT's setting for a CPU, with the same CPU time.

    CHAINRULE_NANOGPT=path/to/nanoGPT python bench/fit_text.py [SECONDS]

Both are given so many seconds of CPU time (600 unless one says otherwise), one thread, steps counted beforehand from
twenty timed ones, and learn from the same first 90 % of the text. Bits per character of the last 5 %, read in windows
of each model's own context. The peer is nanoGPT's model with its README's CPU sizes and its own loop's rule: 4 layers,
4 heads, 128 wide, 64 characters, batch 12, AdamW at 1e-3 with 100 steps of warm-up and a cosine down to a tenth. Where
nanoGPT is missing, our `gpt2` of those sizes stands in for it, and is called so.
"""

import lzma
import math
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor, nn

import chainrule as cr
from chainrule.recipes import Asked, plan_text
from gpt_step import BATCH, CONTEXT, DIM, HEADS, LAYERS, SIZES, nanogpt
from side_by_side import save

_TIMED = 20


def characters() -> str:
    return lzma.decompress((cr.data.data_directory() / "tinyshakespeare" / "input.txt.xz").read_bytes()).decode()


def steps_for(step: Callable[[], object], seconds: float) -> int:
    """How many steps so much CPU time is enough for."""
    for _ in range(3):
        step()
    begun = time.process_time()
    for _ in range(_TIMED):
        step()
    return int(seconds / ((time.process_time() - begun) / _TIMED))


@torch.no_grad()
def bits(model: Callable[[Tensor], Tensor], part: cr.data.Batches[cr.data.Tokens]) -> float:
    total = count = 0.0
    for batch in part.once(16):
        scores = model(batch.ids)
        total += float(F.cross_entropy(scores.flatten(0, 1), batch.following.flatten(), reduction="sum"))
        count += int((batch.following != cr.data.IGNORED).sum())
    return total / count / math.log(2)


def ours(text: str, seconds: float) -> tuple[float, int]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shakespeare.txt"
        path.write_text(text)
        recipe = plan_text(str(path), Asked(minutes=seconds / 60 / 0.85, threads=1))
        learner = recipe.learner()
        batches = iter(recipe.batches())
        recipe = replace(recipe, steps=steps_for(lambda: learner.step(next(batches)), seconds))
        with cr.data.seeded(0):
            learner = recipe.learner()
        cr.fit(learner, recipe.batches(), steps=recipe.steps)
        return bits(learner.model.eval(), recipe.parts().test), recipe.steps


def peer(text: str, seconds: float) -> tuple[str, float, int]:
    module = nanogpt()
    parts = cr.data.Text.of(text, context=CONTEXT, batch_size=BATCH)
    with cr.data.seeded(0), redirect_stdout(None):
        if module is None:
            name, network = "our gpt2 of nanoGPT's sizes", cr.models.gpt2(**SIZES)
        else:
            sizes = module.GPTConfig(CONTEXT, parts.vocabulary, LAYERS, HEADS, DIM, 0.0, bias=True)
            name, network = "nanoGPT", module.GPT(sizes)

    def scores(ids: Tensor) -> Tensor:
        return network(ids) if module is None else network(ids, ids)[0]

    def loss(batch: cr.data.Tokens) -> Tensor:
        ids, following = batch.ids.contiguous(), batch.following.contiguous()
        if module is not None:
            return network(ids, following)[1]
        return F.cross_entropy(network(ids).flatten(0, 1), following.flatten())

    run = nanogpt_loop(network, loss, parts.train)
    copy = {key: value.clone() for key, value in network.state_dict().items()}
    count = steps_for(lambda: run(1, 1), seconds)
    network.load_state_dict(copy)
    nanogpt_loop(network, loss, parts.train)(count, count)
    network.eval()
    return name, bits(scores, parts.test), count


def nanogpt_loop(
    network: nn.Module, loss: Callable[[cr.data.Tokens], Tensor], batches: cr.data.Batches[cr.data.Tokens]
) -> Callable[[int, int], None]:
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3, betas=(0.9, 0.99), weight_decay=0.1)
    stream = iter(batches)

    def run(count: int, whole: int) -> None:
        for step in range(count):
            warm, through = min(1.0, (step + 1) / 100), step / max(1, whole)
            optimizer.param_groups[0]["lr"] = 1e-3 * warm * (0.1 + 0.45 * (1 + math.cos(math.pi * through)))
            loss(next(stream)).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()

    return run


def main() -> None:
    torch.set_num_threads(1)
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    text = characters()
    rival, theirs, their_steps = peer(text, seconds)
    own, own_steps = ours(text, seconds)
    print(f"tiny Shakespeare, {seconds:.0f} s of CPU time each, bits per character of the last 5 %")
    print(f"  chainrule fit  {own:.3f}  ({own_steps:,} steps)")
    print(f"  {rival}  {theirs:.3f}  ({their_steps:,} steps)")
    save(
        "fit_text",
        {"chainrule fit": own, rival: theirs},
        note=f"tiny Shakespeare, {seconds:.0f} s of CPU time each, one thread",
        unit="bits per character",
        bar="at most nanoGPT's",
        steps={"chainrule fit": own_steps, rival: their_steps},
    )


if __name__ == "__main__":
    main()
