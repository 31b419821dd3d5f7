"""From what came over the wire to questions, and from questions that came together to answers."""

import base64
import binascii
import math
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from chainrule.data import Rows, Table
from chainrule.errors import InputError
from chainrule.recipes import Answers, FitPhrases, FitPictures, FitSeries, FitTable, Fitted, FitText, Trained
from chainrule.serving.limits import Limits, Refused, too_slow
from chainrule.serving.quick import quick_features
from chainrule.sources import Classes, read_table

_SERVED = (FitPhrases, FitPictures, FitSeries, FitTable, FitText)
_FAR = 1 << 63
_LONGEST = 10_000  # characters of a value in a row
_TABLES = frozenset({".csv", ".tsv", ".txt"})  # nothing that is packed: it could be of any size
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".jfif", ".webp", ".bmp", ".gif", ".tif", ".tiff"})


@dataclass(frozen=True)
class Question:
    """What one request asks.

    Args:
        examples: as the network takes them, where questions can be put together; otherwise `None`.
        asked: what `predict` takes, one after the other, where they cannot.
        size: how many examples.
        until: the moment of `time.monotonic` after which nobody waits for the answer.
    """

    examples: Rows | None
    asked: tuple[Any, ...]
    size: int
    until: float


class Desk:
    """A trained model that is asked over the wire.

    Args:
        trained: a run of `chainrule fit`.
        limits: of a request.
    """

    def __init__(self, trained: Trained, limits: Limits) -> None:
        if not isinstance(trained.recipe, _SERVED):
            raise InputError(
                "only a model of tables, pictures, texts or series that `chainrule fit` made can be served",
                advice="use `chainrule predict`, or call it in Python", recipe=type(trained.recipe).__name__,
            )  # fmt: skip
        self.recipe: Fitted = trained.recipe
        self._network = trained.network
        self._limits = limits

    def question(self, inputs: Any, until: float) -> Question:
        """What the JSON of a request asks.

        Args:
            inputs: a list of rows, texts or pictures; one text.
            until: when its time is over.
        """
        given: list[Any] = [inputs] if isinstance(inputs, str) else inputs
        if not given:
            raise InputError("a request must ask about something", advice='send {"inputs": [...]}')
        recipe = self.recipe
        if isinstance(recipe, FitSeries):
            return self._forecast(_columns(given), until)
        self._limits.allow(len(given))
        if isinstance(recipe, FitText):
            return self._texts([_text(one) for one in given], until)
        if isinstance(recipe, FitPhrases):
            return self._rows(recipe, [_text(one) for one in given], until)
        if isinstance(recipe, FitPictures):
            return self._pictures(recipe, [_decoded(one) for one in given], until)
        columns = _columns(given)
        quick = quick_features(recipe.columns, given) if isinstance(recipe, FitTable) else None
        if quick is None or not isinstance(recipe, FitTable):
            return self._rows(recipe, columns, until)
        kind = torch.int64 if isinstance(recipe.target, Classes) else torch.float32  # as `encoded` makes them up
        return Question(Table(quick, torch.zeros(len(quick), dtype=kind)), (), len(quick), until)

    def question_of_file(self, name: str, content: bytes, until: float) -> Question:
        """What an uploaded file asks.

        Args:
            name: of the file; only its ending counts.
            content: of the file.
            until: when its time is over.
        """
        recipe, ending = self.recipe, Path(name).suffix.lower()
        if isinstance(recipe, FitPictures):
            return self._pictures(recipe, [content], until)
        if isinstance(recipe, FitText) or (isinstance(recipe, FitPhrases) and ending not in (".csv", ".tsv")):
            lines = [line for line in content.decode("utf-8", "replace").splitlines() if line]
            if not lines:
                raise InputError("a file of texts must have a line", advice="write one text per line")
            return self.question(lines, until)
        if ending not in _TABLES:
            raise InputError("a table is sent as text", advice="send .csv or .tsv", ending=ending)
        with _kept(f"table{ending}", content) as path:
            if isinstance(recipe, FitSeries):
                return self._forecast(read_table(path).frame, until)
            return self._rows(recipe, path, until)

    def answer(self, questions: Sequence[Question]) -> list[list[dict[str, Any]]]:
        """The answers to each question, one row per example (of a forecast: per moment)."""
        found: dict[int, list[dict[str, Any]]] = {}
        together = [place for place, question in enumerate(questions) if question.examples is not None]
        if together:
            parts = [questions[place].examples for place in together]
            rows = _rows_of(self.recipe.answered(self._network, _joined([part for part in parts if part is not None])))
            for place in together:
                size = questions[place].size
                found[place], rows = rows[:size], rows[size:]
        for place, question in enumerate(questions):
            if question.examples is None:
                found[place] = list(self._one_by_one(question))
        return [found[place] for place in range(len(questions))]

    def _one_by_one(self, question: Question) -> Iterator[dict[str, Any]]:
        for asked in question.asked:
            if time.monotonic() > question.until:
                raise too_slow(self._limits.seconds)
            yield from _rows_of(self.recipe.predict(self._network, asked))

    def _rows(self, recipe: Fitted, inputs: Any, until: float) -> Question:
        rows = recipe.encoded(inputs)
        self._limits.allow(len(rows))
        if not len(rows):
            raise InputError("a table must have a row", advice="send one row per example")
        return Question(rows, (), len(rows), until)

    def _texts(self, texts: Sequence[str], until: float) -> Question:
        for text in texts:  # what cannot be read is said before anything is written
            self.recipe.encoded(text)
        return Question(None, tuple(texts), len(texts), until)

    def _forecast(self, table: Any, until: float) -> Question:
        import polars as pl

        frame = table if isinstance(table, pl.DataFrame) else pl.DataFrame(table, strict=False)
        name = self.recipe.series if isinstance(self.recipe, FitSeries) else None
        self._limits.allow(frame[name].n_unique() if name in frame.columns else 1)
        self.recipe.encoded(frame)
        return Question(None, (frame,), 1, until)

    def _pictures(self, recipe: FitPictures, contents: Sequence[bytes], until: float) -> Question:
        parts: list[Rows] = []
        for number, content in enumerate(contents, 1):
            if time.monotonic() > until:
                raise too_slow(self._limits.seconds)
            with _kept(f"picture {number}", content) as path:
                parts.append(recipe.encoded(path))
        return Question(_joined(parts), (), len(parts), until)


