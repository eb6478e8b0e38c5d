"""Source text made to measure for one op: its call on plain tensors and the backward run of its nodes.

A loop over inputs, slots and formulas costs more than the arithmetic of a small tensor, so each op gets straight-line
code, in the way that dataclasses get their `__init__`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from backscope.autograd.evaluation import WrappedFloat, WrappedInt, in_formula
from backscope.autograd.grad_mode import mode
from backscope.autograd.node import FREED_TEXT, SavedNumber, accumulator, next_sequence_nr, save_result
from backscope.autograd.saved import versions_of
from backscope.diagnose import blame
from backscope.listening import hub
from backscope.ops.inline import expression
from backscope.ops.signatures import check
from backscope.parameter import Parameter
from backscope.tensor import Tensor


def _freed(node: Any) -> RuntimeError:
    error: RuntimeError = blame(RuntimeError(FREED_TEXT), "freed", node=node)
    return error


def _modified(node: Any, slot: int) -> RuntimeError:
    from backscope.autograd.saved import modified_error

    return modified_error(node, slot)


def define(source: str, names: dict[str, Any], function: str) -> Callable[..., Any]:
    """The `function` that Python source text defines among `names`."""
    exec(compile(source, f"<backscope {function}>", "exec"), names)  # noqa: S102
    made: Callable[..., Any] = names[function]
    return made


def compile_run(op: Any, steps: Any, keeps: tuple[bool, ...], count: int, *, real: bool) -> Callable[[Any, Any], Any]:
    """`run(node, g)`: the gradients of `count` inputs from the formulas `steps`, on raw values, `real` where all are.

    A step is (input or -1 for all, formula, indices into [g, slots..., attributes...]).
    """
    names: dict[str, Any] = {"freed": _freed, "modified": _modified}
    lines, results = _prelude_and_results(op, steps, keeps, count, names, real=real)
    value = results if isinstance(results, str) else f"({', '.join(r or 'None' for r in results)},)"
    return define("\n".join(["def run(node, g):", *lines, f"    return {value}"]), names, "run")


def compile_deliver(
    op: Any, steps: Any, keeps: tuple[bool, ...], needs: tuple[bool, ...]
) -> Callable[[Any, Any], Any] | None:
    """`deliver(node, g)`: like `run`, and the gradients go to the nodes below at once, which all have one output.

    It returns the list of AccumulateGrads that are complete now, None for none; its attribute `told` returns the
    gradients too.  None for a formula of all inputs.
    """
    names: dict[str, Any] = {"freed": _freed, "modified": _modified}
    lines, results = _prelude_and_results(op, steps, keeps, len(needs), names, real=True)
    if isinstance(results, str):
        return None
    lines += [f"    {', '.join(f'n{i}' for i in range(len(needs)))}, = node.next", "    ready = None"]
    for i, needed in enumerate(needs):
        if not needed:
            continue
        if results[i] is not None:
            lines += [
                f"    v{i} = {results[i]}",
                f"    w = n{i}.grad",
                f"    n{i}.grad = v{i} if w is None else w + v{i}",
            ]
        lines += [
            f"    if not n{i}.next:",
            f"        n{i}._pending -= 1",
            f"        if not n{i}._pending: ready = [n{i}] if ready is None else [*ready, n{i}]",
        ]
    sent = [f"v{i}" if needed and results[i] is not None else "None" for i, needed in enumerate(needs)]
    deliver: Any = define("\n".join(["def deliver(node, g):", *lines, "    return ready"]), names, "deliver")
    told = ["def told(node, g):", *lines, f"    return ready, ({', '.join(sent)},)"]
    deliver.told = define("\n".join(told), names, "told")
    return deliver  # type: ignore[no-any-return]


def _prelude_and_results(
    op: Any, steps: Any, keeps: tuple[bool, ...], count: int, names: dict[str, Any], *, real: bool
) -> tuple[list[str], Any]:
    """Lines that read what a node saved, and the expression of each input's gradient (or one for all of them)."""
    lines: list[str] = []
    attrs = len(op.attrs)
    if any(keeps):
        lines += ["    saved = node.saved", "    if saved is None: raise freed(node)"]
        lines.append(f"    {', '.join(f's{k}' for k in range(len(keeps)))}, = saved")
        for k in op.unpack_order:
            if keeps[k]:
                lines += [
                    f"    c = s{k}._shared",
                    f"    if c is not None and c[0] != (node.versions[{k}] if node.versions else 0): raise "
                    f"modified(node, {k})",
                    f"    s{k} = s{k}._data",
                ]
    if attrs and any(i > len(keeps) for _, _, indices in steps for i in indices):
        lines.append(f"    {', '.join(f'a{k}' for k in range(attrs))}, = node.attrs")
    env = ["g", *(f"s{k}" if kept else "None" for k, kept in enumerate(keeps)), *(f"a{k}" for k in range(attrs))]
    results: list[str | None] = [None] * count
    for n, (position, function, indices) in enumerate(steps):
        names[f"f{n}"] = function
        arguments = [env[i] for i in indices]
        call = expression(function, arguments, names, real=real) or f"f{n}({', '.join(arguments)})"
        if position == -1:
            return lines, call
        results[position] = call
    return lines, results


