"""The app over the wire. Oracle: `predict` of the same run in Python."""

import asyncio
import base64
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chainrule import load
from chainrule.errors import InputError
from chainrule.recipes import find_recipe, run_recipe
from chainrule.serving import Limits, web_app
from serving.runs import ROWS, amount_run, past, phrase_run, picture_run, png, series_run, table_run, text_run

testclient = pytest.importorskip("fastapi.testclient", reason="the extra `web` is not installed")
polars = pytest.importorskip("polars", reason="tables need polars")
RUNS = {
    "table": table_run, "amount": amount_run, "pictures": picture_run, "text": text_run, "series": series_run,
}  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    return {name: make(folder / name) for name, make in RUNS.items()}


@contextmanager
def opened(folder: Path, limits: Limits | None = None) -> Iterator[Any]:
    with testclient.TestClient(web_app(folder, limits=limits), base_url="http://127.0.0.1:8000") as client:
        yield client


def asked(client: Any, inputs: Any) -> list[dict[str, Any]]:
    response = client.post("/predict", json={"inputs": inputs})
    assert response.status_code == 200, response.text
    return response.json()["answers"]


def rows_of(answers: Any) -> list[dict[str, Any]]:
    return [dict(zip(answers, line, strict=True)) for line in zip(*answers.values(), strict=True)]


def same(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected, strict=True):
        assert list(ours) == list(theirs)
        for name, value in theirs.items():
            assert ours[name] == (pytest.approx(value, rel=1e-4, abs=1e-6) if isinstance(value, float) else value)


@pytest.mark.parametrize("name", ["table", "amount"])
def test_rows_are_answered_as_predict_answers_them(runs: dict[str, Path], name: str) -> None:
    with opened(runs[name]) as client:
        expected = rows_of(load(runs[name]).predict(ROWS))
        same(asked(client, ROWS), expected)
        text = polars.DataFrame(ROWS).write_csv().encode()
        response = client.post("/predict/file", files={"file": ("rows.csv", text)})
        same(response.json()["answers"], expected)
        gaps = [{"age": None, "town": "Ulm"}, {"age": 3, "seen": "01.02.2003", "said": ""}]
        assert len(asked(client, gaps)) == 2


def test_pictures_are_answered_as_predict_answers_them(runs: dict[str, Path], tmp_path: Path) -> None:
    files = [tmp_path / f"{seed}.png" for seed in range(3)]
    for seed, file in enumerate(files):
        file.write_bytes(png(seed))
    expected = rows_of(load(runs["pictures"]).predict(files))
    written = [base64.b64encode(file.read_bytes()).decode() for file in files]
    with opened(runs["pictures"]) as client:
        same(asked(client, written), expected)
        same(asked(client, [f"data:image/png;base64,{one}" for one in written]), expected)
        response = client.post("/predict/file", files={"file": ("a.png", files[1].read_bytes())})
        same(response.json()["answers"], expected[1:2])


def test_texts_of_different_lengths_are_answered_together_as_alone(tmp_path: Path) -> None:
    texts = ["ham", "spam number 3 came again again today", "what is this", "ham " * 30, "!"]
    run = phrase_run(tmp_path)
    expected = rows_of(load(run).predict(texts))
    with opened(run) as client:
        same(asked(client, texts), expected)
        same(asked(client, texts[1]), expected[1:2])
        response = client.post("/predict/file", files={"file": ("a.txt", "\n".join(texts).encode())})
        same(response.json()["answers"], expected)
        with ThreadPoolExecutor(20) as crowd:
            together = list(crowd.map(lambda text: asked(client, [text])[0], texts * 4))
    same(together, expected * 4)


def test_texts_and_series_are_answered_as_predict_answers_them(runs: dict[str, Path]) -> None:
    with opened(runs["text"]) as client:
        expected = rows_of(load(runs["text"]).predict(["the sea", "tea"]))
        same(asked(client, ["the sea", "tea"]), expected)
        same(asked(client, "tea"), expected[1:])
        response = client.post("/predict/file", files={"file": ("a.txt", b"the sea\n\ntea\n")})
        same(response.json()["answers"], expected)
    frame = polars.read_csv(runs["series"] / "sold.csv")
    with opened(runs["series"]) as client:
        expected = rows_of(load(runs["series"]).predict(frame))
        assert len(expected) == 14
        same(asked(client, frame.to_dicts()), expected)
        response = client.post("/predict/file", files={"file": ("a.csv", past(120).encode())})
        same(response.json()["answers"], expected)


