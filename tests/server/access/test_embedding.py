"""Protects the framing of the server's pages: only /embed can be framed, and only by pages that the setting names."""

from __future__ import annotations

import html

import pytest
from pydantic import ValidationError

from backscope_server.access.policy import policy_of
from backscope_server.settings import Settings

DOCS = "https://docs.example.org http://127.0.0.1:*"


def headers(path: str, embed_from: str, **sent: str) -> dict[str, str]:
    scope = {"path": path, "headers": [(name.replace("_", "-").encode(), sent[name].encode()) for name in sent]}
    found = policy_of(scope, embed_from).headers("n", strict_transport=False)
    return {name.decode(): value.decode() for name, value in found}


@pytest.mark.parametrize(
    "path",
    ["/", "/index.html", "/embed/", "/embed.html", "/Embed", "//embed", "/embed/x", "/api/health", "/assets/a.js"],
)
def test_nothing_but_the_embedded_view_is_ever_framed(path):
    found = headers(path, DOCS)
    assert found["content-security-policy"].endswith("frame-ancestors 'none'")
    assert found["x-frame-options"] == "DENY"
    assert found["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in found


def test_pages_in_the_setting_may_frame_the_embedded_view_under_the_pages_policy():
    found = headers("/embed", DOCS)
    rest, _, ancestors = found["content-security-policy"].partition("; frame-ancestors ")
    assert ancestors == DOCS
    assert headers("/", DOCS)["content-security-policy"] == f"{rest}; frame-ancestors 'none'"
    assert "x-frame-options" not in found


def test_without_the_setting_no_page_may_frame_it_or_load_the_element():
    assert headers("/embed", "")["x-frame-options"] == "DENY"
    assert headers("/backscope-run.js", "")["cross-origin-resource-policy"] == "same-origin"
    shared = headers("/backscope-run.js", DOCS)
    assert shared["cross-origin-resource-policy"] == "cross-origin"
    assert shared["x-frame-options"] == "DENY"


@pytest.mark.parametrize(
    ("embed_from", "page", "allowed"),
    [
        (DOCS, "https://docs.example.org/a/page", True),
        (DOCS, "https://docs.example.org:8443/", False),
        (DOCS, "http://docs.example.org/", False),
        (DOCS, "https://docs.example.org.evil.net/", False),
        (DOCS, "http://127.0.0.1:8001/", True),
        (DOCS, "https://127.0.0.1:8001/", True),
        ("*", "https://anyone.example/", True),
        ("https://*.example.org", "https://docs.example.org/", True),
        ("https://*.example.org", "https://example.org/", False),
        ("http://docs.example.org", "https://DOCS.example.org/", True),
        ("https://docs.example.org:8443", "https://docs.example.org:8443/", True),
        ("vscode-webview:", "vscode-webview://abc/", True),
        ("vscode-webview:", "https://abc/", False),
        # Browsers alone know who embeds it here.
        (DOCS, "", True),
        (DOCS, "https://[bad/", True),
        (DOCS, "https://a:99999/", True),
        ("", "https://docs.example.org/", False),
        ("", "", False),
    ],
)
def test_a_frame_in_a_page_that_may_not_show_it_gets_a_text_without_scripts(embed_from, page, allowed):
    found = headers("/embed", embed_from, sec_fetch_dest="iframe", referer=page)
    content = found["content-security-policy"]
    if allowed:
        assert found == headers("/embed", embed_from)
        assert content.endswith(f"frame-ancestors {embed_from}")
    else:
        assert content == "default-src 'none'; style-src 'nonce-n'; base-uri 'none'; form-action 'none'"
        assert "x-frame-options" not in found
        assert found["cache-control"] == "no-store"


def test_a_tab_of_its_own_gets_the_page_whoever_links_to_it():
    for sent in ({"sec_fetch_dest": "document"}, {}):
        found = headers("/embed", DOCS, referer="https://elsewhere.example/", **sent)
        assert found == headers("/embed", DOCS)


def test_the_api_is_never_answered_by_the_text_for_a_frame():
    assert headers("/api/health", DOCS, sec_fetch_dest="iframe") == headers("/api/health", DOCS)


def framed(server, path: str, **sent: str) -> str:
    answer = server.http.get(path, headers={"sec-fetch-dest": "iframe", **sent})
    assert answer.status_code == 403
    assert "<script" not in answer.text
    assert "frame-ancestors" not in answer.headers["content-security-policy"]
    return html.unescape(answer.text)


def test_the_text_says_who_may_show_the_frame_and_how_another_page_is_allowed(new_server):
    with new_server(embed_from="https://docs.example.org") as server:
        text = framed(server, "/embed", referer="https://me@elsewhere.example/<b>")
        assert "does not let pages of https://elsewhere.example show its runs" in text
        assert "These may: https://docs.example.org." in text
        assert 'BACKSCOPE_EMBED_FROM="https://docs.example.org https://elsewhere.example"' in text
        assert "only" in framed(server, "/") and "/embed" in framed(server, "/?token=no")


def test_a_server_that_lets_no_page_show_it_says_so_without_knowing_the_page(new_server):
    with new_server() as server:
        text = framed(server, "/embed")
        assert "does not let the page around this frame show its runs. No page may." in text
        assert 'BACKSCOPE_EMBED_FROM="https://docs.example.org"' in text


def test_by_default_only_a_public_server_may_be_framed():
    assert Settings(_env_file=None).embed_from == ""
    assert Settings(public=True, _env_file=None).embed_from == "*"
    assert Settings(public=True, embed_from="", _env_file=None).embed_from == ""


@pytest.mark.parametrize(
    "given",
    ["docs.example.org", "https://a.org; script-src *", "'self'", "https://a.org/path", "https://a.org,*", "a\r\nb"],
)
def test_an_invalid_origin_is_refused(given):
    with pytest.raises(ValidationError, match="no origin"):
        Settings(embed_from=given)


def test_a_list_of_origins_is_accepted(monkeypatch):
    monkeypatch.setenv("BACKSCOPE_EMBED_FROM", "  https://*.example.org   vscode-webview: ")
    assert Settings().embed_from == "https://*.example.org vscode-webview:"
