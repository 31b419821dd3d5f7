"""Oracle: the run that was never interrupted, bit for bit."""

import logging

import pytest
import torch
from torch import nn

import chainrule as cr
from chainrule.data import Images, InMemory, Same, Table
from chainrule.training import Save, fit, generators_state, load, resume, save
from contracts.entry import Learner
from contracts.resuming import resumed_otherwise
from contracts.roster import Subject, each
from contracts.sameness import made, same


def pictures(batch_size=4):
    pixels = torch.randint(0, 255, (20, 1, 6, 6), generator=torch.Generator().manual_seed(0)).to(torch.uint8)
    return InMemory(Images(pixels, torch.arange(20) % 3), batch_size=batch_size, seed=3)


class Everything(nn.Module):
    """Dropout, running statistics, tied weights, a buffer, channels last: all that a resume can forget."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3, padding=1).to(memory_format=torch.channels_last)
        self.second = nn.Conv2d(4, 4, 3, padding=1).to(memory_format=torch.channels_last)
        self.second.bias = self.first.bias
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.3)
        self.head = nn.Linear(4 * 36, 3)

    def forward(self, pixels):
        inner = self.first(pixels.float().to(memory_format=torch.channels_last) / 255)
        return self.head(self.drop(self.norm(self.second(inner))).flatten(1))


def whole_gradient(**options):
    return cr.learners.Gradient(
        Everything(),
        cr.objectives.Classify(),
        cr.optim.AdamW(lr=0.01, schedule=cr.optim.WarmupCosine(steps=10, warmup=3), clip=1.0),
        accumulate=2,
        average=cr.optim.Ema(0.9),
        **options,
    )


@pytest.mark.parametrize(
    "build",
    [
        whole_gradient,
        lambda: whole_gradient(compute=cr.learners.Compute("bfloat16")),
        lambda: cr.learners.Gradient(Everything(), cr.objectives.Classify(), cr.optim.Sgd(lr=0.01, momentum=0.9)),
        lambda: cr.learners.Rollback(whole_gradient(), every=2, spike=1.02, patience=100),
    ],
    ids=["adamw", "bfloat16", "sgd", "rollback"],
)
def test_resume_at_every_step_of_two_epochs(build, tmp_path):
    """R3: 5 batches an epoch, 10 steps, resumed after each of them."""
    assert resumed_otherwise(build, pictures(), 10, tmp_path) == []


@each("resume", Learner)
def test_every_learner_resumes_at_every_step(subject: Subject, tmp_path):
    batch = made(subject.entry.batch, 1)
    assert resumed_otherwise(subject.entry.build, Same(batch), 4, tmp_path) == []


@pytest.mark.soak
def test_resume_at_every_step_of_a_longer_run(tmp_path):
    assert resumed_otherwise(whole_gradient, pictures(batch_size=2), 40, tmp_path) == []


def test_the_layout_of_the_optimiser_comes_back(tmp_path):
    """The fused kernel walks memory: averages in another layout than their weights would go to the wrong weights."""
    first, second = made(whole_gradient), made(whole_gradient, 1)
    fit(first, pictures(), steps=2, hooks=[Save(tmp_path)])
    resume(tmp_path, second)
    states = (learner.state_dict()["optimizer"] for learner in (first, second))
    for one, other in zip(*(state.values() for state in states), strict=True):
        assert same(one, other)
        if 1 not in one["exp_avg"].shape:  # the stride of an axis of one says nothing
            assert one["exp_avg"].stride() == other["exp_avg"].stride()


def test_a_folder_without_checkpoint_begins_at_its_first_step(tmp_path):
    learner = made(whole_gradient)
    before = made(whole_gradient).state_dict()
    assert resume(tmp_path / "nowhere", learner) == 0
    assert same(before, learner.state_dict())


def test_no_whole_checkpoint_is_an_error_and_not_a_new_beginning(tmp_path):
    (tmp_path / "state" / "step-00000003").mkdir(parents=True)
    with pytest.raises(cr.CheckpointError, match=r"no checkpoint of .* is whole: `step-00000003/manifest.json`"):
        resume(tmp_path, made(whole_gradient))


def test_the_generators_come_back(tmp_path):
    save(tmp_path / "state", 1, {"learner": made(whole_gradient).state_dict(), "generators": generators_state()})
    before = torch.get_rng_state()
    torch.rand(3)
    resume(tmp_path, made(whole_gradient))
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(
    "build",
    [
        lambda: cr.learners.Gradient(nn.Linear(2, 1), cr.objectives.Regress()),
        lambda: cr.learners.Rollback(whole_gradient()),
    ],
)
def test_a_learner_that_does_not_fit_is_told_so(tmp_path, build):
    fit(made(whole_gradient), pictures(), steps=1, hooks=[Save(tmp_path)])
    with pytest.raises(cr.CheckpointError, match="`step-00000001` does not fit this"):
        resume(tmp_path, build())


def test_another_number_of_threads_is_told(tmp_path, caplog):
    learner = cr.learners.Gradient(nn.Linear(1, 1), cr.objectives.Regress())
    rows = InMemory(Table(torch.ones(4, 1), torch.ones(4, 1)), batch_size=2)
    threads = torch.get_num_threads()
    fit(learner, rows, steps=1, hooks=[Save(tmp_path)])
    torch.set_num_threads(threads + 1)
    try:
        with caplog.at_level(logging.WARNING):
            assert resume(tmp_path, learner) == 1
    finally:
        torch.set_num_threads(threads)
    assert f"computed on {threads} threads, and now there are {threads + 1}" in caplog.text


def test_the_state_of_an_optimiser_survives_bit_for_bit(tmp_path):
    """AdamW's step tensors and tuples, `None`, flags, bf16, 0-d and empty tensors, views."""
    model = nn.Linear(3, 2).bfloat16()
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.8, 0.99), fused=True)
    model(torch.ones(1, 3).bfloat16()).sum().backward()
    optimizer.step()
    state = {
        "optimizer": optimizer.state_dict(),
        "weights": dict(model.state_dict()),
        "empty": torch.empty(0, 3),
        "view": torch.arange(12).view(3, 4)[:, 1:3],
        "turned": torch.randn(2, 3, 4).permute(2, 0, 1),
        "float": torch.tensor(0.1, dtype=torch.float64).item(),
    }
    found = load(save(tmp_path, 1, state))[1]
    assert same(state, found)
    assert found["optimizer"]["param_groups"][0]["betas"] == (0.8, 0.99)
    assert isinstance(found["optimizer"]["param_groups"][0]["betas"], tuple)
    assert found["optimizer"]["param_groups"][0]["fused"] is True
    assert found["optimizer"]["param_groups"][0]["foreach"] is None
    torch.optim.AdamW(nn.Linear(3, 2).bfloat16().parameters()).load_state_dict(found["optimizer"])
