"""Fixtures of the recorder's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from backscope.recorder.recorder import Recorder
from backscope.runtime.listening import hub


@pytest.fixture
def recorder(request: pytest.FixtureRequest) -> Iterator[Recorder]:
    """A recorder that listens while a test runs, with the test's module as the program."""
    hub.listener = recorder = Recorder(lambda _: None, vars(request.module))
    yield recorder
    hub.listener = None
    recorder.forget()