_MAKE_OUTPUT = """
    t = new(Tensor)
    t._data = data
    t._grad_fn = t._output_nr = t._grad = t._shared = t._view = t._accumulator = t._extra = t._token = None
"""

_MAKE_NODE = """
        node = new(Node)
        node.sequence_nr = sequence_nr()
        node.grad = node.mark = node.hooks = node.token = node.versions = None
        node.attrs = default_attrs
        node.dtype = d
        node.shape = data.shape
        t._requires_grad = True
        t._grad_fn = node
"""


def _saved(op: Any, keeps: tuple[bool, ...], expressions: dict[str, str]) -> tuple[str, str]:
    """The expression of the saved tuple and the condition under which a version may not be 0."""
    parts, shared = [], []
    for slot, kept in zip(op.slots, keeps, strict=True):
        parts.append(expressions[slot] if kept else "None")
        if kept and slot in op.inputs and expressions[slot].isidentifier():
            shared.append(f"{expressions[slot]}._shared is not None")
    return f"({', '.join(parts)},)" if any(keeps) else "()", " or ".join(shared)


def _names(op: Any, compute: Callable[..., Any], slow: Callable[..., Any]) -> dict[str, Any]:
    from backscope.ops import dispatch

    return {
        "Node": op.node,
        "Parameter": Parameter,
        "SavedNumber": SavedNumber,
        "Tensor": Tensor,
        "WrappedFloat": WrappedFloat,
        "WrappedInt": WrappedInt,
        "accumulator": accumulator,
        "compute": compute,
        "default_attrs": tuple([op.defaults.get(a) for a in op.attrs]),
        "hub": hub,
        "mode": mode,
        "ndarray": np.ndarray,
        "new": object.__new__,
        "op": op,
        "pack": _pack,
        "save_result": save_result,
        "saved_hooks": dispatch.saved_hooks,
        "sequence_nr": next_sequence_nr,
        "slow": slow,
        "versions_of": versions_of,
    }


def _pack(node: Any, outputs: tuple[Any, ...]) -> None:
    from backscope.autograd.saved_hooks import pack

    pack(node, outputs)


def _save_lines(saved: str, shared: str, indent: str) -> str:
    text = f"{indent}node.saved = {saved}\n"
    if shared:
        text += f"{indent}if {shared}: node.versions = versions_of(node.saved)\n"
    if saved != "()":
        text += f"{indent}if saved_hooks: pack(node, (t,))\n"
    return text


