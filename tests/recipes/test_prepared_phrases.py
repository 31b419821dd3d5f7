"""Who learns, chooses and judges among texts. Oracle: the rows that were written, and what honest means."""

from pathlib import Path

import pytest

from chainrule.data import IGNORED
from chainrule.errors import InputError
from chainrule.recipes.prepared_phrases import part_of, prepare_phrases
from chainrule.sources import folded

ROWS = [(f"{word} number {each} is here", word) for each in range(60) for word in ("ham", "spam")]


def written(path: Path, rows: list[tuple[str, str]]) -> str:
    path.write_text("\n".join(["text,kind", *(f"{text},{kind}" for text, kind in rows)]))
    return str(path)


def test_copies_stay_on_one_side(tmp_path: Path) -> None:
    twins = [(text.upper().replace(" ", "  "), kind) for text, kind in ROWS[:40]]
    found = prepare_phrases(written(tmp_path / "mails.csv", ROWS + twins))
    parts = [{folded(text) for text in part_of(found, number)[0]} for number in range(3)]
    assert not parts[0] & parts[1]
    assert not parts[0] & parts[2]
    assert not parts[1] & parts[2]
    assert sum(len(part_of(found, number)[0]) for number in range(3)) == 160
    assert any("Copies of other texts (40," in note for note in found.notes)


def test_labels_are_those_of_the_rows(tmp_path: Path) -> None:
    found = prepare_phrases(written(tmp_path / "mails.csv", ROWS))
    for number in range(3):
        texts, labels = part_of(found, number)
        assert [found.classes[label] for label in labels.tolist()] == [text.split()[0] for text in texts]


def test_given_parts_are_kept_and_teach_nothing(tmp_path: Path) -> None:
    data = written(tmp_path / "train.csv", ROWS)
    test = written(tmp_path / "test.csv", [*ROWS[:5], ("quite another one here", "eggs"), ("a new one here", "ham")])
    choose = written(tmp_path / "choose.csv", [*ROWS[3:9], ("yet another one here", "spam")])
    found = prepare_phrases(data, validation=choose, test=test)
    train, validation, judge = ([*part_of(found, number)[0]] for number in range(3))
    assert judge == [text for text, _ in ROWS[:5]] + ["a new one here"], "the class nobody taught is left out"
    assert validation == [text for text, _ in ROWS[5:9]] + ["yet another one here"]
    assert sorted(train) == sorted(text for text, _ in ROWS[9:])
    assert IGNORED in found.labels.tolist()
    assert any("of a class that is not learnt" in note for note in found.notes)
    assert any("did not teach" in note for note in found.notes)


def test_too_many_are_drawn_from_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chainrule.recipes.prepared_phrases._MOST", (50, 10, 15))
    found = prepare_phrases(written(tmp_path / "mails.csv", ROWS))
    assert [len(part.unique()) for part in found.parts] == [50, 10, 15]
    assert any(note.startswith("45 texts drawn at random took no part") for note in found.notes)


def test_too_little_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="10 texts with a class"):
        prepare_phrases(written(tmp_path / "few.csv", ROWS[:8]))
    with pytest.raises(InputError, match="two classes at least"):
        prepare_phrases(written(tmp_path / "one.csv", [(text, "ham") for text, _ in ROWS]))
