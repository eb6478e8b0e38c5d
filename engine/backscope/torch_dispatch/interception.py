"""Dispatch of ops to the entered modes and to the subclasses among their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from backscope.autograd.evaluation import in_formula
from backscope.autograd.modes.grad_mode import is_grad_enabled, mode
from backscope.autograd.node import SavedResult
from backscope.autograd.transforms.level import transforms_ignored
from backscope.autograd.transforms.tensor_arguments import tensors_in
from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.ops.core.declaration import primitives
from backscope.ops.core.tensor_geometry import constants
from backscope.ops.names.aten import OpOverload, OpOverloadPacket, packet
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.tensor.device import CPU
from backscope.tensor.dtype import default
from backscope.tensor.layout import strided
from backscope.tensor.tensor import Tensor, of_raw
from backscope.torch_dispatch.aten_call import aten_call
from backscope.torch_dispatch.mode_stack import stack

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op

Compute = Callable[[], Any]


class Call(NamedTuple):
    """The call that a handler was given: when it calls `func` with the same arguments, `compute` gives the result."""

    func: OpOverload
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    compute: Compute


def takers(args: tuple[Any, ...]) -> list[Any]:
    """Return one tensor of each class with a __torch_dispatch__ among arguments, subclasses before their bases."""
    found: list[Any] = []
    if stack.classes_left_out:
        return found
    for t in tensors_in(args):
        kind = type(t)
        if getattr(kind, "__torch_dispatch__", None) is None or any(type(f) is kind for f in found):
            continue
        at = next((i for i, f in enumerate(found) if issubclass(kind, type(f))), len(found))
        found.insert(at, t)
    return found


def intercepted(args: tuple[Any, ...]) -> bool:
    """Return True when a mode or a class handles a call with these arguments.

    Calls on tensors of a transform are not handled, only the calls on the tensors that they wrap.
    """
    if not stack.modes and not takers(args):
        return False
    return not any(t.__class__ is TransformTensor and t.inner is not None for t in tensors_in(args))


def hand_over(
    func: OpOverload,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    compute: Compute,
    types: Iterable[type] | None = None,
) -> Values:
    """Return the result of `func` from the innermost mode, else a subclass among the arguments, else `compute()`.

    Handlers run below autograd: nothing is recorded inside.  TypeError where all of them return NotImplemented.
    """
    modes = stack.modes
    given = takers((*args, *kwargs.values()))
    if not modes and not given:
        return compute()
    if types is None:
        types = tuple([type(t) for t in given])
    tried: list[str] = []
    if modes:
        found = _handled(modes[-1], modes[:-1], func, types, args, kwargs, compute)
        if found is not NotImplemented:
            return found
        tried.append(f"mode object {modes[-1]!r}")
    for taker in given:
        found = _handled(type(taker), modes, func, types, args, kwargs, compute)
        if found is not NotImplemented:
            return found
        tried.append(f"tensor subclass {type(taker)!r}")
    listed = "\n".join(f"  - {t}" for t in tried)
    raise TypeError(
        f"Multiple dispatch failed for '{func.__module__}.{func.__name__}'; all __torch_dispatch__ handlers returned "
        f"NotImplemented:\n\n{listed}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented"
    )


def _handled(
    handler: Any,
    modes: Any,
    func: OpOverload,
    types: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    compute: Compute,
) -> Any:
    before, call = stack.modes, stack.call
    outermost = not mode.below
    stack.modes = modes
    stack.call = Call(func, args, kwargs, compute)
    if outermost:
        mode.requested = is_grad_enabled()
        mode.below = True
        mode.enabled = False
    hub.handlers += 1
    try:
        return handler.__torch_dispatch__(func, types, args, kwargs)
    finally:
        hub.handlers -= 1
        stack.modes, stack.call = before, call
        if outermost:  # The grad mode that the handler has set stays set, as in PyTorch.
            mode.below = False
            mode.enabled = mode.requested and not mode.inference


@contextmanager
def enable_reentrant_dispatch() -> Iterator[None]:
    """Let a handler compute above autograd within a context: ops are recorded as they were at the intercepted call."""
    enabled, below, requested = mode.enabled, mode.below, mode.requested
    if below:
        mode.below = False
        mode.enabled = requested and not mode.inference
    try:
        yield
    finally:
        mode.below, mode.requested = below, requested
        mode.enabled = enabled


enable_reentrant_dispatch.__module__ = "torch.overrides"


def called(func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Values:
    """Run an overload that a handler calls: continue the intercepted call, or start a new one."""
    call = stack.call
    if call is not None and call.func is func and _same(args, call.args) and _same(kwargs, call.kwargs):
        stack.call = None
        try:
            return hand_over(func, call.args, call.kwargs, call.compute)
        finally:
            stack.call = call
    return func.overloadpacket(*args, **kwargs)


def _same(a: Value, b: Value) -> bool:
    if a is b:
        return True
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return False
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(v, b[k]) for k, v in a.items())
    return type(a) is type(b) and bool(a == b)


@contextmanager
def undispatched(enabled: bool) -> Iterator[None]:
    """Ops inside are computed without modes, subclasses and listeners, and recorded where `enabled`."""
    listener, hub.listener = hub.listener, None
    was, below, requested, modes = mode.enabled, mode.below, mode.requested, stack.modes
    mode.enabled, mode.below, stack.modes = enabled, False, ()
    try:
        with transforms_ignored():
            yield
    finally:
        hub.listener = listener
        mode.below, mode.requested = below, requested
        mode.enabled, stack.modes = was, modes


def forward(op: Op, args: tuple[Any, ...], run: Callable[..., Any]) -> Values:
    """Return the result of `run(*args)`, a declared op, from modes and subclasses; None without any."""
    if not stack.modes and not takers(args):
        return None
    if in_formula and op.name in _WITH_SCALARS and args[1].__class__ in (int, float):
        op = primitives[f"{op.name}_scalar"]
        return op.call(*args[:2])
    if op.name == "index_accumulate":
        _show_zeros(args)
    if op.name == "where":
        args = tuple([_zero_dim(a, args) if isinstance(a, (int, float)) else a for a in args])

    def compute() -> Any:
        with undispatched(enabled=False):
            return run(*args)

    result = hand_over(*aten_call(op, args), compute)
    if result is NotImplemented:
        return result
    several = isinstance(result, (tuple, list))
    outputs = tuple(result) if several else (result,)
    given = list(tensors_in(args))
    if any(o is not None and not isinstance(o, Tensor) for o in outputs):
        return result
    made = tuple([o for o in outputs if o is not None and not any(o is g for g in given)])
    if len(made) != len([o for o in outputs if o is not None]):
        return result
    _record(op, args, outputs)
    node = next((o._grad_fn for o in made if o._grad_fn is not None and o._grad_fn.op is op), None)
    if hub.listener is not None:
        hub.listener.op(op.name, op, args, made, node, view=op.view)
    if node is not None and node.saved:
        for entry in node.saved:
            if entry.__class__ is SavedResult and outputs[entry.output_nr]._requires_grad:
                detach_saved(outputs[entry.output_nr])
    return outputs if several else result


def _show_zeros(args: tuple[Any, ...]) -> None:
    """Report to the modes the zeros that PyTorch creates to add to at an index."""
    zeros, values = args[0], args[1]
    options = {"dtype": zeros._dtype, "layout": strided, "device": CPU}
    emit("new_zeros", "default", (values, list(zeros._data.shape)), options, zeros)


_WITH_SCALARS = frozenset({"add", "sub", "mul", "div"})
"""Ops that take the numbers within a formula as numbers in PyTorch, not as tensors."""


def _zero_dim(number: Value, args: tuple[Any, ...]) -> Any:
    """Return a number beside tensors as the tensor that PyTorch makes of it first."""
    kind = next((a._dtype for a in args if isinstance(a, Tensor) and a._dtype.category > 0), default.floating)
    made = of_raw(np.asarray(number).astype(kind.np)[()])
    options = {"dtype": kind, "layout": strided, "device": CPU}
    return emit("scalar_tensor", "default", (number,), options, made)


def _record(op: Op, args: tuple[Any, ...], outputs: tuple[Any, ...]) -> None:
    from backscope.func.lifting import record
    from backscope.ops.core.dispatch import only_inference

    if not only_inference(list(tensors_in(args))):
        record(op, args, outputs)


def detach_saved(tensor: Value) -> None:
    """Report to handlers that autograd detaches a node's own result when it packs or unpacks it."""

    def compute() -> Any:
        with undispatched(enabled=False):
            return tensor.detach()

    hand_over(packet("detach").default, (tensor,), {}, compute, (Tensor,))  # type: ignore[union-attr]


