"""scaled_dot_product_attention: the fused op of PyTorch on a CPU, and the composed form where that does not apply."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.activation.softmax import check_kernel, powers
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import argument_error, export, torch_functions
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.layers.attention_backend import SDPBackend, enabled
from backscope.ops.layers.causal_bias import CausalBias
from backscope.ops.layers.dropout import drop
from backscope.runtime.given import Dtype, Value
from backscope.tensor.dtype import C_NAMES, LOW_PRECISION, cast, dtype
from backscope.tensor.tensor import Tensor, of_raw

NO_KERNEL = (
    "No viable backend for scaled_dot_product_attention was found. This is likely due to turning off both the math "
    "kernel and the fused kernels."
)
NOT_IMPLEMENTED = "derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not implemented"


def _scale(query: Value, scale: float | None) -> float:
    return 1 / math.sqrt(query.shape[-1]) if scale is None else scale


def _grouped(value: A, heads: int) -> A:
    """Repeat keys or values of fewer heads for the queries of each group."""
    return value if value.shape[1] == heads else np.repeat(value, heads // value.shape[1], 1)


def _scores(query: A, key: A, attn_mask: A | None, is_causal: bool, scale: float | None) -> A:
    """Compute the input of the softmax; -inf marks keys that a query must not attend to."""
    scores = np.matmul(query, key.swapaxes(-2, -1))
    scores *= query.dtype.type(_scale(query, scale))
    if attn_mask is not None:
        scores += wide(attn_mask).astype(scores.dtype, copy=False)
    if is_causal:
        length, reach = scores.shape[-2:]
        scores = np.where(np.tril(np.ones((length, reach), bool)), scores, scores.dtype.type(-np.inf))
    return scores


def _heads_inside(value: A) -> A:
    """A copy with the heads next to the last dim in memory, the layout of the fused kernel's gradients."""
    return np.ascontiguousarray(value.swapaxes(1, 2)).swapaxes(1, 2)


def _like_query(value: A, query: A) -> A:
    """A copy in the memory layout of the query."""
    out = np.empty_like(query, dtype=value.dtype, order="K")
    out[...] = value
    return out


@op(
    grad_fn="ScaledDotProductFlashAttentionForCpuBackward0",
    outputs=2,
    differentiable=1,
    returns=("output", "logsumexp"),
    hidden=("logsumexp",),
    symbol="attention",
    latex={
        "query": r"s \cdot \text{softmax}'(g V^T)\, K",
        "key": r"s \cdot \text{softmax}'(g V^T)^T Q",
        "value": r"P^T g",
    },
    summary={
        "query": "takes the gradient of the softmax times {key}, scaled",
        "key": "takes the gradient of the softmax transposed times {query}, scaled",
        "value": "takes the attention weights transposed times the incoming gradient",
    },
)
class scaled_dot_product_flash_attention_for_cpu:
    """softmax(query @ key.T * scale + mask) @ value for each head."""

    def forward(
        query: A,
        key: A,
        value: A,
        dropout_p: float,
        is_causal: bool,
        attn_mask: K | None,
        scale: float | None,
    ) -> tuple[A, ...]:
        heads = query.shape[1]
        q, k, v = wide(query), _grouped(wide(key), heads), _grouped(wide(value), heads)
        scores = _scores(q, k, attn_mask, is_causal, scale)
        found = powers(scores.reshape(-1, scores.shape[-1])) if q is query and scores.__class__ is np.ndarray else None
        if found is not None:
            weights, total = found
            out = np.matmul(weights.reshape(scores.shape), v)
            out /= total.reshape(*scores.shape[:-1], 1)
            return _like_query(out, query), _heads_inside(np.log(total).reshape(scores.shape[:-1]))
        top = scores.max(-1, keepdims=True, initial=-np.inf)
        top = np.where(np.isfinite(top), top, 0).astype(scores.dtype)
        weights = np.exp(scores - top)
        total = weights.sum(-1, keepdims=True)
        # In low precision the fused kernel multiplies by rounded weights.
        shares = weights if q is query else wide(cast(weights, dtype.table[query.dtype]))
        out = np.matmul(shares, v) / np.where(total == 0, 1, total)
        logsumexp = np.where(total == 0, 0, np.log(np.where(total == 0, 1, total)) + top)[..., 0]
        return _like_query(cast(out, dtype.table[query.dtype]), query), _heads_inside(logsumexp)

    def grad(
        g: V,
        query: V,
        key: V,
        value: V,
        output: V,
        logsumexp: V,
        dropout_p: V,
        is_causal: V,
        attn_mask: V,
        scale: V,
    ) -> V:
        return xp.scaled_dot_product_flash_attention_for_cpu_backward(
            g, query, key, value, output, logsumexp, dropout_p, is_causal, attn_mask, scale
        )


