"""Tasks for learning to learn: each has a few examples to adapt on and others to be judged on."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, Self

import torch
from torch import Tensor

from chainrule.data.batch import Rows, RowsT, Table
from chainrule.data.batches import Batches, part_of_rank
from chainrule.data.seeds import generator
from chainrule.errors import InputError

_TRAINING, _HELD_OUT = 0, 1  # keeps the tasks of `once` apart from those of the stream


@dataclass(frozen=True)
class Tasks(Rows, Generic[RowsT]):
    """Several small data sets at once: every task has rows to adapt on (support) and rows to be judged on (query).

    The rows of the first task come first, then those of the second, and so on, equally many of each. So the
    support is an ordinary batch of its kind, and so is the query, which stands for the whole where one is asked
    for: it gives `inputs` and `targets`. Counted and selected are tasks.

    Args:
        support: examples to adapt on, task by task.
        query: examples that the adapted network is judged on, task by task.
        count: how many tasks.

    Shape:
        support: count x shots rows; query: count x query shots rows.

    Example:
        >>> support = Table(torch.arange(6.0)[:, None], torch.arange(6))    # 2 tasks of 3 shots
        >>> query = Table(torch.arange(4.0)[:, None], torch.arange(4))      # 2 tasks of 2 shots
        >>> tasks = Tasks(support, query, count=2)
        >>> len(tasks), tasks.targets.tolist(), tasks.select(slice(1, 2)).support.targets.tolist()
        (2, [0, 1, 2, 3], [3, 4, 5])
    """

    support: RowsT
    query: RowsT
    count: int

    def __post_init__(self) -> None:
        """Every task has equally many rows, in the support and in the query."""
        if self.count < 1 or len(self.support) % self.count or len(self.query) % self.count:
            raise InputError(
                "every task needs equally many rows",
                advice="give `count` tasks, with the rows of one task after those of the other",
                count=self.count,
                support=len(self.support),
                query=len(self.query),
            )

    @property
    def inputs(self) -> tuple[Tensor, ...]:
        """The query's inputs, all tasks in one row."""
        return self.query.inputs

    @property
    def targets(self) -> Tensor:
        """The query's targets, all tasks in one row."""
        return self.query.targets

    def __len__(self) -> int:
        """How many tasks."""
        return self.count

    def tensors(self) -> dict[str, Tensor]:
        """The tensors of both, by the names `support_...` and `query_...`."""
        support = {f"support_{name}": tensor for name, tensor in self.support.tensors().items()}
        return support | {f"query_{name}": tensor for name, tensor in self.query.tensors().items()}

    def each(self, change: Callable[[Tensor], Tensor]) -> Self:
        """The same tasks with `change`, which keeps the rows' number, done to every tensor."""
        return type(self)(self.support.each(change), self.query.each(change), self.count)

    def select(self, rows: Tensor | slice) -> Self:
        """The tasks at `rows`: whole numbers, or a slice (then a view, nothing is copied)."""
        count = len(by_task(self.targets, self.count)[rows])

        def choose(tensor: Tensor) -> Tensor:
            return by_task(tensor, self.count)[rows].flatten(0, 1)  # (tasks x rows, ...)

        return type(self)(self.support.each(choose), self.query.each(choose), count)


def by_task(tensor: Tensor, count: int) -> Tensor:
    """The rows of a tensor with an axis of tasks before them.

    Args:
        tensor: rows of all tasks, the first task's first.
        count: how many tasks.

    Shape:
        tensor: (count x rows, ...); returns (count, rows, ...).

    Example:
        >>> by_task(torch.arange(6), 2).tolist()
        [[0, 1, 2], [3, 4, 5]]
    """
    return tensor.unflatten(0, (count, -1))


class Sinusoids(Batches[Tasks[Table]]):
    r"""An endless stream of sine waves to be guessed from a few points: the regression of the MAML paper.

    $$y = A \sin(x + \varphi), \qquad A \sim U[0.1, 5], \quad \varphi \sim U[0, \pi], \quad x \sim U[-5, 5]$$

    No task comes twice in the stream; `once` goes through `size` tasks that are not in it.

    Args:
        tasks: how many waves per batch, over all ranks.
        shots: points of each wave to adapt on.
        query_shots: points of each wave to be judged on.
        seed: which stream.
        size: how many tasks `once` goes through.
        part: where this rank's part of a batch starts and stops; the whole batch unless `shard` says otherwise.

    Shape:
        support: features (tasks x shots, 1), outcome (tasks x shots, 1); query alike.

    Example:
        >>> waves = Sinusoids(tasks=25, shots=10)
        >>> len(waves[0]), waves[0].support.features.shape
        (25, torch.Size([250, 1]))
        >>> torch.equal(waves[3].targets, waves[3].targets)
        True

    Reference:
        Finn, Abbeel and Levine, Model-Agnostic Meta-Learning, 2017, section 5.1. https://arxiv.org/abs/1703.03400

    Differs:
        Nothing. (The authors' code subtracts the phase; mirrored at x = 0 and y = 0 it is the same family.)
    """

    def __init__(
        self,
        tasks: int = 25,
        shots: int = 10,
        query_shots: int = 10,
        seed: int = 0,
        *,
        size: int = 600,
        part: tuple[int, int] | None = None,
    ) -> None:
        if min(tasks, shots, query_shots, size) < 1:
            raise InputError(
                "a batch of sine waves needs tasks and points",
                advice="try tasks=25, shots=10, query_shots=10",
                tasks=tasks,
                shots=shots,
                query_shots=query_shots,
                size=size,
            )
        self.batch_size = tasks
        self.shots = shots
        self.query_shots = query_shots
        self.seed = seed
        self.size = size
        self.part = part or (0, tasks)

    def __getitem__(self, k: int) -> Tasks[Table]:
        """Batch k of the endless stream, a function of (seed, k)."""
        return self._draw(self.batch_size, generator(self.seed, _TRAINING, k)).select(slice(*self.part))

    def once(self, batch_size: int | None = None) -> Iterator[Tasks[Table]]:
        """The `size` tasks that are not in the stream."""
        tasks = self._draw(self.size, generator(self.seed, _HELD_OUT))
        step = batch_size or self.batch_size
        for start in range(0, self.size, step):
            yield tasks.select(slice(start, start + step))

    def shard(self, rank: int, world: int) -> "Sinusoids":
        """Rank `rank`'s equal part of the tasks of every batch."""
        return Sinusoids(
            self.batch_size,
            self.shots,
            self.query_shots,
            self.seed,
            size=self.size,
            part=part_of_rank(self.batch_size, rank, world),
        )

    def _draw(self, count: int, random: torch.Generator) -> Tasks[Table]:
        amplitude, phase = torch.rand(2, count, 1, generator=random)
        x = 10 * torch.rand(count, self.shots + self.query_shots, generator=random) - 5  # (task, point)
        y = (0.1 + 4.9 * amplitude) * torch.sin(x + math.pi * phase)
        support, query = (
            Table(x_part.reshape(-1, 1), y_part.reshape(-1, 1))
            for x_part, y_part in zip(x.split([self.shots, self.query_shots], 1),
                                      y.split([self.shots, self.query_shots], 1), strict=True)
        )  # fmt: skip
        return Tasks(support, query, count)
