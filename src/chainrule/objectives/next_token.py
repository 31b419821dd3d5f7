"""Language modelling: predict each next token."""

import torch
import torch.nn.functional as F  # noqa: N812 (torch's own convention)

from chainrule.data import IGNORED, Tokens
from chainrule.errors import InputError, expect
from chainrule.objectives.objective import Loss, Model, Objective, tried


class NextToken(Objective[Tokens]):
    r"""Cross-entropy of every next token given those before it, in nats per token.

    $$L = -\frac{1}{BT} \sum_{b,t} \log p(x_{b,t+1} \mid x_{b,1}, \dots, x_{b,t})$$

    Args:
        (none).

    Shape:
        model(ids): (batch, time, vocabulary); batch.targets: (batch, time), `IGNORED` where nothing is learnt.

    Example:
        >>> batch = Tokens(torch.zeros(1, 3, dtype=torch.int64), torch.zeros(1, 3, dtype=torch.int64))
        >>> uniform = NextToken()(lambda ids: torch.zeros(1, 3, 2), batch).value
        >>> round(uniform.item(), 4)    # log 2: a coin
        0.6931

    Reference:
        Bengio et al., A Neural Probabilistic Language Model, 2003.

    Differs:
        Nothing.
    """

    def __call__(self, model: Model, batch: Tokens) -> Loss:
        """Mean negative log-probability of the next token."""
        scores = model(*batch.inputs)
        value = F.cross_entropy(scores.flatten(0, 1), batch.targets.flatten(), ignore_index=IGNORED)
        return Loss(value, {"loss": value.detach()})

    def check(self, model: Model, batch: Tokens) -> None:
        """Every token and every target must be a column of the scores."""
        expect("batch", batch, Tokens, advice="learn from text: NextToken predicts each next token")
        first = batch.select(slice(0, 1))
        harmless = Tokens(torch.zeros_like(first.ids), torch.zeros_like(first.following))
        scores = tried(model, harmless)  # whatever the ids are: a table of embeddings would stumble over a wrong one
        if scores.ndim != 3 or scores.shape[:2] != first.ids.shape:
            raise InputError(
                "NextToken compares scores (batch, time, vocabulary) with tokens (batch, time)",
                advice="let the network give one row of scores per token",
                scores=tuple(scores.shape),
                tokens=tuple(first.ids.shape),
            )
        targets = batch.targets[batch.targets != IGNORED]
        if len(targets) == 0:
            raise InputError("a batch needs at least one target", advice="unmask some", targets=batch.targets.numel())
        vocabulary = scores.shape[-1]
        lowest = min(int(batch.ids.min()), int(targets.min()))
        highest = max(int(batch.ids.max()), int(targets.max()))
        if lowest < 0 or highest >= vocabulary:
            raise InputError(
                "tokens must lie between 0 and the size of the model's vocabulary less one",
                advice="build the model with the tokenizer's `vocabulary`",
                lowest=lowest,
                highest=highest,
                vocabulary=vocabulary,
            )
