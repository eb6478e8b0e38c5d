"""Holds back files of a page, to see what it is without them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from page_server import Server
from playwright.sync_api import Page, Route


class HeldFiles:
    """Holds back the files under /assets that a page of the server does not name itself, until `release`.

    `pattern`: the addresses of those that are held back.
    """

    def __init__(self, page: Page, server: Server, path: str, pattern: str | re.Pattern[str] = "**/assets/**") -> None:
        self.named = set(re.findall(r'(?:src|href)="(/assets/[^"]+)"', server.get(path).decode()))
        self.routes: list[Route] = []
        self._page = page
        self._pattern = pattern
        page.route(pattern, self._hold)

    def _hold(self, route: Route) -> None:
        if urlsplit(route.request.url).path in self.named:
            route.continue_()
        else:
            self.routes.append(route)

    def release(self) -> None:
        """Let the page have the files that were held back, and all others from now on."""
        self._page.route(self._pattern, lambda route: route.continue_())
        for route in self.routes:
            route.continue_()
