"""backscope.record(): names, lines and rounds are those of the program, and a trace comes of it."""

from __future__ import annotations

import contextlib
import linecache
import os
import subprocess
import sys
import textwrap
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from recorded import line_with, of

import backscope
from backscope import torch
from backscope.program import open_page as pages, recording, runner
from backscope.protocol import events as ev, trace as traces
from backscope.runtime.extras import EXTRAS
from backscope.runtime.listening import hub
from backscope.torch._backend.import_hook import Alias

HERE = Path(__file__)
PROGRAMS = [
    *sorted((HERE.parents[3] / "server/backscope_server/examples").glob("*.py")),
    *sorted((HERE.parents[2] / "golden/programs").glob("[chlntvr]*.py")),
]


line_of = partial(line_with, HERE)


def names(trace: backscope.Recording) -> list[tuple[int | None, str]]:
    """Line and name of all that was named."""
    return [(event.line, event.name) for event in of(trace, ev.TensorNamed)]


def cell(source: str, space: dict[str, Any], name: str) -> None:
    """Run a cell as notebooks do: its text is where linecache finds it."""
    source = textwrap.dedent(source)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), space)


def essence(events: list[Any], offset: int) -> list[tuple[Any, ...]]:
    """Return what both ways of recording have to record alike, with lines counted from the program's first."""
    passed = (ev.ProgramStarted, ev.ProgramFinished, ev.OutputPrinted, ev.WarningRaised, ev.ErrorRaised)
    found: list[tuple[Any, ...]] = []
    functions: list[tuple[int, str]] = []
    for event in events:
        if isinstance(event, ev.FunctionEntered):
            functions.append((event.call, event.name))
        elif isinstance(event, ev.FunctionLeft):
            del functions[next((i for i, (call, _) in enumerate(functions) if call == event.call), len(functions)) :]
        if isinstance(event, (*passed, ev.FunctionEntered, ev.FunctionLeft, ev.TensorReleased, ev.NodeReleased)):
            continue
        what: Any = ()
        if isinstance(event, ev.TensorNamed):
            what = event.name
        elif isinstance(event, ev.OpApplied):
            what = event.op, event.repeat, event.module_path, [name for _, name in functions]
        elif isinstance(event, ev.RoundStarted):
            what = event.round, event.text
        elif isinstance(event, ev.GradAccumulated):
            what = event.in_place, event.after.values, event.after.strides
        found.append((type(event).__name__, None if event.line is None else event.line - offset, what))
    return found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_tells_what_a_woven_program_tells(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same names at the same lines, the same rounds, the same gradients in the same memory."""
    source = path.read_text()
    written: list[bytes] = []
    runner.run(source, written.append)
    whole = [ev.decode(line) for line in b"".join(written).splitlines()]
    space: dict[str, Any] = {"__name__": "__main__"}
    around = "import backscope, torch\ntorch.manual_seed(0)\nwith backscope.record() as trace:\n"
    with Alias(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with contextlib.suppress(Exception):
            cell(around + textwrap.indent(source, "    "), space, f"<{path.stem}>")
    found, wanted = essence(space["trace"].events, 3), essence(whole, 0)
    # A hook's name for a tensor that is gone when the hook returns is recorded in an instrumented program alone.
    assert [e for e in found if e[0] != "TensorNamed"] == [e for e in wanted if e[0] != "TensorNamed"]
    missing = [e for e in wanted if e not in found]
    assert len(missing) <= (1 if path.stem == "21_saved_tensor_hooks" else 0), missing
    assert hub.listener is None


def test_what_was_there_before_goes_by_its_name() -> None:
    """Also when it is in a module, and by its value as it is."""
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    layer = torch.nn.Linear(2, 1)
    other = torch.ones(7)
    with backscope.record() as trace:  # with
        loss = layer(w).sum()
        loss.backward()
    line = line_of("with")
    assert names(trace)[:3] == [(line, "layer.weight"), (line, "layer.bias"), (line, "w")]
    assert names(trace)[3:] == [(line + 1, "loss")]
    assert {e.module_path for e in of(trace, ev.OpApplied)} == {"layer", None}
    assert other.sum() == 7
    assert len(of(trace, ev.GradAccumulated)) == 3
    assert w.grad is not None


def square(value: Any) -> Any:
    """A function beside the block."""
    product = value * value  # product
    alias = product
    return alias  # noqa: RET504 - a second name, after which nothing happens


class Holder:
    """Something with tensors in attributes."""

    def __init__(self) -> None:
        self.w = torch.ones(2, requires_grad=True)

    def step(self) -> Any:
        """Binds an attribute."""
        self.out = square(self.w)
        return self.out


def test_functions_and_methods_name_their_own() -> None:
    """Arguments, variables that nothing happens after, and attributes."""
    holder = Holder()
    with backscope.record() as trace:
        total = holder.step() + 1
    assert total.shape == (2,)
    found = [name for _, name in names(trace)]
    assert found == ["self.w", "value", "product", "alias", "self.out", "total"] or found == [
        "value", "product", "alias", "self.out", "total",
    ]  # fmt: skip
    assert (line_of("product"), "product") in names(trace)
    assert [e.line for e in of(trace, ev.OpApplied)] == [line_of("product"), names(trace)[-1][0]]


SHARED = torch.ones(2, requires_grad=True)


def test_what_functions_use_of_the_module_was_there_before() -> None:
    """It is recorded at the line of the block."""

    def use() -> Any:
        return SHARED * 2

    with backscope.record() as trace:  # shared
        use()
    assert names(trace) == [(line_of("shared"), "SHARED")]


def test_rounds_of_loops_are_recorded() -> None:
    """Of those in the block, not of the loop around it; loops without a variable that changes too."""
    x = torch.ones(1)
    for _ in range(2):
        with backscope.record() as trace:
            for epoch in range(2):  # noqa: B007
                for batch in (1.0, 2.0):
                    y = x * batch
            n = 0
            while n < 3:
                n += 1
                y = y + 1
        assert epoch == 1
        assert [(e.round, e.text) for e in of(trace, ev.RoundStarted)] == [
            (1, "for epoch in range(2)"), (1, "for batch in (1.0, 2.0)"), (2, "for batch in (1.0, 2.0)"),
            (2, "for epoch in range(2)"), (1, "for batch in (1.0, 2.0)"), (2, "for batch in (1.0, 2.0)"),
            (1, "while n < 3"), (2, "while n < 3"), (3, "while n < 3"),
        ]  # fmt: skip


def test_what_containers_take_in_is_told() -> None:
    """The list that keeps every round's graph alive, also where it was there before; not what has no history."""
    w = torch.ones(1, requires_grad=True)
    before = [w * 1]
    with backscope.record() as trace:
        losses = []
        for _ in range(3):
            loss = w * 2
            losses.append(loss)  # kept
            before.append(loss.detach())
        named = {}
        named["last"] = loss
    assert len(losses) == len(before) - 1 == 3
    told = [(e.line, e.holder) for e in of(trace, ev.TensorKept)]
    assert told == [(line_of("kept"), "losses")] * 3 + [(line_of("kept") + 3, "named")]
    assert len({e.tensor for e in of(trace, ev.TensorKept)}) == 3


class Log:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.by_step: dict[int, torch.Tensor] = {}
        self.doubled: list[torch.Tensor] = []

    def keep(self, step: int, loss: torch.Tensor) -> None:
        """Keep a loss, without any op."""
        self.by_step[step] = loss  # into the dict

    def double(self, loss: torch.Tensor) -> None:
        """Keep the result of an op."""
        self.doubled.append(loss * 2)  # into the list
        (loss * 3).sum()


def test_what_methods_put_into_their_object_is_told() -> None:
    """A method is over by then where it applies no op; one that does is told of once."""
    w = torch.ones(1, requires_grad=True)
    with backscope.record() as trace:
        log = Log()
        for step in range(3):
            log.keep(step, w * 2)
            log.double(w * 3)
        w.sum()
    told = [(e.line, e.holder) for e in of(trace, ev.TensorKept)]
    assert told == [(line_of("into the dict"), "self.by_step"), (line_of("into the list"), "self.doubled")] * 3


def test_a_notebook_is_recorded_with_the_cells_that_take_part() -> None:
    """Their texts come one after the other, and lines count through them."""
    space: dict[str, Any] = {"__name__": "__main__"}
    cell("import backscope\nfrom backscope import torch\nw = torch.ones(2, requires_grad=True)\n", space, "<cell-1>")
    cell("def loss_of(x):\n    scaled = x * 3\n    return scaled.sum()\n", space, "<cell-2>")
    cell(
        "# a comment\nwith backscope.record() as trace:\n    loss = loss_of(w)\n    loss.backward()\n",
        space,
        "<cell-3>",
    )
    trace = space["trace"]
    source = of(trace, ev.ProgramStarted)[0].source.splitlines()
    assert "w = torch.ones" not in "\n".join(source)
    at = {text: number for number, text in enumerate(source, 1)}
    assert [e.line for e in of(trace, ev.OpApplied)] == [at["    scaled = x * 3"], at["    return scaled.sum()"]]
    assert (at["    scaled = x * 3"], "scaled") in names(trace)
    assert (at["    loss = loss_of(w)"], "loss") in names(trace)
    assert of(trace, ev.BackwardStarted)[0].line == at["    loss.backward()"]


def test_without_a_source_there_are_events_without_names() -> None:
    """Such as code from a string, or a cell that Python alone cannot read."""
    source = (
        "import backscope\nfrom backscope import torch\nwith backscope.record() as trace:\n    x = torch.ones(2) * 2\n"
    )
    for name, text in (("<nowhere>", None), ("<magic>", "%time x = 1\n" + source)):
        if text is not None:
            linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        space: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(source, name, "exec"), space)
        assert [(e.op, e.line) for e in of(space["trace"], ev.OpApplied)] == [("mul", 4)]
        assert not names(space["trace"])


