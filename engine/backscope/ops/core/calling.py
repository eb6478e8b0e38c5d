"""Source text of a declared op's call: raw values in, Tensors out, and a node on the tape where something is tracked.

The general case is in dispatch.py.  The text made here is for one op, without loops over its inputs, outputs and slots,
which cost more than the arithmetic of a small tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.autograd.formula import AS_KERNEL, THROUGH_TENSORS
from backscope.autograd.modes.grad_mode import mode, replaying, silenced
from backscope.autograd.node import SavedNumber, accumulator, maker, next_sequence_nr, save_result
from backscope.autograd.saved.saved_tensors import SavedList, versions_of
from backscope.autograd.transforms.level import used
from backscope.ops.core.compiled_formula import define
from backscope.ops.core.inline import expression
from backscope.ops.core.node_source import Written, first_output, node_lines, tuple_of
from backscope.ops.core.unsupported import refuse_complex_gradients, refuses_plain, refusing
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.tensor import meta
from backscope.tensor.dtype import LOW_PRECISION, dtype
from backscope.tensor.strides import with_strides
from backscope.tensor.subclass import spread, subclassed
from backscope.tensor.tensor import Tensor
from backscope.tensor.version_counter import InferenceVersion

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op


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
    """Return what a slot saves of an argument."""
    if value.__class__ is tuple:
        return SavedList(value)
    return value if value is None or isinstance(value, Tensor) else SavedNumber(value)


def _special_plan(op: Any, plan: Any, tensors: Values, given: Value) -> Any:
    """Return the plan of a node with operands or a result of another type than float32 and float64.

    Raises: RuntimeError where PyTorch has no gradients of complex results; in-place calls are not checked.
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
"""The inlined form of attach_view() for a view with strides that give its position in its base."""


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
"""The inlined form of attach_view() for each of several outputs."""

_LOCALS = (
    "base", "d", "data", "first", "given", "kind", "lifted", "like", "needs", "node", "out", "outputs", "shared",
    "reported", "stale", "t", "tracks", "v", "w",
)  # fmt: skip
"""The local variables of a call; the names in an inlined forward function must differ from them."""

_MEMORY = """\
        if r{0}.__class__ is not ndarray: r{0} = t{0}._array()
        elif not r{0}.size: r{0} = with_strides(r{0})"""
"""Lines that make the raw value of a view's input an array; one without elements gets its strides back."""

_OUTDATED = "({0}._grad_fn is None or w.lazy is not None or w.base._shared[0] != w.version)"
"""An expression that is true for a view `w` that may need renew()."""


def compile_apply(op: Op) -> Callable[..., Any]:
    """Compile `apply(*args)` for the op's complete arguments; it returns the output or a tuple of outputs."""
    count = len(op.parameters)
    names = _names(op)
    parameters = []
    for i, name in enumerate(op.parameters):
        parameters.append(f"a{i}=default{i}" if name in op.defaults else f"a{i}")
        names[f"default{i}"] = op.defaults.get(name)
    raws = [f"a{i}" for i in range(count)]
    if op.variadic:
        parameters[-1] = raws[-1] = f"*a{count - 1}"
    args = tuple_of(raws)
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
        tensors = tuple_of(f"t{i}" for i in range(len(op.positions)))
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
            written = Written("a{}", "t" if op.outputs == 1 else "outputs[{}]", outputs)
            lines += [
                "    ):",
                f"        given = {first_output(op, written)}",
                "        kind = given._dtype",
                "        if kind.category > 1:",
                *[" " * 12 + line for line in node_lines(op, names, written)],
                f"            if saved_hooks: pack(node, {outputs})",
            ]
    lines += [
        "    if subclassed:",
        f"        for out in {outputs}:",
        f"            if out is not None: spread({tensors}, out)",
        "    if hub.listener is not None:",
        f"        reported = {outputs if op.outputs == 1 else 'tuple([o for o in outputs if o is not None])'}",
        f"        hub.listener.op(op.name, op, {args}, reported, node, view={op.view})",
        f"    return {returned}",
    ]
    return define("\n".join(lines), names, "apply")


def compile_record(op: Op) -> Callable[..., Any]:
    """Compile `record(tensors, args, outputs, replaced=None, in_place=False)`; see dispatch.track."""
    names = _names(op)
    written = Written("args[{}]", "outputs[{}]", "outputs")
    lines = [
        "def record(tensors, args, outputs, replaced=None, in_place=False):",
        f"    given = {first_output(op, written)}",
        "    kind = given._dtype",
        "    if kind.category < 2: return None",
    ]
    if not op.listed:
        lines.append(f"    {tuple_of(f't{i}' for i in range(len(op.inputs)))} = tensors")
    lines += ["    " + line for line in node_lines(op, names, written, replaced=True)]
    lines += ["    if saved_hooks and not in_place: pack(node, outputs)", "    return node"]
    return define("\n".join(lines), names, "record")
