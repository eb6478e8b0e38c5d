"""Functions of matrices made of other ops: norms of matrices, powers, chains of products, condition numbers."""

from __future__ import annotations

import itertools
import math
from typing import Any

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.namespace import export, linalg, torch_functions
from backscope.ops.linalg.decompositions import svdvals
from backscope.ops.linalg.linear_systems import inv, inv_ex, solve
from backscope.ops.linalg.matrices import check_floating, check_matrix, check_square
from backscope.ops.reduce.norms import vector_norm
from backscope.runtime.given import Dim, Dtype, Value, Values
from backscope.tensor.dtype import BOOL, FLOATING, LOW_PRECISION
from backscope.tensor.tensor import Tensor


def matrix_norm(
    A: Tensor,
    ord: Value = "fro",  # noqa: A002
    dim: Dim = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: Dtype = None,
) -> Value:
    """A norm of matrices: "fro", "nuc", and of order 1, -1, 2, -2, inf, -inf."""
    check_matrix("linalg.matrix_norm", A)
    if len(dim) != 2:
        raise RuntimeError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    first, second = (wrap_dim(d, A._data.ndim) for d in dim)
    if first == second:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})")
    if dtype is not None:
        A = A.to(dtype)  # type: ignore[attr-defined]
    if isinstance(ord, str) and ord not in ("fro", "nuc"):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if ord == "fro":
        return vector_norm(A, 2, (first, second), keepdim)
    if ord == "nuc" or abs(ord) == 2:
        order = [d for d in range(A._data.ndim) if d not in (first, second)] + [first, second]
        values = svdvals(A.permute(order))  # type: ignore[attr-defined]
        reduce = values.sum if ord == "nuc" else values.amax if ord > 0 else values.amin
        found = reduce(-1, keepdim)
        return found.unsqueeze(-1).permute([order.index(d) for d in range(len(order))]) if keepdim else found
    if abs(ord) not in (1, math.inf):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    if math.isinf(ord):
        first, second = second, first
    sums = vector_norm(A, 1, first, keepdim)
    if not keepdim and second > first:
        second -= 1
    return sums.amax(second, keepdim) if ord > 0 else sums.amin(second, keepdim)


def norm(
    A: Tensor,
    ord: Value = None,  # noqa: A002
    dim: Dim = None,
    keepdim: bool = False,
    *,
    out: Value = None,
    dtype: Dtype = None,
) -> Value:
    """A norm of vectors or matrices, by the number of dims."""
    dims = None if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dims)}")
    if ord is not None and dims is None and A._data.ndim not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A._data.ndim}D."
        )
    matrix = len(dims) == 2 if dims is not None else A._data.ndim == 2
    if ord is not None and (matrix or isinstance(ord, str)):
        return matrix_norm(A, ord, dims or (-2, -1), keepdim, dtype=dtype)
    return vector_norm(A, 2 if ord is None else ord, dims, keepdim, dtype=dtype)


@export("matrix_power")
def matrix_power(input: Tensor, n: int) -> Value:  # noqa: A002
    """Square matrices times themselves n times; the inverse to the power of -n for a negative n."""
    check_square("linalg.matrix_power", input, floating=False)
    a: Any = input
    if n == 0:
        one = torch_functions["eye"](a.shape[-1], dtype=a.dtype)
        return a.clone().copy_(one.expand_as(a))
    if n == 1:
        return a.clone()
    if n < 0:
        a, n = inv(a), -n
    if n == 1:
        return a
    if n == 2:
        return a @ a
    if n == 3:
        return (a @ a) @ a
    square = result = None
    while n > 0:
        square = a if square is None else square @ square
        if n & 1:
            result = square if result is None else result @ square
        n >>= 1
    return result


def cond(A: Tensor, p: Value = None) -> Value:
    """The condition number in a norm, by default the 2-norm."""
    check_matrix("linalg.cond", A)
    if p is None or p in (2, -2):
        values = svdvals(A)
        largest, smallest = values[..., :1], values[..., -1:]
        return (smallest / largest if p == -2 else largest / smallest).squeeze(-1)
    inverse, info = inv_ex(A)
    inverse = inverse.masked_fill(info[..., None, None] > 0, math.inf)
    return matrix_norm(A, p) * matrix_norm(inverse, p)


