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
    torch.set_warn_always(True)  # Else the second run of a script in this process has fewer warnings.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            yield
    finally:
        torch.set_warn_always(False)
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


def test_the_first_nan_is_a_row_that_is_masked_as_a_whole(run: Callable[[str], Run]) -> None:
    script = run("masked_reviews/train.py")
    assert {e.filename for e in script.of(ev.SourceAdded)} >= {"model.py", "data.py"}
    for name in (None, "model.classify.weight"):
        found = script.why("nonfinite", name)
        assert "softmax at line 15 of model.py" in found.cause
        assert "masked_fill at line 14 of model.py put them in" in found.cause
        assert "every place of it was masked" in found.cause
        assert "Leave at least one place of each row unmasked" in found.fix


def test_an_in_place_error_has_both_lines(run: Callable[[str], Run]) -> None:
    found = run("gated_convnet/train.py").why("error")
    assert "SigmoidBackward0 saved its result" in found.cause
    assert "at line 18 of blocks.py, and an in-place operation changed it at line 19 of blocks.py" in found.cause
    assert len(found.lines) == 3


def test_a_head_that_is_no_part_of_the_loss(run: Callable[[str], Run]) -> None:
    script = run("multitask.py")
    assert (
        "loss does not depend on model.shakes_head.weight" in script.why("grad_none", "model.shakes_head.weight").cause
    )
    found = script.why("unchanged", "model.shakes_head.weight")
    assert "Adam has model.shakes_head.weight, but model.shakes_head.weight.grad was None at all 8 steps" in found.cause
    assert {len(e.unchanged) for e in script.of(ev.OptimizerStepped)} == {2}


def test_losses_that_are_kept_with_their_history(run: Callable[[str], Run]) -> None:
    script = run("house_prices.py")
    found = script.why("memory")
    assert "holds 11 tensors with their history" in found.cause
    assert "every round adds to them" in found.cause
    assert "loss.item() in place of loss" in found.fix
    warning = script.of(ev.WarningRaised)[0]
    assert (warning.line, "requires_grad=True to a scalar" in warning.message) == (50, True)


def test_gradients_of_both_losses_meet_in_a_gan(run: Callable[[str], Run]) -> None:
    script = run("gan_ring/train.py")
    for name in ("G.net.0.weight", "D.net.0.weight"):
        found = script.why("grad_value", name)
        assert "is the sum of 2 gradients: backward() adds to what is there (lines 53 and 57)" in found.cause
        assert "constant" not in found.cause
    assert len(script.of(ev.BackwardStarted)) == 6


def test_a_scaler_that_leaves_a_step_out(run: Callable[[str], Run]) -> None:
    script = run("amp_digits.py")
    steps = script.of(ev.OptimizerStepped)
    assert [len(step.updates) for step in steps] == [4, 4, 4]
    found = script.why("nonfinite")
    assert "beyond 65,504, the largest number of float16" in found.cause
    assert "GradScaler" in found.fix
    found = script.why("unchanged", "model.classifier.weight", steps[0].seq - 1)
    assert "A GradScaler left the step out" in found.cause
    clipped = script.why("grad_value", "model.classifier.weight").cause
    assert "clip_grad_norm_() at line 43 changed it afterwards" in clipped
    assert "had used it" not in clipped


def test_clipping_that_comes_after_the_step(run: Callable[[str], Run]) -> None:
    found = run("char_rnn.py").why("grad_value", "model.rnn.weight_hh_l0")
    assert "clip_grad_norm_() at line 80 changed it afterwards" in found.cause
    assert "SGD.step() at line 79 had used it by then" in found.cause
    assert "between backward() and step()" in found.fix


def test_an_average_that_stays_as_it_was(run: Callable[[str], Run]) -> None:
    found = run("ema_blobs.py").why("unchanged", "self.model.0.weight")
    assert "mul at line 23 computes a new value" in found.cause
    assert "the variable ours is bound to it" in found.cause
    assert "ours.lerp_" in found.fix


def test_a_schedule_that_steps_first(run: Callable[[str], Run]) -> None:
    script = run("warmup_autoencoder.py")
    (warning,) = script.of(ev.WarningRaised)
    assert (warning.line, "lr_scheduler.step()" in warning.message) == (82, True)
    rates = [step.groups[0].lr for step in script.of(ev.OptimizerStepped)]
    assert rates == pytest.approx([0.005, 0.01, 0.005, 0.0])


def test_checkpoints_run_their_blocks_twice(run: Callable[[str], Run]) -> None:
    script = run("frozen_gpt/train.py")
    assert len(script.of(ev.RecomputationStarted)) == len(script.of(ev.CheckpointEntered)) == 8
    assert "Block ran under checkpoint()" in script.why("recomputed").cause
    assert "requires_grad of model.token.weight was set to False" in script.why("grad_none", "model.token.weight").cause


def test_reentrant_checkpoints_of_frozen_inputs_give_no_gradients(run: Callable[[str], Run]) -> None:
    script = run("frozen_gpt/train.py --reentrant")
    assert {"Gradients will be None" in e.message for e in script.of(ev.WarningRaised)} == {True}
    found = script.why("grad_none", "model.blocks.0.mlp.0.weight")
    assert "ran inside checkpoint(use_reentrant=True)" in found.cause
    assert "use_reentrant=False" in found.fix
    assert "AdamW has" in script.why("unchanged", "model.blocks.0.mlp.0.weight").cause
