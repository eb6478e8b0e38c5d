"""The gradient of a determinant that is itself differentiated, singular matrices included."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import xp
from backscope.ops.core.namespace import linalg, torch_functions
from backscope.ops.linalg.matrices import conjugate
from backscope.ops.reduce.reduction import product_gradient
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor, of_raw


def recorded_gradient(g: Value, a: Tensor, det: Value) -> Value:
    """Return the gradient: the solution of A^H X = g conj(det) I, for nearly singular matrices the adjugate."""
    if not a._data.size:
        return torch_functions["zeros_like"](a)
    least = 100 * np.finfo(a._data.dtype).eps
    values = getattr(det._data, "whole", det._data)  # Inside vmap this covers all examples.
    singular = np.asarray(np.abs(values) < least)
    if not singular.any():
        return _of_regular(g, a, det)
    if singular.all() or values is not det._data:
        return _of_singular(g, a)
    marked, others = (of_raw(np.asarray(m)) for m in (singular, ~singular))
    found = torch_functions["empty_like"](a)
    found = found.index_put((marked,), _of_singular(g[marked], a[marked]))  # type: ignore[index]
    return found.index_put((others,), _of_regular(g[others], a[others], det[others]))  # type: ignore[index]


def _of_regular(g: Value, a: Value, det: Value) -> Any:
    right = (g * conjugate(det)).unsqueeze(-1).expand(a.shape[:-1])
    return linalg["solve"](a.mH, torch_functions["diag_embed"](right).mT)


def _of_singular(g: Value, a: Value) -> Any:
    """Compute the gradient from products of all singular values but one, differentiable where several are 0."""
    u, values, vh = linalg["svd"](a)
    scale = conjugate(linalg["det"](u) * linalg["det"](vh)) * g
    others = product_gradient(scale.unsqueeze(-1), values, values.ndim - 1)
    return (u * xp.unsqueeze(others, -2)).matmul(vh)