def _cost_order(sizes: list[int]) -> list[list[int]]:
    """Return the split of each chain of matrices that needs the fewest multiplications."""
    n = len(sizes) - 1
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    if n == 3:  # PyTorch multiplies the first pair first where both orders cost the same.
        first = sizes[0] * sizes[2] * (sizes[1] + sizes[3])
        second = sizes[1] * sizes[3] * (sizes[0] + sizes[2])
        split[0][1:], split[1][2] = [0, int(first <= second)], 1
        return split
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j], split[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
    return split


def multi_dot(tensors: Values) -> Value:
    """The product of a chain of matrices, in the order that costs least; the ends may be vectors."""
    chain = list(tensors)
    if len(chain) < 2:
        raise RuntimeError("multi_dot(): expected at least 2 tensors but got " + str(len(chain)))
    for place, t in (("first", chain[0]), ("last", chain[-1])):
        if t.dim() not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {place} tensor must be 1D or 2D but got {t.dim()}D")
    for i, t in enumerate(chain[1:-1], 1):
        if t.dim() != 2:
            raise RuntimeError(f"multi_dot(): tensor {i} must be 2D but got {t.dim()}D")
    left, right = chain[0].dim() == 1, chain[-1].dim() == 1
    if left:
        chain[0] = chain[0].unsqueeze(0)
    if right:
        chain[-1] = chain[-1].unsqueeze(-1)
    for i, (a, b) in enumerate(itertools.pairwise(chain)):
        if a.shape[1] != b.shape[0]:
            raise RuntimeError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(a.shape)} and {list(b.shape)} cannot be "
                "multiplied"
            )
    split = _cost_order([chain[0].shape[0], *[t.shape[1] for t in chain]])

    def product(i: int, j: int) -> Any:
        return chain[i] if i == j else product(i, split[i][j]).mm(product(split[i][j] + 1, j))

    shape = [n for n, drop in zip((chain[0].shape[0], chain[-1].shape[1]), (left, right), strict=True) if not drop]
    return product(0, len(chain) - 1).view(shape)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Value:
    """The dot products along a dim, with the first vector conjugated."""
    if x._dtype.category < FLOATING:
        check_floating("linalg.vecdot", x)
    if x._dtype is not y._dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, but found x of type {x._dtype.type_name} and y "
            f"of type {y._dtype.type_name} instead"
        )
    if x._data.ndim == y._data.ndim == 1 and x._data.shape == y._data.shape:
        return torch_functions["vdot"](x, y)
    a: Any = x.conj() if x._dtype.is_complex else x  # type: ignore[attr-defined]
    return (a * y).sum(dim)


def vander(x: Tensor, N: int | None = None) -> Value:
    """The Vandermonde matrix: powers of x from 0 to N - 1 along a new last dim."""
    if x._dtype.category == BOOL or x._dtype in LOW_PRECISION:
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x._dtype.type_name}"
        )
    a: Any = x if x._data.ndim else x.unsqueeze(0)  # type: ignore[attr-defined]
    count = a.shape[-1] if N is None else N
    if count < 1:
        raise RuntimeError(f"N must be greater than 1, got {count}.")
    ones = torch_functions["ones"]((*a.shape, 1), dtype=a.dtype)
    powers = a.unsqueeze(-1).expand((*a.shape, count - 1)).cumprod(-1)
    return torch_functions["cat"]([ones, powers], -1)


def tensorinv(A: Tensor, ind: int = 2) -> Value:
    """The inverse for tensordot over the first `ind` dims."""
    shape = tuple(A._data.shape)
    rows, columns = math.prod(shape[:ind]), math.prod(shape[ind:])
    if rows != columns:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    matrix: Any = A
    return inv(matrix.reshape(rows, columns)).reshape(shape[ind:] + shape[:ind])


def tensorsolve(A: Tensor, B: Tensor, dims: Dim = None) -> Value:
    """The X for which tensordot(A, X) is B."""
    a: Any = A
    b: Any = B
    if dims is not None:
        rest = [d for d in range(a.dim()) if d not in [wrap_dim(k, a.dim()) for k in dims]]
        a = a.permute(*rest, *[wrap_dim(k, a.dim()) for k in dims])
    tail = tuple(a.shape[b.dim() :])
    return solve(a.reshape(math.prod(b.shape), math.prod(tail)), b.reshape(-1)).reshape(tail)


linalg.update(
    cond=cond,
    matrix_norm=matrix_norm,
    matrix_power=matrix_power,
    multi_dot=multi_dot,
    norm=norm,
    tensorinv=tensorinv,
    tensorsolve=tensorsolve,
    vander=vander,
    vecdot=vecdot,
)