@op(
    grad_fn="NotImplemented",
    outputs=3,
    symbol="attention′",
    latex=dict.fromkeys(("grad_out", "query", "key", "value", "out", "logsumexp"), r"\text{not implemented}"),
    summary=dict.fromkeys(("grad_out", "query", "key", "value", "out", "logsumexp"), "has no formula, as in PyTorch"),
)
class scaled_dot_product_flash_attention_for_cpu_backward:
    """The gradients of query, key and value of an attention."""

    def forward(
        grad_out: A,
        query: A,
        key: A,
        value: A,
        out: A,
        logsumexp: A,
        dropout_p: float,
        is_causal: bool,
        attn_mask: K | None,
        scale: float | None,
    ) -> tuple[A, ...]:
        heads, kind = query.shape[1], dtype.table[query.dtype]
        g, q = wide(grad_out), wide(query)
        k, v = _grouped(wide(key), heads), _grouped(wide(value), heads)
        scores = _scores(q, k, attn_mask, is_causal, scale)
        scores -= logsumexp[..., None]
        weights = np.exp(scores)
        of_scores = np.matmul(g, v.swapaxes(-2, -1))
        of_scores -= np.vecdot(g, wide(out))[..., None]
        of_scores *= weights
        of_scores *= q.dtype.type(_scale(query, scale))
        if q is not query:
            of_scores, weights = wide(cast(of_scores, kind)), wide(cast(weights, kind))
        found = [
            np.matmul(of_scores, k),
            _gathered(np.matmul(of_scores.swapaxes(-2, -1), q), key.shape[1]),
            _gathered(np.matmul(weights.swapaxes(-2, -1), g), value.shape[1]),
        ]
        return tuple(_heads_inside(cast(x, kind)) for x in found)

    def grad(g: V) -> V:
        raise RuntimeError(NOT_IMPLEMENTED)


def _gathered(gradient: A, heads: int) -> A:
    """Sum the gradient of repeated heads over the groups that share one."""
    if gradient.shape[1] == heads:
        return gradient
    n, h, length, size = gradient.shape
    return gradient.reshape(n, heads, h // heads, length, size).sum(2)


@op(
    symbol="softmax",
    latex={"self": r"\text{result} \cdot (g - \textstyle\sum g \cdot \text{result})"},
    summary={
        "self": "multiplies each entry of the saved result by g minus the weighted sum of g along dim {dim}",
    },
)
class safe_softmax:
    """softmax in which a row of nothing but -inf becomes 0."""

    def forward(self: A, dim: int) -> A:
        hidden = np.logical_and.reduce(np.isneginf(self), dim, keepdims=True)
        return np.where(hidden, self.dtype.type(0), primitives["softmax"].forward(np.where(hidden, 0, self), dim))

    def grad_self(g: V, result: V, dim: V) -> V:
        return xp.softmax_backward(g, result, dim)


@export("_safe_softmax", method=False)
def _safe_softmax(input: Tensor, dim: int, dtype: Dtype = None) -> Any:  # noqa: A002
    """softmax in which a row of nothing but -inf becomes 0."""
    given: Any = input if dtype is None else input.to(dtype)  # type: ignore[attr-defined]
    check_kernel("softmax", given, dim)
    return apply(primitives["safe_softmax"], given, dim)


def _check(query: Value, key: Value, value: Value, attn_mask: Value, dropout_p: float) -> None:
    kinds = query._dtype, key._dtype, value._dtype
    if not kinds[0] is kinds[1] is kinds[2]:
        names = [C_NAMES[k.name] for k in kinds]
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{names[0]} key.dtype: {names[1]} and value.dtype: {names[2]} instead."
        )
    dims = query._data.ndim, key._data.ndim, value._data.ndim
    if min(dims) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {dims[0]} key.dim: "
            f"{dims[1]} and value.dim: {dims[2]} instead."
        )
    if attn_mask is not None and attn_mask._dtype.name != "bool" and attn_mask._dtype not in (kinds[0], _float()):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{C_NAMES[attn_mask._dtype.name]} and  query.dtype: {C_NAMES[kinds[0].name]} instead."
        )
    if dropout_p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")


def _float() -> dtype:
    return dtype.table[np.dtype(np.float32)]


def _additive(mask: Value, kind: dtype) -> Any:
    """A mask of bools as numbers to add: 0 where True, -inf elsewhere."""
    if mask is None or mask._dtype.name != "bool":
        return mask
    return of_raw(cast(np.where(mask._data, 0.0, -np.inf), kind))


def _fits_fused(query: Value, key: Value, value: Value, attn_mask: Value, dropout_p: float, enable_gqa: bool) -> bool:
    q, k, v = query._data, key._data, value._data
    if not q.ndim == k.ndim == v.ndim == 4 or dropout_p > 0 or not q.size or not k.size or not v.size:
        return False
    if not q.shape[-1] == k.shape[-1] == v.shape[-1] or q.shape[0] != k.shape[0] or k.shape[0] != v.shape[0]:
        return False
    if k.shape[1] != v.shape[1] or k.shape[2] != v.shape[2]:
        return False
    if q.shape[1] != k.shape[1] and not (enable_gqa and q.shape[1] % k.shape[1] == 0):
        return False
    if any(x.strides[-1] != x.itemsize for x in (q, k, v)):
        return False
    return attn_mask is None or not attn_mask._requires_grad


