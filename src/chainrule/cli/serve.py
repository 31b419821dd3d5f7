"""`chainrule serve`: a trained model as a page and as JSON, on this machine."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chainrule.cli.words import wants_help
from chainrule.errors import InputError
from chainrule.serving import LOOPBACK, web_app

_HELP = """\
chainrule serve RUN [--port 8000] [--host 127.0.0.1]: a trained model on a page, and for programs

RUN is a folder that `chainrule fit` made. At / there is a page to drop a picture, type a text or
edit a row; POST /predict takes {"inputs": [...]} as JSON, /predict/file a file; /docs says more.

  --port 8000          where it listens; 0 takes any port that is free
  --host 127.0.0.1     only this machine can ask; with any other host, everybody who reaches it can,
                       without a password

It needs the extra `web`: pip install 'chainrule[web]'. Ctrl-C ends it.

Example:
  chainrule serve runs/iris --port 8000
"""
_EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 (asked for by the person, and said in the help)


@dataclass(frozen=True)
class _Wish:
    port: int = 8000
    host: str = "127.0.0.1"


def serve(words: Sequence[str]) -> int:
    """Serves a run until Ctrl-C.

    Args:
        words: the rest of the command line: the run's folder, and flags.

    Example:
        >>> serve([])
        chainrule serve RUN [--port 8000] [--host 127.0.0.1]: a trained model on a page, and for programs
        ...
        0
    """
    if wants_help(words) or not words:
        print(_HELP, end="")
        return 0
    if words[0].startswith("-"):
        raise InputError("the first word says which run", advice="write `chainrule serve RUN`", word=words[0])
    import tyro

    wish = tyro.cli(_Wish, args=list(words[1:]), prog="chainrule serve RUN")
    _listen(web_app(Path(words[0]), names=allowed_names(wish.host)), wish)
    return 0


def allowed_names(host: str) -> tuple[str, ...]:
    """The hosts that a request may be for: this machine's own names, and the one that was asked for.

    Args:
        host: that the server listens at.

    Example:
        >>> allowed_names("192.168.1.7"), allowed_names("0.0.0.0")
        (('127.0.0.1', 'localhost', '::1', '192.168.1.7'), ())
    """
    if host in _EVERYWHERE:
        return ()
    return LOOPBACK if host in LOOPBACK else (*LOOPBACK, host.lower())


def _listen(app: Any, wish: _Wish) -> None:
    import socket

    import uvicorn

    if not 0 <= wish.port < 1 << 16:
        raise InputError("a port is a number from 0 to 65535", advice="try --port 8000", port=wish.port)
    config = uvicorn.Config(
        app, host=wish.host, port=wish.port, log_level="warning", timeout_keep_alive=5, server_header=False,
        timeout_graceful_shutdown=5,
    )  # fmt: skip
    family = socket.AF_INET6 if ":" in wish.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((wish.host, wish.port))
            door.listen(128)  # who comes before the server is ready waits
        except OSError as error:
            raise InputError(
                f"this place cannot be listened at ({(error.strerror or str(error)).lower()})",
                advice="try another --port, or --port 0", host=wish.host, port=wish.port,
            ) from error  # fmt: skip
        shown = f"[{wish.host}]" if ":" in wish.host else wish.host
        print(f"http://{shown}:{door.getsockname()[1]}  (Ctrl-C ends it)", flush=True)
        with suppress(KeyboardInterrupt):  # uvicorn says it again once it has ended in good order
            uvicorn.Server(config).run(sockets=[door])
