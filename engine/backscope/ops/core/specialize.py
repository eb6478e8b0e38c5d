"""Source text for one elementwise op: its call on plain tensors.

A loop over inputs, slots and formulas costs more than the arithmetic of a small tensor, so each op gets straight-line
code, in the way that dataclasses get their `__init__`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.autograd.evaluation import WrappedFloat, WrappedInt, in_formula
from backscope.autograd.modes.grad_mode import mode, silenced
from backscope.autograd.node import SavedResult, accumulator, maker, next_sequence_nr
from backscope.autograd.saved.saved_tensors import versions_of
from backscope.autograd.transforms.level import levels
from backscope.ops.core.arguments.signatures import check
from backscope.ops.core.compiled_formula import define
from backscope.ops.core.constants import constant
from backscope.runtime.given import Value
from backscope.runtime.listening import hub
from backscope.tensor import meta
from backscope.tensor.parameter import Parameter
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

_SYMBOLS = {operator.add: "+", operator.sub: "-", operator.mul: "*", operator.truediv: "/"}

_MAKE_OUTPUT = """
t = new_tensor()
t._data = data
t._dtype = d
t._output_nr = t._grad = t._shared = t._view = t._accumulator = t._extra = t._token = None
"""

_MAKE_NODE = """
t._requires_grad = True
t._grad_fn = node = new_node()
node.sequence_nr = sequence_nr()
node.grad = node.hooks = node.token = node.versions = None
node.attrs = default_attrs
node.dtype = d
node.shape = shape
"""

_UNTRACKED = """
t._requires_grad = False
t._grad_fn = None
"""

_SAVE_RESULT = """
r = new_result()
r._data = data
r._dtype = d
r._shared = t._shared = [0]
r.output_nr = 0
"""

_FIND_EDGE = """
{edge} = {tensor}._grad_fn
if {edge} is None{condition}:
    {edge} = {tensor}._accumulator
    if {edge} is not None: {edge} = {edge}()
    if {edge} is None: {edge} = accumulator({tensor})
"""


# A node's attributes are read here, where all nodes are of one class and attribute access is fast.
_REPORTED = """
if hub.listener is not None:
    n = t._grad_fn
    if n is None: hub.listener.applied(op, self, {second}, t)
    else:
        n.token = hub.listener.applied(
            op, self, {second}, t, n, n.sequence_nr, n.next, n.next_nr, n.versions, n.attrs
        )
"""


_HAS_NONE = (
    "{0}._view is not None and ({0}._grad_fn is None or {0}._view.lazy is not None or "
    "{0}._view.base._shared[0] != {0}._view.version) and {0}._view.renew({0})"
)
"""An expression that is true for a view that requires grad without a history; it calls renew() where needed."""


def _indented(text: str, levels: int) -> str:
    """Indent the lines of a text by some levels and drop empty ones."""
    return "".join([" " * 4 * levels + line + "\n" for line in text.splitlines() if line.strip()])


def _save(op: Op, plan: str, keeps: tuple[bool, ...], names: dict[str, str]) -> str:
    """Return the lines that give a node its plan and save the slots to keep; `names` has their expressions."""
    parts, changed, result = [], [], ""
    for slot, kept in zip(op.slots, keeps, strict=True):
        parts.append(names[slot] if kept else "None")
        if kept and slot == "result":
            result = _SAVE_RESULT
        elif kept and names[slot] in ("self", "other"):
            # Only counters that are not at 0, and those of inference tensors, need a check.
            shared = f"{names[slot]}._shared"
            changed.append(f"{shared} is not None and ({shared}[0] or {shared}.__class__ is not list)")
    if not any(keeps):
        return f"node.plan = {plan}\nnode.saved = ()\n"
    text = f"node.plan = {plan}\n{result}node.saved = ({', '.join(parts)},)\n"
    if changed:
        text += f"if {' or '.join(changed)}: node.versions = versions_of(node.saved)\n"
    return text + "if saved_hooks: pack(node, (t,))\n"


def _computed(compute: Callable[..., Any], first: str, second: str) -> str:
    symbol = _SYMBOLS.get(compute)
    return f"compute({first}, {second})" if symbol is None else f"{first} {symbol} {second}"


def _kept_meta(compute: Callable[..., Any], tensors: str) -> str:
    """Return the line that marks a result as one without content; NumPy's functions and operators do it themselves."""
    spreads = isinstance(compute, np.ufunc) or compute in _SYMBOLS
    return "" if spreads else f"if meta_used: data = meta_spread({tensors}, data)"


