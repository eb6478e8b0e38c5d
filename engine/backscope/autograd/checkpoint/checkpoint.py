"""torch.utils.checkpoint: functions whose saved tensors are not kept but computed again in the backward pass."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from backscope.autograd.backward_and_grad import backward
from backscope.autograd.checkpoint.recomputation import CheckpointError, Checkpointing, Frame
from backscope.autograd.engine_queries import execution_engine
from backscope.autograd.function.function import Function
from backscope.autograd.modes.autocast import as_now
from backscope.autograd.modes.grad_mode import enable_grad, mode, no_grad
from backscope.random import default_generator
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Device, Option, Value, Values
from backscope.runtime.listening import hub
from backscope.runtime.passive import callable_name
from backscope.runtime.process import process_wide
from backscope.runtime.warning import warn
from backscope.tensor.device import device
from backscope.tensor.tensor import Tensor

_NAME = "torch.utils.checkpoint"
_CHOOSE = (
    " behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences between the two "
    "variants."
)
UNCHOSEN = (
    "torch.utils.checkpoint: the use_reentrant parameter should be passed explicitly. Starting in PyTorch 2.9, calling "
    "checkpoint without use_reentrant will raise an exception. use_reentrant=False is recommended, but if you need to "
    f"preserve the current default{_CHOOSE}"
)
UNCHOSEN_SEQUENTIAL = (
    "torch.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly. In version "
    "2.9 we will raise an exception if use_reentrant is not passed. use_reentrant=False is recommended, but if you "
    f"need to preserve the current default{_CHOOSE}"
)
SUPPRESSED = (
    "torch.utils.checkpoint: the forward context provided by context_fn suppressed an exception raised during the "
    "checkpointed forward. This is not supported because checkpoint cannot return a value for a failed forward."
)
RESTRICTED = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to "
    ".backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without passing "
    "the `inputs` argument."
)


class _Overrides:
    """The values of set_checkpoint_early_stop and set_checkpoint_debug_enabled, None where they were not called."""

    early_stop: bool | None = None
    debug: bool | None = None


process_wide(_Overrides, "early_stop", "debug")


@contextlib.contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Set if checkpoints made inside stop a recomputation as soon as they have all the tensors that are needed."""
    before = _Overrides.early_stop
    _Overrides.early_stop = enable
    try:
        yield
    finally:
        _Overrides.early_stop = before


