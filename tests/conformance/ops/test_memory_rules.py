"""Rules of PyTorch about the memory that is written to: `out=`, `data`, lazily negated views, expanded tangents."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]

PROGRAMS = {
    "data of a lazily negated view is that of an ordinary tensor": """
x = torch._neg_view(torch.ones(2))
x.data = x.data * 2
result = x.is_neg(), x
""",
    "data may be a lazily conjugated view": """
x = torch.ones(2, dtype=torch.complex64)
x.data = torch.full((2,), 1 + 2j).conj()
result = x.is_conj(), x
""",
    "a view with other data keeps its gradient when its base changes": """
x = torch.ones(3).requires_grad_()
view, other = x.unsqueeze(0), x.unsqueeze(0)
view.data = view.data * 2
other.detach().mul_(1.0)
view.backward(torch.ones(1, 3))
result = x.grad
""",
    "arange into a result": """
x = torch.ones(3).requires_grad_() * 2
torch.arange(3, out=x)
result = x, x.grad_fn.name(), x._version
""",
    "zeros into a view of a result": """
x = (torch.ones(3).requires_grad_() * 2)[:]
torch.zeros(3, out=x)
result = x, x.grad_fn.name()
""",
    "linspace into a leaf": """
result = torch.linspace(0, 1, 3, out=torch.ones(3).requires_grad_())
""",
    "fill_ of a lazily negated expanded view": """
result = torch._neg_view(torch.ones(2)).expand(3, 2).fill_(1.0)
""",
    "zero_ of a lazily conjugated expanded view": """
result = torch.ones(2, dtype=torch.complex64).conj().expand(3, 2).zero_()
""",
    "fill_ of an expanded dual tensor": """
with torch.autograd.forward_ad.dual_level():
    dual = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))
    dual.expand(3, 2).fill_(4.0)
    result = tuple(torch.autograd.forward_ad.unpack_dual(dual))
""",
    "new_tensor of a lazily negated view": """
result = torch._neg_view(torch.ones(2)).new_tensor([1.0])
""",
    "index_select resizes out before it reads": """
out = torch.zeros(5)
try:
    torch.index_select(torch.ones(3), 0, torch.tensor([3]), out=out)
except IndexError as error:
    result = out.shape, error
""",
    "take refuses the dtype of out before it counts elements": """
result = torch.take(torch.zeros(0), torch.tensor([0]), out=torch.zeros(1, dtype=torch.float64))
""",
    "gather resizes out before it looks at its index": """
out = torch.zeros(5)
try:
    torch.gather(torch.ones(3), 0, torch.tensor([0.5]), out=out)
except RuntimeError as error:
    result = out.shape, error
""",
    "index_copy resizes out before it looks at its arguments": """
out = torch.zeros(5)
try:
    torch.index_copy(torch.ones(3), 0, torch.tensor([0]), torch.ones(1, dtype=torch.float64), out=out)
except RuntimeError as error:
    result = out.shape, error
""",
    "index_copy into out refuses what requires grad": """
result = torch.index_copy(torch.ones(3).requires_grad_(), 7, torch.tensor([0]), torch.ones(1), out=torch.zeros(3))
""",
    "index_add resizes out before it looks for its indices": """
out = torch.zeros(5)
try:
    torch.index_add(torch.ones(3), 0, torch.tensor([3]), torch.ones(1), out=out)
except IndexError as error:
    result = out.shape, error
""",
    "index_add refuses shapes before the dtype of out": """
result = torch.index_add(torch.ones(3), 0, torch.tensor([[3]]), torch.ones(1), out=torch.zeros(3, dtype=torch.int64))
""",
    "scatter refuses the dtype of out before it looks for its indices": """
result = torch.scatter(torch.ones(3), 0, torch.tensor([3]), torch.ones(1), out=torch.zeros(3, dtype=torch.int64))
""",
    "scatter of a number resizes out before it looks for its indices": """
out = torch.zeros(5)
try:
    torch.scatter(torch.ones(3), 0, torch.tensor([3]), 2.0, out=out)
except RuntimeError as error:
    result = out.shape, error
""",
    "masked_select refuses the dtype of out before the shape of the mask": """
result = torch.masked_select(torch.ones(3), torch.tensor([True, False]), out=torch.zeros(1, dtype=torch.int64))
""",
    "take_along_dim into out checks its indices before gather refuses what requires grad": """
result = torch.take_along_dim(torch.ones(3).requires_grad_(), torch.tensor([0.5]), 0, out=torch.zeros(1))
""",
    "take_along_dim into out is refused as gather": """
result = torch.take_along_dim(torch.ones(3).requires_grad_(), torch.tensor([0]), 0, out=torch.zeros(1))
""",
    "division into a part of an operand": """
x = torch.ones(2, 3)
result = torch.div(torch.ones(2, 3), x[0], out=x)
""",
    "remainder into a part of an operand": """
x = torch.ones(2, 3)
result = torch.remainder(torch.ones(2, 3), x[0], out=x)
""",
    "division into an operand": """
x = torch.ones(2, 3)
result = torch.div(torch.ones(2, 3), x, out=x)
""",
    "matmul resizes out before it refuses its dtype": """
out = torch.zeros(5, dtype=torch.int64)
try:
    torch.matmul(torch.ones(2, 2, 2), torch.ones(2, 2, 2), out=out)
except RuntimeError as error:
    result = out.shape, error
""",
    "an index out of range is named by its position among the parts": """
result = torch.zeros(2, 3, 4)[..., 9]
""",
    "nothing is out of range where nothing is read": """
result = torch.zeros(3, 0)[torch.tensor([7])].shape
""",
}


def outcome(program: str, torch: Any) -> str:
    """Run a program; return its result, or its error, as text."""
    space: dict[str, Any] = {"torch": torch}
    try:
        exec(program, space)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return repr(space["result"])


@pytest.mark.parametrize("name", PROGRAMS)
def test_follows_the_rules_of_pytorch(name: str) -> None:
    ours, theirs = importlib.import_module("backscope.torch"), importlib.import_module("torch")
    assert outcome(PROGRAMS[name], ours) == outcome(PROGRAMS[name], theirs)
