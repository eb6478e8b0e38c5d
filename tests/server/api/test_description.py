"""Protects the description of the API: it has every route, and every answer agrees with it."""

from __future__ import annotations

import gzip

import pytest
from pydantic import TypeAdapter

from backscope_server.api import response_models, rest
from backscope_server.lessons.lesson import LessonTitle


@pytest.fixture(scope="module")
def description(server):
    return server.http.get("/api/openapi.json").json()


def test_every_route_is_described_with_its_answers(description):
    routes = {
        (method.lower(), route.path)
        for route in rest.router.routes
        if route.include_in_schema
        for method in route.methods
    }
    described = {(method, path) for path, methods in description["paths"].items() for method in methods}
    assert described == routes
    for path, methods in description["paths"].items():
        for operation in methods.values():
            assert {"401", "403", "429"} <= set(operation["responses"]), path
            assert operation["summary"]
            for status, found in operation["responses"].items():
                assert found["description"]
                if status in ("429", "503"):
                    assert "Retry-After" in found["headers"]
                if status >= "400":
                    schema = found["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/Error"}


def test_every_reference_has_a_target(description):
    def references(value):
        if isinstance(value, dict):
            yield from ([value["$ref"]] if "$ref" in value else [])
            for part in value.values():
                yield from references(part)
        elif isinstance(value, list):
            for part in value:
                yield from references(part)

    for reference in references(description):
        assert reference.startswith("#/components/schemas/")
        assert reference.rsplit("/", 1)[1] in description["components"]["schemas"]


REQUESTS = [
    ("GET", "/api/health", {}),
    ("GET", "/api/openapi.json", {}),
    ("GET", "/api/examples", {}),
    ("GET", "/api/lessons", {}),
    ("GET", "/api/lessons/unknown", {}),
    ("GET", "/api/lessons/unknown/draft", {}),
    ("GET", "/api/lessons/unknown/draft", {"params": {"after": "x" * 200}}),
    ("POST", "/api/lessons/unknown/changes", {"json": {"line": 1, "session": "x"}}),
    ("POST", "/api/lessons/unknown/changes", {"content": b"{"}),
    ("POST", "/api/lectures/moments", {"json": {"session": "unknown", "step": 0}}),
    ("POST", "/api/lectures/moments", {"json": {"session": "unknown", "step": -1}}),
    ("POST", "/api/lectures/file", {"json": {}}),
    ("POST", "/api/lectures/file", {"content": b"{" * 2_000_000}),
    ("GET", "/api/ops", {}),
    ("GET", "/api/limits", {}),
    ("POST", "/api/sessions", {"json": {"source": "print(1)"}}),
    ("POST", "/api/sessions", {"content": b"{"}),
    ("POST", "/api/sessions", {"json": {"source": "x" * 50_001}}),
    ("GET", "/api/sessions/unknown", {}),
    ("POST", "/api/sessions/unknown/stop", {}),
    ("DELETE", "/api/sessions/unknown", {}),
    ("GET", "/api/sessions/unknown/trace", {}),
    ("POST", "/api/traces", {"content": b"no trace"}),
    ("POST", "/api/traces", {"content": b"x" * 2_000_000}),
    ("GET", "/api/limits", {"headers": {"authorization": "Bearer wrong"}}),
    ("GET", "/api/limits", {"headers": {"host": "example.org"}}),
]
MODELS = {
    "/api/health": response_models.Health,
    "/api/examples": list[response_models.Example],
    "/api/lessons": list[LessonTitle],
    "/api/ops": list[response_models.Op],
    "/api/limits": response_models.LimitsInForce,
    "/api/sessions": response_models.Started,
}


@pytest.mark.parametrize(("method", "path", "options"), REQUESTS)
def test_answers_are_as_described(server, description, method, path, options):
    got = server.http.request(method, path, **options)
    route = path.replace("/unknown", "/{name}" if "/lessons/" in path else "/{identity}")
    assert str(got.status_code) in description["paths"][route][method.lower()]["responses"]
    if got.status_code >= 400:
        TypeAdapter(response_models.Error).validate_python(got.json(), strict=True, extra="forbid")
    elif route in MODELS:
        TypeAdapter(MODELS[route]).validate_json(got.content, strict=True, extra="forbid")


def test_a_session_from_its_start_to_its_end_is_as_described(server):
    session = server.start("while True: pass")
    for path in ("", "/stop"):
        method = "POST" if path else "GET"
        got = server.http.request(method, f"/api/sessions/{session}{path}")
        TypeAdapter(response_models.SessionStatus).validate_json(got.content, strict=True, extra="forbid")
    trace = server.http.get(f"/api/sessions/{session}/trace")
    assert trace.headers["content-type"] == "application/octet-stream"
    gzip.decompress(trace.content)
    assert server.http.delete(f"/api/sessions/{session}").status_code == 204


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"])
def test_methods_that_are_not_described_are_405_with_those_that_are(server, description, method):
    for path, methods in description["paths"].items():
        if method.lower() in methods:
            continue
        got = server.http.request(method, path.replace("{identity}", "x"))
        assert got.status_code == 405
        assert set(got.headers["allow"].lower().split(", ")) == set(methods)
