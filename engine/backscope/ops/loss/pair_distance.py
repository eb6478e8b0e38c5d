"""pdist: the distances of all pairs of rows, each once."""

from __future__ import annotations

import numpy as np

from backscope.autograd.not_implemented import no_derivative
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.loss import row_distance  # noqa: F401 - declares the distances of all rows
from backscope.runtime.given import Value
from backscope.tensor.dtype import FLOATING, LOW_PRECISION
from backscope.tensor.tensor import Tensor


def _square(pairs: A, rows: int) -> A:
    """Return the values of pairs as a symmetric matrix of all rows, with 0 on its diagonal."""
    out = np.zeros((rows, rows), pairs.dtype)
    at = np.triu_indices(rows, 1)
    out[at] = pairs
    out.T[at] = pairs
    return out


@op(
    name="pdist_forward",
    grad_fn="PdistBackward0",
    symbol="‖xᵢ − xⱼ‖",
    latex={"self": r"\textstyle\sum_j g_{ij} \frac{\partial\,\lVert x_i - x_j \rVert}{\partial x_i}"},
    summary={"self": "adds up, for each row of {self}, the incoming gradient along the differences to the others"},
)
class pair_distances:
    """The p-norms of the differences of all pairs of rows, each once."""

    def forward(self: A, p: float) -> A:
        return primitives["cdist_forward"].forward(self, self, p)[np.triu_indices(len(self), 1)]

    def grad_self(g: V, self: V, result: V, p: V) -> V:
        return xp.pdist_backward(g, self, p, result)


@op(
    name="pdist_backward",
    grad_fn="PdistBackwardBackward0",
    symbol="‖xᵢ − xⱼ‖′",
    latex=dict.fromkeys(("grad", "self"), r"\text{not implemented}"),
    summary=dict.fromkeys(("grad", "self"), "has no formula, as in PyTorch"),
)
class pair_distances_backward:
    """The gradient of rows by the distances between them."""

    def forward(grad: A, self: A, p: float, pdist: K) -> A:
        rows = len(self)
        slope = primitives["cdist_forward"].formulas["x1"]
        return slope(_square(grad, rows), self, self, _square(pdist, rows), p, self.shape)

    def grad_grad(g: V) -> V:
        raise no_derivative("_pdist_backward")

    def grad_self(g: V) -> V:
        raise no_derivative("_pdist_backward")


@export(method=False, nn=True)
def pdist(input: Tensor, p: float = 2.0) -> Value:  # noqa: A002
    """The distances of all pairs of rows, each once.

    Shape: [N, M] -> [N (N - 1) / 2].
    """
    if input._data.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._data.ndim}D")
    if input._dtype.category != FLOATING:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if input._dtype in LOW_PRECISION and input._data.size and len(input._data) > 1:
        raise no_kernel("pdist", input._dtype)
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return apply(primitives["pdist_forward"], input, float(p))
