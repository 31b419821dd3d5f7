"""Every member of an ensemble by itself: none learns to lean on the others."""

from torch import Tensor

from chainrule.data import BatchT
from chainrule.errors import InputError
from chainrule.objectives.objective import Loss, Model, Objective


class EveryMember(Objective[BatchT]):
    r"""The mean of what another objective says of every member's own answer.

    $$L = \frac1M \sum_m L_0(\hat y_m, y)$$

    Were the loss that of the mean answer, members would correct each other's mistakes on the training rows, and all
    would be overfitted together. In training the network answers once per member; in evaluation, where its members
    speak as one, use the inner objective.

    Args:
        objective: $L_0$, what each member's answer is judged by; a mean over examples.

    Shape:
        model(*batch.inputs): (example, member, ...); batch.targets: (example, ...).

    Example:
        >>> import torch
        >>> from chainrule.data import Table
        >>> from chainrule.objectives import Regress
        >>> batch = Table(torch.zeros(2, 3), torch.zeros(2))
        >>> EveryMember(Regress())(lambda features: features + torch.tensor([1.0, -1.0, 0.0]), batch).value.item()
        0.666...

    Reference:
        Gorishniy, Kotelnikov and Babenko, TabM, 2024, section 3.2. https://arxiv.org/abs/2410.24210

    Differs:
        Nothing.
    """

    def __init__(self, objective: Objective[BatchT]) -> None:
        self.objective = objective

    def __call__(self, model: Model, batch: BatchT) -> Loss:
        """The inner objective over all pairs of example and member."""
        answers, targets = model(*batch.inputs), batch.targets
        if answers.ndim < 2 or len(answers) != len(targets):
            raise InputError(
                "EveryMember takes one answer per example and member",
                advice="put the network into training mode, or use the inner objective",
                answers=tuple(answers.shape),
                targets=tuple(targets.shape),
            )
        members = answers.shape[1]

        def each(_inputs: Tensor, *_more: Tensor) -> Tensor:
            return answers.flatten(0, 1)

        return self.objective(each, batch.each(lambda tensor: tensor.repeat_interleave(members, 0)))

    def check(self, model: Model, batch: BatchT) -> None:
        """As the inner objective, of the members' common answer: networks are checked in evaluation mode."""
        self.objective.check(model, batch)
