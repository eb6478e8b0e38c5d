"""HigherOrderOperator outside transforms: the rule for the dispatch key of the tensors runs, or that of an alias."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from typing import Any

import pytest

KEYS = ["AutogradCPU", "Autograd", "CompositeImplicitAutograd", "ADInplaceOrView", "CPU", "CompositeExplicitAutograd"]


def operator(torch: Any, *keys: str) -> Any:
    """An op with a rule for each dispatch key, which returns the key's name."""

    class Op(importlib.import_module(f"{torch.__name__}._ops").HigherOrderOperator):  # type: ignore[misc]
        def __call__(self, *args: Any) -> Any:
            return super().__call__(*args)

    def rule(key: str) -> Callable[..., str]:
        return lambda *args: key

    op = Op("op_of_" + "_".join(keys))
    for key in keys:
        op.py_impl(getattr(torch._C.DispatchKey, key))(rule(key))
    return op


def outcome(op: Any, *args: Any) -> str:
    """Return the key of the rule that ran, or the text of the error."""
    try:
        return str(op(*args))
    except NotImplementedError as error:
        return str(error)


def outcomes(torch: Any, *keys: str) -> list[str]:
    """Return what calls of an op give: on a tensor, below autograd, in inference mode, and without a tensor."""
    results = []
    op = operator(torch, *keys)
    x = torch.ones(2, requires_grad=True)
    results.append(outcome(op, [x]))
    with torch._C._AutoDispatchBelowAutograd():
        results.append(outcome(op, x))
    with torch.inference_mode():
        results.append(outcome(op, torch.ones(2)))
    results.append(outcome(op, 3))
    return results


def test_rule_of_the_dispatch_key_runs(torch: Any) -> None:
    op = operator(torch, "AutogradCPU", "CPU")
    assert op(torch.ones(2)) == "AutogradCPU"
    with torch._C._AutoDispatchBelowAutograd():
        assert op(torch.ones(2)) == "CPU"
    assert operator(torch, "Autograd", "CompositeExplicitAutograd")(torch.ones(2)) == "Autograd"


def test_rule_calls_the_op_again_below_autograd(torch: Any) -> None:
    op = operator(torch)

    @op.py_impl(torch._C.DispatchKey.AutogradCPU)  # type: ignore[untyped-decorator]
    def recorded(x: Any) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            return op(x) + 1

    @op.py_impl(torch._C.DispatchKey.CompositeExplicitAutograd)  # type: ignore[untyped-decorator]
    def computed(x: Any) -> Any:
        return x * 3

    y = op(torch.ones(2, requires_grad=True))
    assert y.tolist() == [4.0, 4.0]
    assert not y.requires_grad


def test_call_without_a_rule_names_the_key(torch: Any) -> None:
    op = operator(torch, "Meta")
    with pytest.raises(
        NotImplementedError, match=r"op_of_Meta at dispatch key DispatchKey.AutogradCPU \(resolved from"
    ):
        op(torch.ones(2))
    with pytest.raises(NotImplementedError, match=r"op_of_Meta at dispatch key DispatchKey\.Undefined$"):
        op(3)


@pytest.mark.torch
def test_every_combination_of_rules_gives_what_pytorch_gives(ours: Any) -> None:
    real = importlib.import_module("torch")
    for count in range(4):
        for keys in itertools.combinations(KEYS, count):
            assert outcomes(ours, *keys) == outcomes(real, *keys), keys
