"""An op as one writes it in a program: `mask == 0`, `x[:, 1:3]`, `reshape(x)`.  The page has the same table."""

from __future__ import annotations

import re
from collections.abc import Callable

from backscope.diagnosis.why.backward_effect import numeral
from backscope.protocol import events as ev

SIGNS = {
    "add": "+", "sub": "-", "rsub": "-", "mul": "*", "div": "/", "pow": "**", "mm": "@", "matmul": "@", "bmm": "@",
    "mv": "@", "dot": "@",
}  # fmt: skip
INFIX = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "bitwise_and": "&", "bitwise_or": "|",
    "bitwise_xor": "^", "remainder": "%", "floor_divide": "//",
}  # fmt: skip
NAMES = {
    "unsafe_view": "reshape",
    "reshape_alias": "reshape",
    "to_copy": "to",
    "safe_softmax": "softmax",
    "log_sigmoid": "logsigmoid",
    "native_layer_norm": "layer_norm",
    "native_group_norm": "group_norm",
    "native_batch_norm": "batch_norm",
    "native_batch_norm_legit": "batch_norm",
    "native_batch_norm_legit_no_stats": "batch_norm",
    "batch_norm_with_update": "batch_norm",
    "native_dropout": "dropout",
    "max_pool2d_with_indices": "max_pool2d",
    "max_pool3d_with_indices": "max_pool3d",
    "scaled_dot_product_flash_attention_for_cpu": "scaled_dot_product_attention",
    "linalg_vector_norm": "norm",
    "constant_pad_nd": "pad",
    "prelu_kernel": "prelu",
    "rrelu_with_noise": "rrelu",
    "unsafe_split": "split",
    "unsafe_split_with_sizes": "split",
    "split_with_sizes": "split",
    "unsafe_masked_index": "index",
    "clamp_min": "clamp",
    "clamp_max": "clamp",
    "cdist_forward": "cdist",
    "euclidean_dist": "cdist",
    "pdist_forward": "pdist",
    "weight_norm_interface": "weight_norm",
    "copy_in_layout": "copy",
    "fw_primal": "primal",
}
POINTWISE = frozenset({
    "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "exp", "exp2", "expm1", "tan", "acos", "asin",
    "acosh", "atanh", "sinh", "cosh", "lgamma", "digamma", "logit", "erfinv", "square",
})  # fmt: skip
"""Ops whose result has at each place what they make of the one element there."""
_VARIANT = re.compile(r"_(all|dim|dims|scalar|tensor|bounds|number|of_number)$")
_REVERSED = re.compile(r"^rsub$|_of_number$")
_SIDES = ("self", "other", "exponent", "mat2", "vec", "tensor")
_LAST = 2**62
_MOST_DIMS = 4


def name_of(op: str, inputs: list[ev.Argument] | None = None) -> str:
    """What one calls an op."""
    if op == "clone" and _text(inputs or [], "memory_format") == "torch.contiguous_format":
        return "contiguous"
    bare = _bare(op)
    return NAMES.get(op) or NAMES.get(bare) or bare


def sign_of(op: str) -> str | None:
    """The sign that stands between the operands of an op; None where it is called by its name."""
    bare = _bare(op)
    sign = SIGNS.get(bare.rstrip("_")) or INFIX.get(bare.rstrip("_"))
    return f"{sign}=" if sign is not None and bare.endswith("_") else sign


def is_reversed(op: str) -> bool:
    """Whether the first argument of an op stands on the right."""
    return _REVERSED.search(op) is not None


def expression(
    op: str, inputs: list[ev.Argument], tensor_text: Callable[[int], str], operand: Callable[[int], str]
) -> str:
    """An op and what it is applied to; `operand` writes a tensor, in brackets where its text is several words."""
    sided = [numeral(a.text) if a.tensor is None else operand(a.tensor) for a in inputs if a.name in _SIDES]
    operands = [one for one in sided if one is not None]
    tensors = [operand(a.tensor) for a in inputs if a.tensor is not None]
    both = operands if len(operands) == 2 else tensors
    name, sign = name_of(op, inputs), sign_of(op)
    if sign is not None and len(both) == 2:
        left, right = reversed(both) if is_reversed(op) else both
        alpha = numeral(_text(inputs, "alpha")) or "1"
        return f"{left} {sign} {'' if alpha == '1' else f'{alpha} * '}{right}"
    if len(tensors) == 1 and name == "neg":
        return f"-{tensors[0]}"
    if len(tensors) == 1 and name in ("bitwise_not", "logical_not"):
        return f"~{tensors[0]}"
    part = _part(name, inputs, tensors)
    return part or f"{name}({', '.join(_arguments(name, inputs, tensor_text))})"


def _bare(op: str) -> str:
    plain = re.sub(r"^__(\w+)__$", r"\1", op)
    return _VARIANT.sub("", plain.removesuffix("_")) + ("_" if plain.endswith("_") else "")


def _text(inputs: list[ev.Argument], name: str) -> str | None:
    return next((a.text for a in inputs if a.name == name), None)


def _part(name: str, inputs: list[ev.Argument], tensors: list[str]) -> str | None:
    """Indexing, as in `x[0]`, `x[:, 1:3]` and `x[rows]`; None for anything else."""
    if name == "index" and tensors:
        plain = all(a.tensor is not None and a.name == f"indices[{i}]" for i, a in enumerate(inputs[1:]))
        return f"{tensors[0]}[{', '.join(tensors[1:]) if plain and tensors[1:] else '...'}]"
    dim = _text(inputs, "dim")
    if len(tensors) != 1 or dim is None or not re.fullmatch(r"\d", dim) or int(dim) >= _MOST_DIMS:
        return None
    before, index = ":, " * int(dim), _text(inputs, "index")
    if name == "select" and index is not None:
        return f"{tensors[0]}[{before}{index}]"
    if name != "slice":
        return None
    start, end, step = (_bound(_text(inputs, one)) for one in ("start", "end", "step"))
    stride = "" if step in ("", "1") else f":{step}"
    return f"{tensors[0]}[{before}{'' if start == '0' else start}:{end}{stride}]"


def _bound(text: str | None) -> str:
    return "" if text is None or not re.fullmatch(r"-?\d+", text) or abs(int(text)) > _LAST else text


def _arguments(name: str, inputs: list[ev.Argument], tensor_text: Callable[[int], str]) -> list[str]:
    """The arguments in the order in which one writes them: the tensors, and of some ops the numbers that say most."""
    order = ("condition", "self", "other")
    given = [a for one in order for a in inputs if a.name == one] if name == "where" else inputs
    shown: list[str] = []
    for a in given:
        value = a.text if a.text == "-inf" else numeral(a.text)
        if a.tensor is not None:
            shown.append(tensor_text(a.tensor))
        elif value is not None and (name == "where" or (name == "masked_fill" and a.name == "value")):
            shown.append(value)
        elif value is not None and name == "clamp" and a.name in ("min", "max"):
            shown.append(f"{a.name}={value}")
    return shown
