"""Errors of transforms for unsupported ops and arguments, with PyTorch's texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from backscope.autograd.transforms.level import Level
    from backscope.ops.core.declaration import Op


def captured_mutation(op: Op, args: tuple[Any, ...]) -> RuntimeError:
    """Raise the error for changing, inside grad, vjp or jvp, a tensor that is not an argument of the function."""
    from backscope.torch_dispatch.aten_call import aten_call

    name = aten_call(op, args, in_place=True)[0].name()
    return captured(_REGISTERED.get(name) or name.replace("_number_", "_.Scalar"))


_REGISTERED = {"aten::random_to_": "aten::random_.to", "aten::rrelu_with_noise_": "aten::rrelu_"}
"""The registered names of in-place ops that programs call by other names."""


def captured(name: str) -> RuntimeError:
    """The error for an in-place op on a captured tensor, by the name under which PyTorch registers the op."""
    return RuntimeError(
        f"During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
        f"({name}) that would mutate a captured Tensor. This is not supported; please rewrite the function being "
        "transformed to explicitly accept the mutated Tensor(s) as inputs."
    )


_NAMES = {"copy": "inplace arithmetic", "masked_fill": "inplace arithmetic"} | dict.fromkeys(
    ("mul", "sub", "div"), "inplace arithmetic"
)
_OWN_NAMES = {"fill_tensor": "fill_", "index_add": "index_add_", "index_put": "index_put_"}


def unbatched_mutation(level: Level, op: Op, args: tuple[Any, ...]) -> RuntimeError:
    """Raise the error for changing, inside vmap, a tensor that is not mapped over by one that is."""
    if op.name == "add":
        target, other = args[:2]
        wide = np.broadcast_shapes(target._data.shape, other._data.shape)
        return RuntimeError(
            f"output with shape {list(target._data.shape)} doesn't match the broadcast shape {[level.size, *wide]}"
        )
    known = _NAMES.get(op.name) or _OWN_NAMES.get(op.name)
    name = known or f"aten::{re.sub('_(number|tensors|value)$', '', op.torch_name)}_"
    return RuntimeError(
        f"vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that has "
        "more elements than `self`. This happened due to `other` being vmapped over but `self` not being vmapped over "
        f"{'in a vmap' if known else f'at level {level.depth}'}. Please try to use out-of-place operators instead of "
        f"{name}. If said operator is being called inside the PyTorch framework, please file a bug report instead."
    )


_REDUCING = frozenset(
    {
        "all", "amax", "amin", "any", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logsumexp", "max_all",
        "max_dim", "mean_all", "mean_dim", "median_dim", "min_all", "min_dim", "nansum", "prod_all", "prod_dim",
        "softmax", "sort", "std", "sum", "sum_all", "topk", "var", "var_mean",
    }
)  # fmt: skip


def escaped(op_name: str) -> RuntimeError:
    """Return the error for using a tensor that a vmap maps over after the vmap."""
    if op_name in ("stack", "cat"):
        return RuntimeError(
            'maybe_level.has_value() INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/functorch/'
            'LegacyBatchingRegistrations.cpp":74, please report a bug to PyTorch. '
        )
    where = "boxed_reduction_batch_rule" if op_name in _REDUCING else "gen_vmap_plumbing"
    return RuntimeError(
        "Either your tensor may have escaped from inside a function being vmapped and this is a user error (see "
        "https://pytorch.org/functorch/stable/ux_limitations.html), or there is an internal functorch error in "
        f"`{where}` Please file an issue if it looks like the latter"
    )


def dynamic_shape(name: str) -> RuntimeError:
    """Return the error for a function inside vmap with a result of a shape that depends on values."""
    if name == "masked_select":
        return RuntimeError(
            "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot support this because for "
            "each batch this would return a differently shaped Tensor. Please file an issue at "
            "https://github.com/pytorch/pytorch/issues if you need this feature."
        )
    if name == "index":
        return RuntimeError(
            "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over "
            "indexing with a boolean mask."
        )
    return RuntimeError(
        "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
        f"aten::{name}. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this feature."
    )


def unmapped(op: str) -> RuntimeError:
    """The error for an op of the real namespace that vmap can't map."""
    return RuntimeError(f"Batching rule not implemented for {op}; the fallback path doesn't work on out= or view ops.")
