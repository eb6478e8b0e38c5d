"""Fixtures of all suites; tests marked `torch` are skipped, visibly, if the real PyTorch is not installed."""

from __future__ import annotations

import importlib.util
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

# Runs of tests are stored only if a test sets a folder.
os.environ["BACKSCOPE_STORAGE"] = "off"

# A shell that starts the tests in the background has them ignore Ctrl-C, and so would the programs that they interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# One thread for arithmetic, as in the processes that run programs: a thread of BLAS's may take the last signal of a
# run's timer and report it once its handler is removed; also, tests run side by side.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that need PyTorch if there is none, unless the variable says that they must run."""
    if importlib.util.find_spec("torch") is not None or os.environ.get("BACKSCOPE_NEEDS_TORCH"):
        return
    for item in items:
        if item.get_closest_marker("torch") is not None:
            item.add_marker(pytest.mark.skip(reason="PyTorch is not installed: pip install torch==2.13.0"))


def _beside(name: str) -> ModuleType:
    """Import the module of this name in this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def lost_moments(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Exception]]:
    """Collect errors inside the recorder, which programs do not see; a test that leaves one in the list fails."""
    from backscope.recorder.journal import Journal

    found: list[Exception] = []
    plain = Journal.lost

    def lose(journal: Journal, error: Exception) -> None:
        plain(journal, error)
        found.append(error)

    monkeypatch.setattr(Journal, "lost", lose)
    yield found
    for error in found:
        raise error


@pytest.fixture(scope="session")
def golden() -> Callable[[str], Any]:
    """Return a function that reads a golden stream by its name, as the run that it is of."""
    from backscope.caption import Run
    from backscope.protocol import events as ev

    def read(name: str) -> Run:
        run = Run()
        for line in (Path(__file__).parent / "golden" / f"{name}.jsonl").read_bytes().splitlines():
            run.take(ev.decode(line))
        return run

    return read


@pytest.fixture(scope="session")
def serving() -> ModuleType:
    """Return the module of servers in this process; see serving.py."""
    return _beside("serving")


@pytest.fixture(scope="session")
def redis_server() -> ModuleType:
    """Return the module of Redis servers for tests; see redis_server.py."""
    return _beside("redis_server")


@pytest.fixture(scope="session")
def s3_server() -> Iterator[Any]:
    """Return a store that speaks S3, for all tests; see s3_server.py."""
    module = _beside("s3_server")
    with pytest.MonkeyPatch.context() as environment:
        for name, value in module.ENVIRONMENT.items():
            environment.setenv(name, value)
        made = module.S3Server()
        yield made
        made.stop()


@pytest.fixture(scope="session")
def background(serving: ModuleType) -> Iterator[Any]:
    """Return the event loop that such servers run in."""
    made = serving.Background()
    yield made
    made.close()


@pytest.fixture(scope="session")
def one_zygote(serving: ModuleType, background: Any) -> Iterator[Any]:
    """Return the zygote that they share."""
    made = serving.OneZygote()
    yield made
    if made.launcher is not None:
        background.start(made.launcher.close()).result(120)


@pytest.fixture(scope="session")
def served(
    serving: ModuleType, background: Any, one_zygote: Any
) -> Callable[..., AbstractContextManager[tuple[Any, Any, int]]]:
    """Return a function that starts a server with settings, and returns it, its application and its port."""
    return lambda settings, **options: serving.serving(settings, background, one_zygote, **options)


@pytest.fixture
def lossy() -> Iterator[Callable[..., Any]]:
    """Return a function that puts a proxy before a port, which cuts WebSockets; proxy.py describes its `cuts`."""
    module = _beside("proxy")
    made = []

    def before(port: int, cuts: Iterator[int]) -> Any:
        made.append(module.Proxy(port, cuts))
        return made[-1]

    yield before
    for proxy in made:
        proxy.close()
