"""Text from a language model, one token after another."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from chainrule.data import generator
from chainrule.errors import InputError, expect
from chainrule.generate.cut import top_k as keep_top_k
from chainrule.generate.cut import top_p as keep_top_p
from chainrule.shapes import Int


def text(
    model: nn.Module,
    prompt: Int[Tensor, " token"],
    tokens: int,
    *,
    context: int | None = None,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
) -> Iterator[int]:
    r"""Draws tokens one after another, each given all before it, and hands each out as soon as it is drawn.

    $$x_{t+1} \sim \text{softmax}\Big(\frac{z_t}{\tau}\Big), \qquad z_t = \text{model}(x_{t-C+1}, \dots, x_t)$$

    Args:
        model: from token numbers (batch, time) to scores (batch, time, vocabulary); in evaluation mode while it is
            asked, and afterwards in the mode that it was in.
        prompt: how the text begins, at least one token; not handed out again.
        tokens: how many to draw.
        context: $C$, how many of the last tokens the model is shown; all of them if `None`.
        temperature: $\tau$; below one more careful, above one wilder, 0 always takes the likeliest.
        top_k: keeps so many of the likeliest tokens; all if `None`.
        top_p: keeps the likeliest tokens that have this share of the probability together; all if `None`.
        seed: where the draws begin.

    Shape:
        prompt: (token).

    Example:
        >>> from chainrule.models import NGram
        >>> model = NGram(torch.tensor([0, 1, 2] * 9), order=2, vocabulary=3)
        >>> list(text(model, torch.tensor([0]), tokens=5, temperature=0.0))
        [1, 2, 0, 1, 2]
    """
    expect("prompt", prompt, Tensor, advice="encode it with the tokenizer: tokenizer.encode(text)")
    if prompt.ndim != 1 or len(prompt) < 1 or prompt.is_floating_point():
        raise InputError(
            "`prompt` must be at least one token number, in one dimension",
            advice="begin with a line break, or with any text, encoded",
            shape=tuple(prompt.shape),
            dtype=str(prompt.dtype),
        )
    if tokens < 0 or not 0.0 <= temperature < float("inf") or (context is not None and context < 1):
        raise InputError(
            "`tokens` and `temperature` must not be negative, and `context` be at least 1",
            advice="try temperature=0.8",
            tokens=tokens,
            temperature=temperature,
            context=context,
        )

    def choose(scores: Tensor, source: torch.Generator) -> int:
        if temperature == 0.0:
            return int(scores.argmax())
        scores = scores / temperature
        scores = scores if top_k is None else keep_top_k(scores, top_k)
        scores = scores if top_p is None else keep_top_p(scores, top_p)
        return int(torch.multinomial(scores.softmax(-1).cpu(), 1, generator=source))

    return _stream(model, prompt, tokens, context, choose, generator(seed))


def _stream(
    model: nn.Module,
    prompt: Tensor,
    tokens: int,
    context: int | None,
    choose: Callable[[Tensor, torch.Generator], int],
    source: torch.Generator,
) -> Iterator[int]:
    window = prompt.view(1, -1)  # (batch, time)
    for _ in range(tokens):
        window = window if context is None else window[:, -context:]
        chosen = choose(_last_scores(model, window), source)
        yield chosen
        window = torch.cat([window, window.new_tensor([[chosen]])], dim=1)


@torch.no_grad()
def _last_scores(model: nn.Module, ids: Tensor) -> Tensor:
    training = model.training
    model.eval()
    try:
        return model(ids)[:, -1].float()  # (batch, vocabulary)
    finally:
        model.train(training)
