"""What `out=` may be: every function that has a rule takes it, and the rule says what becomes of another dtype."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from backscope.ops.core.arguments import out_dtypes


def test_every_rule_is_of_a_function_that_takes_out(ours: Any) -> None:
    """A rule for a function that was renamed, or that takes no `out=`, would never be used."""
    spaces = {"linalg": ours.linalg, "fft": ours.fft}
    names = {*out_dtypes._RULES, *out_dtypes._SEVERAL, *out_dtypes.COMPUTING, *out_dtypes.MAKING}
    names |= set(out_dtypes._JOINING.split())
    refusing = set()
    for name in names:
        prefix, _, short = name.partition("_")
        homes = [spaces[prefix]] if prefix in spaces else [ours, ours.nn.functional]
        functions = [getattr(home, short if prefix in spaces else name, None) for home in homes]
        if not any(f and (hasattr(f, "takes_out") or "out" in inspect.signature(f).parameters) for f in functions):
            refusing.add(name)
    assert refusing == set()


@pytest.mark.parametrize(
    ("name", "found", "out", "error"),
    [
        ("add", "float32", "float64", None),
        ("add", "float32", "int64", "result type Float can't be cast to the desired output type Long"),
        ("mm", "float32", "float64", "Expected out tensor to have dtype float, but got double instead"),
        ("cat", "float32", "int64", "torch.cat(): input types can't be cast to the desired output type Long"),
        ("fft_fft2", "complex64", "float32", "fftn expects a complex output tensor, but got Float"),
        ("all", "bool", "uint8", None),
    ],
)
def test_rules(ours: Any, name: str, found: str, out: str, error: str | None) -> None:
    """Where a dtype does not fit, the text is the function's own."""
    kinds = getattr(ours, found), getattr(ours, out)
    if error is None:
        out_dtypes.check_dtype(name, *kinds)
        return
    with pytest.raises((RuntimeError, TypeError)) as caught:
        out_dtypes.check_dtype(name, *kinds)
    assert str(caught.value) == error
