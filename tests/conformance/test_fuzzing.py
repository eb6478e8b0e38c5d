"""Protects random programs: a few with fixed seeds do on Backscope what they do on PyTorch; `fuzz.py` runs others."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
SEEDS = range(7000, 7028)


@pytest.fixture(autouse=True)
def fuzzing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make the package beside this file importable."""
    monkeypatch.syspath_prepend(str(HERE))
    yield
    for name in [n for n in sys.modules if n.partition(".")[0] in ("fuzzing", "fuzz")]:
        del sys.modules[name]


def module(name: str) -> Any:
    """Return a module of that package."""
    return importlib.import_module(f"fuzzing.{name}")


def test_program_of_a_seed_is_always_the_same_and_compiles() -> None:
    made = module("generator")
    texts = [made.program(seed).text() for seed in range(300)]
    assert texts == [made.program(seed).text() for seed in range(300)]
    assert len(set(texts)) == 300
    for text in texts:
        compile(text, "case", "exec")


def test_programs_cross_everything_that_they_are_made_of() -> None:
    text = "\n".join(module("generator").program(seed).text() for seed in range(1500))
    for part in (
        "torch.no_grad()", "torch.inference_mode()", "torch.autocast", "use_reentrant=True", "use_reentrant=False",
        "torch.vmap", "torch.func.grad", "torch.func.jvp", "torch.func.jacrev", "functional_call", "make_dual", "out=",
        ".conj()", "_neg_view", ".expand(", ".as_strided(", ".diagonal(", ".unfold(", "retain_grad", "register_hook",
        "saved_tensors_hooks", "detach_()", ".data", "create_graph=True", "torch.autograd.Function", "[::2]",
    ):  # fmt: skip
        assert part in text, part


def test_most_statements_run_without_an_error() -> None:
    """Otherwise the programs would compare little."""
    ours = importlib.import_module("backscope.torch")
    steps = [s for seed in range(60) for s in module("observation").run(module("generator").program(seed), ours)]
    assert sum(not s.error for s in steps) > 0.7 * len(steps)


def test_difference_names_the_statement_and_the_variable() -> None:
    ours = importlib.import_module("backscope.torch")
    statements, run = module("statements"), module("observation").run

    def program(*lines: str) -> Any:
        return statements.Program(tuple(statements.Statement(line) for line in lines))

    a = run(program("x = torch.ones(2)", "y = x + 1", "y.mul_(2)"), ours)
    b = run(program("x = torch.ones(2)", "y = x + 1", "y.mul_(3)"), ours)
    found = module("comparison").difference(a, b)
    assert (found.statement, found.what, found.name) == (2, "values", "y")
    c = run(program("x = torch.ones(2)", "y = x + 1", "y.mul_(x[5])"), ours)
    found = module("comparison").difference(a, c)
    assert (found.statement, found.what, found.ours) == (2, "error", "none")
    assert found.theirs.startswith("IndexError")


def test_shrinking_leaves_what_the_difference_needs() -> None:
    comparison, statements = module("comparison"), module("statements")
    lines = ("a = 1", "b = 2", "c = 3")
    block = statements.Statement(
        "with torch.no_grad():", (statements.Statement("d = 4"), statements.Statement("bad()"))
    )
    program = statements.Program((*[statements.Statement(line) for line in lines], block))

    def compare(made: Any) -> Any:
        text = made.text()
        if "bad()" not in text or "b = 2" not in text:
            return None
        return comparison.Difference(len(made.statements) - 1, "values", "x", "1", "2")

    small, _ = module("shrinking").shrunk(program, compare(program), compare)
    assert small.text() == "b = 2\nbad()"


@pytest.mark.torch
def test_programs_do_on_backscope_what_they_do_on_pytorch() -> None:
    compare = importlib.import_module("fuzz").comparison()
    for seed in SEEDS:
        program = module("generator").program(seed)
        found = compare(program)
        assert found is None, f"seed {seed}\n{program.text()}\n{found}"
