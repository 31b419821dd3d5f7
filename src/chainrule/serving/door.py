"""What stands before the app: who may ask, how much, and for how long."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from chainrule.errors import InputError
from chainrule.serving.limits import Limits, Refused, too_slow

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The names that a machine has for itself."""


class Door:
    """An ASGI app around another one, which only lets through what is within the limits.

    A page of somebody else that is open in the same browser can send requests to this machine. It cannot hide that:
    the browser says under which name it asked (`Host`, which also catches names that were bound to this machine
    afterwards) and for whose page (`Origin`).

    Args:
        app: what answers.
        limits: bytes, seconds, requests at once.
        names: hosts that may be asked for; any if empty.
        headers: that every answer gets.
    """

    def __init__(self, app: Any, limits: Limits, names: Sequence[str], headers: Mapping[str, str]) -> None:
        self._app = app
        self._limits = limits
        self._names = frozenset(names)
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        self._inside = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def marked(message: Any) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message = {**message, "headers": [*message["headers"], *self._headers]}
            await send(message)

        try:
            check_names(_named(scope), self._names)
            await self._counted(scope, receive, marked)
        except Refused as refused:
            if not begun:
                await refusal(refused)(scope, receive, marked)

    async def _counted(self, scope: Any, receive: Any, send: Any) -> None:
        """What costs work only within its time, and only if not too many do already."""
        if scope["method"] in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        if self._inside >= self._limits.waiting:
            advice = "ask again in a moment"
            raise Refused(503, InputError("too many requests wait already", advice=advice, waiting=self._inside))
        self._inside += 1
        try:
            async with asyncio.timeout(self._limits.seconds):
                body = await self._body(scope, receive)
                await self._app(scope, _replay(body, receive), send)
        except TimeoutError as error:
            raise too_slow(self._limits.seconds) from error
        finally:
            self._inside -= 1

    async def _body(self, scope: Any, receive: Any) -> bytes:
        """The whole body, none of it if it says itself that it is too large."""
        said = _named(scope).get("content-length", "0")
        self._weigh(int(said) if said.isdecimal() and len(said) < 20 else 0)
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                raise Refused(400, InputError("a request must be whole", advice="send it again"))
            parts.append(message.get("body", b""))
            size, more = size + len(parts[-1]), message.get("more_body", False)
            self._weigh(size)
        return b"".join(parts)

    def _weigh(self, size: int) -> None:
        if size > self._limits.bytes:
            advice = "ask in parts, or use `chainrule predict`"
            raise Refused(
                413, InputError("a request is too large", advice=advice, bytes=size, at_most=self._limits.bytes)
            )


def check_names(headers: Mapping[str, str], names: frozenset[str]) -> None:
    """Refuses a request for another machine's name, or from another machine's page.

    Args:
        headers: of the request, names in small letters.
        names: hosts that may be asked for; any if empty.
    """
    host = headers.get("host", "")
    if names and _hostname(f"//{host}") not in names:
        advice = "open it as http://127.0.0.1 with its port, or name the host with --host"
        raise Refused(403, InputError("a request must be for this server", advice=advice, host=host[:100]))
    origin = headers.get("origin")
    if origin is not None and _place(origin) != host.lower():
        advice = "ask from its own page, or from a program"
        raise Refused(403, InputError("a page of another server may not ask", advice=advice, origin=origin[:100]))


def _place(address: str) -> str:
    """Host and port of an address; nothing where there is none, as of the origin `null`."""
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""


def _hostname(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def refusal(refused: Refused) -> Any:
    """Our sentence as JSON, with its status."""
    from starlette.responses import JSONResponse

    return JSONResponse({"error": str(refused)}, status_code=refused.status)


def _named(scope: Any) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _replay(body: bytes, receive: Any) -> Any:
    """Gives the app the body that was read already, then whatever comes."""
    given = False

    async def again() -> Any:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
