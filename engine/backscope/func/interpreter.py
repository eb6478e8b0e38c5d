"""torch._C._functorch: the open transforms, for programs that inspect them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from backscope.autograd.transforms.level import Level, differentiating, levels, only_up_to, opened
from backscope.autograd.transforms.transform_tensor import TransformTensor, wrapped
from backscope.func.randomness import LEGACY
from backscope.runtime.given import Tree, Value
from backscope.runtime.process import process_wide


class TransformType(enum.Enum):
    """The kinds of transforms."""

    Torch = 0
    Vmap = 1
    Grad = 2
    Jvp = 3
    Functionalize = 4


_KEYS = {
    "vmap": TransformType.Vmap,
    "grad": TransformType.Grad,
    "jvp": TransformType.Jvp,
    "functionalize": TransformType.Functionalize,
}


_lowered: list[Level] = process_wide([])
"""The transforms with a rule that is computing something at the level below."""


class Interpreter:
    """One open transform, as it is passed to the rules of a HigherOrderOperator."""

    def __init__(self, opened_level: Level) -> None:
        self._level = opened_level

    def key(self) -> TransformType:
        """The kind of transform."""
        return _KEYS[self._level.kind]

    def level(self) -> int:
        """The number of open transforms up to this one."""
        return self._level.depth

    @contextmanager
    def lower(self) -> Iterator[None]:
        """Return a context in which only the transforms around this one are open."""
        _lowered.append(self._level)
        try:
            with only_up_to(self._level, without=True):
                yield
        finally:
            _lowered.pop()

    def batch_size(self) -> int:
        """The size of a vmap's batch."""
        return self._level.size

    batchSize = batch_size

    def randomness(self) -> str:
        """The vmap's setting for random numbers."""
        return self._level.randomness

    def prev_grad_mode(self) -> bool:
        """True when ops were recorded where the transform was called."""
        return self._level.grad_mode

    def prev_fwd_grad_mode(self) -> bool:
        """True when tangents were computed where the transform was called."""
        return self._level.forward_mode

    def lift(self, value: Value) -> Value:
        """Wrap a tensor at this level."""
        if value.__class__ is TransformTensor and value.level is self._level:
            return value
        return wrapped(value, self._level)


def interpreters() -> list[Interpreter] | None:
    """The open transforms, outermost first; None where there are none."""
    return [Interpreter(x) for x in levels if x.kind != "dual" and x.randomness != LEGACY] or None


def innermost() -> Interpreter | None:
    """The innermost open transform."""
    found = interpreters()
    return found[-1] if found else None


def maybe_current_level() -> int | None:
    """Return the number of open transforms; None where there are none."""
    found = innermost()
    return None if found is None else found.level()


def current_level() -> int:
    """Return the number of open transforms; RuntimeError where there are none."""
    found = innermost()
    if found is None:
        raise RuntimeError("No transform is open: there is no current level.")
    return found.level()


def _level_of(depth: int) -> Level:
    found = next((x for x in (*_lowered, *reversed(levels)) if x.kind != "dual" and x.depth == depth), None)
    if found is None:
        raise RuntimeError(f"No transform is open at level {depth}.")
    return found


def is_functorch_wrapped_tensor(tensor: Value) -> bool:
    """True for a tensor that a transform wraps around another."""
    return tensor.__class__ is TransformTensor and tensor.inner is not None


def is_batchedtensor(tensor: Value) -> bool:
    """True for a tensor that a vmap maps over."""
    return is_functorch_wrapped_tensor(tensor) and tensor.batch_dim is not None


def is_gradtrackingtensor(tensor: Value) -> bool:
    """True for a tensor of grad, vjp or jvp."""
    return is_functorch_wrapped_tensor(tensor) and tensor.batch_dim is None and tensor.level.kind != "functionalize"


def is_functionaltensor(tensor: Value) -> bool:
    """True for a tensor of functionalize."""
    return is_functorch_wrapped_tensor(tensor) and tensor.level.kind == "functionalize"


def is_dead_tensor_wrapper(tensor: Value) -> bool:
    """True for a tensor of a transform that is over."""
    return is_functorch_wrapped_tensor(tensor) and not tensor.level.is_open


def unwrap_if_dead(tensor: Value) -> Value:
    """Return the tensor that a tensor of a closed transform wraps, any other tensor unchanged."""
    return tensor.inner if is_dead_tensor_wrapper(tensor) else tensor


def dlevel(tensor: Value) -> int:
    """The level of a tensor of grad, vjp or jvp, -1 for one of a transform that is over, 0 for any other."""
    if not is_gradtrackingtensor(tensor):
        return 0
    return tensor.level.depth if tensor.level.is_open else -1


def maybe_get_level(tensor: Value) -> int:
    """The level of a tensor, -1 for one of no transform, -2 for one of a transform that is over."""
    if not is_functorch_wrapped_tensor(tensor):
        return -1
    return tensor.level.depth if tensor.level.is_open else -2