def test_a_test_under_pytest(tmp_path: Path) -> None:
    """With its asserts rewritten and its output captured; a failing one records how it failed."""
    (tmp_path / "test_it.py").write_text(
        textwrap.dedent(
            """\
            import backscope
            import backscope.torch as torch
            import pytest

            @pytest.fixture
            def w():
                return torch.ones(2, requires_grad=True)

            def test_backward(w, tmp_path):
                with backscope.record() as trace:
                    loss = (w * 3).sum()
                    assert loss.item() == 6, "as it should"
                    loss.backward()
                    print("printed")
                trace.save("one.backscope")

            def test_failing(w):
                trace = backscope.record()
                try:
                    with trace:
                        assert w.sum() == 3
                finally:
                    trace.save("two.backscope")
            """
        )
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"],
        cwd=tmp_path, env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert "1 failed, 1 passed" in done.stdout
    one, two = ([ev.decode(x) for x in traces.read(tmp_path / name)] for name in ("one.backscope", "two.backscope"))
    assert isinstance(one[0], ev.ProgramStarted)
    assert one[0].filename == "test_it.py"
    assert [(e.line, e.name) for e in one if isinstance(e, ev.TensorNamed)] == [(10, "w"), (11, "loss")]
    assert [(e.line, e.op) for e in one if isinstance(e, ev.OpApplied)] == [(11, "mul"), (11, "sum")]
    assert [e.text for e in one if isinstance(e, ev.OutputPrinted)] == ["printed\n"]
    assert [(e.line, e.type) for e in two if isinstance(e, ev.ErrorRaised)] == [(21, "AssertionError")]


def test_a_recording_that_grows_too_large_is_cut_and_says_so(tmp_path: Path) -> None:
    """What it has by then is a trace that can be read; the program goes on."""
    with pytest.warns(RuntimeWarning, match="cut short"), backscope.record(most_bytes=100_000) as trace:  # noqa: PT031
        x = torch.ones(1)
        for _ in range(2000):
            x = x + 1
    assert x == 2001
    assert trace.status == "cut"
    assert "cut short" in repr(trace)
    lines = list(traces.read(trace.save(tmp_path / "cut.backscope")))
    events = [ev.decode(line) for line in lines]
    assert [e.seq for e in events] == list(range(len(events)))
    assert isinstance(events[-1], ev.ProgramFinished)
    assert events[-1].status == "cut"
    assert 90_000 < sum(map(len, lines)) <= 100_000


def test_it_says_what_it_has() -> None:
    """Before, during and after; what needs the whole says so."""
    trace = backscope.record()
    assert "nothing yet" in repr(trace)
    w = torch.ones(2, requires_grad=True)
    with trace:  # said
        assert "under way" in repr(trace)
        with pytest.raises(RuntimeError, match="after the with block"):
            trace.save("x")
        w.sum().backward()
    assert f"line {line_of('said')} of " in repr(trace)
    assert "1 op, 1 backward pass, 1 gradient accumulated>" in repr(trace)


def test_why_as_text() -> None:
    """why() explains a variable, a tensor and the error, and says what it cannot explain."""
    w = torch.ones(2, requires_grad=True)
    unused = torch.ones(2, requires_grad=True)
    with contextlib.suppress(RuntimeError), backscope.record() as trace:
        lonely = unused * 2
        y = (w * w).sum()
        y.backward()
        y.backward()
    assert trace.why("unused").startswith("Why is unused.grad None?\n")
    assert trace.why(unused) == trace.why("unused.grad")
    assert "second time" in trace.why()
    assert trace.why().count("Fix: ") >= 1
    assert lonely.shape == (2,)
    with pytest.raises(ValueError, match=r"No variable nothing had a tensor by then\. Those that have one: unused, "):
        trace.why("nothing")
    with pytest.raises(ValueError, match="took no part"):
        trace.why(torch.ones(1))
    with backscope.record() as fine:
        pass
    assert fine.why() == "Nothing went wrong so far. Ask about a variable, for instance why its .grad is as it is."


def test_an_empty_block_is_a_whole_trace() -> None:
    """It begins and ends."""
    with backscope.record() as trace:
        pass
    assert [type(e) for e in trace.events] == [ev.ProgramStarted, ev.ProgramFinished]


def test_showing_says_the_address_and_ends_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a notebook as a link; a server that does not start and a command that is not there are said."""
    with backscope.record() as trace:
        torch.ones(1)
    server = tmp_path / "backscope"
    server.write_text(
        f"#!{sys.executable}\nimport sys, time\nassert sys.argv[1] == 'open' and open(sys.argv[2], 'rb').read(2)\n"
        "print('Port 8000 is in use. Using port 8001.')\n"
        "print('Backscope is at http://127.0.0.1:8001/?session=a&token=b  (Ctrl-C to stop)', flush=True)\n"
        "time.sleep(99)\n"
    )
    server.chmod(0o755)
    monkeypatch.setattr(pages, "command", lambda: str(server))
    page = trace.show(wait=False)
    assert page.url == "http://127.0.0.1:8001/?session=a&token=b"
    assert capsys.readouterr().out == f"Backscope is at {page.url}\n"
    assert 'href="http://127.0.0.1:8001/?session=a&amp;token=b"' in page._repr_html_()
    folder = page._folder
    assert folder.exists()
    page.close()
    assert page._server.poll() is not None
    assert not folder.exists()
    server.write_text("#!/bin/sh\necho The page is not built.\nexit 1\n")
    with pytest.raises(RuntimeError, match="did not start:\nThe page is not built"):
        trace.show(wait=False)
    monkeypatch.undo()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    with pytest.raises(RuntimeError, match="which is not installed here"):
        trace.show()


def test_show_names_the_extra_that_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the engine is installed without the server, in one line."""
    with backscope.record() as trace:
        torch.ones(2)
    (tmp_path / "backscope").touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setitem(EXTRAS, "server", ("a_module_that_is_nowhere",))
    with pytest.raises(
        RuntimeError, match=r"^show\(\) needs the extra `server`: pip install 'backscope\[server\]'\. save"
    ):
        trace.show()


def test_is_exported() -> None:
    """By the package itself."""
    assert backscope.record is recording.record
    assert backscope.Recording is recording.Recording
    with pytest.raises(AttributeError, match="has no attribute 'recrod'"):
        backscope.recrod  # type: ignore[attr-defined]  # noqa: B018
