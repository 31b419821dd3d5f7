"""Language models that count: interpolated n-grams, the rivals that a network must beat."""

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.shapes import Float, Int


class NGram(nn.Module):
    r"""An n-gram language model with modified Kneser-Ney smoothing, all orders interpolated.

    $$p_k(c \mid h) = \frac{\max(a(hc) - D_k(a(hc)), 0)}{a(h)} + \frac{\sum_c \min(a(hc), D_k(a(hc)))}{a(h)}\,
      p_{k-1}(c \mid h'), \qquad a(h) = \sum_c a(hc), \qquad p_0(c) = \frac1V$$

    Here $h$ is the context of $k-1$ tokens and $h'$ the same without its oldest. At the highest order $a(hc)$ is how
    often $hc$ was seen; below, it is in how many different contexts (how many distinct tokens stood before it). A
    context never seen falls through to the next shorter one.

    There is nothing to train: building the model counts the text, by sorting. It is used like any language model,
    so that whatever measures or samples a network measures and samples it too.

    Args:
        tokens: the text to count.
        order: $n$, tokens per gram: a prediction sees the last $n - 1$.
        vocabulary: $V$, how many different tokens there may be.

    Shape:
        ids: (batch, time); returns (batch, time, vocabulary), log-probabilities of the next token.

    Example:
        >>> model = NGram(torch.tensor([0, 1, 0, 1, 0, 2, 0, 1]), order=2, vocabulary=3)
        >>> after_zero = model(torch.tensor([[0]])).exp().flatten()
        >>> after_zero.argmax().item(), round(after_zero.sum().item(), 4)
        (1, 1.0)

    Reference:
        Chen and Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999.

    Differs:
        A discount is one half of the count that it is taken from where too few counts of counts are known, or where
        its estimate is not between 0 and that count: so every token keeps a chance. The text's first tokens are not
        padded with a start token.
    """

    def __init__(self, tokens: Int[Tensor, " token"], order: int, vocabulary: int) -> None:
        super().__init__()
        _check(tokens, order, vocabulary)
        self.vocabulary = vocabulary
        grams, counts = torch.unique(_keys(tokens.long(), order, vocabulary), return_counts=True)
        tables = [_Table(grams, counts, vocabulary)]
        for length in range(order - 1, 0, -1):
            # A gram's count is from here on the number of distinct tokens that stood before it.
            grams, counts = torch.unique(grams % vocabulary**length, return_counts=True)
            tables.append(_Table(grams, counts, vocabulary))
        self.tables = nn.ModuleList(reversed(tables))  # from one token to `order`

    def forward(self, ids: Int[Tensor, "batch time"]) -> Float[Tensor, "batch time vocabulary"]:
        """Log-probabilities of the token after each place, given those up to it."""
        batch, time = ids.shape
        context = torch.zeros_like(ids)
        spread = self.get_buffer("tables.0.spare")
        chances = torch.full(
            (batch * time, self.vocabulary), 1 / self.vocabulary, dtype=spread.dtype, device=ids.device
        )
        for length, table in enumerate(self.tables):  # length of the context
            chances = table(context.flatten(), chances)
            oldest = F.pad(ids, (length, 0))[:, :time]
            context = context + oldest * self.vocabulary**length
            context[:, :length] = -1  # there is no context of this length yet
        return chances.log().view(batch, time, self.vocabulary)

    def extra_repr(self) -> str:
        """Sizes, for `print(model)`."""
        return f"order={len(self.tables)}, vocabulary={self.vocabulary}"


class _Table(nn.Module):
    """The grams of one length: for each context its successors, their share, and what is spare for shorter grams."""

    contexts: Tensor
    first: Tensor
    spare: Tensor
    successors: Tensor
    share: Tensor

    def __init__(self, grams: Tensor, counts: Tensor, vocabulary: int) -> None:
        super().__init__()
        contexts, lengths = torch.unique_consecutive(grams // vocabulary, return_counts=True)
        ends = lengths.cumsum(0)
        totals = torch.segment_reduce(counts.double(), "sum", lengths=lengths)
        discounts = torch.minimum(_discounts(counts)[counts.clamp(max=3)], counts.double())
        self.register_buffer("contexts", contexts)
        self.register_buffer("first", torch.cat([ends.new_zeros(1), ends]))
        self.register_buffer("spare", _default(torch.segment_reduce(discounts, "sum", lengths=lengths) / totals))
        self.register_buffer("successors", grams % vocabulary)
        self.register_buffer("share", _default((counts - discounts) / totals.repeat_interleave(lengths)))

    def forward(self, context: Int[Tensor, " place"], shorter: Float[Tensor, "place token"]) -> Tensor:
        """Probabilities from these grams, given those from shorter ones."""
        row = torch.searchsorted(self.contexts, context).clamp(max=len(self.contexts) - 1)
        known = self.contexts[row] == context
        chances = torch.where(known, self.spare[row], 1.0)[:, None] * shorter
        start = self.first[row]
        lengths = torch.where(known, self.first[row + 1] - start, 0)
        place = torch.arange(len(context), device=context.device).repeat_interleave(lengths)
        within = torch.arange(len(place), device=context.device) - (lengths.cumsum(0) - lengths)[place]
        gram = start[place] + within
        chances[place, self.successors[gram]] += self.share[gram]  # every pair stands there once
        return chances


def _keys(tokens: Tensor, length: int, vocabulary: int) -> Tensor:
    """Every stretch of `length` tokens as one whole number: its digits in base `vocabulary`."""
    keys = tokens.new_zeros(len(tokens) - length + 1)
    for offset in range(length):
        keys = keys * vocabulary + tokens[offset : len(tokens) - length + 1 + offset]
    return keys


def _discounts(counts: Tensor) -> Tensor:
    r"""$D(0..3)$ from how many grams were counted once to four times: the leave-one-out estimate.

    $$Y = \frac{n_1}{n_1 + 2 n_2}, \qquad D(r) = r - (r+1)\,Y\,\frac{n_{r+1}}{n_r}$$
    """
    seen = torch.bincount(counts.clamp(max=5), minlength=6).double()  # the sixth is not used: five and more
    ranks = torch.arange(4.0, dtype=torch.float64)
    if bool((seen[1:4] == 0).any()):
        return ranks / 2
    share = seen[1] / (seen[1] + 2 * seen[2])
    estimates = ranks - (ranks + 1) * share * seen[1:5] / seen[:4].clamp(min=1)
    return torch.where((estimates > 0) & (estimates < ranks), estimates, ranks / 2)


def _default(numbers: Tensor) -> Tensor:
    return numbers.to(torch.get_default_dtype())


def _check(tokens: Tensor, order: int, vocabulary: int) -> None:
    if order < 1 or vocabulary < 1 or vocabulary**order >= 2**63:
        raise InputError(
            "`order` and `vocabulary` must be positive, and vocabulary ** order below 2 ** 63",
            advice="lower the order",
            order=order,
            vocabulary=vocabulary,
        )
    if len(tokens) < order:
        raise InputError(
            "a text must be at least one gram long", advice="take a longer text", tokens=len(tokens), order=order
        )
    if int(tokens.min()) < 0 or int(tokens.max()) >= vocabulary:
        raise InputError(
            "tokens must lie between 0 and `vocabulary` less one",
            advice="give the tokenizer's vocabulary",
            lowest=int(tokens.min()),
            highest=int(tokens.max()),
            vocabulary=vocabulary,
        )
