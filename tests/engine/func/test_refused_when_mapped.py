"""What a vmap has no rule for: dual tensors of what it maps over, and detaching that in place."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")


def test_dual_tensors_of_what_is_mapped_over(torch: Any) -> None:
    """Made by the program they are refused, but for tensors from outside; transforms and autograd make their own."""
    fw = torch.autograd.forward_ad
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])

    def doubled(primal: Any, tangent: Any) -> Any:
        with fw.dual_level():
            return fw.unpack_dual(fw.make_dual(primal, tangent) * 2).tangent

    text = "Batching rule not implemented for aten::_make_dual; the fallback path doesn't work on out= or view ops."
    ones = torch.ones(2)
    for call in (lambda a: doubled(a, torch.ones_like(a)), lambda a: doubled(a * 1, ones), lambda a: doubled(ones, a)):
        for mapped in (torch.vmap(call), torch.vmap(call, chunk_size=1)):
            with pytest.raises(RuntimeError) as raised:
                mapped(x)
            assert str(raised.value).startswith(text)
    assert torch.vmap(lambda a: doubled(ones, ones) + a)(x).tolist() == [[3.0, 4.0], [5.0, 6.0]]
    assert torch.vmap(lambda a: torch.func.jvp(torch.sin, (a,), (a * 0,))[1])(x).tolist() == [[0.0, 0.0]] * 2
    rows = torch.autograd.functional.jacobian(lambda a: a * a, x[0], vectorize=True, strategy="forward-mode")
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_what_is_mapped_over_is_not_detached_in_place(torch: Any) -> None:
    """It is a view of the batch, and so is what is computed from it; what a vmap does not map over is not."""
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    for call in (lambda a: a.detach_(), lambda a: (a * 2).detach_()):
        with pytest.raises(RuntimeError, match="Can't detach views in-place"):
            torch.vmap(call)(x)
    assert torch.vmap(lambda a: torch.ones(2).detach_() + a)(x).tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert torch.func.grad(lambda a: (a * a).detach_().sum())(x).tolist() == [[0.0, 0.0], [0.0, 0.0]]