def compile_unary(op: Any, compute: Callable[..., Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    """`call(self, ...)` for an elementwise op of one floating point tensor; anything else goes to `slow`."""
    plan = op.plan((True,))
    names = _names(op, compute, slow) | {"plan": plan}
    saved, shared = _saved(op, plan.keeps, {op.inputs[0]: "self", "result": "save_result(t, 0)"})
    further = op.parameters[1:]
    names |= {f"default_{p}": op.defaults[p] for p in further if p in op.defaults}
    signature = "".join([f", a_{p}=default_{p}" if p in op.defaults else f", a_{p}" for p in further])
    given = "".join([f", a_{p}" for p in further])
    attrs = f"        node.attrs = ({''.join([f'a_{p}, ' for p in op.attrs])})" if op.attrs else ""
    told = f"op(op.name, op, (self{given}), (t,), t._grad_fn)" if further else "applied(op, self, self, t, t._grad_fn)"
    if not further:  # Whatever else is given is too much: PyTorch's error, not Python's.
        signature, names["refuse"] = ", *args, **kwargs", partial(_refuse, op.name)
        refuse = "    if args or kwargs: refuse(self, args, kwargs)\n"
    else:
        refuse = ""
    source = f"""def call(self{signature}):
{refuse}    if self.__class__ is not Tensor and self.__class__ is not Parameter: return slow(self{given})
    d = self._dtype
    if not d.wide: return slow(self{given})
    if self._view is not None and self._view.renew(self): return slow(self{given})
    data = compute(self._data{given})
{_MAKE_OUTPUT}
    t._dtype = d
    if self._requires_grad and mode.enabled:
{_MAKE_NODE}
        a = self._grad_fn
        if a is None:
            a = self._accumulator
            if a is not None: a = a()
            if a is None: a = accumulator(self)
        node.next = (a,)
        node.next_nr = None if self._output_nr is None else (self._output_nr,)
        node.run = plan.run
        node.deliver = plan.deliver if node.next_nr is None else None
{attrs}
{_save_lines(saved, shared, "        ")}
    else:
        t._requires_grad = False
    if hub.listener is not None: hub.listener.{told}
    return t
"""
    call: Any = define(source, names, "call")
    call.checked = None if further else (True, op.name)
    return call  # type: ignore[no-any-return]


def _refuse(name: str, self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    check("Tensor", name, (self, *args), kwargs)
    raise TypeError(f"TensorBase.{name}() takes no arguments")


def compile_binary(op: Any, compute: Callable[..., Any], slow: Callable[..., Any]) -> Callable[..., Any]:
    """`call(self, other)` for an elementwise op of two like floating point tensors, or of one and a Python number.

    Tensors of different shapes or dtypes, other types and subclasses go to `slow`.
    """
    masks = {"both": (True, True), "left": (True, False), "right": (False, True)}
    from backscope.ops.declaration import primitives

    plans = {k: op.plan(m) for k, m in masks.items()}
    names = _names(op, compute, slow) | {f"plan_{k}": p for k, p in plans.items()}

    def branch(which: str, indent: str, other: str = "other") -> str:
        saved, shared = _saved(
            op, plans[which].keeps, {op.inputs[0]: "self", op.inputs[1]: other, "result": "save_result(t, 0)"}
        )
        return (
            f"{indent}node.run = plan_{which}.run\n"
            f"{indent}node.deliver = plan_{which}.deliver if node.next_nr is None else None\n"
            + _save_lines(saved, shared, indent)
        )

    scalar = ""
    if op.name in ("add", "sub", "mul", "div"):
        twin = f"primitives['{op.name}_scalar'].call(self, other)"
        scalar = f"        if in_formula and (kind is float or kind is int): return {twin}\n"
        names |= {"in_formula": in_formula, "primitives": primitives}
    source = f"""def call(self, other):
    kind = other.__class__
    d = self._dtype
    if kind is Tensor or kind is Parameter:
        x = self._data
        y = other._data
        if d is not other._dtype or not d.wide: return slow(self, other)
        if self.__class__ is not Tensor and self.__class__ is not Parameter: return slow(self, other)
        if x.__class__ is not d.scalar or y.__class__ is not d.scalar:
            if x.shape != y.shape or (x.ndim and x.__class__ is not y.__class__): return slow(self, other)
        if self._view is not None and self._view.renew(self): return slow(self, other)
        if other._view is not None and other._view.renew(other): return slow(self, other)
        data = compute(x, y)
{_MAKE_OUTPUT}
        tracked = (self._requires_grad or other._requires_grad) and mode.enabled
    elif (kind is float or kind is int or kind is WrappedFloat or kind is WrappedInt) and d.wide:
        if self.__class__ is not Tensor and self.__class__ is not Parameter: return slow(self, other)
{scalar}        if self._view is not None and self._view.renew(self): return slow(self, other)
        data = compute(self._data, other)
        if data.dtype is not d.np: return slow(self, other)
{_MAKE_OUTPUT}
        tracked = self._requires_grad and mode.enabled
    else:
        return slow(self, other)
    t._dtype = d
    if tracked:
{_MAKE_NODE}
        a = self._grad_fn
        if a is None and self._requires_grad:
            a = self._accumulator
            if a is not None: a = a()
            if a is None: a = accumulator(self)
        if kind is Tensor or kind is Parameter:
            b = other._grad_fn
            if b is None and other._requires_grad:
                b = other._accumulator
                if b is not None: b = b()
                if b is None: b = accumulator(other)
            node.next = (a, b)
            if self._output_nr is None and other._output_nr is None: node.next_nr = None
            else: node.next_nr = (self._output_nr or 0, other._output_nr or 0)
            if b is None:
{branch("left", " " * 16)}
            elif a is None:
{branch("right", " " * 16)}
            else:
{branch("both", " " * 16)}
        else:
            node.next = (a, None)
            node.next_nr = None if self._output_nr is None else (self._output_nr, 0)
{branch("left", " " * 12, "SavedNumber(other)")}
    else:
        t._requires_grad = False
    if hub.listener is not None: hub.listener.applied(op, self, other, t, t._grad_fn)
    return t
"""
    source = source.replace(
        _MAKE_OUTPUT, "".join("    " + line + "\n" for line in _MAKE_OUTPUT.splitlines() if line.strip())
    )
    return define(source, names, "call")
