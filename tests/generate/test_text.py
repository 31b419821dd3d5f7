"""Drawing text: the right frequencies, the same from the same seed, no more than the model may see."""

import pytest
import torch
from torch import Tensor, nn

from chainrule.errors import InputError
from chainrule.generate import text


class Fixed(nn.Module):
    """Always the same chances; notes how much it was shown and in which mode."""

    def __init__(self, *chances: float) -> None:
        super().__init__()
        self.scores = torch.tensor(chances).log()
        self.shown: list[tuple[int, bool]] = []

    def forward(self, ids: Tensor) -> Tensor:
        self.shown.append((ids.shape[1], self.training))
        return self.scores.expand(*ids.shape, -1)


class Count(nn.Module):
    """After n comes n + 1, modulo ten."""

    def forward(self, ids: Tensor) -> Tensor:
        return 50.0 * nn.functional.one_hot((ids + 1) % 10, 10).float()


START = torch.tensor([0])


def test_frequencies_are_the_models_chances() -> None:
    """Ancestral sampling; three standard deviations of a binomial."""
    drawn = torch.tensor(list(text(Fixed(0.2, 0.5, 0.3), START, 3000, context=1)))
    for token, chance in enumerate((0.2, 0.5, 0.3)):
        deviation = (chance * (1 - chance) / 3000) ** 0.5
        assert (drawn == token).float().mean().item() == pytest.approx(chance, abs=3 * deviation)


def test_temperature_raises_chances_to_its_inverse() -> None:
    drawn = torch.tensor(list(text(Fixed(0.2, 0.8), START, 3000, context=1, temperature=2.0)))
    expected = 0.8**0.5 / (0.8**0.5 + 0.2**0.5)
    assert drawn.float().mean().item() == pytest.approx(expected, abs=3 * (0.25 / 3000) ** 0.5)


def test_continues_from_the_last_token() -> None:
    assert list(text(Count(), torch.tensor([3, 7]), 5)) == [8, 9, 0, 1, 2]
    assert list(text(Count(), torch.tensor([3, 7]), 5, temperature=0.0)) == [8, 9, 0, 1, 2]


def test_same_seed_same_text() -> None:
    model = Fixed(0.25, 0.25, 0.25, 0.25)
    first, again, other = (list(text(model, START, 40, seed=seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_cuts_are_heeded() -> None:
    model = Fixed(0.4, 0.3, 0.2, 0.1)
    assert set(text(model, START, 200, top_k=2, context=1)) == {0, 1}
    assert set(text(model, START, 200, top_p=0.75, context=1)) == {0, 1, 2}


def test_the_model_is_shown_at_most_its_context_and_is_not_training() -> None:
    model = Fixed(0.5, 0.5).train()
    list(text(model, torch.zeros(3, dtype=torch.int64), 4, context=5))
    assert model.shown == [(3, False), (4, False), (5, False), (5, False)]
    assert model.training


def test_tokens_come_one_by_one() -> None:
    model = Fixed(0.5, 0.5)
    stream = text(model, START, 100)
    next(stream)
    assert len(model.shown) == 1


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("prompt", [torch.tensor([]), torch.zeros(0, dtype=torch.int64), torch.zeros(1, 2).long()])
def test_refuses_an_empty_prompt(prompt: Tensor) -> None:
    with pytest.raises(InputError, match="at least one token number"):
        text(Count(), prompt, 1)


@pytest.mark.parametrize("wrong", [{"temperature": -1.0}, {"context": 0}, {"tokens": -1}])
def test_refuses_impossible_settings(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError, match="must not be negative"):
        text(Count(), START, **{"tokens": 1, **wrong})
