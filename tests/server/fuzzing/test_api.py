"""Protects the REST API from unexpected input: requests generated from its own description, and invalid bytes.

No request ends in a failure of the server, and every answer is one that the description has: status, type and content.
BACKSCOPE_FUZZ_EXAMPLES=10000 tries so many of each, at random, instead of the same few every time.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import socket
from collections import Counter

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings, strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from backscope_server.lessons import lesson_file

EXAMPLES = int(os.environ.get("BACKSCOPE_FUZZ_EXAMPLES", "0"))
ROOMY = {
    "running": 20,
    "waiting": 10_000,
    "address_programs": 100_000,
    "address_starts": 10_000_000,
    "address_requests": 10_000_000,
    "address_shares": 10_000_000,
    "address_share_bytes": 1 << 40,
    "wall_seconds": 5,
    "source_bytes": 50_000,
    "trace_bytes": 1 << 20,
}
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
SOURCES = [
    "",
    "print(1)",
    "while True: pass",
    "while True: print(1)",
    "1 / 0",
    "x = (",
    "import torch\nx = torch.ones(3, requires_grad=True)\n(x * x).sum().backward()\n",
    "import os\nos._exit(3)\n",
    "raise SystemExit('é\\ud800')",
    "# coding: utf-7\n+AGE-",
    "\x00",
    "é" * 30_000,
]
NAMES = [
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-type",
    "cookie",
    "expect",
    "host",
    "if-none-match",
    "origin",
    "range",
    "referer",
    "sec-fetch-site",
    "upgrade",
    "x-forwarded-for",
    "x-forwarded-proto",
]


def how_many(usual: int) -> settings:
    """Return the settings for the usual few examples, the same every time, or for as many as were requested."""
    return settings(
        max_examples=EXAMPLES or usual,
        derandomize=not EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(scope="module")
def server(new_server, tmp_path_factory):
    with new_server(**ROOMY, shares=str(tmp_path_factory.mktemp("shares"))) as found:
        yield found
        assert found.http.get("/api/health").status_code == 200


@pytest.fixture(scope="module")
def known(server):
    """Return ids of sessions of every kind: finished, failed, running, opened from a file."""
    finished = server.start("print(1)")
    server.follow(finished)
    content = server.http.get(f"/api/sessions/{finished}/trace").content
    opened = server.http.post("/api/traces", content=content).json()["session"]
    return [finished, server.start("1 / 0"), server.start("while True: pass"), opened], content


@pytest.fixture(scope="module")
def operations(server):
    description = server.http.get("/api/openapi.json").json()
    del description["security"]  # The token is right but where a header of ours spoils it.
    schema = schemathesis.openapi.from_dict(description)
    found = {operation.ok().label: operation.ok() for operation in schema.get_all_operations()}
    assert len(found) == 28
    return found


def failures(caplog):
    """Return the errors that the server logged."""
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def programs():
    """Return a strategy for bodies that are programs, or nearly so."""
    good = st.fixed_dictionaries(
        {"source": st.sampled_from(SOURCES) | st.text(max_size=200)},
        optional={"filename": st.sampled_from(["a.py", "é (1).py"]), "seed": st.integers(0, 2**63 - 1)},
    )
    return good.map(lambda body: json.dumps(body).encode()) | st.binary(max_size=50)


def traces(content):
    """Return a strategy for trace files that were altered: a byte, the end, a line, the packing."""
    plain = gzip.decompress(content)
    place = st.integers(0, len(content) - 1)
    lines = st.lists(st.sampled_from(plain.splitlines(keepends=True)), max_size=12)
    return st.one_of(
        st.just(content),
        st.just(plain),
        place.map(lambda at: content[:at]),
        st.builds(lambda at, byte: content[:at] + bytes([byte]) + content[at + 1 :], place, st.integers(0, 255)),
        st.builds(
            lambda at, byte: gzip.compress(plain[:at] + bytes([byte]) + plain[at + 1 :]),
            st.integers(0, len(plain) - 1),
            st.integers(0, 255),
        ),
        lines.map(lambda some: gzip.compress(b"".join(some))),
        st.binary(max_size=100).map(gzip.compress),
    )


_NUMBERS = st.integers(0, 30) | st.sampled_from([-1, 2**53, 2**64, 1.5, "1", None])
_INDICES = st.lists(_NUMBERS, max_size=3)
_EXPRESSIONS = st.sampled_from(["x", "x.grad", "1 / 0", "(", "while", "_" * 5000, "\0", "é\ud800", ""]) | st.text()
PLACES = st.fixed_dictionaries(
    {"seq": _NUMBERS, "tensor": _NUMBERS},
    optional={"of": st.sampled_from(["data", "grad", "x"]), "begin": _INDICES, "end": _INDICES},
).map(lambda body: json.dumps(body).encode())
COMMANDS = ["evaluate", "list_locals", "read_tensor", "assign", "trace_gradient", "pause"]
LOOKS = st.fixed_dictionaries(
    {
        "seq": _NUMBERS,
        "command": st.fixed_dictionaries(
            {
                "command": st.sampled_from(
                    ["evaluate", "list_locals", "read_tensor", "assign", "trace_gradient", "pause"]
                )
            },
            optional={
                "expression": _EXPRESSIONS,
                "frame": _NUMBERS,
                "tensor": _NUMBERS,
                "node": _NUMBERS,
                "element": _INDICES,
                "target": _EXPRESSIONS,
            },
        ),
    }
).map(lambda body: json.dumps(body).encode())
WATCHES = st.fixed_dictionaries({"expressions": st.lists(_EXPRESSIONS, max_size=20)}).map(
    lambda body: json.dumps(body).encode()
)

STOPS = st.fixed_dictionaries(
    {
        "seq": st.integers(0, 40),
        "breakpoints": st.lists(
            st.sampled_from([{"on": "line", "id": 1, "line": 2}, {"on": "non_finite", "id": 2}, {"on": "line"}, {}]),
            max_size=3,
        ),
        "expression": st.none() | _EXPRESSIONS,
    }
).map(lambda body: json.dumps(body).encode())

LESSONS = [path.stem for path in lesson_file.paths()]
LINES_OF_CHANGES = [b.line for p in lesson_file.paths() for b in lesson_file.read(p).blocks if b.kind == "change"]


def changes(ids):
    """Return a strategy for changed programs that are to be judged: any session, at lines of changes and others."""
    lines = st.sampled_from(LINES_OF_CHANGES) | st.integers(0, 300)
    body = st.fixed_dictionaries({"line": lines, "session": st.sampled_from([*ids, "x"])})
    return body.map(lambda found: json.dumps(found).encode())


def shares(ids):
    """Return a strategy for runs that are to be kept for a link: any session, at steps that its run has and others."""
    body = st.fixed_dictionaries(
        {"session": st.sampled_from([*ids, "x"])},
        optional={"step": _NUMBERS, "title": st.text(), "moment": st.text(st.characters(codec="ascii"))},
    )
    return body.map(lambda found: json.dumps(found).encode())


def moments(ids):
    """Return a strategy for moments that are to be named: any session, at steps that its run has and others."""
    body = st.fixed_dictionaries(
        {"session": st.sampled_from([*ids, "x"]), "step": _NUMBERS}, optional={"ask": _EXPRESSIONS}
    )
    return body.map(lambda found: json.dumps(found).encode())


HEADERS = st.dictionaries(
    st.sampled_from(NAMES) | st.from_regex(r"\Ax-[a-z]{1,9}\Z"),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=60)
    | st.integers(1, 60_000).map(lambda size: "x" * size),
    max_size=3,
)


@pytest.mark.parametrize(
    ("label", "usual"),
    [
        ("GET /api/openapi.json", 6),
        ("GET /api/health", 6),
        ("GET /api/examples", 6),
        ("GET /api/lessons", 6),
        ("GET /api/lessons/{name}", 10),
        ("GET /api/lessons/{name}/draft", 10),
        ("POST /api/lessons/{name}/changes", 25),
        ("POST /api/lectures/moments", 20),
        ("POST /api/lectures/file", 20),
        ("POST /api/lectures/page", 20),
        ("POST /api/lectures/kept", 20),
        ("GET /api/lectures/kept/{identity}", 20),
        ("GET /api/ops", 6),
        ("GET /api/limits", 6),
        ("POST /api/sessions", 60),
        ("GET /api/sessions/{identity}", 30),
        ("POST /api/sessions/{identity}/stop", 20),
        ("DELETE /api/sessions/{identity}", 20),
        ("GET /api/sessions/{identity}/trace", 20),
        ("GET /api/sessions/{identity}/questions", 20),
        ("GET /api/sessions/{identity}/why", 20),
        ("POST /api/sessions/{identity}/values", 25),
        ("POST /api/sessions/{identity}/ask", 25),
        ("POST /api/sessions/{identity}/watch", 15),
        ("POST /api/sessions/{identity}/stops", 15),
        ("POST /api/traces", 60),
        ("POST /api/shares", 15),
        ("POST /api/shares/{identity}/removal", 15),
    ],
)
def test_answers_are_as_described(server, operations, known, label, usual, caplog):
    operation = operations[label]
    ids, content = known
    seen: Counter[int] = Counter()
    mutable = {
        "POST /api/sessions": programs(),
        "POST /api/traces": traces(content),
        "POST /api/sessions/{identity}/values": PLACES,
        "POST /api/sessions/{identity}/ask": LOOKS,
        "POST /api/sessions/{identity}/watch": WATCHES,
        "POST /api/sessions/{identity}/stops": STOPS,
        "POST /api/lessons/{name}/changes": changes(ids),
        "POST /api/lectures/moments": moments(ids),
        "POST /api/shares": shares(ids),
    }

    @how_many(usual)
    @given(st.data())
    def check(data):
        mode = data.draw(st.sampled_from([GenerationMode.POSITIVE, GenerationMode.NEGATIVE]))
        if mode is GenerationMode.NEGATIVE and not (operation.body or operation.path_parameters):
            mode = GenerationMode.POSITIVE
        case = data.draw(operation.as_strategy(generation_mode=mode))
        own = mode is GenerationMode.POSITIVE and data.draw(st.booleans())
        if own:
            for name in case.path_parameters:
                names = LESSONS if name == "name" else ids
                case.path_parameters[name] = data.draw(st.sampled_from(names))
            if label in mutable:
                case.body = data.draw(mutable[label])
        odd = data.draw(st.just({}) | HEADERS)
        answer = case.call(server.url, headers={**server.headers, **odd})
        seen[answer.status_code] += 1
        if label == "DELETE /api/sessions/{identity}" and answer.status_code == 204:
            ids.append(server.start("print(1)"))
        case.validate_response(answer, checks=CHECKS if not own and not odd else CHECKS[:-1])

    check()
    print(dict(seen))  # Shown with -rP.
    assert max(seen) >= 200 and seen[429] == 0
    assert not failures(caplog)


LINES = st.sampled_from(
    [
        b"Content-Length: 5",
        b"Content-Length: -1",
        b"Content-Length: 99999999999999999999999999",
        b"Content-Length: 1e3",
        b"Content-Length: 5, 6",
        b"Transfer-Encoding: chunked",
        b"Transfer-Encoding: gzip, chunked",
        b"Transfer-Encoding: nonsense",
        b"Expect: 100-continue",
        b"Connection: close, upgrade",
        b"Upgrade: websocket",
        b"Upgrade: h2c",
        b"Sec-WebSocket-Version: 13",
        b"Sec-WebSocket-Key: x",
        b"Host: example.org",
        b"Host: [",
        b"Origin: http://[",
        b"Cookie: " + b"a=b;" * 1000,
        b"Authorization: Bearer \xff",
        b"Range: bytes=5-1",
        b" folded",
        b"X: " + b"x" * 70_000,
        b"no colon",
        b": empty",
        b"X: \0",
        b"X: \xff",
    ]
)
TARGETS = st.one_of(
    st.sampled_from(
        [
            b"/api/limits",
            b"/api/sessions",
            b"/api/traces",
            b"/api/run",
            b"/api/sessions/x/events?after=%ff",
            b"/api/%00",
            b"/%2e%2e/%2e%2e/etc/passwd",
            b"/assets/%ff",
            b"//",
            b"*",
            b"http://[/api",
            b"/api/sessions/" + b"x" * 5000,
        ]
    ),
    st.from_regex(rb"\A/(api/)?[!-~]{0,30}\Z"),
)


def exchange(port: int, request: bytes) -> bytes:
    """Send these bytes and nothing more on a connection; return the answer of the server."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as raw:
        received = b""
        try:
            raw.sendall(request)
            raw.shutdown(socket.SHUT_WR)
            while part := raw.recv(1 << 16):
                received += part
        except (ConnectionResetError, BrokenPipeError):  # It had seen enough.
            pass
        return received


