"""The API for short links: keeps a recorded run with the step to show, and serves the card and the run of a link."""

from __future__ import annotations

import html
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from backscope.diagnosis.why.answer import amount
from backscope_server.access.client import client_of
from backscope_server.access.room import Room
from backscope_server.api import response_models, trace_download
from backscope_server.api.card_picture import CardPictures, NotYet
from backscope_server.api.lookup import router, session_of, sessions_of, settings_of
from backscope_server.api.request import COMMAND_BYTES, arriving, parse
from backscope_server.api.start import count_start
from backscope_server.errors import Problem
from backscope_server.session.session import Session
from backscope_server.storage.share_storage import Label, Moment, ShareStorage, TooMany

__all__ = ["cards", "router"]

cards = APIRouter()
"""What links lead to, outside of /api."""

_DRAWN_SECONDS = 10
_Share = Annotated[str, Path(description="The id of a shared run.")]


class ShareRequest(BaseModel):
    """A finished session to share, the step to show, from 0, a title, and what else a link has of the moment."""

    model_config = ConfigDict(extra="forbid", strict=True)

    session: Annotated[str, Field(min_length=1, max_length=100)]
    step: Annotated[int, Field(ge=0, lt=2**53)] = 0
    title: Annotated[str, Field(max_length=200)] = ""
    moment: Annotated[str, Field(max_length=2000, pattern=r"^[!-~]*$")] = ""


class Share(BaseModel):
    """A shared run: the path of its link, the secret by which it is removed, and for how many seconds it is kept."""

    share: str
    path: str
    secret: str
    seconds: float


class Removal(BaseModel):
    """The secret that came when a run was shared."""

    model_config = ConfigDict(extra="forbid", strict=True)

    secret: Annotated[str, Field(min_length=1, max_length=100)]


@router.post(
    "/shares",
    status_code=201,
    response_model=Share,
    responses=response_models.problems(404, 408, 409, 410, 413, 422, 503),
    openapi_extra=response_models.json_body(ShareRequest),
)
async def share(request: Request) -> Share:
    """Keep the recording of a finished session for a short link."""
    storage = _storage_of(request)
    async with arriving(request, COMMAND_BYTES, "The request") as text:
        wanted = parse(ShareRequest, text)
    session = await session_of(request, wanted.session)
    if session.running:
        raise Problem(409, "The program is still running. Share it when it has finished, or stop it first.")
    address: str = request.state.address
    await count_start(request.app, address)
    most = settings_of(request).share_bytes
    unread: Room = request.app.state.unread
    # The store may be slow, and many may share at once.
    async with unread.held(address, most):
        content = await _trace_of(session, most)
        try:
            kept = await storage.keep(content, Moment(wanted.step, wanted.moment), wanted.title, address)
        except TooMany as error:
            raise Problem(429, _too_many(storage, nbytes=error.nbytes)) from None
    pictures: CardPictures = request.app.state.card_pictures
    pictures.begin(kept.identity, wanted.step)  # Previews ask for it soon.
    return Share(share=kept.identity, path=f"/s/{kept.identity}", secret=kept.secret, seconds=storage.bounds.seconds)


@router.post(
    "/shares/{identity}/removal",
    status_code=204,
    response_class=Response,
    responses=response_models.problems(404, 408, 413, 422, 503),
    openapi_extra=response_models.json_body(Removal),
)
async def remove(request: Request, identity: _Share) -> Response:
    """Remove a shared run; it is gone once all who shared it have removed it."""
    async with arriving(request, COMMAND_BYTES, "The request") as text:
        secret = parse(Removal, text).secret
    storage = _storage_of(request)
    if not await storage.remove(identity, secret):
        raise Problem(404, "There is no shared run with this id and this secret.")
    if await storage.label(identity) is None:
        await sessions_of(request).remove(identity)
    return Response(status_code=204)


