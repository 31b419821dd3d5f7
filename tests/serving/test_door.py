"""The door. Oracle: the rules of RFC 6454 and 9110 for origins and hosts, written out case by case."""

import asyncio
from typing import Any

import pytest

from chainrule.serving.door import LOOPBACK, Door, check_names
from chainrule.serving.limits import Limits, Refused

pytest.importorskip("starlette", reason="the extra `web` is not installed")
OWN = frozenset(LOOPBACK)


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "127.0.0.1:8000"},
        {"host": "localhost"},
        {"host": "[::1]:8000"},
        {"host": "LOCALHOST:8000"},
        {"host": "localhost:8000", "origin": "http://localhost:8000"},
    ],
)
def test_this_machine_may_ask(headers: dict[str, str]) -> None:
    check_names(headers, OWN)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": ""},
        {"host": "evil.example"},
        {"host": "127.0.0.1.evil.example:8000"},
        {"host": "localhost@evil.example"},
        {"host": "[::1"},
        {"host": "127.0.0.1:8000", "origin": "http://evil.example"},
        {"host": "127.0.0.1:8000", "origin": "http://127.0.0.1:9000"},
        {"host": "127.0.0.1:8000", "origin": "http://localhost:8000"},
        {"host": "127.0.0.1:8000", "origin": "null"},
        {"host": "127.0.0.1:8000", "origin": ""},
    ],
)
def test_strangers_may_not(headers: dict[str, str]) -> None:
    with pytest.raises(Refused) as caught:
        check_names(headers, OWN)
    assert caught.value.status == 403


def test_with_any_host_a_page_still_asks_for_itself_only() -> None:
    check_names({"host": "box.example:8000", "origin": "http://box.example:8000"}, frozenset())
    with pytest.raises(Refused):
        check_names({"host": "box.example:8000", "origin": "http://evil.example"}, frozenset())


class Inside:
    """An app that keeps what it was given, and waits as long as it is told."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.bodies.append((await receive())["body"])
        await asyncio.sleep(self.seconds)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})


async def knock(door: Door, parts: list[bytes], *headers: tuple[bytes, bytes], wait: float = 0.0) -> int:
    """The status that a request gets whose body comes in parts; a pause before each."""
    sent: list[Any] = []
    left = list(parts)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(wait)
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "headers": [(b"host", b"localhost:8000"), *headers]}
    await door(scope, receive, send)
    assert dict(sent[0]["headers"])[b"x-one"] == b"1"
    return sent[0]["status"]


def door_of(app: Inside, limits: Limits) -> Door:
    return Door(app, limits, LOOPBACK, {"X-One": "1"})


def test_a_body_comes_whole_or_not_at_all() -> None:
    app = Inside()
    door = door_of(app, Limits(bytes=10))
    assert asyncio.run(knock(door, [b"12345", b"67890"])) == 200
    assert asyncio.run(knock(door, [b"12345", b"67890", b"1"])) == 413
    assert asyncio.run(knock(door, [b"never read"], (b"content-length", b"11"))) == 413
    assert app.bodies == [b"1234567890"]


def test_who_is_slow_to_ask_or_slow_to_answer_is_told() -> None:
    assert asyncio.run(knock(door_of(Inside(), Limits(seconds=0.05)), [b"a"] * 9, wait=0.02)) == 504
    assert asyncio.run(knock(door_of(Inside(9.0), Limits(seconds=0.05)), [b"a"])) == 504


def test_only_so_many_wait() -> None:
    door = door_of(Inside(0.1), Limits(waiting=3))

    async def crowd() -> list[int]:
        return list(await asyncio.gather(*(knock(door, [b"a"]) for _ in range(5))))

    assert sorted(asyncio.run(crowd())) == [200, 200, 200, 503, 503]
    assert asyncio.run(crowd()).count(200) == 3  # those who left made room


def test_who_leaves_early_leaves_no_trace() -> None:
    app = Inside()

    async def leave() -> None:
        sent: list[Any] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await door_of(app, Limits())(
            {"type": "http", "method": "POST", "headers": [(b"host", b"localhost")]}, receive, send
        )
        assert sent[0]["status"] == 400

    asyncio.run(leave())
    assert app.bodies == []