def test_bytes_that_are_hardly_http_are_refused(server, caplog):
    seen: Counter[int] = Counter()

    @how_many(150)
    @given(
        method=st.sampled_from(
            [b"GET", b"GET", b"POST", b"POST", b"HEAD", b"OPTIONS", b"CONNECT", b"PRI", b"get", b"\0"]
        ),
        target=TARGETS,
        version=st.sampled_from([b"HTTP/1.1"] * 8 + [b"HTTP/1.0", b"HTTP/2.0", b""]),
        lines=st.lists(LINES, max_size=1),
        with_token=st.booleans(),
        body=st.sampled_from([b"", b"\xff" * 30, b"5\r\nabcde\r\n0\r\n\r\n", b"fffffffff\r\n", b"-1\r\n"]),
    )
    def check(method, target, version, lines, with_token, body):
        own = [b"Host: 127.0.0.1:%d" % server.port]
        if with_token:
            own.append(b"Authorization: " + server.headers["authorization"].encode())
        request = b"\r\n".join([b" ".join([method, target, version]), *own, *lines, b"", body])
        answer = exchange(server.port, request)
        if answer:
            head, _, rest = answer.partition(b"\r\n\r\n")
            status = int(head.split()[1])
            seen[status] += 1
            assert status < 500, answer
            if status >= 400 and b"application/json" in head.lower() and method != b"HEAD":
                assert json.loads(rest.partition(b"HTTP/1.1 ")[0])["error"]["message"]

    check()
    print(dict(seen))
    assert len(seen) >= 4
    assert server.http.get("/api/limits").status_code == 200
    assert not failures(caplog)
