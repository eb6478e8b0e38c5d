"""`backscope trace` on training scripts as people write them: they compute the same, and why explains their trouble."""

from __future__ import annotations

import runpy
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from backscope.diagnosis.why import Tape
from backscope.diagnosis.why.inquiry import ask, questions
from backscope.diagnosis.why.question import Subject
from backscope.protocol import events as ev, trace
from backscope_server.command import tracing

PROGRAMS = Path(__file__).parents[2] / "pytorch" / "programs"

SCRIPTS = {
    "masked_reviews/train.py": (),
    "gated_convnet/train.py": (),
    "multitask.py": (),
    "house_prices.py": (),
    "gan_ring/train.py": (),
    "amp_digits.py": (),
    "char_rnn.py": (),
    "ema_blobs.py": (),
    "warmup_autoencoder.py": (),
    "frozen_gpt/train.py": (),
    "frozen_gpt/train.py --reentrant": ("--reentrant",),
}

pytestmark = pytest.mark.torch


class Run:
    """A recorded run: its events, and the questions that can be asked of it."""

    def __init__(self, path: Path) -> None:
        self.events = [ev.decode(line) for line in trace.read(path)]
        self.tape = Tape()
        self.tape.extend(self.events)

    def of(self, kind: type) -> list[Any]:
        """The events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def why(self, key: str, name: str | None = None, seq: int | None = None) -> ev.Diagnosis:
        """Ask a question that is offered, of a variable or the run, at a moment or at the end."""
        at = self.tape.seq if seq is None else seq
        number = None if name is None else self.tape.find(name, at)
        assert name is None or number is not None, name
        about = Subject(tensor=number)
        assert key in [question.key for question in questions(self.tape, at, about)]
        return ask(self.tape, at, key, about)


@contextmanager
def _as_a_script(file: Path, arguments: list[str]) -> Iterator[None]:
    """Have the state of a process that python gives to a script, and its own modules forgotten afterwards."""
    import torch

    before, path, modules = sys.argv, list(sys.path), set(sys.modules)
    main = sys.modules["__main__"]
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, str(file.parent))
    torch.manual_seed(0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            yield
    finally:
        sys.argv, sys.path[:] = before, path
        sys.modules["__main__"] = main
        for name in set(sys.modules) - modules:
            if str(PROGRAMS) in str(getattr(sys.modules[name], "__file__", "")):
                del sys.modules[name]


def _plain(file: Path, arguments: list[str]) -> str:
    """Run a script without a recording; return the end of its traceback, empty where there is none."""
    with _as_a_script(file, arguments):
        try:
            runpy.run_path(str(file), run_name="__main__")
        except Exception:  # noqa: BLE001 - the script's
            return traceback.format_exc().splitlines()[-1]
    return ""


def _bits(path: Path) -> Any:
    """What a script saved, with the bytes of its tensors."""
    import torch

    def told(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value.dtype, tuple(value.shape), value.contiguous().flatten().view(torch.uint8).tolist()
        return {key: told(one) for key, one in value.items()} if isinstance(value, dict) else value

    return told(torch.load(path)) if path.exists() else None


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """The recorded run of a script, which is recorded when it is first asked for."""
    found: dict[str, Run] = {}

    def recorded(name: str) -> Run:
        if name not in found:
            target = tmp_path_factory.mktemp("script") / "run.backscope"
            file = PROGRAMS / name.split()[0]
            with _as_a_script(file, []):
                tracing.run(str(file), arguments=[*SCRIPTS[name]], output=target, source=True, options={})
            found[name] = Run(target)
        return found[name]

    return recorded


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_computes_the_same(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = PROGRAMS / name.split()[0]
    ended = _plain(file, [*SCRIPTS[name], "--save", str(tmp_path / "plain")])
    plain = capsys.readouterr()
    with _as_a_script(file, []):
        given = [*SCRIPTS[name], "--save", str(tmp_path / "traced")]
        status = tracing.run(str(file), arguments=given, output=tmp_path / "run.backscope", source=True, options={})
    traced = capsys.readouterr()
    assert traced.out == plain.out
    assert _bits(tmp_path / "traced") == _bits(tmp_path / "plain")
    assert (tmp_path / "plain").exists() != bool(ended)
    assert status == bool(ended)
    *told, _ = traced.err.splitlines()
    assert (told[-1] if ended else "") == ended
    shown = [line for line in told if "Warning: " in line]
    assert shown == [line for line in plain.err.splitlines() if "Warning: " in line]
    end = Run(tmp_path / "run.backscope").of(ev.ProgramFinished)
    assert [e.status for e in end] == ["error" if ended else "ok"]
    assert "Backscope could not record" not in traced.err
