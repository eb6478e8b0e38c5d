"""Limits what one address does: its requests and starts in a minute, and its open WebSockets."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

from backscope_server.access.rates import Count, Rate
from backscope_server.errors import Problem, whole_seconds
from backscope_server.session.sessions import SharedCounts, many_starts
from backscope_server.settings import Settings

_CLOSES_SECONDS = 10


class AddressLimits:
    """The limits of the settings, at this process first; `shared` counts at all gateways of a fleet."""

    def __init__(self, settings: Settings) -> None:
        self.shared: SharedCounts | None = None
        self.sockets = Count(settings.address_sockets)
        self._requests = Rate(settings.address_requests, 60)
        self._starts = Rate(settings.address_starts, 60)

    async def request(self, address: str) -> None:
        """Count a request; raises Problem 429."""
        self._request_here(address)
        if self.shared is not None and (wait := await self.shared.request(address)):
            raise self._too_many_requests(wait)

    async def start(self, address: str, many: int = 1) -> None:
        """Count starts, at most all of a minute; raises Problem 429."""
        self.start_here(address, many)
        if self.shared is not None and (wait := await self.shared.start(address, many)):
            raise self._too_many_starts(wait)

    def start_here(self, address: str, many: int = 1) -> None:
        """Count starts at this process only; raises Problem 429."""
        if wait := self._starts.take(address, min(many, self._starts.amount)):
            raise self._too_many_starts(wait)

    @contextlib.asynccontextmanager
    async def socket(self, address: str) -> AsyncIterator[None]:
        """Count a request, and the WebSocket that it opens for as long as the context lasts; raises Problem 429."""
        self._request_here(address)
        if not self.sockets.enter(address):
            raise self._too_many_sockets()
        try:
            if self.shared is None:
                yield
                return
            wait, fits = await self.shared.open_socket(address)
            if wait:
                raise self._too_many_requests(wait)
            if not fits:
                raise self._too_many_sockets()
            try:
                yield
            finally:
                self.shared.close_socket(address)
        finally:
            self.sockets.leave(address)

    def _request_here(self, address: str) -> None:
        if wait := self._requests.take(address):
            raise self._too_many_requests(wait)

    def _too_many_requests(self, wait: float) -> Problem:
        many = f"{self._requests.amount:,} requests came from your address within a minute"
        return Problem(429, f"{many}. Try again in {whole_seconds(wait)} s.", retry_after=wait)

    def _too_many_starts(self, wait: float) -> Problem:
        return Problem(429, many_starts(self._starts.amount, wait), retry_after=wait)

    def _too_many_sockets(self) -> Problem:
        many = f"{self.sockets.most} connections from your address are open already"
        text = f"{many}. Close another page of Backscope, then try again."
        return Problem(429, text, retry_after=_CLOSES_SECONDS)
