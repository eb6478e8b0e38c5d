"""Sends spans of runs by OpenTelemetry where it is installed: times and statuses, neither programs nor addresses."""

from __future__ import annotations

import logging
import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

logger = logging.getLogger(__name__)

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_SERVICE = "backscope"


class Spans:
    """Makes a span `run` of each run, which has others in it: until it begins, its first event, its end."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry import trace

        self._provider = provider
        self._tracer = provider.get_tracer(_SERVICE)
        self._within = trace.set_span_in_context

    def run(self, times: list[float], *, status: str, events: int) -> None:
        """Send the spans of a run that is over.

        `times` are seconds by the monotonic clock: when it was admitted, when it began, its first event after that, its
        end; a run that ended earlier has fewer.
        """
        ahead = time.time_ns() - time.monotonic_ns()
        admitted, *others = (int(seconds * 1e9) + ahead for seconds in times)
        whole = self._tracer.start_span("run", start_time=admitted)
        whole.set_attributes({"backscope.status": status, "backscope.events": events})
        within = self._within(whole)
        since = admitted
        for name, until in zip(("waiting", "first event", "events"), others, strict=False):
            self._tracer.start_span(name, within, start_time=since).end(until)
            since = until
        whole.end(since)

    def close(self) -> None:
        """Send what has not been sent."""
        self._provider.shutdown()


def begin() -> Spans | None:
    """Return what sends spans, to where OpenTelemetry's own variables say; None without these or its packages.

    The provider is not made the global one: web frameworks would send spans of requests by that one, with addresses.
    """
    if not any(os.environ.get(name) for name in _ENDPOINTS):
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        logger.warning("No spans of runs are sent; they need the extra `telemetry`: pip install 'backscope[telemetry]'")
        return None
    # Without it the SDK says the name and the arguments of the process.
    name = os.environ.get("OTEL_SERVICE_NAME", _SERVICE)
    provider = TracerProvider(resource=Resource({SERVICE_NAME: name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Spans(provider)
