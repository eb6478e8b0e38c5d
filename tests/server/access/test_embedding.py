"""Protects the framing of the server's pages: only /embed can be framed, and only by pages that the setting names."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from backscope_server.access.policy import policy_of
from backscope_server.settings import Settings

DOCS = "https://docs.example.org http://127.0.0.1:*"


def headers(path: str, embed_from: str) -> dict[str, str]:
    found = policy_of({"path": path}, embed_from).headers("n", strict_transport=False)
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