@contextlib.contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Set if errors of checkpoints made inside list all ops that ran; None leaves it to the argument `debug`."""
    before = _Overrides.debug
    _Overrides.debug = enabled
    try:
        yield
    finally:
        _Overrides.debug = before


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """Return two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the inputs off the tape, as leaves that require grad where the inputs do."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    found: list[Any] = []
    for given in inputs:
        out = given
        if isinstance(given, Tensor):
            out = given.detach()
            out.requires_grad = given.requires_grad
        found.append(out)
    return tuple(found)


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warn where no input requires grad."""
    if not any(i.requires_grad for i in inputs if isinstance(i, Tensor)):
        warn("None of the inputs have requires_grad=True. Gradients will be None")


@contextlib.contextmanager
def _same_numbers(state: Any) -> Iterator[None]:
    """Set the generator to `state` if it is not None, and back to its own state at the end."""
    if state is None:
        yield
        return
    before = default_generator.get_state()
    default_generator.set_state(state)
    try:
        yield
    finally:
        default_generator.set_state(before)


class CheckpointFunction(Function):
    """The reentrant checkpoint: its backward() runs the function again and a backward pass inside."""

    # Any: a ctx has the attributes that forward() puts on it.
    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Value) -> Values:
        """Run the function without recording it."""
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.state = default_generator.get_state() if preserve_rng_state else None
        ctx.casting = as_now()
        ctx.inputs = [None if isinstance(a, Tensor) else a for a in args]
        ctx.tensor_indices = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*[args[i] for i in ctx.tensor_indices])
        listener = hub.listener
        ctx.number = 0 if listener is None else listener.checkpoint_entered(callable_name(run_function), True)
        with no_grad():
            outputs = run_function(*args)
        if listener is not None:
            listener.checkpoint_left(ctx.number)
        return outputs

    # Any: a ctx has the attributes that forward() puts on it.
    @staticmethod
    def backward(ctx: Any, *args: Value) -> tuple[Value, ...]:
        """Run the function again, recorded, and a backward pass through that."""
        if not execution_engine.is_checkpoint_valid():
            raise blame(RuntimeError(RESTRICTED), "reentrant")
        inputs = list(ctx.inputs)
        for i, tensor in zip(ctx.tensor_indices, ctx.saved_tensors, strict=True):
            inputs[i] = tensor
        listener = hub.listener
        detached = detach_variable(tuple(inputs))
        if listener is not None:
            listener.recomputation_started(ctx.number, ctx._engine_node)
        with _same_numbers(ctx.state), enable_grad(), ctx.casting():
            outputs = ctx.run_function(*detached)
        if listener is not None:
            listener.recomputation_finished(ctx.number)
        if isinstance(outputs, Tensor):
            outputs = (outputs,)
        pairs = [(o, g) for o, g in zip(outputs, args, strict=False) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return None, None, *[d.grad if isinstance(d, Tensor) else None for d in detached]


CheckpointFunction.__module__ = _NAME


def _shape_and_kind(tensor: Tensor) -> dict[str, Any]:
    where = getattr(tensor, "device", None) or device("cpu")
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": where}


def _nothing(tensor: Tensor) -> None:
    return None


_CHECKS: dict[str, Callable[[Tensor], Any]] = {"default": _shape_and_kind, "none": _nothing}


# Any: the checkpointed function returns a value of any type.
def checkpoint(
    function: Callable[..., Any],
    *args: Value,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], tuple[Any, Any]] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Value,
) -> Any:
    """Run `function(*args, **kwargs)` without keeping its saved tensors, which are computed again in the backward pass.

    Raises ValueError for options that exclude each other, and in the backward pass CheckpointError where the second
    run differs from the first.
    """
    if use_reentrant is None:
        warn(UNCHOSEN)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        if kwargs:
            raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    on_error: Callable[[CheckpointError], None] | None = None
    if debug if _Overrides.debug is None else _Overrides.debug:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        from backscope.autograd.checkpoint.checkpoint_log import logged

        context_fn, on_error = logged()
    if determinism_check not in _CHECKS:
        raise ValueError(f"determinism_check should be one of {list(_CHECKS)}, but got {determinism_check}")
    forward_context, recompute_context = context_fn()
    if not mode.enabled:
        return function(*args, **kwargs)
    state = default_generator.get_state() if preserve else None
    casting = as_now()

    def again(*given: Values) -> None:
        with _same_numbers(state), casting(), recompute_context:
            function(*given, **kwargs)

    stops = early_stop if _Overrides.early_stop is None else _Overrides.early_stop
    frame = Frame(again, args, stops, _CHECKS[determinism_check])
    listener = hub.listener
    if listener is not None:
        selective = hasattr(forward_context, "kept_tokens")
        frame.number = listener.checkpoint_entered(callable_name(function), False, selective)
    completed = False
    with Checkpointing(frame, on_error), forward_context:
        result = function(*args, **kwargs)
        completed = True
    if not completed:
        raise RuntimeError(SUPPRESSED)
    frame.forward_completed = True
    if listener is not None:
        listener.checkpoint_left(frame.number, forward_context.kept_tokens() if selective else ())
    return result


# Any: the last function returns a value of any type.
def checkpoint_sequential(
    functions: Values,
    segments: int,
    input: Value,  # noqa: A002 - PyTorch's own name
    use_reentrant: bool | None = None,
    **kwargs: Option,
) -> Any:
    """Run functions one after the other, in `segments` parts of which all but the last are checkpoints."""
    if use_reentrant is None:
        warn(UNCHOSEN_SEQUENTIAL)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if hasattr(functions, "children"):
        functions = list(functions.children())

    def part(start: int, end: int) -> Callable[[Any], Any]:
        def forward(value: Value) -> Any:
            for function in functions[start:end]:
                value = function(value)
            return value

        return forward

    size = len(functions) // segments
    end, value = 0, input
    for start in range(0, size * (segments - 1), size):
        end = start + size
        value = checkpoint(part(start, end), value, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return part(end, len(functions))(value)


def get_device_states(*args: Value) -> tuple[list[int], list[Any]]:
    """Return the devices of `args` and their random number states: none, since everything is on the CPU."""
    return [], []


def set_device_states(devices: Values, states: Values, *, device_type: Device = None) -> None:
    """Do nothing: there are no devices but the CPU."""


class DefaultDeviceType:
    """The default device of which a checkpoint keeps the random numbers."""

    _device_type: str | None = None

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Set the default device."""
        DefaultDeviceType._device_type = device

    @staticmethod
    def get_device_type() -> str:
        """Return the default device, "cpu" where none was set."""
        return DefaultDeviceType._device_type or "cpu"


for _public in (checkpoint, checkpoint_sequential, DefaultDeviceType):
    _public.__module__ = _NAME
