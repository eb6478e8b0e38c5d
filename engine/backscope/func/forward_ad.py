"""torch.autograd.forward_ad: dual levels, and the tensors that carry tangents through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from backscope.autograd.modes.decorator import _DecoratorContextManager
from backscope.autograd.modes.forward_mode import forward_mode
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.dual_tensor import laid_out_like, set_tangent, tangent_of
from backscope.autograd.transforms.level import Level, dual_level as current, levels, used
from backscope.autograd.transforms.transform_tensor import TransformTensor, wrapped
from backscope.autograd.views.lazy_views import is_conj, is_neg
from backscope.func.randomness import LEGACY
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor.strides import repeats_elements, storage_length, zeros_in_place_of
from backscope.tensor.tensor import Tensor, make
from backscope.torch_dispatch.mode_stack import watched


def enter_dual_level() -> int:
    """Open the level of forward mode and return its number; RuntimeError where it is open already."""
    if current() is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    levels.append(Level("dual", 0))
    used[:] = [True]
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level of forward mode and drop its tangents."""
    opened = current()
    number = -1 if opened is None else 0
    if (number if level is None else level) != number:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
        )
    if opened is None:
        raise RuntimeError("Dual level must be a positive number.")
    levels.remove(opened)
    opened.is_open = False


class UnpackedDualTensor(NamedTuple):
    """The two parts of a dual tensor."""

    primal: Value
    tangent: Value


UnpackedDualTensor.__module__ = "torch.autograd.forward_ad"


def make_dual(tensor: Value, tangent: Value, *, level: int | None = None) -> Value:
    """A view of `tensor` that carries `tangent` through the ops of the open level.

    RuntimeError where no level is open or the sizes differ, ValueError for types that can't be differentiated.
    """
    number = (-1 if current() is None else 0) if level is None else level
    if number < 0:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for what, value in (("primal", tensor), ("tangent", tangent)):
        refuse_whole_numbers(what, value)
    return dual(tensor, tangent)


def refuse_whole_numbers(what: str, tensor: Value) -> None:
    """Raise ValueError for a primal or a tangent of a type that can't be differentiated."""
    if not isinstance(tensor, Tensor):
        raise AttributeError(f"{type(tensor).__name__!r} object has no attribute 'is_floating_point'")
    if tensor._dtype.category < 2:
        raise ValueError(f"Expected {what} to be floating point or complex, but got: {tensor.dtype}")


def dual(tensor: Value, tangent: Value, *, expanded: bool = False) -> Value:
    """The dual tensor; one of autograd's own vmap is made of whole batches, for which the primal may be `expanded`."""
    mapping = [
        t.level for t in (tensor, tangent) if t.__class__ is TransformTensor and t.level is not None and t.level.is_open
    ]
    innermost = max(mapping, key=lambda x: x.serial, default=None)
    if innermost is not None and innermost.kind == "vmap":
        if innermost.randomness != LEGACY:
            from backscope.func.transform_errors import unmapped

            raise unmapped("aten::_make_dual")
        from backscope.func.batching import batched_dual

        return batched_dual(innermost, tensor, tangent)
    if tensor._data.shape != tangent._data.shape:
        raise size_error(tensor, tangent)
    if tensor._dtype.is_complex and not tangent._dtype.is_complex:
        tangent = tangent.to(tensor._dtype)
    if tangent_of(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not "
            "supported."
        )
    if tangent_of(tangent) is not None:
        raise RuntimeError(
            "Setting a forward grad that itself has a forward gradient at the same level0 is not supported."
        )
    out = _aliased(tensor, lambda: tensor.view(tensor.shape))
    if not expanded and not _same_geometry(tensor, tangent):
        plain = tangent.__class__ is tensor.__class__ is Tensor and tangent._dtype is tensor._dtype
        copied = zeros_with_meta(tangent, tensor) if plain else laid_out_like(tangent, tensor)
        copied = copied.conj() if is_conj(tensor) else copied
        if is_neg(tensor):
            from backscope.ops.core.namespace import torch_functions

            copied = torch_functions["_neg_view"](copied)
        tangent = copied.copy_(tangent)
    set_tangent(out, tangent)
    if hub.listener is not None and out.inner is None:
        hub.listener.tangent_computed(out, 0, None, tangent)
    return out


