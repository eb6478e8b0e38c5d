"""torch.autograd.Function: ops whose forward and backward a program writes itself."""

from __future__ import annotations

import functools
import inspect
import itertools
import warnings
from collections.abc import Callable
from typing import Any, NoReturn

from backscope.autograd.function.context import BackwardCFunction, FunctionCtx
from backscope.autograd.function.custom_node import CustomNode, new_node
from backscope.autograd.function.custom_outputs import save, wrap_outputs
from backscope.autograd.function.custom_tangent import push_tangents
from backscope.autograd.function.delayed_error import delayed_error
from backscope.autograd.modes.forward_mode import forward_mode
from backscope.autograd.modes.grad_mode import mode, no_grad
from backscope.autograd.transforms.level import levels
from backscope.autograd.transforms.saved_transform_tensor import save_transform_state
from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.func.randomness import LEGACY
from backscope.runtime.given import Dim, Value
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor

_MODULE = "torch.autograd.function"
_ids = itertools.count()
_OF_NODES = frozenset(
    {
        "_input_metadata",
        "_sequence_nr",
        "_set_sequence_nr",
        "metadata",
        "name",
        "needs_input_grad",
        "next_functions",
        "register_hook",
        "register_prehook",
        "saved_tensors",
        "to_save",
    }
)


class FunctionMeta(type):
    """Makes for each Function the class of its ctx and the class of its nodes, which are named after it."""

    _backward_cls: type[BackwardCFunction]
    _node_cls: type[CustomNode]

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        own = f"{name}Backward"
        cls._backward_cls = type(
            own,
            (BackwardCFunction,),
            {"_forward_cls": cls, "_autograd_function_id": next(_ids), "__module__": _MODULE},
        )
        cls._node_cls = type(own, (CustomNode,), {"__slots__": (), "function": cls, "__module__": _MODULE})
        super().__init__(name, bases, attrs)


