"""The web app of a run folder: what can be asked for, and who answers it."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import torch

from chainrule.errors import InputError
from chainrule.recipes import load
from chainrule.serving.about import told
from chainrule.serving.batching import Batcher
from chainrule.serving.door import LOOPBACK, Door, refusal
from chainrule.serving.limits import Limits, Refused
from chainrule.serving.page import policy, read_page, read_reference
from chainrule.serving.questions import Desk, Question

_READERS = 2  # threads that make questions of what came
_SAID = {"content": {"application/json": {"example": {"error": "a row must be an object. Got row=1; send ..."}}}}
_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The request is no JSON, or not of the form that is asked for.", **_SAID},
    403: {"description": "The request is for another host, or comes from a page of another server.", **_SAID},
    413: {"description": "Too many bytes, or too many examples.", **_SAID},
    422: {"description": "The model cannot take these inputs; the sentence says why.", **_SAID},
    503: {"description": "Too many requests wait already.", **_SAID},
    504: {"description": "The answer took too long.", **_SAID},
}


@dataclass(frozen=True)
class _Office:
    """Those who work behind the app: the model's one thread, and the readers of what came."""

    desk: Desk
    batcher: Batcher[Question, list[dict[str, Any]]]
    readers: ThreadPoolExecutor
    limits: Limits

    async def answers(self, made: Callable[[float], Question]) -> dict[str, Any]:
        until = time.monotonic() + self.limits.seconds
        question = await asyncio.get_running_loop().run_in_executor(self.readers, made, until)
        found = await asyncio.wrap_future(self.batcher.ask(question, question.size, until))
        return {"answers": found}

    def close(self) -> None:
        self.readers.shutdown(cancel_futures=True)
        self.batcher.close()


def web_app(folder: Path | str, *, limits: Limits | None = None, names: Sequence[str] = LOOPBACK) -> Any:
    """The FastAPI app of a run: `POST /predict` and `/predict/file`, `GET /about` and `/health`, a page at `/`.

    Args:
        folder: of a run of `chainrule fit`.
        limits: of a request.
        names: hosts that may be asked for; any if empty.

    Example:
        >>> web_app("nowhere")
        Traceback (most recent call last):
            ...
        chainrule.errors.InputError: this is not the folder of a run. Got folder='nowhere'; ...
    """
    limits = limits or Limits()
    desk = Desk(load(folder), limits)
    _demand()
    from fastapi import FastAPI

    def answer(questions: Sequence[Question]) -> list[list[dict[str, Any]]]:
        torch.set_num_threads(desk.recipe.threads)  # counts for the thread that says it, which is the worker's
        return desk.answer(questions)

    office = _Office(desk, Batcher(answer, limits), ThreadPoolExecutor(_READERS, "reads"), limits)

    @asynccontextmanager
    async def life(_: Any) -> AsyncGenerator[None]:
        yield
        await asyncio.to_thread(office.close)

    app = FastAPI(
        title="Chainrule", description=desk.recipe.title, version="1", docs_url=None, redoc_url=None, lifespan=life
    )
    headers = {"content-security-policy": policy(), "x-content-type-options": "nosniff", "cache-control": "no-store"}
    app.add_middleware(Door, limits=limits, names=tuple(names), headers=headers)
    _say_errors(app)
    _add_pages(app, desk, limits)
    _add_predictions(app, office)
    return app


def _demand() -> None:
    """The extra's packages are there."""
    missing = [name for name in ("fastapi", "uvicorn", "python_multipart") if find_spec(name) is None]
    if missing:
        advice = "install them with `pip install 'chainrule[web]'`"
        raise InputError("serving needs packages that are not installed", advice=advice, missing=missing)


def _add_pages(app: Any, desk: Desk, limits: Limits) -> None:
    """What only tells."""
    from fastapi.responses import HTMLResponse

    about = told(desk.recipe, limits)
    page, reference = read_page(), read_reference(about)

    @app.get("/", include_in_schema=False, response_class=HTMLResponse)
    async def home() -> str:
        return page

    @app.get("/docs", include_in_schema=False, response_class=HTMLResponse)
    async def docs() -> str:
        return reference

    @app.get("/about", summary="What the model is: its classes, its columns, its limits")
    async def about_it() -> dict[str, Any]:
        return about

    @app.get("/health", summary="Whether it can be asked")
    async def health() -> dict[str, str]:
        return {"status": "ready"}


def _add_predictions(app: Any, office: _Office) -> None:
    """What asks the model."""
    from fastapi import Body, UploadFile

    @app.post("/predict", summary="Answers to examples as JSON", responses=_ERRORS)
    async def predict(
        inputs: Annotated[
            list[Any] | str,
            Body(embed=True, description="Rows as objects, texts, or pictures as base64: see `inputs` of /about."),
        ],
    ) -> dict[str, list[dict[str, Any]]]:
        return await office.answers(lambda until: office.desk.question(inputs, until))

    @app.post("/predict/file", summary="Answers to a file: a picture, a table as CSV, a text", responses=_ERRORS)
    async def predict_file(file: UploadFile) -> dict[str, list[dict[str, Any]]]:
        name, content = file.filename or "", await file.read()
        return await office.answers(lambda until: office.desk.question_of_file(name, content, until))


def _say_errors(app: Any) -> None:
    """Every error is one sentence of ours in JSON."""
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException

    def said(status: int, reason: InputError) -> Any:
        return refusal(Refused(status, reason))

    @app.exception_handler(Refused)
    async def refused(_: Any, error: Refused) -> Any:
        return refusal(error)

    @app.exception_handler(InputError)
    async def wrong(_: Any, error: InputError) -> Any:
        return said(422, error)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Any, error: RequestValidationError) -> Any:
        why = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:3])
        advice = 'send {"inputs": [...]} as JSON, or a file named `file`; see /docs'
        return said(400, InputError("a request must be as it is asked for", advice=advice, why=why))

    @app.exception_handler(HTTPException)
    async def other(_: Any, error: HTTPException) -> Any:
        return said(error.status_code, InputError(f"this cannot be answered: {error.detail}", advice="see /docs"))

    @app.exception_handler(Exception)
    async def unforeseen(_: Any, error: Exception) -> Any:
        advice = "look at what the server printed"
        return said(500, InputError(f"something went wrong ({type(error).__name__})", advice=advice))
