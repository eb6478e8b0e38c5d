"""Source text of a declared op's call: raw values in, Tensors out, and a node on the tape where something is tracked.

What dispatch.py says in general is written here for one op without loops over its inputs, outputs and slots, which
cost more than the arithmetic of a small tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from backscope.autograd.formula import AS_KERNEL, THROUGH_TENSORS
from backscope.autograd.modes.grad_mode import mode, replaying, silenced
from backscope.autograd.node import SavedNumber, accumulator, maker, next_sequence_nr, save_result
from backscope.autograd.saved.saved_tensors import SavedList, versions_of
from backscope.autograd.transform_level import used
from backscope.ops.core.compiled_formula import define
from backscope.ops.core.inline import expression
from backscope.ops.core.unsupported import refuse_complex_gradients, refuses_plain, refusing
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.tensor import meta
from backscope.tensor.dtype import LOW_PRECISION, dtype
from backscope.tensor.strides import with_strides
from backscope.tensor.subclass import spread, subclassed
from backscope.tensor.tensor import Tensor
from backscope.tensor.version_counter import InferenceVersion


def _lift(op: Any, args: tuple[Any, ...]) -> Any:
    from backscope.func.lifting import lift
    from backscope.ops.core.dispatch import apply

    return lift(op, args, partial(apply, op))


def _attach_view(op: Any, source: Value, outputs: Values, args: tuple[Any, ...]) -> None:
    from backscope.autograd.views.view_history import attach_view

    attach_view(op, source, outputs, args)


def _pack(node: Any, outputs: Values) -> None:
    from backscope.autograd.saved.saved_hooks import pack

    pack(node, outputs)


def _entry(value: Value) -> Any:
    """What a slot keeps of an argument."""
    if value.__class__ is tuple:
        return SavedList(value)
    return value if value is None or isinstance(value, Tensor) else SavedNumber(value)


def _special_plan(op: Any, plan: Any, tensors: Values, given: Value) -> Any:
    """The plan of a node whose op had operands or a result of another type than float32 and float64.

    Raises: RuntimeError where PyTorch has no gradients of complex results; it does not look at those of in-place calls.
    """
    if given._dtype.is_complex and (not tensors or given is not tensors[0]):
        refuse_complex_gradients(op.name)
    if given._dtype in LOW_PRECISION:
        return AS_KERNEL if op.fused else THROUGH_TENSORS
    for t in (*tensors, given):
        if t is not None and t._dtype.is_complex:
            return plan.complex
    return plan


def _names(op: Any) -> dict[str, Any]:
    from backscope.autograd.views.view_history import View
    from backscope.ops.core import dispatch

    return {
        "View": View,
        "ndarray": np.ndarray,
        "new": object.__new__,
        "InferenceVersion": InferenceVersion,
        "Tensor": Tensor,
        "accumulator": accumulator,
        "attach_view": _attach_view,
        "described": dispatch.described,
        "entry": _entry,
        "forward": refusing(op),
        "hub": hub,
        "lift": _lift,
        "meta_spread": meta.spread,
        "meta_used": meta.used,
        "mode": mode,
        "new_node": maker(op.node),
        "new_tensor": maker(Tensor),
        "only_inference": dispatch.only_inference,
        "op": op,
        "pack": _pack,
        "plans": op.plans,
        "replaying": replaying,
        "raw_kept": dispatch.raw_kept,
        "save_result": save_result,
        "saved_hooks": dispatch.saved_hooks,
        "sequence_nr": next_sequence_nr,
        "silenced": silenced,
        "special_plan": _special_plan,
        "spread": spread,
        "subclassed": subclassed,
        "table": dtype.table,
        "used": used,
        "versions_of": versions_of,
        "with_strides": with_strides,
        "wrap": dispatch.wrap,
    }


def _listed(values: Values) -> str:
    return "(" + "".join([f"{v}, " for v in values]) + ")"


_ATTACH = """\
    w = first._view
    shared = first._shared
    if (not silenced or mode.enabled) and (not replaying or not mode.view_replay) and (
        w is None or w.replay is None
    ) and (shared is None or shared.__class__ is list):
        v = new(View)
        if w is None:
            v.base = base = first
            v.made = "default"
            v.lazy = None
            if shared is None: shared = first._shared = [0]
        else:
            v.base = base = w.base
            v.made = w.made
            v.lazy = w.lazy
            shared = base._shared
        v.replay = None
        v.version = shared[0]
        t._view = v
        t._shared = shared
        v.inherits = t._requires_grad = base._requires_grad
    else: {attach}""".splitlines()
"""What attach_view() does for a tensor whose place in its base strides tell."""


_ATTACH_EACH = """\
    w = first._view
    if (not silenced or mode.enabled) and (not replaying or not mode.view_replay) and (
        w is None or w.replay is None
    ) and (first._shared is None or first._shared.__class__ is list):
        base = first if w is None else w.base
        shared = base._shared
        if shared is None: shared = base._shared = [0]
        for t in outputs:
            v = new(View)
            v.base = base
            v.made = "multi_output" if w is None or w.made != "inference" else "inference"
            v.lazy = None if w is None else w.lazy
            v.replay = None
            v.version = shared[0]
            t._view = v
            t._shared = shared
            v.inherits = t._requires_grad = base._requires_grad
    else: {attach}""".splitlines()
"""The same for each of several."""

_LOCALS = (
    "base", "d", "data", "first", "given", "kind", "lifted", "like", "needs", "node", "out", "outputs", "shared",
    "stale", "t", "told", "tracks", "v", "w",
)  # fmt: skip
"""The variables of a call, which what a forward function refers to must not be called like."""

_MEMORY = """\
        if r{0}.__class__ is not ndarray: r{0} = t{0}._array()
        elif not r{0}.size: r{0} = with_strides(r{0})"""
"""What a view is made of: an array, which has strides where it has no elements too."""

_OUTDATED = "({0}._grad_fn is None or w.lazy is not None or w.base._shared[0] != w.version)"
"""True of a view `w` that renew() may have something to do for."""


def compile_apply(op: Any) -> Callable[..., Any]:
    """`apply(*args)` for the op's complete arguments; returns its output or a tuple of outputs."""
    count = len(op.parameters)
    names = _names(op)
    parameters = []
    for i, p in enumerate(op.parameters):
        parameters.append(f"a{i}=default{i}" if p in op.defaults else f"a{i}")
        names[f"default{i}"] = op.defaults.get(p)
    raws = [f"a{i}" for i in range(count)]
    if op.variadic:
        parameters[-1] = raws[-1] = f"*a{count - 1}"
    args = _listed(raws)
    lines = [
        f"def apply({', '.join(parameters)}):",
        "    if used:",
        f"        lifted = lift(op, {args})",
        "        if lifted is not None: return lifted",
    ]
    if op.listed:
        (p,) = op.positions
        raws[p] = f"[t._data for t in a{p}]"
        tensors = f"a{p}"
        lines += [
            f"    for t in a{p}:",
            "        if t._view is not None: t._view.renew(t)",
            f"    first = a{p}[0] if a{p} else None",
            "    tracks = None",
            f"    for t in a{p}:",
            "        if t._requires_grad:",
            "            tracks = t",
            "            break",
        ]
    else:
        tensors = _listed(f"t{i}" for i in range(len(op.positions)))
        lines.append("    first = tracks = None")
        for i, p in enumerate(op.positions):
            raws[p] = f"r{i}"
            lines += [
                f"    if a{p}.__class__ is Tensor or isinstance(a{p}, Tensor):",
                f"        t{i} = a{p}",
                f"        w = t{i}._view",
                f"        if w is not None and {_OUTDATED.format(f't{i}')}: w.renew(t{i})",
                f"        r{i} = t{i}._data",
                *(_MEMORY.format(i).splitlines() if op.view else []),
                f"        first = t{i}" if i == 0 else f"        if first is None: first = t{i}",
                f"        if t{i}._requires_grad{' and tracks is None' if i else ''}: tracks = t{i}",
                f"    else: t{i}, r{i} = None, a{p}",
            ]
    for p in op.kept_positions:
        raws[p] = f"(a{p}._data if a{p}.__class__ is Tensor else raw_kept(a{p}))"
    computed = refused = f"forward({', '.join(raws)})"
    refuses = names["forward"] is not op.forward
    if not op.variadic and not (refuses and (op.listed or refuses_plain(op))):
        names["plain_forward"] = op.forward
        computed = f"plain_{computed}"
        written_here = names | dict.fromkeys(_LOCALS, _LOCALS)
        computed = expression(op.forward, raws, written_here, real=False) or computed
        names |= {name: value for name, value in written_here.items() if name not in _LOCALS}
        if refuses:
            computed = f"{computed} if t0 is not None and t0._dtype.wide else {refused}"
    lines += [
        f"    data = {computed}",
        f"    if meta_used: data = meta_spread({tensors}, data)",
        "    like = first._dtype if first is not None else table[data.dtype]",
    ]
    if op.outputs == 1:
        outputs, returned = "(t,)", "t"
        lines += [
            "    t = new_tensor()",
            "    t._data = data",
            "    d = data.dtype",
            "    t._dtype = like if d is like.np else table[d]",
            "    t._requires_grad = False",
            "    t._grad_fn = t._output_nr = t._grad = t._shared = None",
            "    t._view = t._accumulator = t._extra = t._token = None",
        ]
    else:
        outputs = returned = "outputs"
        lines.append("    outputs = tuple([None if d is None else wrap(d, like) for d in data])")
    if op.view and not op.replays:
        attach = _ATTACH if op.outputs == 1 else _ATTACH_EACH
        lines += [line.format(attach=f"attach_view(op, first, {outputs}, {args})") for line in attach]
    elif op.view:
        lines.append(f"    attach_view(op, first, {outputs}, {args})")
    lines.append("    node = None")
    if op.tracked:
        kept = "".join(f", a{p}" for p in op.kept_positions)
        given = f"(*{tensors}{kept})" if kept else tensors
        lines += [
            "    if tracks is not None and (not silenced or mode.enabled) and (",
            f"        not isinstance(tracks._shared, InferenceVersion) or not only_inference({given})",
        ]
        if op.listed or op.variadic:
            lines.append(f"    ): node = op.record({tensors}, {args}, {outputs})")
        else:
            written = _Written("a{}", "t" if op.outputs == 1 else "outputs[{}]", outputs)
            lines += [
                "    ):",
                f"        given = {_first(op, written)}",
                "        kind = given._dtype",
                "        if kind.category > 1:",
                *[" " * 12 + line for line in _tracking(op, names, written)],
                f"            if saved_hooks: pack(node, {outputs})",
            ]
    lines += [
        "    if subclassed:",
        f"        for out in {outputs}:",
        f"            if out is not None: spread({tensors}, out)",
        "    if hub.listener is not None:",
        f"        told = {outputs if op.outputs == 1 else 'tuple([o for o in outputs if o is not None])'}",
        f"        hub.listener.op(op.name, op, {args}, told, node, view={op.view})",
        f"    return {returned}",
    ]
    return define("\n".join(lines), names, "apply")