class Function(FunctionCtx, metaclass=FunctionMeta):
    """The base of custom ops: subclasses write static methods forward() and backward() and are called by apply().

    forward(ctx, ...) saves in ctx what backward(ctx, ...) needs, or forward(...) only computes and
    setup_context(ctx, inputs, output) saves it.  vjp is another name for backward, jvp the rule of forward mode.
    """

    clear_saved_tensors_on_access = False
    boxed_grads_call = False
    generate_vmap_rule = False

    def __init__(self, *args: Value, **kwargs: object) -> None:
        warnings.warn(
            f"{self.__class__} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself. Instantiating an autograd function will raise an error in a "
            "future version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Value, **kwargs: object) -> NoReturn:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    # Any: attributes of nodes have all sorts of types.
    def __getattr__(self, name: str) -> Any:
        """Raise PyTorch's error for an attribute of a node: an instance belongs to no call."""
        if name not in _OF_NODES:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if name == "name":
            return lambda: type(self).__name__
        node = self.__dict__.setdefault("_unapplied", new_node(type(self), (), False))
        return None if name == "needs_input_grad" else getattr(node.public(), name)

    # Any: a user's forward() returns a value of any type.
    @staticmethod
    def forward(*args: Value, **kwargs: Value) -> Any:
        """Compute the outputs; to be overridden."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    # Any: a ctx, with the attributes that a program gave it.
    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Value) -> None:
        """Save in ctx what backward() needs, where forward() takes no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    # Any: a ctx, with the attributes that a program gave it; what is returned is checked at run time.
    @staticmethod
    def backward(ctx: Any, *grad_outputs: Value) -> Any:
        """Compute the gradients of the inputs from those of the outputs; to be overridden."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    # Any: a ctx, with the attributes that a program gave it; what is returned is checked at run time.
    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Value) -> Any:
        """Compute the tangents of the outputs from those of the inputs; to be overridden."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    # Any: a user's vmap() returns a value of any type.
    @staticmethod
    def vmap(info: Value, in_dims: Dim, *args: Value) -> Any:
        """Run the Function on a batch; to be overridden, unless `generate_vmap_rule` is set."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    # Any: a user's forward() returns a value of any type.
    @classmethod
    def apply(cls, *args: Value, **kwargs: Value) -> Any:
        """Run forward() and put its node on the tape; return the tracked results of forward().

        TypeError for keywords that forward() does not have as positional parameters.
        """
        if transformed():
            from backscope.func.function_transforms import refuse_keywords

            refuse_keywords(cls, kwargs)
        if overrides_setup_context(cls):
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if kwargs:
            args = positional(cls, args, kwargs)
        if transformed():
            from backscope.func.function_transforms import NO_SETUP, check_vmap_support, through_levels

            if not overrides_setup_context(cls):
                raise RuntimeError(NO_SETUP)
            check_vmap_support(cls)
            if any(level.kind == "functionalize" for level in levels):
                raise RuntimeError("NYI: Functionalize rule for custom_function_call")
            return through_levels(cls, args)
        return call(cls, args)


class _SingleLevelFunction(Function):
    """A Function that is recorded only at the innermost level of its arguments."""

    @classmethod
    def apply(cls, *args: Value, **kwargs: Any) -> Any:
        """Run forward() and put its node on the tape of that level."""
        return call(cls, positional(cls, args, kwargs) if kwargs else args)


class InplaceFunction(Function):
    """An old base class for Functions that may change their input in place."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def transformed() -> bool:
    """Return True inside a transform of torch.func; the batched passes of torch.autograd don't count."""
    return bool(levels) and any(level.kind != "dual" and level.randomness != LEGACY for level in levels)


def overrides_setup_context(function: type[Function]) -> bool:
    """Return True where forward() takes no ctx because setup_context() does."""
    return function.setup_context is not Function.setup_context


def parameters(function: type[Function]) -> list[str]:
    """Return the names of the inputs of a Function: the parameters of forward() without ctx."""
    code = getattr(function.forward, "__code__", None)
    if code is None:
        return []
    names = list(code.co_varnames[: code.co_argcount])
    return names if overrides_setup_context(function) else names[1:]


def positional(function: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return all arguments by position; TypeError for an unknown keyword and where a parameter would be left out."""
    names = parameters(function)
    given: dict[int, Any] = {}
    for key, value in kwargs.items():
        if key not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{key}'")
        position = names.index(key)
        if position < len(args):
            raise TypeError(f"forward() got multiple values for argument '{key}'")
        given[position] = value
    whole = list(args)
    for position in range(len(args), max(given) + 1):
        if position not in given:
            raise TypeError(f"forward() missing required argument: '{names[position]}' (position {position})")
        whole.append(given[position])
    return tuple(whole)


# Any: a user's forward() returns a value of any type.
def call(function: type[Function], args: tuple[Any, ...], below: Callable[[], Any] | None = None) -> Any:
    """Run one call of a Function on positional arguments.

    For tensors of a transform, `below` runs in place of forward() and returns the results of the level below.
    """
    inputs = [a for a in args if isinstance(a, Tensor)]
    for tensor in inputs:
        if tensor._view is not None:
            tensor._view.renew(tensor)
    tracked = mode.enabled and any(t._requires_grad for t in inputs)
    node = new_node(function, args, tracked)
    ctx = node.public()
    separate = overrides_setup_context(function)
    before = mode.enabled
    listener = hub.listener
    if listener is not None:
        listener.function_entered()
    computes_tangents = forward_mode.enabled
    returned = None if below is None else below()
    mode.enabled = forward_mode.enabled = False
    try:
        if separate:
            if below is None:
                returned = function.forward(*args)
            function.setup_context(ctx, args, returned)
        else:
            returned = function.forward(ctx, *args)
    finally:
        mode.enabled, forward_mode.enabled = before, computes_tangents
        if listener is not None:
            listener.function_left()
    raw = returned if isinstance(returned, tuple) else (returned,)
    outputs = wrap_outputs(node, inputs, raw, tracked=tracked, separate=separate)
    if levels:
        push_tangents(node, args, raw, outputs)
    save(node, tracked)
    for out in outputs if levels else ():
        if out.__class__ is TransformTensor and out._grad_fn is node:
            save_transform_state(out)
    if hub.listener is not None and below is None:
        hub.listener.function_applied(function, parameters(function), args, outputs, node if tracked else None)
    return outputs if isinstance(returned, tuple) else outputs[0]


def once_differentiable(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a backward() that is not made of differentiable ops: differentiating its result is an error."""

    @functools.wraps(formula)
    def wrapper(ctx: Any, *args: Value, **kwargs: Any) -> Any:
        with no_grad():
            outputs = formula(ctx, *args, **kwargs)
        if not mode.enabled or not any(isinstance(a, Tensor) and a._requires_grad for a in args):
            return outputs
        return delayed_error(
            "trying to differentiate twice a function that was marked with @once_differentiable",
            outputs if isinstance(outputs, tuple) else (outputs,),
        )

    return wrapper


for _public in (Function, FunctionMeta, InplaceFunction, _SingleLevelFunction, once_differentiable):
    _public.__module__ = _MODULE