def takes(recipe: Fitted) -> dict[str, Any]:
    """What a recipe is asked about: the kind, for people and programs; endings of files.

    Args:
        recipe: that `chainrule fit` made.
    """
    if isinstance(recipe, FitTable):
        return {"kind": "table", "inputs": "rows as objects: column name to value", "files": sorted(_TABLES)}
    if isinstance(recipe, FitPictures):
        return {"kind": "pictures", "inputs": "pictures, each as base64", "files": sorted(_PICTURES)}
    if isinstance(recipe, FitSeries):
        return {"kind": "series", "inputs": "rows as objects, with their time", "files": sorted(_TABLES)}
    if isinstance(recipe, FitPhrases):
        return {"kind": "phrases", "inputs": "a text, or a list of texts", "files": sorted(_TABLES)}
    return {"kind": "text", "inputs": "a text, or a list of texts, to go on from", "files": [".txt"]}


def _columns(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Rows as columns; what a row does not have is a gap."""
    names: dict[str, None] = {}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping):
            advice = 'send {"inputs": [{"column": value, ...}, ...]}'
            raise InputError("a row must be an object", advice=advice, row=number, kind=type(row).__name__)
        names |= dict.fromkeys(row)
        if len(names) * len(rows) > 4_000_000:  # rows of which each has other columns would be a square of them
            raise Refused(413, InputError("rows have too many columns", advice="send those that the model has"))
    return {name: [_value(row.get(name), name) for row in rows] for name in names}


def _value(value: Any, name: str) -> Any:
    if isinstance(value, str):
        if len(value) > _LONGEST:
            raise InputError("a value is too long", advice="shorten it", column=name, characters=len(value))
        return value
    if isinstance(value, int) and not -_FAR <= value < _FAR:
        raise InputError("a number is too large", advice="send a smaller one", column=name)
    if value is None or isinstance(value, bool | int | float):
        return value
    raise InputError(
        "a value must be text, a number, true, false or null", advice="send one value per column",
        column=name, kind=type(value).__name__,
    )  # fmt: skip


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise InputError("a text must be a string with something in it", advice='send {"inputs": ["Once"]}')
    return value


def _decoded(value: Any) -> bytes:
    """The bytes of a picture that is written as base64, with or without `data:image/png;base64,` before it."""
    written = value.rpartition(",")[2] if isinstance(value, str) and value.startswith("data:") else value
    try:
        if not isinstance(written, str):
            raise InputError("a picture is sent as text", advice="send it as base64", kind=type(value).__name__)
        return base64.b64decode(written, validate=True)
    except (binascii.Error, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("a picture must be written as base64", advice="send its file as base64") from error


@contextmanager
def _kept(name: str, content: bytes) -> Generator[Path]:
    """What came, as a file that is gone afterwards; what is said of it does not say where it lay."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            yield path
        except InputError as error:
            raise Refused(422, str(error).replace(f"{folder}/", "")) from error


def _joined(parts: Sequence[Rows]) -> Rows:
    """The rows of all, in their order; shorter texts are filled up with 0, which says that they are over."""
    if len(parts) == 1:
        return parts[0]
    each = [part.tensors() for part in parts]
    return type(parts[0])(**{name: _stacked([tensors[name] for tensors in each]) for name in each[0]})


def _stacked(tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    width = max(tensor.shape[-1] for tensor in tensors)
    if tensors[0].ndim != 2 or all(tensor.shape[-1] == width for tensor in tensors):
        return torch.cat(list(tensors))
    return torch.cat([torch.nn.functional.pad(tensor, (0, width - tensor.shape[-1])) for tensor in tensors])


def _rows_of(answers: Answers) -> list[dict[str, Any]]:
    """Columns as rows; a number that JSON has no word for is null."""
    names = list(answers)
    lines = zip(*answers.values(), strict=True)
    return [{name: _finite(value) for name, value in zip(names, line, strict=True)} for line in lines]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
