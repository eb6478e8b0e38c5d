"""A process that imports Backscope stays as it was, unless it asks for more; Backscope's own processes ask."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from forked import failures

import backscope

STATE = """
import atexit, faulthandler, gc, json, locale, logging, os, signal, sys, threading, warnings
import numpy as np

def state():
    return {
        "collector": [gc.get_threshold(), gc.isenabled(), gc.get_freeze_count(), len(gc.callbacks)],
        "signals": {int(s): repr(signal.getsignal(s)) for s in signal.valid_signals()},
        "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "warnings": [[repr(part) for part in found] for found in warnings.filters] + [repr(warnings.showwarning)],
        "recursion": sys.getrecursionlimit(),
        "integers": sys.get_int_max_str_digits(),
        "switching": sys.getswitchinterval(),
        "locale": locale.setlocale(locale.LC_ALL),
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "path": sys.path[:],
        "finders": [repr(found) for found in sys.meta_path],
        "faults": faulthandler.is_enabled(),
        "threads": [thread.name for thread in threading.enumerate()],
        "hooks": [repr(h) for h in (sys.excepthook, sys.displayhook, sys.unraisablehook, threading.excepthook)],
        "streams": [repr(stream) for stream in (sys.stdin, sys.stdout, sys.stderr)],
        "tracing": [repr(sys.gettrace()), repr(sys.getprofile())],
        "exit": atexit._ncallbacks(),
        "logging": logging.root.level,
        "numpy": [np.geterr(), repr(np.geterrcall()), repr(np.get_printoptions())],
        "random": [repr(np.random.get_state()[1][:4])],
    }

np.random.get_state()
before = state()
"""

CHANGED = """
after = state()
print(json.dumps({name: [before[name], after[name]] for name in before if before[name] != after[name]}))
"""

USED = """
from backscope import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
with backscope.record() as trace:
    (x * x).sum().backward()
assert x.grad.tolist() == [2.0, 4.0] and trace.events
"""


def changed(program: str) -> dict[str, list[object]]:
    """What of a fresh process is not as it was, after a program: before and after."""
    environment = {"PYTHONPATH": str(Path(backscope.__path__[0]).parent), "BACKSCOPE_TEST": "kept"}
    command = [sys.executable, "-c", STATE + program + CHANGED]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr
    found: dict[str, list[object]] = json.loads(ran.stdout)
    return found


def test_importing_backscope_changes_nothing() -> None:
    assert changed("import backscope") == {}


@pytest.mark.parametrize("program", ["from backscope import torch", "import backscope\n" + USED])
def test_the_namespace_silences_numpy_alone(program: str) -> None:
    """numpy warns of what PyTorch computes in silence; the filter is for the engine's computations in other threads."""
    found = changed(program)
    assert found.keys() == {"numpy", "warnings"}
    (before, after) = found["numpy"]
    assert after == [dict.fromkeys(before[0], "ignore"), *before[1:]]  # type: ignore[index]
    (filters, now) = found["warnings"]
    assert now[1:] == filters and "backscope" in now[0][3]  # type: ignore[index]


def test_numpy_warns_of_what_a_thread_of_the_host_computes() -> None:
    program = """
from backscope import torch

def work():
    x = torch.tensor([0.0, -1.0], requires_grad=True)
    ((1 / x).sum() + x.log().sum() + (x / 0).mean() + x.var(0)).backward()
    one = np.float32(1.0)
    with warnings.catch_warnings(record=True) as found:
        one / np.float32(0.0)
    assert [str(warning.message) for warning in found] == ["divide by zero encountered in scalar divide"]

with warnings.catch_warnings(record=True) as given:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
assert not given, given[0]
"""
    changed(program)


def test_a_process_asks_to_keep_memory() -> None:
    """The part of malloc is in test_malloc.py."""
    assert changed("import backscope\nbackscope.keep_memory()").keys() == {"collector"}


@pytest.mark.parametrize("threshold", [700, 100_000])
def test_the_collector_is_never_asked_to_search_more_often(threshold: int) -> None:
    found = changed(f"import backscope\ngc.set_threshold({threshold}, 5, 5)\nbackscope.keep_memory()")
    assert found["collector"][1][0] == [max(threshold, 50_000), 20, 100]  # type: ignore[index]


def test_only_what_is_used_is_loaded() -> None:
    program = "import backscope\nprint(*sorted(m for m in sys.modules if m.startswith('backscope')))\nsys.exit()"
    command = [sys.executable, "-c", "import sys\n" + program]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["backscope", "backscope.runtime", "backscope.runtime.version"]


def test_rooms_come_by_their_names() -> None:
    program = """
import backscope
assert {"Recording", "keep_memory", "record", "torch"} <= set(dir(backscope))
assert backscope.torch.tensor(1.0).item() == 1.0
assert backscope.record is backscope.program.recording.record
"""
    changed(program)


def test_distributions_are_loaded_when_they_are_used() -> None:
    program = """
from backscope import torch

def loaded():
    return [name for name in sys.modules if "distributions" in name and name.startswith("backscope")]

assert not loaded() and "distributions" in dir(torch) and "distributions" in torch.__all__
normal = torch.distributions.Normal(0.0, 1.0)
assert normal.mean.item() == 0.0 and loaded()
assert torch.distributions is sys.modules["backscope.torch.distributions"]
try:
    torch.distributions.kl.nothing
except AttributeError as error:
    assert "Backscope does not have it" in str(error)
try:
    torch.distribution
except AttributeError as error:
    assert "torch.distributions" in str(error)
"""
    changed(program)


USES = (
    "torch.distributions.Normal",
    "from torch.distributions import Normal; Normal",
    "import torch.distributions as D; D.Normal",
    "from torch import distributions; distributions.Normal",
    "from torch import *; distributions.Normal",
    "from torch.distributions.normal import Normal; Normal",
)


def test_programs_find_distributions() -> None:
    """Each in a process where no program has used them before."""
    assert failures({use: using(use) for use in USES}) == {}
    assert "no module named 'torch.nothing'" in failures({"a": using("import torch.nothing as N; N")})["a"].lower()


def using(use: str) -> str:
    """A program that runs another one, which imports the normal distribution so and computes with it."""
    *imports, name = use.split("; ")
    source = "\n".join(["import torch", *imports, f"print({name}(0.0, 1.0).log_prob(torch.tensor(0.0)).item())"])
    return f"""
import sys
from backscope.program.runner import run
assert not [name for name in sys.modules if name.startswith("backscope") and "distributions" in name]
lines = []
run({source!r}, lines.append)
log = b"".join(lines).decode()
assert "-0.918938" in log and "program_finished" in log, log
"""
