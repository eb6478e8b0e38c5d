"""Running programs: what they print, how they end, what is deterministic, which torch they find."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from backscope.program.runner import run
from backscope.protocol import events as ev
from backscope.runtime.listening import hub


def test_first_and_last_event(record: Callable[..., Any]) -> None:
    """program_started with source and versions, program_finished with the status."""
    found = record("pass\n", filename="lesson.py", seed=7)
    first, last = found.events
    assert (first.filename, first.seed, first.source, first.protocol) == (
        "lesson.py",
        7,
        found.source,
        ev.PROTOCOL_VERSION,
    )
    assert set(first.versions) == {"backscope", "python", "numpy", "torch"}
    assert (last.status, found.status) == ("ok", "ok")


def test_prints(record: Callable[..., Any]) -> None:
    """stdout and stderr with their lines, also without a newline at the end."""
    found = record("import sys\nprint('one')\nprint('two', file=sys.stderr)\nprint(3, end='')\n")
    assert [(e.stream, e.text, e.line) for e in found.of(ev.OutputPrinted)][:2] == [
        ("stdout", "one\n", 3),
        ("stderr", "two\n", 4),
    ]
    assert (found.stdout, found.stderr) == ("one\n3", "two\n")


def test_prints_come_in_order_with_what_happens(record: Callable[..., Any]) -> None:
    """A line that is printed between two ops is recorded between them."""
    found = record("x = torch.ones(1)\nprint('a')\ny = x + 1\nprint('b')\n")
    order = [type(e).__name__ for e in found.of(ev.OutputPrinted, ev.OpApplied)]
    assert order == ["OutputPrinted", "OpApplied", "OutputPrinted"]


def test_text_that_is_no_unicode(record: Callable[..., Any]) -> None:
    """A lone surrogate can be printed."""
    found = record("print('\\ud800!')\n")
    assert (found.status, found.stdout) == ("ok", "?!\n")


def test_writing_anything_but_text(record: Callable[..., Any]) -> None:
    """stdout takes text alone, as anywhere."""
    found = record("import sys\nsys.stdout.write(b'x')\n")
    assert found.one(ev.ErrorRaised).message == "write() argument must be str, not bytes"


def test_warnings(record: Callable[..., Any]) -> None:
    """The program's own and the engine's, at the program's line."""
    found = record(
        "import warnings\nwarnings.warn('mine', DeprecationWarning)\n"
        "y = torch.ones((), requires_grad=True) * 2\ny.grad\n"
    )
    own, engines = found.of(ev.WarningRaised)
    assert (own.category, own.message, own.line) == ("DeprecationWarning", "mine", 3)
    assert (engines.category, engines.line) == ("UserWarning", 5)
    assert engines.message.startswith("The .grad attribute of a Tensor that is not a leaf Tensor")


def test_warning_once_per_run(record: Callable[..., Any]) -> None:
    """What comes once per process comes once in every run."""
    body = "for _ in range(2):\n    x = torch.ones((), requires_grad=True)\n    (x * x).backward(create_graph=True)\n"
    for _ in range(2):
        assert len(record(body).of(ev.WarningRaised)) == 1


@pytest.mark.parametrize(
    ("code", "status", "message"),
    [("", "ok", None), ("0", "ok", None), ("3", "error", "3"), ("'bye'", "error", "bye")],
)
def test_system_exit(record: Callable[..., Any], code: str, status: str, message: str | None) -> None:
    """sys.exit() ends a program; 0 and nothing are success."""
    found = record(f"import sys\nprint('before')\nsys.exit({code})\nprint('after')\n")
    assert (found.status, found.stdout) == (status, "before\n")
    assert [(e.stage, e.type, e.message) for e in found.of(ev.ErrorRaised)] == (
        [] if message is None else [("program", "SystemExit", message)]
    )


