"""How a Tensor prints: its values by `printing`, then what PyTorch adds about its gradient."""

from __future__ import annotations

import textwrap

import numpy as np

from backscope.autograd.transforms.dual_tensor import tangent_of
from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.autograd.views.lazy_views import refresh
from backscope.runtime.given import Value
from backscope.tensor.dtype import default, dtype
from backscope.tensor.parameter import Parameter
from backscope.tensor.printing import format_tensor, with_suffixes
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.tensor import Tensor


def represent(tensor: Tensor) -> str:
    """PyTorch's text for a tensor, `tensor([1., 2.], requires_grad=True)`; subclasses other than Parameter by name."""
    kind = type(tensor)
    if kind is TransformTensor and tensor.inner is not None:  # type: ignore[attr-defined]
        return _wrapper(tensor)
    plain = kind is Tensor or kind is Parameter or kind is TransformTensor
    suffixes: list[str] = []
    try:
        grad_fn = tensor.grad_fn
        name = None if grad_fn is None else type(grad_fn).__name__
        if name == "CppFunction":
            name = grad_fn.name().rpartition("::")[2]
    except RuntimeError:
        name = "Invalid"
    if name is not None:
        suffixes.append(f"grad_fn=<{name}>")
    elif tensor._requires_grad:
        suffixes.append("requires_grad=True")
    tangent = tangent_of(tensor) if kind is TransformTensor else None
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")
    if isinstance(tensor._data, Sparse):
        return _of_sparse(tensor._data, suffixes)
    if tensor._view is not None:
        refresh(tensor)
    if tensor.is_meta:
        return _without_data(tensor, "tensor(" if plain else f"{kind.__name__}(", suffixes)
    text = format_tensor(
        np.asarray(tensor._data),
        prefix="tensor(" if plain else f"{kind.__name__}(",
        suffixes=suffixes,
        default_dtype=default.floating.name,
    )
    return f"Parameter({text})" if isinstance(tensor, Parameter) and not plain else text


def _without_data(tensor: Tensor, prefix: str, suffixes: list[str]) -> str:
    """The text of a meta tensor: its size and dtype."""
    notes = [f"device='meta', size={tuple(tensor.shape)}"]
    if tensor._dtype not in (default.floating, default.complex):
        notes.append(f"dtype={tensor._dtype}")
    return with_suffixes(prefix + "...", [*notes, *suffixes], len(prefix))


def _wrapper(tensor: Value) -> str:
    """A tensor of a transform: its level, and what it wraps."""
    depth = tensor.level.depth if tensor.level.is_open or tensor.batch_dim is not None else -2
    if tensor.batch_dim is None:
        head = f"GradTrackingTensor(lvl={depth}, value="
    else:
        head = f"BatchedTensor(lvl={depth}, bdim={tensor.batch_dim}, value="
    return f"{head}\n{textwrap.indent(repr(tensor.inner), '    ')}\n)"


def _of_sparse(data: Sparse, suffixes: list[str]) -> str:
    """Indices, values, size and layout of a sparse tensor."""
    indices = format_tensor(data.indices, prefix="tensor(indices=tensor(", suffixes=[], default_dtype="int64")
    values = format_tensor(
        data.values,
        prefix="       values=tensor(",
        suffixes=["size=(0,)"] if data.values.shape == (0,) else [],
        default_dtype=dtype.table[data.dtype].name,
    )
    kind = dtype.table[data.dtype]
    named = [] if kind is default.floating or kind.name in ("int64", "bool") else [f"dtype=torch.{kind.name}"]
    size = f"       size={tuple(data.shape)}"
    rest = [f"nnz={len(data.values)}", *named, "layout=torch.sparse_coo", *suffixes]
    return with_suffixes(f"{indices},\n{values},\n{size}", rest, 7, len(size))
