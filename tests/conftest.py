"""Fixtures of all suites; tests marked `torch` are skipped, visibly, where the real PyTorch is not installed."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

# Programs that tests run are kept on disk only where a test asks for it.
os.environ["BACKSCOPE_STORAGE"] = "off"

# One thread for arithmetic, as in the processes that run programs: a thread of BLAS's may take the last signal of a
# run's timer and tell of it once its handler is gone; and tests run beside each other.
for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs PyTorch where there is none; where it was promised, let it fail instead."""
    if importlib.util.find_spec("torch") is not None or os.environ.get("BACKSCOPE_NEEDS_TORCH"):
        return
    for item in items:
        if item.get_closest_marker("torch") is not None:
            item.add_marker(pytest.mark.skip(reason="PyTorch is not installed: pip install torch==2.13.0"))


def _beside(name: str) -> ModuleType:
    """The module of this name in this folder, which is no package."""
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
def serving() -> ModuleType:
    """Servers in this process; see serving.py."""
    return _beside("serving")


@pytest.fixture(scope="session")
def background(serving: ModuleType) -> Iterator[Any]:
    """The event loop that such servers run in."""
    made = serving.Background()
    yield made
    made.close()


@pytest.fixture(scope="session")
def one_zygote(serving: ModuleType, background: Any) -> Iterator[Any]:
    """The zygote that they share."""
    made = serving.OneZygote()
    yield made
    if made.launcher is not None:
        background.start(made.launcher.close()).result(120)


@pytest.fixture(scope="session")
def served(
    serving: ModuleType, background: Any, one_zygote: Any
) -> Callable[..., AbstractContextManager[tuple[Any, Any, int]]]:
    """Starts a server with these settings; gives it, its application and its port."""
    return lambda settings, **options: serving.serving(settings, background, one_zygote, **options)


@pytest.fixture
def lossy() -> Iterator[Callable[..., Any]]:
    """Puts a proxy that cuts WebSockets before a port; see proxy.py for what its `cuts` mean."""
    module = _beside("proxy")
    made = []

    def before(port: int, cuts: Iterator[int]) -> Any:
        made.append(module.Proxy(port, cuts))
        return made[-1]

    yield before
    for proxy in made:
        proxy.close()
