"""Backward hooks of modules: identity ops around a module's inputs and outputs with nodes that run the hooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from backscope.autograd.function.function import Function
from backscope.autograd.hooks.user_hooks import is_own
from backscope.autograd.modes.grad_mode import mode
from backscope.runtime.given import Value, Values
from backscope.runtime.listening import hub
from backscope.runtime.passive import callable_name
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import belongs

if TYPE_CHECKING:
    from backscope.autograd.function.context import FunctionCtx
    from backscope.autograd.node import Node
    from backscope.nn.module.module import Module

_NO_INPUT_GRADIENT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
    "register_full_backward_hook for more details."
)


class BackwardHookFunction(Function):
    """The identity; its node receives the gradients that enter or leave a module."""

    @staticmethod
    def forward(ctx: FunctionCtx, *args: Value) -> tuple[Value, ...]:
        """The inputs."""
        ctx.mark_non_differentiable(*[a for a in args if not a.requires_grad])
        return args

    @staticmethod
    def backward(ctx: FunctionCtx, *args: Value) -> tuple[Value, ...]:
        """The gradients."""
        return args


def report_hook(
    where: str, hook: Callable[..., Any], module: Module, before: Value, after: Value, node: Node | None = None
) -> None:
    """Report a hook that ran to the listener; of several values the first tensor is reported."""
    if hub.listener is not None and not is_own(hook):
        hub.listener.hook_ran(where, node, callable_name(hook), _first(before), _first(after), module)


def report_hook_registered(where: str, hook: Callable[..., Any], module: object) -> None:
    """Report to the listener that the program registered a hook on a module."""
    if hub.listener is not None and not is_own(hook):
        hub.listener.module_hook_registered(where, callable_name(hook), module)


def _first(value: Value) -> Any:
    if isinstance(value, (tuple, list)):
        return next((v for v in value if isinstance(v, Tensor)), None)
    return value if isinstance(value, Tensor) else None


class BackwardHook:
    """The backward hooks of one call of a module; they run with the gradients of its outputs and inputs.

    The gradients of the outputs are kept in `grad_outputs` until those of the inputs arrive; inputs and outputs that
    are no tensors have None in their place.
    """

    def __init__(self, module: Module, user_hooks: list[Any], user_pre_hooks: list[Any]) -> None:
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: Any = None
        self.n_outputs = -1
        self.output_tensors_index: list[int] | None = None
        self.n_inputs = -1
        self.input_tensors_index: list[int] | None = None

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Pass the inputs through an identity with a node that calls the hooks with their gradients."""
        found: Any
        found, self.input_tensors_index = self._identity(args, self._on_inputs, "module backward", self.user_hooks)
        self.n_inputs = len(args)
        return found  # type: ignore[no-any-return]

    def setup_output_hook(self, result: Value) -> Value:
        """Pass the outputs through an identity with a node that stores their gradients."""
        outputs = result if isinstance(result, tuple) else (result,)
        hooks = self.user_pre_hooks
        found, self.output_tensors_index = self._identity(outputs, self._on_outputs, "module backward pre", hooks)
        self.n_outputs = len(outputs)
        return found if isinstance(result, tuple) else found[0]

    def _identity(
        self, args: tuple[Any, ...], hook: Callable[..., Any], where: str, hooks: Iterable[Any]
    ) -> tuple[Any, list[int] | None]:
        places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        if not (mode.enabled and any(args[i].requires_grad for i in places)):
            return args, None
        passed = BackwardHookFunction.apply(*[args[i] for i in places])
        node = next(t.grad_fn for t in passed if t.grad_fn is not None)
        node.register_hook(_anonymous(hook))
        if hub.listener is not None:
            for user in hooks:
                hub.listener.hook_registered(where, callable_name(user), None, node._engine_node)
        values = list(args)
        for place, tensor in zip(places, passed, strict=True):
            values[place] = tensor
        return (tuple(values) if type(args) is tuple else type(args)(*values)), places

    def _on_outputs(self, _: Any, grad_output: tuple[Any, ...]) -> Any:
        assert self.output_tensors_index is not None
        self.grad_outputs = _spread(self.output_tensors_index, grad_output, self.n_outputs)
        for hook in self.user_pre_hooks:
            given = self.grad_outputs
            returned = hook(self.module, given)
            report_hook("module backward pre", hook, self.module, given, returned)
            if returned is None:
                continue
            if len(returned) != len(given):
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(returned)}, but expected {len(given)}"
                )
            self.grad_outputs = returned
        current = self.grad_outputs
        if self.input_tensors_index is None:
            self._without_inputs()
        return None if current is None else tuple([current[i] for i in self.output_tensors_index])

    def _without_inputs(self) -> None:
        """Call the hooks at once where no input requires a gradient that could be waited for."""
        warn(_NO_INPUT_GRADIENT)
        gradients = (None,) * self.n_inputs
        for hook in self.user_hooks:
            returned = hook(self.module, gradients, self.grad_outputs)
            report_hook("module backward", hook, self.module, gradients, returned)
            if returned is not None and not (isinstance(returned, tuple) and all(r is None for r in returned)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None

    def _on_inputs(self, grad_input: tuple[Any, ...], _: Any) -> Any:
        if self.grad_outputs is None:
            # The gradient came by another way than through the module's outputs.
            return None
        assert self.input_tensors_index is not None
        gradients: Any = _spread(self.input_tensors_index, grad_input, self.n_inputs)
        for hook in self.user_hooks:
            returned = hook(self.module, gradients, self.grad_outputs)
            report_hook("module backward", hook, self.module, gradients, returned)
            if returned is None:
                continue
            if len(returned) != len(gradients):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(returned)}, but expected {len(gradients)}"
                )
            gradients = returned
        self.grad_outputs = None
        return tuple([gradients[i] for i in self.input_tensors_index])


