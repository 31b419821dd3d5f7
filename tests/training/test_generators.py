"""Oracle: the numbers that the generators themselves draw next."""

import random

import numpy as np
import pytest
import torch

from chainrule.training import generators_state, load, restore_generators, save


def draws():
    return [random.random(), random.gauss(0, 1), np.random.rand(), np.random.randn(), torch.rand(1).item()]


@pytest.fixture(autouse=True)
def _keep_generators():
    state = generators_state()
    yield
    restore_generators(state)


def test_the_same_numbers_come_after_a_trip_to_the_disk(tmp_path):
    random.gauss(0, 1)  # leaves a second number waiting, which is part of the state
    np.random.randn()
    state = generators_state()
    wanted = draws()
    assert draws() != wanted
    path = save(tmp_path, 1, state)
    restore_generators(load(path)[1])
    assert draws() == wanted


def test_taking_the_state_changes_nothing():
    state = generators_state()
    generators_state()
    first = draws()
    restore_generators(state)
    assert draws() == first


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_every_device_in_use():
    torch.rand(1, device="cuda")
    state = generators_state()
    first = torch.rand(3, device="cuda")
    restore_generators(state)
    assert torch.equal(torch.rand(3, device="cuda"), first)