class _Written(NamedTuple):
    """How the lines of a call write its arguments and outputs: one by number, and all outputs."""

    argument: str
    output: str
    outputs: str


def _first(op: Any, written: _Written) -> str:
    """The first output that there is."""
    first = written.output.format(0)
    if op.outputs == 1:
        return first
    return f"{first} if {first} is not None else next(o for o in {written.outputs} if o is not None)"


def compile_record(op: Any) -> Callable[..., Any]:
    """`record(tensors, args, outputs, replaced=None, in_place=False)`: see dispatch.track."""
    names = _names(op)
    written = _Written("args[{}]", "outputs[{}]", "outputs")
    lines = [
        "def record(tensors, args, outputs, replaced=None, in_place=False):",
        f"    given = {_first(op, written)}",
        "    kind = given._dtype",
        "    if kind.category < 2: return None",
    ]
    if not op.listed:
        lines.append(f"    {_listed(f't{i}' for i in range(len(op.inputs)))} = tensors")
    lines += ["    " + line for line in _tracking(op, names, written, replaced=True)]
    lines += ["    if saved_hooks and not in_place: pack(node, outputs)", "    return node"]
    return define("\n".join(lines), names, "record")


def _tracking(op: Any, names: dict[str, Any], written: _Written, *, replaced: bool = False) -> list[str]:
    """Lines that make the `node` of a call, whose outputs are `given` and others of the type `kind`.

    Where something may have been `replaced`, that is saved in place of the first argument.
    """
    lines = [
        "node = new_node()",
        "node.sequence_nr = sequence_nr()",
        "node.grad = node.hooks = node.token = node.versions = node.next_nr = None",
        *(_edges_of_list() if op.listed else _edges(op, names)),
        *_shapes(op, written),
        f"node.attrs = {_listed(_attribute(op, a, written) for a in op.attrs)}",
        *_saving(op, written, replaced=replaced),
    ]
    if not op.multi:
        out = written.output.format(0)
        lines += [f"{out}._grad_fn = node", f"{out}._requires_grad = True", f"{out}._output_nr = None"]
    else:
        limit = "" if op.differentiable is None else f"[:{op.differentiable}]"
        lines += [
            f"for i, out in enumerate({written.outputs}{limit}):",
            "    if out is not None:",
            "        out._grad_fn = node",
            "        out._requires_grad = True",
            "        out._output_nr = i",
        ]
    return lines


