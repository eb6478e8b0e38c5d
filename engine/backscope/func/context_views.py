"""The ctx of a Function with other saved tensors, and gradients of batches summed to their inputs."""

from __future__ import annotations

from typing import Any

from backscope.func.vmap import vmap
from backscope.runtime.given import Dim, Shape, Value, Values
from backscope.tensor.tensor import Tensor


class WrappedCtx:
    """A ctx that wraps another one: attributes that it lacks are read from and written to that one."""

    _pt_reserved_attrs: tuple[str, ...] = ("_pt_reserved_attrs", "_pt_inner_ctx")

    def __init__(self, ctx: object) -> None:
        reserved = type(self)._pt_reserved_attrs
        if not isinstance(ctx, WrappedCtx) and any(hasattr(ctx, name) for name in reserved):
            raise RuntimeError(
                f"PyTorch reserves the {reserved} field on ctx. Please name your fields on ctx something else to avoid "
                "name collision."
            )
        self._pt_inner_ctx = ctx

    # Any: a ctx has the attributes that forward() put on it.
    def __getattr__(self, name: str) -> Any:
        return getattr(self._pt_inner_ctx, name)

    def __setattr__(self, name: str, value: Value) -> None:
        if name in type(self)._pt_reserved_attrs:
            self.__dict__[name] = value
        else:
            setattr(self._pt_inner_ctx, name, value)


class CtxWithSavedTensors(WrappedCtx):
    """A ctx that returns other saved tensors."""

    _pt_reserved_attrs = ("_pt_new_saved_tensors", *WrappedCtx._pt_reserved_attrs)

    def __init__(self, ctx: object, new_saved_tensors: Values) -> None:
        super().__init__(ctx)
        self._pt_new_saved_tensors = new_saved_tensors

    @property
    def saved_tensors(self) -> Values:
        """The tensors that replace the saved ones."""
        return self._pt_new_saved_tensors


def reductify_leaf(
    grad_input: Value,
    grad_input_bdim: int | None,
    input_bdim: int | None,
    batch_size: int,
    target_shape_without_bdim_to_reduce_to: Shape = None,
) -> Value:
    """The gradient of an input from one for a batch: summed over it where the input has none, else with the same dim.

    Each example's gradient is summed to the target shape, if one is given.
    """
    if grad_input is None or (grad_input_bdim is None and input_bdim is None):
        return grad_input
    if input_bdim is None:
        return grad_input.sum(grad_input_bdim)
    if grad_input_bdim is None:
        whole = grad_input.unsqueeze(input_bdim)
        grad_input = whole.expand([batch_size if d == input_bdim else n for d, n in enumerate(whole.shape)])
        grad_input_bdim = input_bdim
    if target_shape_without_bdim_to_reduce_to is None:
        return grad_input.movedim(grad_input_bdim, input_bdim)
    summed = vmap(Tensor.sum_to_size, in_dims=(grad_input_bdim, None), out_dims=input_bdim)  # type: ignore[attr-defined]
    return summed(grad_input, target_shape_without_bdim_to_reduce_to)


def reductify(
    grad_input: Value,
    grad_input_bdim: Dim,
    input_bdim: Dim,
    batch_size: int,
    target_shape_without_bdim_to_reduce_to: Shape = None,
) -> tuple[Any, ...]:
    """reductify_leaf for each of several gradients."""
    gradients = grad_input if isinstance(grad_input, tuple) else (grad_input,)
    dims = grad_input_bdim if isinstance(grad_input_bdim, tuple) else (grad_input_bdim,)
    own = input_bdim if isinstance(input_bdim, tuple) else (input_bdim,)
    shapes = target_shape_without_bdim_to_reduce_to or (None,) * len(gradients)
    return tuple(
        [reductify_leaf(g, d, o, batch_size, s) for g, d, o, s in zip(gradients, dims, own, shapes, strict=False)]
    )
