"""Learning by playing: two networks, each with its own loss and its own optimiser."""

import copy
import math
from typing import Any

import torch
from torch import Tensor, nn

from chainrule.data import Rows
from chainrule.errors import InputError, NonFiniteError, expect
from chainrule.learners.nonfinite import Before, blame
from chainrule.learners.update import NonFinite, follow, length
from chainrule.models import Players
from chainrule.objectives import Game, Loss, NonSaturating, Objective, gradient_penalty
from chainrule.optim import AdamW, Ema, Rule, Stepper
from chainrule.training import evaluating

_RULE = AdamW(lr=1e-3, betas=(0.0, 0.99), weight_decay=0.0)


class Adversarial:
    r"""Two players, each following the gradient of its own loss, with R1 to let the game come to rest.

    $$w_D \leftarrow \text{rule}\Big(w_D, \nabla_{w_D} \big(L_\text{critic}
      + \tfrac{\gamma}{2}\, E \lVert \nabla_x D(x_\text{real}) \rVert^2 \big)\Big), \qquad
      w_G \leftarrow \text{rule}\big(w_G, \nabla_{w_G} L_\text{generator}\big)$$

    Both gradients are taken at the same point and from the same generated examples, then both players move at once:
    a round that is not finite moves neither, and the critic looks at every generated example only once.

    Args:
        model: generator and critic.
        loss: what the two are after.
        generator_rule: how the generator's gradient becomes an update.
        critic_rule: how the critic's gradient becomes an update.
        r1: $\gamma$, the weight of the gradient penalty on real examples; 0 leaves it out.
        average: an average of the generator's weights, which then is what is sampled, saved and used.
        critic_steps: the generator moves at every so-many-th step only.
        nonfinite: what to do when a loss or gradient is infinite or NaN: `raise` before anything is changed,
            or `skip` this batch and count it.

    Example:
        >>> from chainrule import data, layers, models
        >>> players = models.dcgan(8, width=4, pixels=layers.Pixels((8.0,), (8.0,)))
        >>> sorted(Adversarial(players, r1=1.0).step(data.digits().train[0]))
        ['critic_loss', 'fake_score', 'generator_loss', 'penalty', 'real_score']

    Reference:
        Mescheder, Geiger and Nowozin, Which Training Methods for GANs do actually Converge?, 2018.
        https://arxiv.org/abs/1801.04406

    Differs:
        Simultaneous updates (the paper analyses these and alternating ones, and trains with the latter).
        `critic_loss` is reported without the penalty.
    """

    def __init__(
        self,
        model: Players,
        loss: Game = NonSaturating(),  # noqa: B008 (a frozen value)
        generator_rule: Rule = _RULE,
        critic_rule: Rule = _RULE,
        *,
        r1: float = 10.0,
        average: Ema | None = None,
        critic_steps: int = 1,
        nonfinite: NonFinite = "raise",
    ) -> None:
        expect("model", model, Players, advice="pass generator and critic, for instance dcgan(32)")
        if not 0.0 <= r1 < math.inf:
            raise InputError("`r1` is a weight, not negative", advice="try 10.0, or 0.0 for no penalty", r1=r1)
        if critic_steps < 1:
            raise InputError("`critic_steps` must be at least 1", advice="try 1", critic_steps=critic_steps)
        self.loss = loss
        self.r1 = r1
        self.generator = Stepper(generator_rule, model.generator)
        self.critic = Stepper(critic_rule, model.critic)
        self.average = average
        self.critic_steps = critic_steps
        self.nonfinite = nonfinite
        self.steps = 0
        self.moves = 0
        self.skipped = 0
        self._players = model
        self._averaged = copy.deepcopy(model.generator) if average else None
        self._shown = _with_generator(model, self._averaged)
        self._before = Before(model)
        self._checked = False

    @property
    def model(self) -> Players:
        """The players to evaluate, save and use: with the averaged generator where its weights are averaged."""
        return self._shown

    def step(self, batch: Rows) -> dict[str, Tensor]:
        """One round: the critic moves, and the generator with it when it is its turn."""
        if not self._checked:
            self._check(batch)
        self._before.keep()
        turn = (self.steps + 1) % self.critic_steps == 0
        metrics = self._backward(batch, turn)
        norms = [length(player.gradients()) for player in self._movers(turn)]
        if math.isfinite(torch.stack([*norms, *metrics.values()]).sum().item()):
            self._update(norms, turn)
        else:
            self._refuse(batch)
        self.steps += 1
        self._clear()
        return metrics

    def _movers(self, turn: bool) -> list[Stepper]:
        return [self.critic, self.generator] if turn else [self.critic]

    def _backward(self, batch: Rows, turn: bool) -> dict[str, Tensor]:
        """Gradients for those who move. The critic's scores of generated examples serve both players."""
        real = self._real(batch)
        with torch.set_grad_enabled(turn):
            fake = self._players.generator(self._players.draw(len(real)))
        seen = fake.detach().requires_grad_(turn)  # cut here: the critic's gradient does not reach the generator
        critic_loss, generator_loss, metrics = self.losses(real, seen)
        if turn:
            (pull,) = torch.autograd.grad(generator_loss, seen, retain_graph=True)
            fake.backward(pull, inputs=self.generator.parameters)
        critic_loss.backward(inputs=self.critic.parameters)
        return metrics

    def _real(self, batch: Rows) -> Tensor:
        (examples,) = batch.inputs
        return self._players.numbers(examples).detach().requires_grad_(self.r1 > 0)

    def losses(self, real: Tensor, fake: Tensor) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        """The critic's loss with its penalty, the generator's, and what to watch; from the networks' numbers."""
        real_scores, fake_scores = self._players.score(real), self._players.score(fake)
        critic_loss = self.loss.critic_loss(real_scores, fake_scores)
        generator_loss = self.loss.generator_loss(fake_scores)
        penalty = gradient_penalty(real_scores, real) if self.r1 else torch.zeros_like(critic_loss)
        metrics = {
            "generator_loss": generator_loss.detach(),
            "critic_loss": critic_loss.detach(),
            "real_score": real_scores.detach().mean(),
            "fake_score": fake_scores.detach().mean(),
            "penalty": penalty.detach(),
        }
        return critic_loss + self.r1 / 2 * penalty, generator_loss, metrics

    def _update(self, norms: list[Tensor], turn: bool) -> None:
        for player, norm in zip(self._movers(turn), norms, strict=True):
            follow(player, norm, player.rule.lr * player.rule.schedule.scale(self.steps))
        self.moves += turn
        if turn and self.average and self._averaged:
            self.average.update(self._averaged, self._players.generator, self.moves)

    def _refuse(self, batch: Rows) -> None:
        self._before.restore()
        if self.nonfinite == "skip":
            self.skipped += 1
            return
        self._clear()
        fault = blame(self._players, _Round(self), batch)
        self._clear()
        self._before.restore()
        raise NonFiniteError(
            f"A loss or its gradient is not finite at step {self.steps}: {fault}. Neither player was changed; "
            "lower the learning rates, raise r1, or mend the batch (or train with nonfinite='skip')."
        )

    def _clear(self) -> None:
        self.generator.clear()
        self.critic.clear()

    def _check(self, batch: Rows) -> None:
        players = self._players
        with evaluating(players), torch.no_grad():
            real = self._real(batch)
            fake = players.generator(real.new_zeros(1, players.noise))  # draws nothing
            if fake.shape[1:] != real.shape[1:]:
                raise InputError(
                    "the generator must make examples of the shape of the real ones",
                    advice="build the model for this data (`side`, `channels`)",
                    generated=tuple(fake.shape[1:]),
                    real=tuple(real.shape[1:]),
                )
            scores = players.critic(fake)
            if scores.numel() != 1:
                raise InputError(
                    "the critic must give one score per example",
                    advice="let it end in nn.Linear(features, 1)",
                    scores=tuple(scores.shape[1:]),
                )
        self._before = Before(players)  # only now: the model may have been moved to its device
        self._checked = True

    def state_dict(self) -> dict[str, Any]:
        """Both players, both optimisers, the average and the counters."""
        return {
            "model": self._players.state_dict(),
            "generator": self.generator.state_dict(),
            "critic": self.critic.state_dict(),
            "average": self._averaged.state_dict() if self._averaged else None,
            "steps": self.steps,
            "moves": self.moves,
            "skipped": self.skipped,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` left off."""
        self._players.load_state_dict(state["model"])
        self.generator.load_state_dict(state["generator"])
        self.critic.load_state_dict(state["critic"])
        if self._averaged:
            self._averaged.load_state_dict(state["average"])
        self.steps, self.moves, self.skipped = (int(state[name]) for name in ("steps", "moves", "skipped"))


class _Round(Objective[Rows]):
    """Both players' losses as one objective, through generator and critic: what `blame` runs once more."""

    def __init__(self, learner: Adversarial) -> None:
        self.learner = learner

    def __call__(self, model: Any, batch: Rows) -> Loss:
        (examples,) = batch.inputs
        real = model.numbers(examples).detach().requires_grad_()
        critic_loss, generator_loss, metrics = self.learner.losses(real, model.generator(model.draw(len(real))))
        return Loss(critic_loss + generator_loss, metrics)


def _with_generator(players: Players, generator: nn.Module | None) -> Players:
    """The same players, with another generator if there is one."""
    if generator is None:
        return players
    return Players(generator, players.critic, noise=players.noise, pixels=players.pixels)