def _same_geometry(tensor: Value, tangent: Value) -> bool:
    """Return True when a tangent has its tensor's offset and strides; otherwise the tangent is copied."""
    if is_conj(tensor) is not is_conj(tangent) or is_neg(tensor) is not is_neg(tangent):
        return False
    if not isinstance(tensor._data, np.ndarray) or not isinstance(tangent._data, np.ndarray):
        return True
    if repeats_elements(tensor._data):
        return bool(tensor._data.strides == tangent._data.strides)
    if tensor.storage_offset() != tangent.storage_offset() and tensor._data.size:
        return False
    if tensor.__class__ is TransformTensor or tangent.__class__ is TransformTensor:
        return True
    return storage_length(tensor._data) == storage_length(tangent._data)


def zeros_with_meta(tensor: Value, like: Value, batch_dims: int = 0) -> Value:
    """Return zeros of the type of `like`, with its strides and offset in memory of the same size.

    The leading `batch_dims` of `tensor` come first.
    """
    data = zeros_in_place_of(like._array(), tuple(tensor._data.shape[:batch_dims]), like._dtype.np)
    return make(data, like._dtype)


def size_error(tensor: Value, tangent: Value) -> RuntimeError:
    """The error for a tangent of another size than its primal's."""
    return RuntimeError(
        "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
        f"supported. Tensor is of size {list(tensor._data.shape)} while the given forward gradient is of size "
        f"{list(tangent._data.shape)}."
    )


def unpack_dual(tensor: Value, *, level: int | None = None) -> UnpackedDualTensor:
    """The primal and the tangent of a tensor; the tangent is None where it has none."""
    number = (-1 if current() is None else 0) if level is None else level
    if number < 0:
        return UnpackedDualTensor(tensor, None)
    if not isinstance(tensor, Tensor):
        from backscope.ops.core.namespace import argument_error

        raise argument_error("_unpack_dual", "dual", 1, tensor)
    if current() is None:
        return UnpackedDualTensor(_primal(tensor), None)
    if (
        isinstance(tensor, TransformTensor)
        and tensor.batch_dim is not None
        and tensor.level is not None
        and tensor.level.is_open
    ):
        below = unpack_dual(tensor.inner, level=level)
        mapping, dim = tensor.level, tensor.batch_dim
        again = [None if t is None else wrapped(t, mapping, dim) for t in below]
        return UnpackedDualTensor(*again)
    from backscope.func.tangent import primal_of

    return UnpackedDualTensor(_primal(primal_of(tensor)), tangent_of(tensor))


def _primal(tensor: Tensor) -> Any:
    from backscope.ops.core.declaration import primitives
    from backscope.ops.core.dispatch import apply

    return _aliased(tensor, lambda: apply(primitives["fw_primal"], tensor))


def _aliased(tensor: Tensor, view: Callable[[], Any]) -> Any:
    """Return the result of `view()`, reported to modes and subclasses as an alias of the tensor."""
    if not watched:
        return view()
    from backscope.ops.names.aten import packet
    from backscope.torch_dispatch.interception import hand_over, intercepted, undispatched

    if not intercepted((tensor,)):
        return view()
    enabled = mode.enabled

    def compute() -> Any:
        with undispatched(enabled):
            return view()

    return hand_over(packet("alias").default, (tensor,), {}, compute)  # type: ignore[union-attr]


class _set_fwd_grad_enabled(_DecoratorContextManager):  # noqa: N801 - PyTorch's own name
    """Sets at once whether tangents are computed; as a context manager it is restored at the end."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.value = mode
        self.before = forward_mode.enabled
        forward_mode.enabled = mode

    def __enter__(self) -> None:
        forward_mode.enabled = self.value

    def __exit__(self, *exc: object) -> None:
        forward_mode.enabled = self.before

    def clone(self) -> _set_fwd_grad_enabled:
        """A copy of this context, for one call of a decorated function."""
        return _set_fwd_grad_enabled(self.value)


def current_level() -> int:
    """The number of the innermost open level, -1 where none is open."""
    return -1 if current() is None else 0


def set_fwd_grad_enabled(enabled: bool) -> None:
    """Set whether tangents are computed."""
    forward_mode.enabled = enabled


def _is_fwd_grad_enabled() -> bool:
    return forward_mode.enabled


class dual_level(_DecoratorContextManager):  # noqa: N801 - PyTorch's own name
    """The level of forward mode as a context manager and decorator."""

    def __enter__(self) -> int:  # type: ignore[override]
        return enter_dual_level()

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        exit_dual_level()
