"""The errors for what a program may not do inside a transform."""

from __future__ import annotations

from backscope.autograd.transforms.absent import Absent
from backscope.autograd.transforms.level import differentiating_above, levels
from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor


def refuse_backward() -> None:
    """Raise RuntimeError for `.backward()` inside a transform, where it has no meaning."""
    if any(x.kind != "dual" for x in levels):
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, please use functorch.grad or "
            "functorch.vjp instead or call backward() outside of functorch transforms."
        )


def refuse_captured(tensor: Tensor, name: str) -> None:
    """Raise RuntimeError for the in-place op `aten::name` inside grad, vjp or jvp on a tensor from outside of it."""
    if levels and differentiating_above(tensor.level if tensor.__class__ is TransformTensor else None) is not None:
        from backscope.func.transform_errors import captured

        raise captured(f"aten::{name}")


def refuse_requires_grad() -> None:
    """Raise RuntimeError for requires_grad_() inside a transform: its arguments say what is differentiated."""
    if any(x.refuses for x in levels):
        raise RuntimeError(
            "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) "
            "inside of a function being transformed by a functorch transform. This is unsupported, please attempt to "
            "use the functorch transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside "
            "of a function being transformed instead."
        )


def refuse_retain_grad() -> None:
    """Raise RuntimeError for retain_grad() inside a transform, which returns its gradients itself."""
    if any(x.kind != "dual" for x in levels):
        raise RuntimeError(
            "You are attempting to call Tensor.retain_grad() inside of a function being transformed by a functorch "
            "transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, jacrev, "
            "jacfwd, hessian) or call retain_grad() outside of a function being transformed instead."
        )


def refuse_dynamic(tensor: Tensor, name: str) -> None:
    """Raise RuntimeError inside vmap for a function if the shape of its result depends on the values of `tensor`."""
    if tensor.__class__ is TransformTensor and isinstance(tensor._data, Absent):
        from backscope.func.transform_errors import dynamic_shape

        raise dynamic_shape(name)


NO_ALLCLOSE = (
    "vmap over torch.allclose isn't supported yet. Please file an issue at https://github.com/pytorch/pytorch/issues "
    "if you need this feature."
)


def refuse_reading(tensors: tuple[Value, ...], text: str) -> None:
    """Raise RuntimeError inside vmap for a function that reads values of `tensors`."""
    if any(isinstance(t, TransformTensor) and isinstance(t._data, Absent) for t in tensors):
        raise RuntimeError(text)