@cards.get("/s/{identity}", include_in_schema=False)
async def card(request: Request, identity: str) -> Response:
    """Return the page that a link leads to: what is previewed of it, and the way on to the run."""
    storage: ShareStorage | None = request.app.state.shares
    label = None if storage is None else await storage.label(identity)
    if label is None:
        return Response(_card("/", "This shared run is gone", "Run the program again, or have it shared again."), 404,
                        media_type="text/html")  # fmt: skip
    where = "&".join([f"/#run={identity}", "shared=", f"step={label.step + 1}", *([label.more] if label.more else [])])
    picture = f"{_origin(request)}/s/{identity}/picture.png"
    return Response(_card(where, _title(label), _DESCRIPTION, picture), media_type="text/html")


@cards.get("/s/{identity}/picture.png", include_in_schema=False)
async def picture(request: Request, identity: str) -> Response:
    """Return the picture of a shared run's step, as previews show it."""
    storage: ShareStorage | None = request.app.state.shares
    pictures: CardPictures | None = request.app.state.card_pictures
    drawn = None
    if storage is not None and pictures is not None and (label := await storage.label(identity)) is not None:
        try:
            drawn = await pictures.of(identity, label.step)
        except NotYet:
            raise Problem(503, "The picture is not drawn yet.", retry_after=_DRAWN_SECONDS) from None
    if drawn is None:
        return Response("There is no picture.\n", 404, media_type="text/plain")
    return Response(drawn, media_type="image/png", headers={"cache-control": "public, max-age=86400"})


async def _trace_of(session: Session, most: int) -> bytes:
    """Return the trace file of a session.

    Raises: Problem 413 where it has more than `most` bytes; NotKept.
    """
    content = bytearray()
    async for block in trace_download.blocks(session.log):
        content += block
        if len(content) > most:
            raise Problem(413, f"The recording has more than {amount(most)}, the most that is kept. Save it as a file.")
    return bytes(content)


def _origin(request: Request) -> str:
    """Return the beginning of this server's addresses, as the client wrote it."""
    scheme = client_of(request.scope, settings_of(request).proxy_hops).scheme
    return f"{scheme}://{request.headers.get('host', '')}"


_DESCRIPTION = "A recorded run of a PyTorch program: step through backward() with its graph, gradients and values."


def _title(label: Label) -> str:
    name = label.title.strip() or "A recorded run"
    return f"{name} · step {label.step + 1:,}"


def _card(where: str, title: str, description: str, picture: str = "") -> str:
    title, description, where, picture = (html.escape(text) for text in (title, description, where, picture))
    image = f'<meta property="og:image" content="{picture}">' if picture else ""
    kind = "summary_large_image" if picture else "summary"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title} · Backscope</title>\n'
        f'<meta name="description" content="{description}">\n<meta name="robots" content="noindex">\n'
        f'<meta property="og:type" content="website"><meta property="og:site_name" content="Backscope">\n'
        f'<meta property="og:title" content="{title}"><meta property="og:description" content="{description}">\n'
        f'{image}<meta name="twitter:card" content="{kind}">\n<meta http-equiv="refresh" content="0;url={where}">\n'
        f'<p>{title}. <a href="{where}">Open the run</a></p></html>\n'
    )


def _too_many(storage: ShareStorage, *, nbytes: bool) -> str:
    """Return why an address may have no more kept."""
    bounds = storage.bounds
    most = amount(bounds.bytes_of_address) + " of runs" if nbytes else f"{bounds.of_address:,} runs"
    return (
        f"This server keeps {most} for links of one network address, and yours would have more with this one. Remove "
        "a link that you made, wait until the oldest expires, or save the run as a file."
    )


def _storage_of(request: Request) -> ShareStorage:
    """Return the store of shared runs of a request's application.

    Raises: Problem 404 where there is none.
    """
    storage: ShareStorage | None = request.app.state.shares
    if storage is None:
        raise Problem(
            404,
            "This server keeps no runs for links. Copy the link of the program, or save the run as a file. Whoever "
            "runs the server can have it keep runs with BACKSCOPE_SHARES.",
        )
    return storage
