"""Protects how the page is served: its files, index.html for its own addresses, a plain text if it is not built."""

from __future__ import annotations

import asyncio
import re

from backscope.runtime.page_folder import NOT_BUILT
from backscope_server.api import page


def test_index_is_served_for_every_address_of_the_page(server):
    for path in ("/", "/index.html", "/some/moment?cursor=3"):
        answer = server.http.get(path)
        assert answer.status_code == 200
        assert "<title>Backscope</title>" in answer.text
        assert answer.headers["cache-control"] == "no-store"


def test_the_nonce_of_the_page_is_that_of_its_policy_and_never_the_same(server):
    answers = [server.http.get("/") for _ in range(3)]
    nonces = [re.search(r"nonce=\"([^\"]+)\"", answer.text)[1] for answer in answers]
    assert len(set(nonces)) == 3
    for answer, nonce in zip(answers, nonces, strict=True):
        assert f"'nonce-{nonce}'" in answer.headers["content-security-policy"]


def test_assets_are_kept_for_ever_and_missing_ones_are_missing(server):
    assert "immutable" in server.http.get("/assets/index-abc.js").headers["cache-control"]
    assert server.http.get("/assets/index-old.js").status_code == 404


def test_nothing_outside_the_folder_is_served(server):
    for path in ("/../conftest.py", "/%2e%2e/%2e%2e/etc/passwd", "/assets/../../../../etc/passwd", "//etc/passwd"):
        answer = server.http.get(path)
        assert "root:" not in answer.text
        assert answer.status_code in (200, 404)


def test_only_reading_is_possible(server):
    assert server.http.post("/").status_code == 405


def test_a_page_that_is_not_built_says_how_to_build_it(tmp_path):
    assert not page.is_built(tmp_path)
    answer = asyncio.run(page.Page(tmp_path).get_response("index.html", {"type": "http", "method": "GET"}))
    assert (answer.status_code, answer.body.decode()) == (503, f"{NOT_BUILT}\n")


def test_the_built_page_has_no_inline_script():
    if not page.is_built():
        return
    text = (page.FOLDER / "index.html").read_text()
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert re.findall(r"\son\w+=", text) == []
