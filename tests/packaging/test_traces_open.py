"""Protects the page from what the engine records: each program of the conformance tests opens there as a file would."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from backscope.program.runner import run
from backscope.protocol import trace

DEEP = "def f(n):\n    if n:\n        return f(n - 1)\n    raise ValueError('deep')\nf(200)\n"
NAMES = "import torch\nconstructor = torch.ones(2, requires_grad=True)\ndef toString(x):\n    return x * 2\n"
NAMES += "class __proto__(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, valueOf):\n"
NAMES += "        ctx.hasOwnProperty = 3\n        return valueOf * 2\n    @staticmethod\n    def backward(ctx, g):\n"
NAMES += "        return g\n__proto__.apply(toString(constructor)).sum().backward()\n"
MANY = "import torch\nx = torch.ones(13_000, requires_grad=True)\ntorch.stack(x.unbind()).sum().backward()\n"
LONG = f"import torch\n{'n' * 20_000} = torch.ones(2, requires_grad=True)\n({'n' * 20_000} * 2).sum().backward()\n"

BOUNDLESS = {"deep": DEEP, "names": NAMES, "many": MANY, "long": LONG}
"""Programs that hold more than an event does, or names that JavaScript has."""


def test_every_trace_opens_in_the_page(root: Path, tmp_path: Path) -> None:
    if shutil.which("npx") is None or not (root / "web" / "node_modules").exists():
        pytest.skip("the page's packages are not installed here")
    programs = {path.stem: path.read_text("utf-8") for path in (root / "tests/conformance/programs").glob("*.py")}
    for name, source in {**programs, **BOUNDLESS}.items():
        written: list[bytes] = []
        run(source, written.append, filename=f"{name}.py")
        trace.write(tmp_path / f"{name}.backscope", b"".join(written).splitlines())
    opened = subprocess.run(
        ["npx", "vitest", "run", "src/trace/opened.test.ts"],
        cwd=root / "web", env={**os.environ, "BACKSCOPE_TRACES": str(tmp_path), "NO_COLOR": "1"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert opened.returncode == 0, opened.stdout[-4000:] + opened.stderr[-1000:]
    assert f"{len(programs) + len(BOUNDLESS)} passed" in opened.stdout