def in_place(op: Op, args: tuple[Any, ...], run: Callable[..., Any]) -> Value:
    """Dispatch an op that stores its result in its first argument to the modes; returns that argument."""
    if not stack.modes and not takers(args):
        return None
    enabled = mode.enabled
    listener = hub.listener

    def compute() -> Any:
        with undispatched(enabled):
            hub.listener = listener
            return run(*args)

    hand_over(*aten_call(op, args, in_place=True), compute)
    node = args[0]._grad_fn
    if node is not None and node.op is op and op.tracked and node.saved:
        for entry in node.saved:
            if entry.__class__ is SavedResult:
                detach_saved(args[0])
    return args[0]


def emit(name: str, overload: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Value) -> Values:
    """Report to the modes a call with a `result` computed before; return the result of the modes."""
    found = packet(name)
    if found is None:
        return result
    return hand_over(getattr(found, overload), args, kwargs, lambda: result)


def state_begun(parameter: Value, state: dict[str, Any]) -> None:
    """Report to the modes that an optimizer has created the state of a parameter."""
    for value in state.values():
        if isinstance(value, Tensor) and not value._data.ndim:
            emit("lift_fresh", "default", (value,), {}, value)
        elif isinstance(value, Tensor):
            emit("zeros_like", "default", (parameter,), _alike(), value)


