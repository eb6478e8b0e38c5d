"""Records the samples of the ops, each forward and backward, as event streams in `samples.jsonl.gz`.

    python tests/golden/record_samples.py

The page's tests read them: each op of the catalogue that has a formula is a step of one of them.
"""

from __future__ import annotations

import gzip
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

HERE = Path(__file__).parent
FILE = HERE / "samples.jsonl.gz"


MATRIX = """\
import torch
x = torch.tensor([[1.5, -0.5, 2.0], [0.25, 3.0, -1.0]], requires_grad=True)
g = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
y = x * 1
"""
COLUMN = """\
import torch
x = torch.tensor([[1.5], [-0.5]], requires_grad=True)
g = torch.tensor([[1.0], [2.0]])
y = x * 1
"""
SPARSE = """\
import torch
x = torch.tensor([[1.5, 0.0, 2.0], [0.0, 3.0, -1.0]], requires_grad=True)
g = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
places = torch.tensor([[0, 1], [2, 0]])
"""
MORE = [
    *[
        f"{MATRIX}y.{change}\ny.backward(g.reshape(y.shape))\n"
        for change in (
            "eq_(1.5)", "ne_(1.5)", "lt_(1.5)", "le_(1.5)", "gt_(1.5)", "ge_(1.5)",
            "eq_(x)", "ne_(x)", "lt_(x)", "le_(x)", "gt_(x)", "ge_(x)",
            "t_()", "transpose_(0, 1)", "unsqueeze_(0)", "as_strided_((2, 3), (3, 1))",
            "polygamma_(1)",
        )
    ],
    *[
        f"{COLUMN}y.{change}\ny.backward(g.reshape(y.shape))\n"
        for change in ("squeeze_()", "squeeze_(1)", "squeeze_((1,))")
    ],
    *[
        f"{MATRIX}torch.{call}.backward(g)\n"
        for call in ("normal(y, 1.0)", "normal(0.0, y.abs())", "normal(y, y.abs())", "_standard_gamma(y.abs())")
    ],
    f"{MATRIX}z = torch.complex(y, g)\nz.conj_physical_()\nz.real.backward(g)\n",
    f"{MATRIX}torch.fill(y, 2.5).backward(g)\n",
    f"{MATRIX}v = torch.tensor(2.5, requires_grad=True)\ntorch.fill(y, v).backward(g)\n",
    f"{SPARSE}x.to_sparse().to_dense().backward(g)\n",
    f"{SPARSE}x.to_sparse(2).to_dense().backward(g)\n",
    f"{SPARSE}x.to_sparse().values().backward(torch.tensor([1.0, 2.0, 3.0, 4.0]))\n",
    f"{SPARSE}v = torch.tensor([2.0, 3.0], requires_grad=True)\n"
    "torch.sparse_coo_tensor(places, v, (2, 3)).coalesce().to_dense().backward(g)\n",
    f"{SPARSE}m = torch.sparse_coo_tensor(places, torch.ones(2), (2, 3)).coalesce()\n"
    "x.sparse_mask(m).to_dense().backward(g)\n",
    f"{SPARSE}torch.sparse.mm(x.to_sparse(), x.detach().t().clone().requires_grad_()).backward(g[:, :2])\n",
    f"{SPARSE}torch.sparse.sum(x.to_sparse(), 0).to_dense().backward(g[0])\n",
    f"{SPARSE}torch.sparse.softmax(x.to_sparse(), 1).to_dense().backward(g)\n",
    f"{SPARSE}torch.sparse.log_softmax(x.to_sparse(), 1).to_dense().backward(g)\n",
    f"{SPARSE}torch.nn.CrossMapLRN2d(2)(x[None, :, :, None]).backward(g[None, :, :, None])\n",
]  # fmt: skip
"""Programs for ops that have no sample, because no call gives an array that they made."""


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


record = _load("golden_record", HERE / "record.py")
SAMPLES = _load("op_samples_conftest", HERE.parent / "engine" / "ops" / "conftest.py")._load().SAMPLES


def gradient(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return the gradient that the result of a sample is given: numbers of two decimals."""
    return np.cos(np.arange(int(np.prod(shape))) * 0.7 + 0.3).reshape(shape).round(2)


def program(number: int) -> str:
    """Return a program that makes the inputs of a sample, calls its op and runs backward."""
    sample = SAMPLES[number]
    names = "abcdefghij"[: len(sample.inputs)]
    lines = ["import torch", "from golden_samples import SAMPLES, gradient", f"sample = SAMPLES[{number}]"]
    for i, (name, array) in enumerate(zip(names, sample.inputs, strict=True)):
        dtype = "complex64" if np.iscomplexobj(array) else "float32"
        lines.append(f"{name} = torch.tensor(sample.inputs[{i}], dtype=torch.{dtype}, requires_grad=True)")
    lines.append(f"result = sample.call(torch, {', '.join(names)})")
    if sample.differentiable:
        lines.append("result.backward(torch.tensor(gradient(result.shape), dtype=result.dtype))")
    return "\n".join(lines) + "\n"


def streams() -> Iterator[list[str]]:
    """Return the event stream of each sample and of each further program."""
    sys.modules["golden_samples"] = found = ModuleType("golden_samples")
    vars(found).update(SAMPLES=SAMPLES, gradient=gradient)
    for source in [*map(program, range(len(SAMPLES))), *MORE]:
        yield record.stream(source)


def main() -> None:
    """Write all streams, one after the other: each begins with program_started."""
    lines = [line for stream in streams() for line in stream]
    FILE.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
    print(
        f"{len(SAMPLES)} samples, {len(MORE)} programs, {len(lines)} events, {FILE.stat().st_size} bytes",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