def _anonymous(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method as a function that errors call `hook`."""

    def hook(grad_inputs: Any, grad_outputs: Value) -> Any:
        return method(grad_inputs, grad_outputs)

    return hook


def _spread(places: list[int], values: Values, count: int) -> tuple[Any, ...]:
    """Return a list of `count` elements with the values at their positions, None elsewhere."""
    found = [None] * count
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return tuple(found)


_LEGACY_ADVICE = "Please use register_full_backward_hook to get the documented behavior."


def warn_of_legacy_hook(inputs: Values, result: Value, grad_fn: Node) -> None:
    """The FutureWarnings for a hook that sits on the last node of a module, where others matter too."""

    def warn_of(when: str, missing: str, advice: str = "") -> None:
        warn(
            f"Using {when} is deprecated and will be removed in future versions. This hook will be missing some "
            f"{missing}.{advice}",
            FutureWarning,
        )

    for value, verb, missing in ((result, "return", "grad_output"), (inputs, "take as input", "grad_input")):
        if not isinstance(value, Tensor) and not (
            isinstance(value, tuple) and all(isinstance(v, Tensor) for v in value)
        ):
            what = f"non-full backward hooks on a Module that does not {verb} a single Tensor or a tuple of Tensors"
            warn_of(what, f"of the {missing}", " " + _LEGACY_ADVICE)
            return
    results = (result,) if isinstance(result, Tensor) else result
    given = (inputs,) if isinstance(inputs, Tensor) else inputs
    nodes = {r.grad_fn for r in results if r.grad_fn is not None}
    hook = "a non-full backward hook when"
    if not nodes or (len(nodes) == 1 and grad_fn not in nodes):
        warn_of(f"{hook} outputs are nested in python data structure", "grad_output")
    elif len(nodes) > 1:
        warn_of(f"{hook} outputs are generated by different autograd Nodes", "grad_output", " " + _LEGACY_ADVICE)
    elif {i.grad_fn for i in given if i.grad_fn is not None} != {n for n, _ in grad_fn.next_functions}:
        warn_of(f"{hook} the forward contains multiple autograd Nodes", "grad_input", " " + _LEGACY_ADVICE)


belongs("torch.nn.modules._functions", BackwardHookFunction)
belongs("torch.utils.hooks", BackwardHook)