def test_forty_requests_at_once_are_answered_as_one_by_one(runs: dict[str, Path]) -> None:
    with opened(runs["table"]) as client:
        alone = [asked(client, [row])[0] for row in ROWS]
        with ThreadPoolExecutor(40) as crowd:
            together = list(crowd.map(lambda row: asked(client, [row])[0], ROWS))
    same(together, alone)


def test_requests_that_come_together_are_one_batch(runs: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    answered = load(runs["table"]).recipe.__class__.answered

    def counted(recipe: Any, model: Any, rows: Any) -> Any:
        sizes.append(len(rows))
        if len(sizes) == 1:
            time.sleep(1.0)  # meanwhile the others come
        return answered(recipe, model, rows)

    monkeypatch.setattr(load(runs["table"]).recipe.__class__, "answered", counted)
    with opened(runs["table"], Limits(pause=1.0, batch=20)) as client, ThreadPoolExecutor(20) as crowd:
        assert len(list(crowd.map(lambda row: asked(client, [row]), ROWS[:20]))) == 20
    assert sum(sizes) == 20
    assert len(sizes) <= 5


def test_what_it_is_can_be_asked(runs: dict[str, Path]) -> None:
    with opened(runs["table"]) as client:
        assert client.get("/health").json() == {"status": "ready"}
        assert client.get("/about").json()["classes"] == ["yes", "no", "<b>perhaps</b>"]
        schema = client.get("/openapi.json").json()
        assert set(schema["paths"]) == {"/predict", "/predict/file", "/about", "/health"}
        assert {"400", "413", "422", "503", "504"} <= set(schema["paths"]["/predict"]["post"]["responses"])
        for path in ("/", "/docs"):
            page = client.get(path)
            assert page.status_code == 200
            assert "script-src 'sha256-" in page.headers["content-security-policy"]
        assert "<b>perhaps" not in client.get("/docs").text


TABLE_FAULTS = [
    ({"inputs": []}, 422, "a request must ask about something"),
    ({"inputs": [1]}, 422, "a row must be an object"),
    ({"inputs": [{"aeg": 3}]}, 422, "the table must have the columns that the model learnt from"),
    ({"inputs": [{"age": [1, 2]}]}, 422, "a value must be text, a number, true, false or null"),
    ({"inputs": [{"age": 10**40}]}, 422, "a number is too large"),
    ({"inputs": [{"said": "x" * 20_000}]}, 422, "a value is too long"),
    ({"inputs": ROWS * 26}, 413, "a request may have so many examples and no more"),
    ({"input": ROWS}, 400, "a request must be as it is asked for"),
    ([], 400, "a request must be as it is asked for"),
]


@pytest.mark.parametrize(("body", "status", "says"), TABLE_FAULTS)
def test_rows_that_cannot_be_answered_are_told_why(runs: dict[str, Path], body: Any, status: int, says: str) -> None:
    with opened(runs["table"]) as client:
        response = client.post("/predict", json=body)
        assert response.status_code == status
        assert says in response.json()["error"]


def test_strange_bodies_are_refused_and_the_server_lives_on(runs: dict[str, Path]) -> None:
    kind = {"content-type": "application/json"}
    with opened(runs["table"]) as client:
        for body in (b"{", b"[" * 200_000, b'{"inputs": ' + b"9" * 9000 + b"}", b"\xff\xfe", b""):
            response = client.post("/predict", content=body, headers=kind)
            assert (response.status_code, list(response.json())) == (400, ["error"])
        for name, content, status in (("a.parquet", b"PAR1", 422), ("a.csv.gz", b"\x1f\x8b", 422), ("a.csv", b"", 422)):
            response = client.post("/predict/file", files={"file": (name, content)})
            assert (response.status_code, list(response.json())) == (status, ["error"])
            assert "/tmp" not in response.text  # noqa: S108 (where a file lay is nobody's business)
        assert client.get("/nothing").status_code == 404
        assert client.post("/predict/file", data={"file": "no file"}).status_code == 400
        assert len(asked(client, ROWS[:1])) == 1


def test_pictures_that_cannot_be_answered_are_told_why(runs: dict[str, Path]) -> None:
    bomb = png(0)[:16] + (100_000).to_bytes(4, "big") * 2 + png(0)[24:]
    faults = {"!": "base64", "aGVsbG8=": "picture 1 cannot be read", base64.b64encode(bomb).decode(): "cannot be read"}
    with opened(runs["pictures"]) as client:
        for picture, says in faults.items():
            response = client.post("/predict", json={"inputs": [picture]})
            assert response.status_code == 422
            assert says in response.json()["error"]
            assert "/tmp" not in response.text  # noqa: S108
        assert client.post("/predict", json={"inputs": [3]}).status_code == 422


def test_one_bad_request_spoils_no_other(runs: dict[str, Path]) -> None:
    with opened(runs["table"], Limits(pause=0.2)) as client, ThreadPoolExecutor(8) as crowd:
        bodies = [{"inputs": [ROWS[0]] if number % 2 else [{"nothing": 1}]} for number in range(8)]
        found = list(crowd.map(lambda body: client.post("/predict", json=body).status_code, bodies))
    assert found == [422, 200] * 4


def test_texts_take_their_time_and_no_more(runs: dict[str, Path]) -> None:
    with opened(runs["text"], Limits(seconds=0.3)) as client:
        response = client.post("/predict", json={"inputs": ["the sea"] * 1000})
        assert response.status_code == 504
        assert "a request must be answered within its time" in response.json()["error"]


def test_what_nobody_foresaw_is_said_without_its_secrets(
    runs: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("a secret")

    monkeypatch.setattr(load(runs["table"]).recipe.__class__, "answered", broken)
    client = testclient.TestClient(
        web_app(runs["table"]), base_url="http://127.0.0.1:8000", raise_server_exceptions=False
    )
    response = client.post("/predict", json={"inputs": ROWS[:1]})
    assert (response.status_code, "something went wrong (RuntimeError)" in response.json()["error"]) == (500, True)
    assert "secret" not in response.text


def test_more_series_than_are_allowed_are_refused(runs: dict[str, Path]) -> None:
    with opened(runs["series"], Limits(examples=1)) as client:
        response = client.post("/predict/file", files={"file": ("a.csv", past(120).encode())})
        assert (response.status_code, "so many examples" in response.text) == (413, True)


def test_only_what_fit_made_is_served(tmp_path: Path) -> None:
    run_recipe(replace(find_recipe("karate-gcn"), steps=1, seeds=1), tmp_path / "club")
    with pytest.raises(InputError, match="only a model of tables, pictures, texts or series"):
        web_app(tmp_path / "club")
    with pytest.raises(InputError, match="this is not the folder of a run"):
        web_app(tmp_path / "nothing")


def test_the_event_loop_is_not_held_by_the_model(runs: dict[str, Path]) -> None:
    """While a long text is written, `/health` answers."""
    with opened(runs["text"], Limits(seconds=1.0)) as client, ThreadPoolExecutor(1) as other:
        slow = other.submit(client.post, "/predict", json={"inputs": ["the sea"] * 30})
        assert client.get("/health").status_code == 200
        assert slow.result().status_code in (200, 504)


def test_an_async_client_is_served_too(runs: dict[str, Path]) -> None:
    """The app is plain ASGI: a hand-written call without any client gets its answer."""
    app = web_app(runs["table"])
    sent: list[dict[str, Any]] = []

    async def call() -> None:
        scope = {"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "path": "/health",
                 "raw_path": b"/health", "query_string": b"", "headers": [(b"host", b"localhost:1")], "scheme": "http",
                 "server": ("localhost", 1), "client": ("127.0.0.1", 2), "root_path": ""}  # fmt: skip

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await app(scope, receive, send)

    asyncio.run(call())
    assert sent[0]["status"] == 200