def _edge(tensor: str, node: str, indent: str) -> list[str]:
    """Lines that find where a gradient of `tensor` goes; see gradient_edge()."""
    return [
        f"{indent}{node} = {tensor}._grad_fn",
        f"{indent}if {node} is None and {tensor}._requires_grad and ("
        f"{tensor}._view is None or not {tensor}._view.inherits):",
        f"{indent}    {node} = {tensor}._accumulator",
        f"{indent}    if {node} is not None: {node} = {node}()",
        f"{indent}    if {node} is None: {node} = accumulator({tensor})",
    ]


def _edges(op: Any, names: dict[str, Any]) -> list[str]:
    """Lines that give the node its edges and its plan."""
    count = len(op.inputs)
    each = range(count)
    lines = []
    for i in each:
        lines += [f"n{i} = None", f"if t{i} is not None:", *_edge(f"t{i}", f"n{i}", " " * 4)]
    several = " or ".join([f"(n{i} is not None and n{i}.multi)" for i in each])
    numbers = _listed(f"0 if n{i} is None else t{i}._output_nr or 0" for i in each)
    plain = " and ".join(["kind.wide", *[f"(t{i} is None or t{i}._dtype.wide)" for i in each]])
    lines += [f"node.next = {_listed(f'n{i}' for i in each)}", f"if {several}: node.next_nr = {numbers}"]
    if count == 1:  # A single input is saved even where no gradient goes to it.
        names["plan"] = op.plan((True,))
    else:
        mask = _listed(f"n{i} is not None" for i in each)
        lines += [f"needs = {mask}", "plan = plans.get(needs) or op.plan(needs)"]
    tensors = _listed(f"t{i}" for i in each)
    lines.append(f"node.plan = plan if {plain} else special_plan(op, plan, {tensors}, given)")
    missing = " or n0 is None" if count == 1 else ""
    lines.append(f"if node.next_nr is not None{missing}: node.plan = node.plan.general")
    return lines


