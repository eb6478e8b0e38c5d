"""Protects the spans of runs: their times, and that they say nothing of programs and addresses."""

from __future__ import annotations

import http.server
import sys
import threading
from types import SimpleNamespace

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from backscope_server.operations import spans

SOURCE = "print('a text of the program')\n"


@pytest.fixture
def exported():
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    return spans.Spans(provider), exporter


def test_a_run_waits_comes_to_its_first_event_and_ends(exported, monkeypatch):
    sent, exporter = exported
    clocks = SimpleNamespace(time_ns=lambda: 1_000_000_000_000, monotonic_ns=lambda: 20_000_000_000)
    monkeypatch.setattr(spans, "time", clocks)
    sent.run([10.0, 11.0, 11.5, 14.0], status="ok", events=7)
    waiting, first, rest, whole = exporter.get_finished_spans()
    assert [one.name for one in (waiting, first, rest, whole)] == ["waiting", "first event", "events", "run"]
    assert [(one.start_time / 1e9, one.end_time / 1e9) for one in (waiting, first, rest, whole)] == [
        (990, 991),
        (991, 991.5),
        (991.5, 994),
        (990, 994),
    ]
    assert whole.attributes == {"backscope.status": "ok", "backscope.events": 7}
    assert {one.parent.span_id for one in (waiting, first, rest)} == {whole.context.span_id}


def test_a_run_that_ended_in_line_has_no_events(exported):
    sent, exporter = exported
    sent.run([1.0, 2.0], status="stopped", events=0)
    assert [one.name for one in exporter.get_finished_spans()] == ["waiting", "run"]


@pytest.fixture
def collector():
    """A server that takes what is exported, and what it took."""
    taken = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            taken.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_arguments):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", taken
        server.shutdown()
        thread.join()


def test_a_server_sends_them_to_where_the_environment_says(collector, new_server, monkeypatch):
    address, taken = collector
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    with new_server() as server:
        order = {"source": SOURCE, "filename": "secret_name.py"}
        server.follow(server.http.post("/api/sessions", json=order).json()["session"])
    ((path, sent),) = taken
    assert path == "/v1/traces"
    assert b"first event" in sent and b"backscope.status" in sent
    assert not any(said in sent for said in (b"a text of", b"secret_name", b"127.0.0.1"))


def test_without_an_address_nothing_is_sent(monkeypatch):
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    assert spans.begin() is None


def test_packages_that_are_missing_are_said_to_be(monkeypatch, caplog):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
    assert spans.begin() is None
    assert "pip install 'backscope[telemetry]'" in caplog.text
