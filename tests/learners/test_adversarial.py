"""Oracles: a slow reference round (tests/references/gan.py), closed forms, and bit-for-bit resume."""

import copy
import math

import pytest
import torch
from torch import nn

from chainrule.data import Images, InMemory, Table, reseed
from chainrule.errors import InputError, NonFiniteError
from chainrule.layers import Pixels
from chainrule.learners import Adversarial
from chainrule.models import Players, dcgan
from chainrule.objectives import Hinge, NonSaturating
from chainrule.optim import AdamW, Ema, Sgd, WarmupCosine
from chainrule.training import fit
from contracts.sameness import same
from references.gan import slow_critic_gradient, slow_round

PLAIN = Sgd(lr=0.1, momentum=0.0)


def _small(seed: int = 0, **settings: object) -> Adversarial:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = dcgan(8, noise=4, width=2, pixels=Pixels((8.0,), (8.0,)))
    return Adversarial(model, **settings)


def _pictures(count: int = 6, seed: int = 1) -> Images:
    generator = torch.Generator().manual_seed(seed)
    pixels = torch.randint(0, 17, (count, 1, 8, 8), generator=generator, dtype=torch.uint8)
    return Images(pixels, torch.zeros(count, dtype=torch.int64))


def _batches() -> InMemory[Images]:
    return InMemory(_pictures(20), batch_size=6, seed=3)


@pytest.mark.parametrize("rule", [PLAIN, AdamW(lr=0.01, betas=(0.0, 0.99), weight_decay=0.0)], ids=["sgd", "adam"])
def test_one_round_is_the_slow_reference(rule):
    batch = _pictures(5)
    learner = _small(r1=10.0, generator_rule=rule, critic_rule=rule)
    learner.model.double()
    learner = Adversarial(learner.model, r1=10.0, generator_rule=rule, critic_rule=rule)
    twin = copy.deepcopy(learner.model)
    reseed(0, 7)
    learner.step(batch)
    reseed(0, 7)
    noise = twin.draw(5)
    slow_round(twin.generator, twin.critic, twin.numbers(batch.pixels), noise, 10.0, (rule.build, rule.build))
    for (name, one), other in zip(learner.model.named_parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(one, other, msg=lambda text, name=name: f"{name}: {text}")


def test_r1_gradient_by_finite_differences():
    """The penalty's part of the critic's gradient, against central differences of the penalty itself."""
    batch = _pictures(4)
    model = _small().model.double()
    real = model.numbers(batch.pixels)

    @torch.enable_grad()
    def penalty() -> float:
        inputs = real.clone().requires_grad_()
        (slope,) = torch.autograd.grad(model.critic(inputs).sum(), inputs)
        return slope.square().sum().item() / len(inputs)

    fake = model.generator(model.draw(4)).detach()
    found = slow_critic_gradient(model.critic, real, fake, 2.0)
    without = slow_critic_gradient(model.critic, real, fake, 0.0)
    for weight, one, other in zip(model.critic.parameters(), found, without, strict=True):
        place = (0,) * weight.ndim
        with torch.no_grad():
            weight[place] += 1e-5
            above = penalty()
            weight[place] -= 2e-5
            below = penalty()
            weight[place] += 1e-5
        assert (one - other)[place].item() == pytest.approx((above - below) / 2e-5, rel=1e-5, abs=1e-9)


def test_metrics_are_the_losses_at_the_start():
    learner, batch = _small(r1=3.0), _pictures()
    before = copy.deepcopy(learner.model)
    reseed(0, 0)
    metrics = learner.step(batch)
    reseed(0, 0)
    real, fake = before(batch.pixels), before.score(before.generator(before.draw(6)))
    game = NonSaturating()
    expected = {
        "generator_loss": game.generator_loss(fake),
        "critic_loss": game.critic_loss(real, fake),
        "real_score": real.mean(),
        "fake_score": fake.mean(),
    }
    for name, value in expected.items():
        torch.testing.assert_close(metrics[name], value.detach())
    assert metrics["penalty"] > 0
    assert not any(value.requires_grad for value in metrics.values())


def test_each_optimiser_touches_only_its_player():
    learner, batch = _small(generator_rule=Sgd(lr=1e-30), critic_rule=PLAIN), _pictures()
    before = copy.deepcopy(learner.model.state_dict())
    learner.step(batch)
    after = learner.model.state_dict()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed
    assert all(name.startswith("critic.") for name in changed)
    learner = _small(generator_rule=PLAIN, critic_rule=Sgd(lr=1e-30))
    before = copy.deepcopy(learner.model.state_dict())
    learner.step(batch)
    after = learner.model.state_dict()
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed
    assert all(name.startswith("generator.") for name in changed)


def test_no_gradient_is_left_behind():
    learner = _small()
    learner.step(_pictures())
    assert all(parameter.grad is None for parameter in learner.model.parameters())


def test_the_generator_waits_for_its_turn():
    learner, batch = _small(critic_steps=3, average=Ema(0.5)), _pictures()
    moved = []
    for _ in range(7):
        generator = copy.deepcopy(learner._players.generator.state_dict())
        critic = copy.deepcopy(learner.model.critic.state_dict())
        learner.step(batch)
        moved.append(not same(generator, learner._players.generator.state_dict()))
        assert not same(critic, learner.model.critic.state_dict())
    assert moved == [False, False, True, False, False, True, False]
    assert learner.moves == 2


def test_average_is_the_closed_form():
    learner, batch = _small(average=Ema(0.6)), _pictures()
    kept = []
    for _ in range(4):
        learner.step(batch)
        kept.append(learner._players.generator[0].weight.detach().clone())
    weights = [0.6**age for age in reversed(range(4))]
    expected = sum(weight * value for weight, value in zip(weights, kept, strict=True)) / sum(weights)
    torch.testing.assert_close(learner.model.generator[0].weight, expected)
    assert learner.model.critic is learner._players.critic
    assert set(learner.model.state_dict()) == set(_small().model.state_dict())


def test_resume_at_every_step_is_bit_for_bit():
    settings = {
        "average": Ema(0.9),
        "critic_steps": 2,
        "generator_rule": AdamW(lr=1e-2, clip=1.0, schedule=WarmupCosine(6)),
    }
    straight, states = _small(**settings), []
    for step in range(6):
        states.append(copy.deepcopy(straight.state_dict()))
        fit(straight, _batches(), steps=step + 1, start=step)
    for step, state in enumerate(states):
        resumed = _small(seed=99, **settings)
        resumed.load_state_dict(state)
        fit(resumed, _batches(), steps=6, start=step)
        assert same(straight.state_dict(), resumed.state_dict()), step
        assert same(straight.model.state_dict(), resumed.model.state_dict()), step


def _spoiled() -> Table:
    features = torch.randn(8, 2)
    features[3, 1] = torch.nan
    return Table(features, torch.zeros(8))


def _points(**settings: object) -> Adversarial:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = Players(
            nn.Sequential(nn.Linear(2, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 2)),
            nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)),
            noise=2,
        )
    return Adversarial(model, **settings)