def _edges_of_list() -> list[str]:
    return [
        "below = []",
        "several = False",
        "for t in tensors:",
        *_edge("t", "n", " " * 4),
        "    below.append(n)",
        "    if n is not None and n.multi: several = True",
        "node.next = tuple(below)",
        "if several:",
        "    node.next_nr = tuple([0 if n is None else t._output_nr or 0 for n, t in zip(below, tensors)])",
        "plan = op.plan((True,))",
        "node.plan = special_plan(op, plan, tensors, given)",
    ]


def _shapes(op: Any, written: _Written) -> list[str]:
    if not op.multi:
        out = written.output.format(0)
        return [f"node.shape = {out}._data.shape", f"node.dtype = {out}._dtype"]
    limit = "" if op.differentiable is None else f"[:{op.differentiable}]"
    return [
        f"node.shape = [None if o is None else o._data.shape for o in {written.outputs}{limit}]",
        f"node.dtype = [None if o is None else o._dtype for o in {written.outputs}{limit}]",
    ]


def _attribute(op: Any, name: str, written: _Written) -> str:
    """The value of an attribute: an argument, or the shape or another quality of an input."""
    if name in op.parameters:
        return written.argument.format(op.parameters.index(name))
    stem, _, what = name.rpartition("_")
    if op.listed:
        return "[t._data.shape for t in tensors]" if what == "shape" else "[t._dtype for t in tensors]"
    t = f"t{op.inputs.index(stem)}"
    value = f"{t}._data.shape" if what == "shape" else f"described({t}, {what!r})"
    return f"None if {t} is None else {value}"


def _saving(op: Any, written: _Written, *, replaced: bool) -> list[str]:
    """Lines that save what the plan keeps; versions are noted where a counter says another number than 0."""
    slots = range(len(op.slots))
    if not slots:
        return ["node.saved = ()"]
    lines = [f"{_listed(f'c{k}' for k in slots)} = plan.keeps", "stale = False"]
    for k in slots:
        result, position = op.result_slots[k], op.slot_positions[k]
        lines.append(f"s{k} = None")
        lines.append(f"if c{k}:")
        if result is not None:
            lines.append(f"    s{k} = save_result({written.output.format(result)}, {result})")
        else:
            value = written.argument.format(position)
            lines += [
                f"    s{k} = {f'{value} if replaced is None else replaced' if replaced and not position else value}",
                f"    if s{k}.__class__ is not Tensor and not isinstance(s{k}, Tensor): s{k} = entry(s{k})",
            ]
        lines += [
            f"    v = None if s{k} is None else s{k}._shared",
            "    if v is not None and (v.__class__ is not list or v[0]): stale = True",
        ]
    kept = " or ".join([f"c{k}" for k in slots])
    return [
        *lines,
        f"node.saved = {_listed(f's{k}' for k in slots)} if {kept} else ()",
        "if stale: node.versions = versions_of(node.saved)",
    ]
