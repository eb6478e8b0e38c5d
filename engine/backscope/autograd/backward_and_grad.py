"""torch.autograd.backward and torch.autograd.grad: they check their arguments and start the engine."""

from __future__ import annotations

import operator
import threading
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backscope.autograd.edge import GradientEdge, inner_node
from backscope.autograd.engine import execute
from backscope.autograd.node import Node, gradient_edge, next_sequence_nr
from backscope.autograd.root_gradients import first_gradients, through_modes
from backscope.autograd.task import Task
from backscope.autograd.transforms.batched_grad import batched
from backscope.autograd.transforms.level import levels, used
from backscope.autograd.transforms.op_only_listener import only_ops
from backscope.autograd.transforms.transform_refusals import refuse_backward
from backscope.autograd.validation import fitted
from backscope.ops.core.dispatch import saved_hooks
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Option, Value, Values
from backscope.runtime.listening import hub
from backscope.runtime.warning import CREATE_GRAPH_CYCLE, ONLY_INPUTS, warn, warn_once
from backscope.tensor.subclass import overriding, subclassed
from backscope.tensor.tensor import Tensor
from backscope.torch_dispatch.mode_stack import classes


def _as_tuple(value: Value) -> tuple[Any, ...]:
    return (value,) if isinstance(value, (Tensor, GradientEdge)) else tuple(value)


def _flag(value: Value) -> bool:
    if isinstance(value, bool):
        return value
    number = operator.index(value)
    if not 0 <= number < 256:
        raise OverflowError(f"unsigned byte integer is {'less than minimum' if number < 0 else 'greater than maximum'}")
    return bool(number)


def _as_inputs(value: Value, api: str) -> tuple[Any, ...]:
    """Return the tensors of an `inputs` argument: one, several, or the values of a plain dict."""
    if type(value) is dict:
        return tuple(value.values())
    if isinstance(value, Mapping):
        raise TypeError(
            f"`inputs` argument to `{api}()` must be a dict, not {type(value).__name__}. Other Mapping types are not "
            "supported."
        )
    return _as_tuple(value)