def test_syntax_error(record: Callable[..., Any]) -> None:
    """Nothing runs; line and column are those of the error."""
    found = record("print('never')\nx = torch.tensor(3.0\ny = x\n")
    error = found.one(ev.ErrorRaised)
    assert (error.stage, error.type, error.line, error.column) == ("syntax", "SyntaxError", 3, 17)
    assert error.message == "'(' was never closed"
    assert error.traceback[0].text == "x = torch.tensor(3.0"
    assert (found.status, found.stdout) == ("error", "")


@pytest.mark.parametrize("source", ["x = 1\0", "  x = 1", "return 3", "(" * 500 + ")" * 500])
def test_sources_that_do_not_compile(source: str) -> None:
    """Whatever compile() refuses is a syntax error, never an exception of run()."""
    written: list[bytes] = []
    assert run(source, written.append) == "error"
    events = [ev.decode(line) for line in b"".join(written).splitlines()]
    assert [e.stage for e in events if isinstance(e, ev.ErrorRaised)] == ["syntax"]


def test_traceback_is_the_users(record: Callable[..., Any]) -> None:
    """Frames of the program alone, outermost first, with function and text."""
    found = record(
        "def inner(v):\n    return v @ torch.ones(3)\n\ndef outer(v):\n    return inner(v)\n\nouter(torch.ones(2))\n"
    )
    error = found.one(ev.ErrorRaised)
    assert [(t.line, t.function, t.text) for t in error.traceback] == [
        (8, "<module>", "outer(torch.ones(2))"),
        (6, "outer", "return inner(v)"),
        (3, "inner", "return v @ torch.ones(3)"),
    ]
    assert (error.stage, error.line) == ("program", 3)


def test_error_whose_text_fails(record: Callable[..., Any]) -> None:
    """An exception with a broken __str__ is still recorded."""
    found = record("class Bad(Exception):\n    def __str__(self):\n        raise ValueError\nraise Bad\n")
    assert found.one(ev.ErrorRaised).message == "(its text could not be made)"


def test_memory_error_has_a_text(record: Callable[..., Any]) -> None:
    """MemoryError comes without one."""
    assert record("raise MemoryError\n").one(ev.ErrorRaised).message == "The program ran out of memory."


def test_deep_recursion(record: Callable[..., Any]) -> None:
    """The innermost frames of an endless recursion, not all."""
    error = record("def f():\n    f()\nf()\n").one(ev.ErrorRaised)
    assert error.type == "RecursionError" and len(error.traceback) == 50


def test_clock_stands_still(record: Callable[..., Any]) -> None:
    """Time is the same in every run; sleeping moves the clock and takes none."""
    body = "import time\na = time.time()\ntime.sleep(3600)\nprint(a, time.time() - a, time.perf_counter())\n"
    began = time.perf_counter()
    first, second = record(body), record(body)
    assert time.perf_counter() - began < 3600
    assert first.stdout == second.stdout
    assert 3600 < float(first.stdout.split()[1]) < 3601
    assert abs(time.time() - 1_700_000_000) > 3600


def test_seed(record: Callable[..., Any]) -> None:
    """torch, random and numpy draw the same numbers for the same seed, others for another."""
    body = "import random, numpy\nprint(torch.rand(2), random.random(), numpy.random.rand())\n"
    assert record(body, seed=1).stdout == record(body, seed=1).stdout != record(body, seed=2).stdout
    assert (
        record("print(torch.rand(1))\n", seed=5).stdout == record("torch.manual_seed(5)\nprint(torch.rand(1))\n").stdout
    )


def test_two_runs_are_the_same_to_the_byte(record: Callable[..., Any]) -> None:
    """Also when the timer writes at other moments: no time and no address is in a log."""
    body = (
        "w = torch.randn(20, 30, requires_grad=True)\nopt = torch.optim.SGD([w], lr=0.1, momentum=0.9)\n"
        "for step in range(60):\n    x = torch.randn(8, 20)\n    loss = ((x @ w * 3).tanh() ** 2).mean() * 2\n"
        "    opt.zero_grad()\n    loss.backward()\n    opt.step()\n"
        "print(loss.grad_fn)\n"
    )
    first, second = record(body), record(body)
    assert first.status == "ok"
    assert first.bytes == second.bytes


