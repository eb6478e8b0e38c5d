"""The API for questions about a run: lists those that apply to a tensor, a node or the whole run, and answers them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from backscope.diagnosis.why import Subject
from backscope_server.api import response_models
from backscope_server.api.lookup import Identity, router, session_of
from backscope_server.api.tapes import Tapes

__all__ = ["router"]

_Seq = Annotated[
    int | None,
    Query(description="The event after which the question is answered; by default the last one so far."),
]
_Tensor = Annotated[int | None, Query(description="The tensor that the question is about.")]
_Node = Annotated[int | None, Query(description="The node that the question is about.")]
_Key = Annotated[str, Query(description="Which question.", max_length=100)]


def tapes_of(request: Request) -> Tapes:
    """Return the tapes of the request's application."""
    tapes: Tapes = request.app.state.tapes
    return tapes


@router.get(
    "/sessions/{identity}/questions",
    response_model=response_models.Questions,
    responses=response_models.problems(404, 410, 413, 422, 503),
)
async def questions(
    request: Request, identity: Identity, seq: _Seq = None, tensor: _Tensor = None, node: _Node = None
) -> Response:
    """Return the questions that apply to a tensor, a node or the whole run at a moment."""
    session = await session_of(request, identity)
    session.restart_unwatched_clock()
    found = await tapes_of(request).questions(session, seq, Subject(tensor=tensor, node=node), request.state.address)
    return response_models.encoded({"questions": found})


@router.get(
    "/sessions/{identity}/why",
    response_model=response_models.Diagnosis,
    responses=response_models.problems(404, 410, 413, 422, 503),
)
async def why(
    request: Request,
    identity: Identity,
    key: _Key,
    seq: _Seq = None,
    tensor: _Tensor = None,
    node: _Node = None,
) -> Response:
    """Answer one of these questions from the events of the run."""
    session = await session_of(request, identity)
    session.restart_unwatched_clock()
    about = Subject(tensor=tensor, node=node)
    return response_models.encoded(await tapes_of(request).ask(session, seq, key, about, request.state.address))