def _repeated(value: Value, heads: int) -> Any:
    return value.repeat_interleave(heads // value._data.shape[-3], -3)


def composed(
    query: Value, key: Value, value: Value, attn_mask: Value, dropout_p: float, is_causal: bool, scale: float | None,
    enable_gqa: bool,
) -> tuple[Any, Any]:  # fmt: skip
    """Attention of any shape by recorded ops, and its weights."""
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        allowed = np.tril(np.ones((query._data.shape[-2], key._data.shape[-2]), bool))
        attn_mask = of_raw(cast(np.where(allowed, 0.0, -np.inf), query._dtype))
    kind = query._dtype
    if kind in LOW_PRECISION:
        query, key, value = (x.to(_float()) for x in (query, key, value))
    total = _scale(query._data, scale)
    factor = math.sqrt(abs(total))
    scaled = xp.mul_scalar(query, -factor if total < 0 else factor)
    if enable_gqa:
        ndim = query._data.ndim
        if ndim < 3:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}], but got -3)")
        heads = query._data.shape[-3]
        if heads % key._data.shape[-3] or heads % value._data.shape[-3]:
            raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
        key, value = _repeated(key, heads), _repeated(value, heads)
    scores = torch_functions["matmul"](scaled, xp.mul_scalar(key.transpose(-2, -1), factor))
    if attn_mask is not None:
        scores = scores.add_(attn_mask)
    weights = apply(primitives["safe_softmax"], scores, -1)
    if dropout_p > 0:
        weights = drop(weights, dropout_p, True)
    out = torch_functions["matmul"](weights, value)
    return (out.to(kind), weights.to(kind)) if kind in LOW_PRECISION else (out, weights)


@export("scaled_dot_product_attention", function=False, method=False, nn=True)
def _scaled_dot_product_attention(
    query: Value,
    key: Value,
    value: Value,
    attn_mask: Value = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: Value = None,
    enable_gqa: bool = False,
) -> Any:
    """softmax(query @ key.T * scale + mask) @ value; with `is_causal`, queries attend to no later key.

    Shape: query [..., L, E], key [..., S, E], value [..., S, Ev] -> [..., L, Ev].
    """
    for position, (name, given) in enumerate((("query", query), ("key", key), ("value", value)), 1):
        if not isinstance(given, Tensor):
            raise argument_error("scaled_dot_product_attention", name, position, given)
    if attn_mask is not None and not isinstance(attn_mask, Tensor):
        raise argument_error("scaled_dot_product_attention", "attn_mask", 4, attn_mask)
    if isinstance(attn_mask, CausalBias):
        attn_mask, is_causal = attn_mask.resolved(is_causal)
    if scale is not None and (isinstance(scale, bool) or not isinstance(scale, (int, float))):
        raise TypeError(f"scaled_dot_product_attention(): argument 'scale' must be float, not {type(scale).__name__}")
    _check(query, key, value, attn_mask, dropout_p)
    if query._dtype.category < 2:
        raise RuntimeError(f"expected scalar type Float but found {query._dtype.type_name}")
    if query._dtype.is_complex:
        raise no_kernel("softmax_lastdim_kernel_impl", query._dtype)
    fused = SDPBackend.FLASH_ATTENTION in enabled and _fits_fused(query, key, value, attn_mask, dropout_p, enable_gqa)
    if not fused:
        if SDPBackend.MATH not in enabled:
            raise RuntimeError(NO_KERNEL)
        mask = _additive(attn_mask, query._dtype)
        return composed(query, key, value, mask, dropout_p, is_causal, scale, enable_gqa)[0]
    if dropout_p < 0:
        raise RuntimeError("scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0")
    mask = _additive(attn_mask, query._dtype)
    if mask is not None:
        _check_mask(mask, query, key)
    return apply(
        primitives["scaled_dot_product_flash_attention_for_cpu"],
        query, key, value, 0.0, bool(is_causal), mask, None if scale is None else float(scale),
    )[0]  # fmt: skip


def _check_mask(mask: Value, query: Value, key: Value) -> None:
    wanted = (*query._data.shape[:3], key._data.shape[2])
    given = mask._data.shape
    if not given:
        raise IndexError("Dimension specified as -2 but tensor has no dimensions")
    if len(given) == 1:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got -2)")
    if len(given) > 4:
        whole = list(np.broadcast_shapes(wanted, given))
        raise RuntimeError(f"output with shape {list(wanted)} doesn't match the broadcast shape {whole}")
    for d in range(1, len(given) + 1):
        a, b = wanted[-d], given[-d]
        if b not in (1, a):
            raise RuntimeError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {4 - d}"
            )