def maybe_get_bdim(tensor: Value) -> int:
    """Return the dim of the wrapped tensor that the vmap maps over, -1 for tensors without one."""
    return tensor.batch_dim if is_batchedtensor(tensor) else -1


def get_unwrapped(tensor: Value) -> Value:
    """Return the tensor that a tensor wraps; RuntimeError where it wraps nothing."""
    if not is_functorch_wrapped_tensor(tensor):
        raise RuntimeError("No wrappers present!")
    return tensor.inner


def add_batch_dim(tensor: Value, batch_dim: int, level: int) -> Value:
    """Return a tensor with a dim that the vmap of a level maps over."""
    return wrapped(tensor, _level_of(level), batch_dim % tensor.ndim)


def remove_batch_dim(tensor: Value, level: int, batch_size: int, out_dim: int) -> Value:
    """The whole batch of a tensor, or copies of one that is not mapped over, with the batch at `out_dim`."""
    if is_batchedtensor(tensor) and tensor.level.depth == level:
        return tensor.inner.movedim(tensor.batch_dim, out_dim)
    return tensor.unsqueeze(0).expand(batch_size, *tensor.shape).movedim(0, out_dim)


def wrap_for_grad(tensor: Value, level: int) -> Value:
    """Wrap a tensor at the level of a grad, vjp or jvp."""
    return wrapped(tensor, _level_of(level))


def unwrap_for_grad(tensor: Value, level: int) -> Value:
    """Return the tensor that a tensor of that level wraps, any other tensor unchanged."""
    own = is_gradtrackingtensor(tensor) and tensor.level.depth == level
    return tensor.inner if own else tensor


def unwrap_batched(tensor: Value, level: int) -> tuple[Any, int | None]:
    """The whole batch of a tensor, and its dim; itself and None where the vmap of that level does not map over it."""
    own = is_batchedtensor(tensor) and tensor.level.depth == level
    return (tensor.inner, tensor.batch_dim) if own else (tensor, None)


def restore_vmap(
    func: Callable[..., Any], in_dims: Tree, batch_size: int, randomness: str
) -> Callable[..., tuple[Any, Any]]:
    """Return a function that runs `func` inside a vmap, and returns whole results with the dims of their batches."""
    from backscope.func.pytree import broadcast_to_and_flatten, tree_flatten, tree_unflatten

    def run(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        leaves, spec = tree_flatten(args)
        dims = broadcast_to_and_flatten(in_dims, spec)
        if dims is None:
            raise ValueError(f"in_dims={in_dims} is not compatible with the structure of the inputs, {spec}.")
        with opened("vmap") as level:
            level.size, level.randomness = batch_size, randomness
            inputs = [x if d is None else wrapped(x, level, d) for x, d in zip(leaves, dims, strict=True)]
            outputs, out_spec = tree_flatten(func(*tree_unflatten(inputs, spec), **kwargs))
            pairs = [unwrap_batched(x, level.depth) for x in outputs]
        return tuple([tree_unflatten(list(column), out_spec) for column in zip(*pairs, strict=True)]) or ((), ())

    return run


_entered: list[ExitStack] = process_wide([])
"""The transforms that a program has opened by hand, innermost last."""


def _enter(context: AbstractContextManager[Level]) -> Level:
    stack = ExitStack()
    level = stack.enter_context(context)
    _entered.append(stack)
    return level


def increment_vmap(batch_size: int, randomness: str) -> int:
    """Open a vmap and return its level."""
    level = _enter(opened("vmap"))
    level.size, level.randomness = batch_size, randomness
    return level.depth


def increment_grad() -> int:
    """Open a grad and return its level."""
    return _enter(differentiating()).depth


def increment_jvp() -> int:
    """Open a jvp and return its level."""
    return _enter(opened("jvp")).depth


def decrement() -> int:
    """Close the innermost transform that was opened by hand and return its level."""
    if not _entered:
        raise RuntimeError("No transform was opened by hand.")
    depth = current_level()
    _entered.pop().close()
    return depth


class _Allowed:
    """Switches of what is allowed inside transforms."""

    def __init__(self) -> None:
        self.single_level_function = False
        self.inplace_requires_grad = False


_allowed = process_wide(_Allowed())


def get_single_level_autograd_function_allowed() -> bool:
    """Return True when _SingleLevelFunction may be applied inside transforms."""
    return _allowed.single_level_function


def set_single_level_autograd_function_allowed(allowed: bool) -> None:
    """Allow _SingleLevelFunction to be applied inside transforms, or not."""
    _allowed.single_level_function = allowed


class enable_single_level_autograd_function:  # noqa: N801 - PyTorch's own name
    """Allow _SingleLevelFunction to be applied inside transforms within a context."""

    before = False

    def __enter__(self) -> None:
        self.before = get_single_level_autograd_function_allowed()
        set_single_level_autograd_function_allowed(True)

    def __exit__(self, *exc: object) -> None:
        set_single_level_autograd_function_allowed(self.before)