def _names(op: Op, compute: Callable[..., Any], slow: Callable[..., Any]) -> dict[str, Any]:
    from backscope.ops.core import dispatch

    return {
        "Parameter": Parameter,
        "Tensor": Tensor,
        "WrappedFloat": WrappedFloat,
        "WrappedInt": WrappedInt,
        "accumulator": accumulator,
        "compute": compute,
        "constant": constant,
        "default_attrs": tuple([op.defaults.get(a) for a in op.attrs]),
        "hub": hub,
        "levels": levels,
        "meta_spread": meta.spread,
        "meta_used": meta.used,
        "mode": mode,
        "ndarray": np.ndarray,
        "new_node": maker(op.node),
        "new_result": maker(SavedResult),
        "new_tensor": maker(Tensor),
        "op": op,
        "pack": _pack,
        "saved_hooks": dispatch.saved_hooks,
        "sequence_nr": next_sequence_nr,
        "silenced": silenced,
        "slow": slow,
        "versions_of": versions_of,
    }


def _pack(node: Any, outputs: tuple[Any, ...]) -> None:
    from backscope.autograd.saved.saved_hooks import pack

    pack(node, outputs)


def compile_unary(op: Op, compute: Callable[..., Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `call(self, ...)` for an elementwise op of one floating point tensor; other calls go to `slow`."""
    plan = op.plan((True,))
    names = _names(op, compute, slow) | {"plan": plan}
    further = op.parameters[1:]
    names |= {f"default_{p}": op.defaults[p] for p in further if p in op.defaults}
    signature = "".join([f", a_{p}=default_{p}" if p in op.defaults else f", a_{p}" for p in further])
    given = "".join([f", a_{p}" for p in further])
    attrs = f"node.attrs = ({''.join([f'a_{p}, ' for p in op.attrs])})" if op.attrs else ""
    reported = _REPORTED.format(second="self")
    if further:
        reported = f"if hub.listener is not None: hub.listener.op(op.name, op, (self{given}), (t,), t._grad_fn)"
    if not further:  # Further arguments raise PyTorch's error, not Python's.
        signature, names["refuse"] = ", *args, **kwargs", partial(_refuse, op.name)
        refuse = "    if args or kwargs: refuse(self, args, kwargs)\n"
    else:
        refuse = ""
    source = f"""def call(self{signature}):
{refuse}    if self.__class__ is not Tensor and self.__class__ is not Parameter: return slow(self{given})
    d = self._dtype
    if levels or not d.wide: return slow(self{given})
    if {_HAS_NONE.format("self")}: return slow(self{given})
    data = compute(self._data{given})
{_indented(_kept_meta(compute, "(self,)"), 1)}
{_indented(_MAKE_OUTPUT, 1)}
    if self._requires_grad and (not silenced or mode.enabled):
        shape = data.shape
{_indented(_MAKE_NODE, 2)}
{_indented(_FIND_EDGE.format(edge="a", tensor="self", condition=""), 2)}
        node.next = (a,)
{_indented(attrs, 2)}
{_indented(_save(op, "plan", plan.keeps, {op.inputs[0]: "self", "result": "r"}), 2)}
        if self._output_nr is None: node.next_nr = None
        else:
            node.next_nr = (self._output_nr,)
            node.plan = plan.general
    else:
{_indented(_UNTRACKED, 2)}
{_indented(reported, 1)}
    return t
"""
    call: Any = define(source, names, "call")
    call.checked = None if further else (True, op.name)
    return call  # type: ignore[no-any-return]


def _refuse(name: str, self: Value, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    check("Tensor", name, (self, *args), kwargs)
    raise TypeError(f"TensorBase.{name}() takes no arguments")


_BROADCAST: frozenset[Any] = frozenset({np.ndarray, np.float32, np.float64})


def _broadcast(forward: Callable[..., Any], x: Value, y: Value) -> Any:
    """Compute the result for values of one type and different shapes; None where the general call must."""
    if x.__class__ not in _BROADCAST or y.__class__ not in _BROADCAST:
        return None
    try:
        data = forward(x, y)
    except ValueError:
        return None
    if data.ndim > 1 and not (x.flags.c_contiguous and y.flags.c_contiguous):
        return arranged(data, [x, y])
    return data


def compile_binary(op: Op, compute: Callable[..., Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `call(self, other)` for an elementwise op of two floating point tensors of one dtype, or one number.

    Tensors of different dtypes, shapes that don't fit, other types and subclasses go to `slow`.
    """
    masks = {"both": (True, True), "left": (True, False), "right": (False, True)}
    from backscope.ops.core.declaration import primitives

    plans = {k: op.plan(m) for k, m in masks.items()}
    names = _names(op, compute, slow) | {f"plan_{k}": p for k, p in plans.items()}
    names |= {"arranged": arranged, "broadcast": partial(_broadcast, op.forward)}

    def save(which: str, levels: int, other: str = "other") -> str:
        slots = {op.inputs[0]: "self", op.inputs[1]: other, "result": "r"}
        return _indented(_save(op, f"plan_{which}", plans[which].keeps, slots), levels)

    scalar = scalar_beside_others = ""
    if op.name in ("add", "sub", "mul", "div"):
        twin = f"primitives['{op.name}_scalar'].call(self, other)"
        scalar = f"        if in_formula and (kind is float or kind is int): return {twin}\n"
        scalar_beside_others = (
            "        if in_formula and (kind is float or kind is int) and not d.wide and d.category >= 2:\n"
            f"            return {twin}\n"
        )
        names |= {"in_formula": in_formula, "primitives": primitives}
    source = f"""def call(self, other):
    if levels: return slow(self, other)
    kind = other.__class__
    d = self._dtype
    if kind is Tensor or kind is Parameter:
        if d is not other._dtype or not d.wide: return slow(self, other)
        if self.__class__ is not Tensor and self.__class__ is not Parameter: return slow(self, other)
        x = self._data
        y = other._data
        if {_HAS_NONE.format("self")} or {_HAS_NONE.format("other")}: return slow(self, other)
        folds = False
        if x.__class__ is d.scalar and y.__class__ is d.scalar:
            shape = ()
            data = {_computed(compute, "x", "y")}
        else:
            shape = x.shape
            if shape == y.shape and (
                not shape or x.__class__ is y.__class__ and (len(shape) < 2 or x.strides == y.strides)
            ):
                data = {_computed(compute, "x", "y")}
                if len(shape) > 1 and x.strides != y.strides: data = arranged(data, (x, y))
            else:
                data = broadcast(x, y)
                if data is None: return slow(self, other)
                shape = data.shape
                folds = True
{_indented(_kept_meta(compute, "(self, other)"), 2)}
{_indented(_MAKE_OUTPUT, 2)}
        if (self._requires_grad or other._requires_grad) and (not silenced or mode.enabled):
{_indented(_MAKE_NODE, 3)}
{_indented(_FIND_EDGE.format(edge="a", tensor="self", condition=" and self._requires_grad"), 3)}
{_indented(_FIND_EDGE.format(edge="b", tensor="other", condition=" and other._requires_grad"), 3)}
            node.next = (a, b)
            if b is None:
{save("left", 4)}
            elif a is None:
{save("right", 4)}
            else:
{save("both", 4)}
            if self._output_nr is None and other._output_nr is None: node.next_nr = None
            else:
                node.next_nr = (self._output_nr or 0, other._output_nr or 0)
                node.plan = node.plan.general
            if folds: node.plan = node.plan.folding
        else:
{_indented(_UNTRACKED, 3)}
        if folds:
            if hub.listener is not None: hub.listener.op(op.name, op, (self, other, *default_attrs), (t,), t._grad_fn)
            return t
    elif (kind is float or kind is int or kind is WrappedFloat or kind is WrappedInt) and d.wide:
        if self.__class__ is not Tensor and self.__class__ is not Parameter: return slow(self, other)
{scalar}        if {_HAS_NONE.format("self")}: return slow(self, other)
        x = self._data
        number = (d.scalars if x.__class__ is d.scalar else d.arrays).get(other)
        if number is None or number.number.__class__ is not kind: number = constant(other, d, x)
        data = {_computed(compute, "x", "number._data")}
{_indented(_kept_meta(compute, "(self,)"), 2)}
{_indented(_MAKE_OUTPUT, 2)}
        if self._requires_grad and (not silenced or mode.enabled):
            shape = data.shape
{_indented(_MAKE_NODE, 3)}
{_indented(_FIND_EDGE.format(edge="a", tensor="self", condition=""), 3)}
            node.next = (a, None)
{save("left", 3, "number")}
            if self._output_nr is None: node.next_nr = None
            else:
                node.next_nr = (self._output_nr, 0)
                node.plan = node.plan.general
        else:
{_indented(_UNTRACKED, 3)}
    else:
{scalar_beside_others}        return slow(self, other)
{_indented(_REPORTED.format(second="other"), 1)}
    return t
"""
    return define(source, names, "call")
