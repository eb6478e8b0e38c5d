"""repr of a tensor is PyTorch's to the character: recorded texts, options, and live comparison where PyTorch is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from backscope.tensor import printing
from backscope.tensor.printing import format_scalar, format_tensor

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("printing.json").read_text("utf-8"))
IDS = [f"{i}-{case['what']}-{case['dtype']}".replace(" ", "_") for i, case in enumerate(CASES)]


def values(case: dict[str, Any]) -> np.ndarray:
    """The recorded array."""
    kind = np.dtype(ml_dtypes.bfloat16 if case["dtype"] == "bfloat16" else case["dtype"])
    return np.frombuffer(bytes.fromhex(case["hex"]), dtype=kind).reshape(case["shape"])


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    """Every test starts with PyTorch's defaults and leaves them."""
    printing.set_printoptions(profile="default")
    yield
    printing.set_printoptions(profile="default")


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_recorded_texts(case: dict[str, Any]) -> None:
    """What real PyTorch printed, with its dtypes, specials, summaries, line breaks, suffixes and options."""
    with printing.printoptions(**case["options"]):
        text = format_tensor(values(case), suffixes=case["suffixes"], default_dtype=case["default_dtype"])
    assert text == case["text"]


def test_zero_dimensional_values_may_be_numpy_scalars() -> None:
    """The engine keeps 0-d values as numpy scalars."""
    assert format_tensor(np.float32(1.5)) == "tensor(1.5000)"
    assert format_tensor(np.bool_(True)) == "tensor(True)"
    assert format_tensor(np.float64(2)) == "tensor(2., dtype=torch.float64)"


def test_layout_in_memory_does_not_matter() -> None:
    """A transposed or reversed view prints like its copy."""
    base = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    for view in (base.T, base[::-1], base[:, ::2]):
        assert format_tensor(view) == format_tensor(view.copy())


def test_a_subclass_prints_its_name_and_indents_by_it() -> None:
    """The prefix decides the column that continuation lines start in."""
    assert format_tensor(np.eye(2, dtype=np.float32), prefix="MyTensor(") == "MyTensor([[1., 0.],\n          [0., 1.]])"


def test_options_last_for_the_block_even_when_it_raises() -> None:
    """printoptions restores what was set before it."""
    printing.set_printoptions(precision=2)
    inside = {}
    with pytest.raises(KeyError), printing.printoptions(precision=6, linewidth=40):
        inside[printing.get_printoptions()["linewidth"]].append("raises")
    assert printing.get_printoptions() == {
        "precision": 2,
        "threshold": 1000,
        "edgeitems": 3,
        "linewidth": 80,
        "sci_mode": None,
    }


def test_setting_another_option_resets_the_notation() -> None:
    """sci_mode falls back to automatic with every call that does not give it, as in PyTorch."""
    printing.set_printoptions(sci_mode=True)
    printing.set_printoptions(precision=3)
    assert format_tensor(np.float32([0.5])) == "tensor([0.500])"


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [
        (np.float32(0.1), ".1f", "0.1"),
        (np.float32(0.1), "", "0.10000000149011612"),
        (np.array(1.5), "8.2f", "    1.50"),
        (ml_dtypes.bfloat16(0.5), ".3e", "5.000e-01"),
        (np.int64(7), "03d", "007"),
        (np.bool_(True), "", "True"),
        (np.complex64(1 + 2j), "", "(1+2j)"),
    ],
)
def test_format_of_a_zero_dimensional_value(value: Any, spec: str, text: str) -> None:
    """f"{loss:.1f}" formats the Python number."""
    assert format_scalar(value, spec) == text


@pytest.mark.torch
def test_records_are_what_pytorch_prints() -> None:
    """The recorded texts are real PyTorch's."""
    torch = pytest.importorskip("torch")
    try:
        for case in CASES:
            assert printed_by(torch, case) == case["text"], case["what"]
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_printoptions(profile="default")


def printed_by(torch: Any, case: dict[str, Any]) -> str:
    """What PyTorch prints for a case."""
    array = values(case).copy()
    if case["dtype"] == "bfloat16":
        tensor = torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    else:
        tensor = torch.from_numpy(array)
    if case["suffixes"]:
        tensor.requires_grad_()
    if case["suffixes"] == ["grad_fn=<CloneBackward0>"]:
        tensor = tensor.clone()
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**case["options"])
    torch.set_default_dtype(getattr(torch, case["default_dtype"]))
    return repr(tensor)
