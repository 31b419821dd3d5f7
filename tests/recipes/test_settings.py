"""Settings come back as they were, and nothing else gets in."""

import json
from dataclasses import dataclass, replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chainrule.errors import InputError
from chainrule.optim import AdamW, Constant, Rule, Sgd, WarmupCosine
from chainrule.recipes import RECIPES, find_recipe, from_plain, to_plain


@dataclass(frozen=True)
class Everything:
    number: int = 1
    share: float = 0.5
    name: str = "x"
    flag: bool = False
    maybe: float | None = None
    way: Literal["exact", "first"] = "exact"
    pair: tuple[float, float] = (0.9, 0.99)
    many: tuple[int, ...] = (1, 2, 3)
    rule: Rule = AdamW()


floats = st.floats(allow_nan=False, allow_infinity=False)


@given(st.builds(
    Everything,
    number=st.integers(),
    share=floats,
    name=st.text(),
    flag=st.booleans(),
    maybe=st.none() | floats,
    way=st.sampled_from(["exact", "first"]),
    pair=st.tuples(floats, floats),
    many=st.lists(st.integers()).map(tuple),
    rule=st.sampled_from([AdamW(schedule=WarmupCosine(9, 3)), Sgd(lr=2.0, schedule=Constant()), AdamW(clip=1.0)]),
))  # fmt: skip
def test_settings_survive_json(settings: Everything) -> None:
    assert from_plain(Everything, json.loads(json.dumps(to_plain(settings)))) == settings


@pytest.mark.parametrize("name", list(RECIPES))
def test_every_recipe_survives_json(name: str) -> None:
    recipe = replace(find_recipe(name), seed=7)
    assert from_plain(type(recipe), json.loads(json.dumps(to_plain(recipe)))) == recipe


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"number": "1"}, "settings.number must be of type int"),
        ({"number": True}, "settings.number must be of type int"),
        ({"flag": 1}, "settings.flag must be of type bool"),
        ({"way": "third"}, "settings.way must be one of 'exact', 'first'"),
        ({"pair": [1.0]}, "settings.pair must have 2 entries"),
        ({"pair": "ab"}, "settings.pair must be a list"),
        ({"many": ["os"]}, r"settings.many\[0\] must be of type int"),
        ({"maybe": "x"}, "settings.maybe has none of the types"),
        ({"rule": {"kind": "os.system", "lr": 1}}, "settings.rule has none of the types"),
        ({"rule": {"kind": "Everything"}}, "settings.rule has none of the types"),
        ({"rule": {"kind": "AdamW", "lr": -1.0}}, "settings.rule has none of the types|`lr` must be"),
        ({"nubmer": 1}, "settings has no field 'nubmer'.*did you mean 'number'"),
        ({"__class__": "x"}, "settings has no field '__class__'"),
        ({"kind": "Other"}, "settings must be the settings of Everything"),
    ],
)
def test_anything_else_is_refused_by_name(change: dict[str, object], message: str) -> None:
    plain = to_plain(Everything())
    assert isinstance(plain, dict)
    with pytest.raises(InputError, match=message):
        from_plain(Everything, plain | change)  # type: ignore[arg-type]


@pytest.mark.parametrize("plain", [None, 3, "AdamW", [], [1]])
def test_what_is_no_object_is_refused(plain: object) -> None:
    with pytest.raises(InputError, match="must be the settings of Sgd"):
        from_plain(Sgd, plain)  # type: ignore[arg-type]


@pytest.mark.usefixtures("unchecked")
def test_only_plain_values_are_written() -> None:
    with pytest.raises(InputError, match="settings are plain values"):
        to_plain({1, 2})