def test_a_spoiled_batch_raises_and_changes_neither_player():
    learner = _points(average=Ema(0.9))
    learner.step(Table(torch.randn(8, 2), torch.zeros(8)))
    spoiled = _spoiled()
    before, random = copy.deepcopy(learner.state_dict()), torch.get_rng_state()
    with pytest.raises(NonFiniteError, match=r"at step 1: first in the batch itself \(features\)\. Neither player"):
        learner.step(spoiled)
    assert same(before, learner.state_dict())
    assert torch.equal(random, torch.get_rng_state())


def test_a_spoiled_batch_is_skipped_and_counted():
    learner, other = _points(nonfinite="skip"), _points(nonfinite="skip")
    good = Table(torch.randn(8, 2), torch.zeros(8))
    for step, batch in enumerate((good, _spoiled(), good)):
        reseed(0, step)
        learner.step(batch)
    for step in (0, 2):
        reseed(0, step)
        other.step(good)
    assert (learner.steps, learner.moves, learner.skipped) == (3, 2, 1)
    assert same(other.model.state_dict(), learner.model.state_dict())


def test_an_exploding_generator_moves_nobody_and_is_named():
    learner = _points()
    with torch.no_grad():
        learner.model.generator[-1].weight.fill_(torch.finfo(torch.float32).max)
    before = copy.deepcopy(learner.model.state_dict())
    with pytest.raises(NonFiniteError, match=r"generator\.3"):
        learner.step(Table(torch.randn(8, 2), torch.zeros(8)))
    assert same(before, learner.model.state_dict())


def test_two_normals_come_to_rest():
    """A line of data, a shift to learn: with R1 the game settles on it; a linear critic then has no slope (the paper's
    Dirac-GAN, section 2, where no penalty circles for ever)."""

    class Shift(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.place = nn.Parameter(torch.tensor([1.0]))

        def forward(self, noise: torch.Tensor) -> torch.Tensor:
            return self.place + 0 * noise

    ends = {}
    for r1 in (0.0, 1.0):
        critic = nn.Linear(1, 1, bias=False)
        nn.init.constant_(critic.weight, 0.0)
        rule = Sgd(lr=0.1, momentum=0.0)
        learner = Adversarial(Players(Shift(), critic, noise=1), NonSaturating(), rule, rule, r1=r1)
        at_zero = Table(torch.zeros(4, 1), torch.zeros(4))
        for _ in range(400):
            learner.step(at_zero)
        ends[r1] = math.hypot(learner.model.generator.place.item(), critic.weight.item())
    assert ends[1.0] < 0.01
    assert ends[0.0] > 0.5


def test_hinge_without_penalty_runs():
    metrics = _small(loss=Hinge(), r1=0.0).step(_pictures())
    assert metrics["penalty"].item() == 0.0


@pytest.mark.parametrize(("settings", "message"), [({"r1": -1.0}, "r1=-1.0"), ({"critic_steps": 0}, "critic_steps=0")])
def test_settings_are_checked(settings, message):
    with pytest.raises(InputError, match=message):
        _small(**settings)


def test_a_generator_of_other_pictures_is_refused():
    with pytest.raises(InputError, match=r"generated=\(1, 8, 8\), real=\(1, 16, 16\)"):
        _small().step(Images(torch.zeros(2, 1, 16, 16, dtype=torch.uint8), torch.zeros(2, dtype=torch.int64)))


def test_a_critic_of_many_scores_is_refused():
    learner = Adversarial(Players(nn.Linear(2, 2), nn.Linear(2, 3), noise=2))
    with pytest.raises(InputError, match=r"one score per example.*scores=\(3,\)"):
        learner.step(Table(torch.zeros(4, 2), torch.zeros(4)))


def test_the_first_look_draws_nothing():
    """The check before the first step leaves the noise of that step as it was."""
    first, second = _small(), _small()
    first._check(_pictures())
    reseed(0, 0)
    one = first.step(_pictures())
    reseed(0, 0)
    assert same(one, second.step(_pictures()))