def _overridden(
    function: Callable[..., Any], relevant: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Return in a tuple the result of modes and classes with a __torch_function__; None where there are none."""
    from backscope.tensor.overrides import handle_torch_function, overriders

    if not overriding.modes and not overriders(relevant):
        return None
    return (handle_torch_function(function, relevant, *args, **kwargs),)


def run_backward(
    tensors: Values,
    grad_tensors: Values,
    keep_graph: Option,
    create_graph: Option,
    inputs: Values = None,
    allow_unreachable: Option = False,
    accumulate_grad: Option = False,
    *,
    implicit: bool = False,
) -> tuple[Any, ...]:
    """Run the engine from `tensors`, as one call for a listener; return the gradients of `inputs`, if there are any.

    `implicit` is True where the caller made all the gradients that the pass starts from.
    """
    if not isinstance(tensors, tuple):
        raise RuntimeError(f"tensors argument is expected to be a tuple, but got {type(tensors).__name__}")
    if not isinstance(grad_tensors, tuple):
        raise RuntimeError(f"grad_tensors argument is expected to be a tuple, but got {type(grad_tensors).__name__}")
    task = Task(_flag(keep_graph), _flag(create_graph))
    if len(tensors) != len(grad_tensors):
        raise RuntimeError(f"got {len(tensors)} tensors and {len(grad_tensors)} gradients")
    if classes and any(hasattr(type(t), "__torch_dispatch__") for t in tensors):
        task.on_tensors = True
    roots: list[Any] = []
    for i, (tensor, gradient) in enumerate(zip(tensors, grad_tensors, strict=True)):
        node, nr = _root(tensor, i)
        if isinstance(gradient, Tensor):
            roots.append((node, nr, gradient))
        elif gradient is not None:
            raise RuntimeError(f"element {i} of gradients tuple is not a Tensor or None")
        elif tensor._requires_grad:
            raise RuntimeError(f"element {i} of gradients tuple is None, but the corresponding Tensor requires grad")
    accumulates = _flag(accumulate_grad)
    allow_unreachable = _flag(allow_unreachable)
    if not accumulates and not inputs:
        raise RuntimeError("grad requires non-empty inputs.")
    if inputs:
        task.want([_wanted(x, accumulate=accumulates) for x in inputs], accumulate=accumulates)
    roots = [(node, nr, fitted(g, i, node, nr, str)) for i, (node, nr, g) in enumerate(roots)]
    if accumulates and task.create_graph:
        warn_once(CREATE_GRAPH_CYCLE)
    _execute(task, tensors, implicit, roots, inputs, "backward" if accumulates else "grad")
    if accumulates or not inputs:
        return ()
    for i, gradient in enumerate(task.results):
        if gradient is None and not allow_unreachable:
            error = RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
            raise blame(error, "unused", tensor=inputs[i] if isinstance(inputs[i], Tensor) else None)
    return tuple(task.results)


def _root(tensor: Value, i: int) -> tuple[Node, int]:
    if isinstance(tensor, GradientEdge):
        return inner_node(tensor.node), tensor.output_nr
    if not isinstance(tensor, Tensor):
        raise RuntimeError(f"element {i} of tensors tuple is neither a Tensor nor a GradientEdge")
    if tensor._view is not None:
        tensor._view.regenerate(tensor)
    node, nr = gradient_edge(tensor)
    if node is None:
        raise blame(
            RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn"),
            "untracked",
            tensor=tensor,
        )
    return node, nr


class _Unreachable(Node):
    """The node of an input that no graph leads to."""

    __slots__ = ()


def _wanted(wanted: Values, *, accumulate: bool) -> tuple[Node, int]:
    """Return the edge that the gradient of an input arrives at; with `accumulate`, make a non-leaf keep its `.grad`."""
    if isinstance(wanted, GradientEdge):
        return inner_node(wanted.node), wanted.output_nr
    if not isinstance(wanted, Tensor):
        raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(wanted).__name__}")
    node = wanted._node()
    nr = wanted._output_nr or 0
    if node is None:
        node = None if wanted._accumulator is None else wanted._accumulator()
    if accumulate:
        wanted.retain_grad()
    if not wanted._requires_grad:
        raise blame(RuntimeError("One of the differentiated Tensors does not require grad"), "unwatched", tensor=wanted)
    if node is None:
        node = object.__new__(_Unreachable)
        node.sequence_nr = next_sequence_nr()
        node.next, node.next_nr, node.hooks = (), None, None
    return node, nr


def _execute(task: Task, tensors: Values, implicit: bool, roots: Values, inputs: Values, api: str) -> None:
    """Run the engine; at its end, remove the hooks of saved tensors that user code entered during the pass."""
    entered = len(saved_hooks)
    try:
        _run_as_one_call(task, tensors, implicit, roots, inputs, api)
    finally:
        if len(saved_hooks) > entered:
            me = threading.get_ident()
            saved_hooks[entered:] = [pair for pair in saved_hooks[entered:] if pair[0] != me]


def _run_as_one_call(task: Task, tensors: Values, implicit: bool, roots: Values, inputs: Values, api: str) -> None:
    """Run the engine; where there is a listener, call it before and after."""
    listener = hub.listener
    if listener is None:
        execute(roots, task)
        return
    if used:
        with only_ops(tensors) as inside:
            if inside:
                execute(roots, task)
                return
    roots_given = [t for t in tensors if isinstance(t, Tensor)]
    wanted = [t for t in inputs if isinstance(t, Tensor)] if inputs else None
    listener.backward_started(task, api, roots_given, roots, [implicit], wanted)
    try:
        execute(roots, task)
    except BaseException as error:
        listener.backward_failed(error)
        listener.backward_finished(task, True)
        raise
    listener.backward_finished(task, False)


def backward(
    tensors: Values,
    grad_tensors: Values = None,
    retain_graph: Option = None,
    create_graph: Option = False,
    grad_variables: Values = None,
    inputs: Values = None,
) -> None:
    """Add the gradients of `tensors` with respect to the leaves of their graph to the leaves' `.grad`.

    With `inputs`, only these tensors, which may be non-leaves, get gradients.  Raises PyTorch's errors for roots that
    don't require grad, non-scalar roots without a gradient, gradients of a wrong shape, and freed graphs.
    """
    if subclassed and not overriding.disabled:
        shared = {"retain_graph": retain_graph, "create_graph": create_graph, "inputs": inputs}
        overridden = _overridden(backward, _as_tuple(tensors), (tensors,), {"grad_tensors": grad_tensors, **shared})
        if overridden is not None:
            return
    if levels:
        refuse_backward()
    if grad_variables is not None:
        warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning)
        if grad_tensors is not None:
            raise RuntimeError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only "
                "use `grad_tensors`."
            )
        grad_tensors = grad_variables
    chosen = () if inputs is None else _as_inputs(inputs, "backward")
    if inputs is not None and not chosen:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = _as_tuple(tensors)
    given = (None,) * len(roots) if grad_tensors is None else _as_tuple(grad_tensors)
    started = through_modes(roots, given, first_gradients(roots, given))
    retain_graph = create_graph if retain_graph is None else retain_graph
    implicit = grad_tensors is None or all(g is None for g in given)
    run_backward(roots, started, retain_graph, create_graph, chosen, True, True, implicit=implicit)


def grad(
    outputs: Values,
    inputs: Values,
    grad_outputs: Values = None,
    retain_graph: Option = None,
    create_graph: Option = False,
    only_inputs: Option = True,
    allow_unused: Option = None,
    is_grads_batched: Option = False,
    materialize_grads: Option = False,
) -> Values:
    """Compute the gradients of `outputs` with respect to `inputs`, without changing any `.grad`.

    Returns a tuple in the order of `inputs` (a dict for a dict).  RuntimeError for an input that does not require
    grad, or that was not used unless `allow_unused` (then None) or `materialize_grads` (then zeros).
    """
    if subclassed and not overriding.disabled:
        roots, chosen = _as_tuple(outputs), _as_inputs(inputs, "grad")
        options = {"retain_graph": retain_graph, "create_graph": create_graph, "only_inputs": only_inputs}
        options |= {"allow_unused": allow_unused, "is_grads_batched": is_grads_batched}
        options |= {"grad_outputs": grad_outputs, "materialize_grads": materialize_grads}
        overridden = _overridden(grad, (*roots, *chosen), (roots, chosen), options)
        if overridden is not None:
            return overridden[0]
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    roots = _as_tuple(outputs)
    chosen = _as_inputs(inputs, "grad")
    if not chosen:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    if not only_inputs:
        warn(ONLY_INPUTS, FutureWarning)
    given = (None,) * len(roots) if grad_outputs is None else _as_tuple(grad_outputs)
    started = through_modes(roots, given, first_gradients(roots, given, are_batched=is_grads_batched))
    retain_graph = create_graph if retain_graph is None else retain_graph
    if is_grads_batched:
        results = batched(run_backward, roots, started, retain_graph, create_graph, chosen, allow_unused)
    else:
        implicit = all(g is None for g in given)
        results = run_backward(
            roots, started, retain_graph, create_graph, chosen, allow_unused, False, implicit=implicit
        )
    if materialize_grads:
        results = tuple([_materialized(g, x, create_graph) for g, x in zip(results, chosen, strict=True)])
    return dict(zip(inputs, results, strict=True)) if type(inputs) is dict else results


def _materialized(gradient: Value, like: Value, tracked: Option) -> Any:
    if gradient is not None:
        return gradient
    if not isinstance(like, Tensor):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
    zeros = torch_functions["zeros_like"](like)
    zeros._requires_grad = bool(tracked)
    return zeros


_Tensors = typing.Union[Tensor, Sequence[Tensor], "GradientEdge", Sequence["GradientEdge"]]
_Gradients = Tensor | Sequence[Tensor | None] | None
_Inputs = typing.Union[Tensor, Sequence[Tensor], "GradientEdge", Sequence["GradientEdge"], dict[str, Tensor]]

backward.__annotations__ = {
    "tensors": _Tensors,
    "grad_tensors": _Gradients,
    "retain_graph": bool | None,
    "create_graph": bool,
    "grad_variables": _Gradients,
    "inputs": typing.Union[_Inputs, None],  # noqa: UP007 - its text is part of the signature
    "return": None,
}
grad.__annotations__ = {
    "outputs": _Tensors,
    "inputs": _Inputs,
    "grad_outputs": _Gradients,
    "retain_graph": bool | None,
    "create_graph": bool,
    "only_inputs": bool,
    "allow_unused": bool | None,
    "is_grads_batched": bool,
    "materialize_grads": bool,
    "return": tuple[Tensor, ...] | dict[str, Tensor],
}
backward.__module__ = grad.__module__ = "torch.autograd"