class ScriptObject:
    """The object that PyTorch's profiler creates for a recorded part of a program."""


ScriptObject.__module__ = "torch"


@contextmanager
def profiled(name: str) -> Iterator[None]:
    """Report to the modes the start and the end of a block, with the name that PyTorch gives its profiler."""
    if not stack.modes:
        yield
        return
    part = ScriptObject()
    enter = OpOverloadPacket("_record_function_enter_new", lambda name, args=None: part, "profiler")
    leave = OpOverloadPacket("_record_function_exit", lambda part: None, "profiler")
    hand_over(OpOverload(enter, "default"), (name,), {}, lambda: part)
    try:
        yield
    finally:
        hand_over(OpOverload(leave, "_RecordFunction"), (part,), {}, lambda: None)


def _alike() -> dict[str, Any]:
    return {"pin_memory": False, "memory_format": constants["preserve_format"]}


_FILLED = frozenset({"zeros", "ones", "rand", "randn"})
_ALIKE = frozenset({"zeros_like", "ones_like", "empty_like", "rand_like", "randn_like"})


def creation(tensor: Value, origin: str) -> Value:
    """Dispatch a creation function that has made a tensor to the modes; returns the modes' result."""
    shape = list(tensor._data.shape)
    on_cpu = {"device": CPU, "pin_memory": False}
    if tensor._dtype is not default.floating:
        on_cpu = {"dtype": tensor._dtype, **on_cpu}
    found: Any
    if origin in _FILLED:
        found = emit(origin, "default", (shape,), on_cpu, tensor)
    elif origin == "empty":
        found = emit(origin, "memory_format", (shape,), on_cpu, tensor)
    elif origin in _ALIKE:
        found = emit(origin, "default", (tensor,), _alike(), tensor)
    elif origin in ("tensor", "as_tensor"):
        found = emit("lift_fresh", "default", (tensor,), {}, tensor)
    else:
        found = tensor if packet(origin) is None else emit(origin, packet(origin).overloads()[0], (shape,), {}, tensor)  # type: ignore[union-attr]
    return found if isinstance(found, Tensor) else tensor
