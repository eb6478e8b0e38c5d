"""multi_head_attention_forward: projections, attention of several heads and the projection back, by recorded ops."""

from __future__ import annotations

import math
from typing import Any

from backscope.ops.core.namespace import export, functional, torch_functions
from backscope.ops.layers.padding import constant_pad
from backscope.runtime.given import Dtype, Value
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor


def canonical_mask(
    mask: Value, mask_name: str, other_type: Dtype, other_name: str, target_type: Dtype, check_other: bool = True
) -> Value:
    """A mask as numbers to add: -inf where a mask of bools is True; AssertionError for a mask of integers."""
    if mask is None:
        return None
    is_float = mask._dtype.category == 2
    if not is_float and mask._dtype.name != "bool":
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask._dtype is not other_type:
        warn(f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both instead.")
    if is_float:
        return mask
    zeros = torch_functions["zeros_like"](mask, dtype=target_type)
    return zeros.masked_fill_(mask, float("-inf"))


def type_of(value: Value) -> Dtype:
    """The dtype of a tensor; None for None."""
    if value is None:
        return None
    if isinstance(value, Tensor):
        return value._dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _check_dims(
    query: Value, key: Value, value: Value, key_padding_mask: Value, attn_mask: Value, num_heads: int
) -> bool:
    """True for a batch; AssertionError for tensors of other ranks."""
    ndim = query.dim()
    if ndim not in (2, 3):
        raise AssertionError(f"query should be unbatched 2D or batched 3D tensor but received {ndim}-D query tensor")
    word, padding = ("batched (3-D)", 2) if ndim == 3 else ("unbatched (2-D)", 1)
    if key.dim() != ndim or value.dim() != ndim:
        raise AssertionError(
            f"For {word} `query`, expected `key` and `value` to be {ndim}-D but found {key.dim()}-D and "
            f"{value.dim()}-D tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != padding:
        raise AssertionError(
            f"For {word} `query`, expected `key_padding_mask` to be `None` or {padding}-D but found "
            f"{key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(
                f"For {word} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D "
                "tensor instead"
            )
        if ndim == 2 and attn_mask.dim() == 3:
            wanted = (num_heads, query.shape[0], key.shape[0])
            if attn_mask.shape != wanted:
                raise AssertionError(f"Expected `attn_mask` shape to be {wanted} but got {attn_mask.shape}")
    return bool(ndim == 3)


def _unpacked(projected: Any, count: int, size: int) -> Any:
    """Several projections side by side as slices of a new first dim."""
    return projected.unflatten(-1, (count, size)).unsqueeze(0).transpose(0, -2).squeeze(-2).contiguous()


def _project_packed(q: Value, k: Value, v: Value, w: Value, b: Value) -> tuple[Any, Any, Any]:
    """The three projections by one weight, in as few products as the inputs allow."""
    linear, size = functional["linear"], q.size(-1)
    if k is not v:
        weights = w.chunk(3)
        biases = (None, None, None) if b is None else b.chunk(3)
        found = [linear(x, wx, bx) for x, wx, bx in zip((q, k, v), weights, biases, strict=True)]
        return found[0], found[1], found[2]
    if q is k:
        parts = _unpacked(linear(q, w, b), 3, size)
        return parts[0], parts[1], parts[2]
    w_q, w_kv = w.split([size, size * 2])
    b_q, b_kv = (None, None) if b is None else b.split([size, size * 2])
    of_q = linear(q, w_q, b_q)
    parts = _unpacked(linear(k, w_kv, b_kv), 2, size)
    return of_q, parts[0], parts[1]


def _project(q: Value, k: Value, v: Value, weights: tuple[Any, ...], bias: Value) -> tuple[Any, Any, Any]:
    """The three projections by weights of their own."""
    size = q.size(-1)
    biases = (None, None, None) if bias is None else bias.chunk(3)
    for name, x, w in zip(("query", "key", "value"), (q, k, v), weights, strict=True):
        if w.shape != (size, x.size(-1)):
            raise AssertionError(f"expecting {name} weights shape of {(size, x.size(-1))}, but got {w.shape}")
    found = [functional["linear"](x, w, b) for x, w, b in zip((q, k, v), weights, biases, strict=True)]
    return found[0], found[1], found[2]


def _shaped_mask(mask: Value, length: int, reach: int, rows: int) -> Any:
    """The attention mask with a dim for the heads of all samples; RuntimeError for another shape."""
    if mask is None:
        return None
    if mask.dim() == 2:
        if mask.shape != (length, reach):
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be {(length, reach)}.")
        return mask.unsqueeze(0)
    if mask.dim() == 3:
        if mask.shape != (rows, length, reach):
            raise RuntimeError(f"The shape of the 3D attn_mask is {mask.shape}, but should be {(rows, length, reach)}.")
        return mask
    raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")


def _static(given: Value, name: str, rows: int, size: int) -> Any:
    if given.size(0) != rows:
        raise AssertionError(f"expecting {name}.size(0) of {rows}, but got {given.size(0)}")
    if given.size(2) != size:
        raise AssertionError(f"expecting {name}.size(2) of {size}, but got {given.size(2)}")
    return given


def _wider(mask: Value) -> Any:
    return None if mask is None else constant_pad(mask, (0, 1))


def _with_padding(attn_mask: Value, key_padding_mask: Value, batch: int, heads: int, reach: int) -> Any:
    """The attention mask together with that of padded keys."""
    if key_padding_mask is None:
        return attn_mask
    for d, n in ((0, batch), (1, reach)):
        if key_padding_mask.shape[d] != n:
            raise AssertionError(f"Expected key_padded_mask.shape[{d}] to be {n}, but got {key_padding_mask.shape[d]}")
    padding = key_padding_mask.view(batch, 1, 1, reach).expand(-1, heads, -1, -1).reshape(batch * heads, 1, reach)
    return padding if attn_mask is None else attn_mask + padding


@export("multi_head_attention_forward", function=False, method=False, nn=True)
def multi_head_attention_forward(
    query: Value,
    key: Value,
    value: Value,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Value,
    in_proj_bias: Value,
    bias_k: Value,
    bias_v: Value,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Value,
    out_proj_bias: Value,
    training: bool = True,
    key_padding_mask: Value = None,
    need_weights: bool = True,
    attn_mask: Value = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Value = None,
    k_proj_weight: Value = None,
    v_proj_weight: Value = None,
    static_k: Value = None,
    static_v: Value = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Value, Value]:
    """Compute attention with several heads, and its weights with `need_weights`.

    Shape: query [L, N, E], key [S, N, Ek], value [S, N, Ev], or all without N -> [L, N, E] and [N, L, S].
    """
    batched = _check_dims(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    length, batch, size = query.shape
    reach = key.shape[0]
    key_padding_mask = canonical_mask(
        key_padding_mask, "key_padding_mask", type_of(attn_mask), "attn_mask", query.dtype
    )
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        is_causal = is_causal and key_padding_mask is None
    if size != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    head = size // num_heads
    if head * num_heads != size:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(
                f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
            )
        for name, w in (("q", q_proj_weight), ("k", k_proj_weight), ("v", v_proj_weight)):
            if w is None:
                raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
        q, k, v = _project(query, key, value, (q_proj_weight, k_proj_weight, v_proj_weight), in_proj_bias)
    else:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = _project_packed(query, key, value, in_proj_weight, in_proj_bias)
    rows = batch * num_heads
    attn_mask = _shaped_mask(attn_mask, length, reach, rows)
    if bias_k is not None and bias_v is not None:
        for what, static in (("key", static_k), ("value", static_v)):
            if static is not None:
                raise AssertionError(f"bias cannot be added to static {what}.")
        k = torch_functions["cat"]([k, bias_k.repeat(1, batch, 1)])
        v = torch_functions["cat"]([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _wider(attn_mask), _wider(key_padding_mask)
    elif bias_k is not None:
        raise AssertionError("bias_k is set but bias_v is None")
    elif bias_v is not None:
        raise AssertionError("bias_v is set but bias_k is None")
    q = q.view(length, rows, head).transpose(0, 1)
    if static_k is None:
        k = k.view(k.shape[0], rows, head).transpose(0, 1)
    else:
        k = _static(static_k, "static_k", rows, head)
    if static_v is None:
        v = v.view(v.shape[0], rows, head).transpose(0, 1)
    else:
        v = _static(static_v, "static_v", rows, head)
    if add_zero_attn:
        zeros = torch_functions["zeros"]
        k = torch_functions["cat"]([k, zeros((rows, 1, head), dtype=k.dtype)], dim=1)
        v = torch_functions["cat"]([v, zeros((rows, 1, head), dtype=v.dtype)], dim=1)
        attn_mask, key_padding_mask = _wider(attn_mask), _wider(key_padding_mask)
    reach = k.size(1)
    attn_mask = _with_padding(attn_mask, key_padding_mask, batch, num_heads, reach)
    dropout = dropout_p if training else 0.0
    shape = (batch, num_heads, length, reach, head)
    if need_weights:
        out, weights = _weighed(q, k, v, attn_mask, dropout, shape)
    else:
        out, weights = _fused(q, k, v, attn_mask, dropout, is_causal, shape), None
    out = functional["linear"](out, out_proj_weight, out_proj_bias)
    out = out.view(length, batch, out.size(1))
    if weights is not None:
        weights = weights.view(batch, num_heads, length, reach)
        if average_attn_weights:
            weights = weights.mean(dim=1)
    if not batched:
        out = out.squeeze(1)
        weights = None if weights is None else weights.squeeze(0)
    return out, weights


def _weighed(q: Value, k: Value, v: Value, mask: Value, dropout: float, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """The heads' outputs side by side, and the attention weights."""
    batch, heads, length, _, head = shape
    scaled = q * math.sqrt(1.0 / float(head))
    if mask is not None:
        weights = torch_functions["baddbmm"](mask, scaled, k.transpose(-2, -1))
    else:
        weights = torch_functions["bmm"](scaled, k.transpose(-2, -1))
    weights = functional["softmax"](weights, dim=-1)
    if dropout > 0.0:
        weights = functional["dropout"](weights, p=dropout)
    out = torch_functions["bmm"](weights, v)
    return out.transpose(0, 1).reshape(length * batch, heads * head), weights


def _fused(q: Value, k: Value, v: Value, mask: Value, dropout: float, is_causal: bool, shape: tuple[int, ...]) -> Any:
    """The heads' outputs side by side, without the attention weights."""
    batch, heads, length, reach, head = shape
    if mask is not None:
        if mask.size(0) == 1 and mask.dim() == 3:
            mask = mask.unsqueeze(0)
        else:
            mask = mask.view(batch, heads, -1, reach)
    q = q.view(batch, heads, length, head)
    k, v = k.view(batch, heads, reach, head), v.view(batch, heads, reach, head)
    out = functional["scaled_dot_product_attention"](q, k, v, mask, dropout, is_causal)
    return out.permute(2, 0, 1, 3).reshape(batch * length, heads * head)


functional["_canonical_mask"] = canonical_mask
functional["_none_or_dtype"] = type_of
