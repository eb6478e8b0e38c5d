"""ASGI middleware that refuses requests by origin, rate and token, and adds security headers to every answer."""

from __future__ import annotations

import asyncio
import contextlib
import secrets

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from backscope_server.access.address_limits import AddressLimits
from backscope_server.access.client import client_of
from backscope_server.access.origin import Origins
from backscope_server.access.policy import ELEMENT, REFUSED_FRAME, is_under, policy_of
from backscope_server.access.refusal import frame_refusal_of, refusal_of
from backscope_server.access.token import WANTED, Token
from backscope_server.errors import Problem, refuse
from backscope_server.operations.switch import Switch
from backscope_server.settings import Settings

_SLICE = 1 << 16
_OPEN = "/api/health"
"""The path that needs no token: its answer has no secrets, and monitoring requests it."""
_OPEN_TO_FRAMES = "/api/ops"
"""The path that embedded views, which have no cookie, may read without a token: the formulas of ops."""


class Access:
    """Refuses requests that are not allowed, and adds the security headers to every answer.

    Leaves in the scope's `state` the `address` that limits are counted by, the `nonce` of inline styles, and
    `until_sent`, a stack of contexts that end once the answer has been sent.
    """

    def __init__(
        self, app: ASGIApp, settings: Settings, token: Token | None, switch: Switch, limits: AddressLimits
    ) -> None:
        self.app = app
        self._settings = settings
        self._token = token
        self._switch = switch
        self._origins = Origins(settings.hosts, public=settings.public)
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with the refusal."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        client = client_of(scope, self._settings.proxy_hops)
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {}).update(address=client.address, nonce=nonce)
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send, client.scheme)
            return
        policy = policy_of(scope, self._settings.embed_from)
        added = policy.headers(nonce, strict_transport=self._settings.public and client.scheme == "https")
        replaced = {name for name, _ in added}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in replaced]
                message["headers"] = [*kept, *added]
            await _in_slices(message, send)

        answer = await self._answer(scope, client.scheme, is_refused_frame=policy is REFUSED_FRAME)
        if answer is None:
            async with contextlib.AsyncExitStack() as until_sent:
                scope["state"]["until_sent"] = until_sent
                await self.app(scope, self._with_deadline(receive), send_with_headers)
        else:
            await answer(scope, receive, send_with_headers)

    async def _answer(self, scope: Scope, scheme: str, *, is_refused_frame: bool) -> Response | None:
        """Return the answer to a request that is not passed on; None for one that is."""
        try:
            self._check_origin(scope, scheme)
            await self._limits.request(scope["state"]["address"])
            self._check_token(scope)
        except Problem as problem:
            return refusal_of(problem, scope)
        if is_refused_frame:
            return frame_refusal_of(scope, self._settings.embed_from)
        if self._token is not None and scope["method"] == "GET" and not is_under(scope["path"], "/api"):
            return self._token.entry(scope, scheme)
        return None

    def _check_origin(self, scope: Scope, scheme: str) -> None:
        """Raises: Problem 403."""
        headers = Headers(scope=scope)
        api = is_under(scope["path"], "/api")
        shared = scope["path"] == ELEMENT and self._settings.embed_from != ""
        if (reason := self._origins.refusal(headers, scheme, api=api, shared=shared)) is not None:
            raise Problem(403, reason)
        if self._switch.denies(scope["state"]["address"]):
            raise Problem(403, "This server refuses requests from your network address.")

    def _check_token(self, scope: Scope) -> None:
        """Raises: Problem 401."""
        path = scope["path"]
        free = path == _OPEN or (self._settings.embed_from != "" and path == _OPEN_TO_FRAMES)
        api = is_under(path, "/api")
        if self._token is not None and api and not free and not self._token.admits(Headers(scope=scope)):
            raise Problem(401, WANTED)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send, scheme: str) -> None:
        address = scope["state"]["address"]
        async with contextlib.AsyncExitStack() as counted:
            try:
                self._check_origin(scope, scheme)
                if not is_under(scope["path"], "/api"):
                    raise Problem(403, "There is no WebSocket outside /api.")
                if (connection := scope["state"].get("connection")) is not None:
                    connection.address = address
                await counted.enter_async_context(self._limits.socket(address))
                self._check_token(scope)
            except Problem as problem:
                if problem.status == 403:  # Before it is accepted: the client sees HTTP 403.
                    await WebSocketClose(code=1008, reason="Host or Origin refused")(scope, receive, send)
                else:  # A page cannot read why a WebSocket was not accepted: accept it and send the error.
                    await refuse(scope, receive, send, problem)
                return
            await self.app(scope, receive, send)

    def _with_deadline(self, receive: Receive) -> Receive:
        """Return a `receive` that raises Problem 408 if the body does not arrive in time."""
        seconds = self._settings.request_seconds
        until: float | None = None
        more = True

        async def received() -> Message:
            nonlocal more, until
            if not more:  # The end of the connection, which need not be sent at once.
                return await receive()
            if until is None:  # A body that had to wait for room could not arrive.
                until = asyncio.get_running_loop().time() + seconds
            try:
                async with asyncio.timeout_at(until):
                    message = await receive()
            except TimeoutError:
                raise Problem(408, f"The request took longer than {seconds:g} s to arrive. Send it again.") from None
            more = bool(message.get("more_body"))
            return message

        return received


async def _in_slices(message: Message, send: Send) -> None:
    """Send a message, a long body in slices: each is sent when the client has read most of those before."""
    body = memoryview(message.get("body", b""))
    while len(body) > _SLICE:
        await send({**message, "body": bytes(body[:_SLICE]), "more_body": True})
        body = body[_SLICE:]
    await send({**message, "body": bytes(body)} if "body" in message else message)