def test_settings_do_not_leak_into_the_next_run(record: Callable[..., Any]) -> None:
    """Grad mode, default dtype, print options and hooks are as in a new process."""
    record(
        "torch.set_grad_enabled(False)\ntorch.set_default_dtype(torch.float64)\ntorch.set_printoptions(precision=1)\n"
        "torch.autograd.graph.saved_tensors_hooks(lambda t: None, lambda t: None).__enter__()\n"
    )
    found = record("x = torch.tensor(1.23456, requires_grad=True)\ny = x * x\ny.backward()\nprint(x.grad, x.dtype)\n")
    assert found.stdout == "tensor(2.4691) torch.float32\n"


def test_run_leaves_the_process_as_it_was(record: Callable[..., Any]) -> None:
    """stdout, __main__, the torch that was imported, the clock and the listener come back."""
    before = sys.stdout, sys.stderr, sys.modules["__main__"], sys.modules.get("torch"), list(sys.meta_path), time.time
    record("import torch.nn.functional\nraise ValueError\n")
    assert before == (
        sys.stdout,
        sys.stderr,
        sys.modules["__main__"],
        sys.modules.get("torch"),
        list(sys.meta_path),
        time.time,
    )
    assert hub.listener is None


@pytest.mark.parametrize(
    "line",
    [
        "import torch as t; x = t.ones(1)",
        "from torch import ones; x = ones(1)",
        "from torch import *; x = ones(1)",
        "import torch.nn.functional as F; x = F.relu(torch.ones(1))",
        "from torch.nn import functional; x = functional.relu(torch.ones(1))",
        "import torch.optim as optim; optim.SGD",
        "from torch.optim import SGD",
        "from torch import nn, optim, autograd",
        "from torch.autograd import Variable, grad",
        "import torch.autograd.graph",
        "import importlib; importlib.import_module('torch.nn')",
    ],
)
def test_ways_to_import(record: Callable[..., Any], line: str) -> None:
    """Every spelling finds Backscope's namespace."""
    found = record(line + "\nassert 'torch' not in str(type(1))\n")
    assert [e.message for e in found.of(ev.ErrorRaised)] == []
    assert found.status == "ok"


@pytest.mark.parametrize(
    ("line", "kind", "texts"),
    [
        (
            "torch.compile_it()",
            "AttributeError",
            ["module 'torch' has no attribute 'compile_it'", "does not have it (yet)"],
        ),
        ("torch.zeroes(2)", "AttributeError", ["What comes nearest: torch.zeros"]),
        ("torch.nn.Transformer3", "AttributeError", ["module 'torch.nn' has no attribute 'Transformer3'"]),
        (
            "import torch.cuda.nccl",
            "ModuleNotFoundError",
            ["No module named 'torch.cuda", "Backscope does not have it (yet)"],
        ),
        (
            "from torch import nothing_here",
            "ImportError",
            ["cannot import name 'nothing_here' from 'torch': Backscope does not have it (yet)"],
        ),
        ("from torch.nn import Linearr", "ImportError", ["from 'torch.nn'", "What comes nearest: torch.nn.Linear"]),
        ("torch.random.foo", "AttributeError", ["module 'torch.random' has no attribute 'foo': Backscope does not"]),
        (
            "from torch.optim import lr_scheduler; lr_scheduler.StepLRR",
            "AttributeError",
            ["module 'torch.optim.lr_scheduler' has", "nearest: torch.optim.lr_scheduler.StepLR."],
        ),
        ("from torch.nn import conv2d", "ImportError", ["What comes nearest: torch.nn.Conv2d, "]),
        ("from torch import __past__", "ImportError", ["name '__past__' from 'torch': Backscope does not have it"]),
        ("torch.__past__", "AttributeError", ["'torch' has no attribute '__past__': Backscope does not have it"]),
        (
            "torch.ones(2).to_sparse_csr()",
            "AttributeError",
            ["'Tensor' object has no attribute 'to_sparse_csr': Backscope does not", "nearest: Tensor.to_sparse, "],
        ),
        (
            "import torch.ao",
            "ModuleNotFoundError",
            ["No module named 'torch.ao'", "nearest: a model in torch.float16 or"],
        ),
    ],
)
def test_missing_names(record: Callable[..., Any], line: str, kind: str, texts: list[str]) -> None:
    """What Backscope lacks is said in so many words, with what comes nearest."""
    error = record(line + "\n").one(ev.ErrorRaised)
    assert error.type == kind
    for text in texts:
        assert text in error.message


