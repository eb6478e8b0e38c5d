"""torch.autograd.backward and grad, which classes with a __torch_function__ take over."""

from __future__ import annotations

from typing import Any


def holding(torch: Any, seen: list[Any]) -> Any:
    """Return a tensor class that holds another tensor and adds the functions that it runs for that to `seen`."""

    class Holding(torch.Tensor):  # type: ignore[misc,name-defined]
        held: Any

        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func in (torch.autograd.backward, torch.autograd.grad):
                seen.append((func.__name__, len(args), sorted(kwargs or {})))
                args = tuple(
                    tuple(b.held if isinstance(b, cls) else b for b in a)
                    if isinstance(a, tuple)
                    else getattr(a, "held", a)
                    for a in args
                )
                return func(*args, **(kwargs or {}))
            return super().__torch_function__(func, types, args, kwargs or {})

    def make(tensor: Any) -> Any:
        with torch._C.DisableTorchFunction():
            made = tensor.detach().as_subclass(Holding)
            made.held = tensor
        return made

    return make


def test_backward_is_handed_over(torch: Any) -> None:
    """With the tensors by position and everything else by name."""
    seen: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    torch.autograd.backward(holding(torch, seen)((x * 3).sum()))
    assert seen == [("backward", 1, ["create_graph", "grad_tensors", "inputs", "retain_graph"])]
    assert x.grad.tolist() == [3.0, 3.0]


def test_grad_is_handed_over(torch: Any) -> None:
    """Outputs and inputs by position, as tuples."""
    seen: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    (found,) = torch.autograd.grad(holding(torch, seen)((x * 3).sum()), x)
    assert seen[0][:2] == ("grad", 2)
    assert found.tolist() == [3.0, 3.0]


def test_plain_tensors_are_not(torch: Any) -> None:
    """A gradient of such a class alone hands nothing over."""
    seen: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    holding(torch, seen)(x)
    (x * 3).sum().backward()
    assert seen == []
    assert x.grad.tolist() == [3.0, 3.0]