def test_misspelled_name_of_a_tensor(record: Callable[..., Any]) -> None:
    """What PyTorch's tensors lack too has PyTorch's text; what comes nearest is in the diagnosis."""
    error = record("x = torch.ones(2)\nx.reshap(1)\n").one(ev.ErrorRaised)
    assert error.message == "'Tensor' object has no attribute 'reshap'"
    assert error.diagnosis.fix == "What comes nearest: Tensor.reshape."
    assert error.diagnosis.lines == [3]


def test_names_of_own_tensors(record: Callable[..., Any]) -> None:
    """A class of the program's own keeps Python's text, and an error of the program's own is left as it is."""
    own = "class Own(torch.Tensor):\n    pass\ntorch.ones(2).as_subclass(Own).colour\n"
    assert record(own).one(ev.ErrorRaised).message == "'Own' object has no attribute 'colour'"
    raised = "raise AttributeError('mine', name='to_sparse_csr', obj=torch.ones(1))\n"
    assert record(raised).one(ev.ErrorRaised).message == "mine"


def test_missing_names_are_caught(record: Callable[..., Any]) -> None:
    """Programs that try a name and go on without it do."""
    many = "".join(f"a{i} = b{i} = c{i} = {i}\n" for i in range(120))
    found = record(
        many + "try:\n    from torch import foo\nexcept ImportError as error:\n    print(error.name)\n"
        "try:\n    import torch.foo\nexcept ModuleNotFoundError as error:\n    print(error.name)\n"
        "print(hasattr(torch, 'foo'), getattr(torch.nn, 'Foo', 3), hasattr(torch.ones(1), 'to_sparse_csr'))\n"
    )
    assert found.stdout == "torch\ntorch.foo\nFalse 3 False\n"


def test_program_is_main(record: Callable[..., Any]) -> None:
    """__name__ is "__main__"; classes of the program can be pickled."""
    found = record(
        "import pickle\nclass Point:\n    x = 1\nif __name__ == '__main__':\n"
        "    print(pickle.loads(pickle.dumps(Point())).x)\n"
    )
    assert found.stdout == "1\n"


def test_flushes_while_the_program_sleeps_busily() -> None:
    """A print is written soon, without another event after it."""
    batches: list[bytes] = []
    run("print('x')\nn = 0\nfor i in range(3_000_000):\n    n += i\n", batches.append)
    (printed,) = (place for place, batch in enumerate(batches) if b"output_printed" in batch)
    assert printed < len(batches) - 1


def test_errors_are_named_with_their_modules(record: Callable[..., Any]) -> None:
    """As Python names them in a traceback: those of the program's own and of Python itself have none."""
    for raised, shown in (
        ("GradcheckError('no')", "torch.autograd.gradcheck.GradcheckError"),
        ("type('Mine', (Exception,), {'__module__': '__main__'})()", "Mine"),
        ("KeyError(1)", "KeyError"),
    ):
        (error,) = record(f"from torch.autograd.gradcheck import GradcheckError\nraise {raised}\n").of(ev.ErrorRaised)
        assert error.type == shown
