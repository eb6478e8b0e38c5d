"""torch.autograd.backward and torch.autograd.grad: checking their arguments, starting the engine."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from backscope.autograd.engine import execute
from backscope.autograd.grad_mode import mode
from backscope.autograd.node import gradient_edge
from backscope.autograd.task import Task
from backscope.diagnose import blame
from backscope.listening import hub
from backscope.size import Size
from backscope.tensor import Tensor, make
from backscope.warning import CREATE_GRAPH_CYCLE, ONLY_INPUTS, warn, warn_once


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if value is None or isinstance(value, Tensor) else tuple(value)


def _flag(value: Any) -> bool:
    return bool(value if isinstance(value, bool) else operator.index(value))


def _as_inputs(value: Any, api: str) -> tuple[Any, ...]:
    """The tensors of an `inputs` argument: one, several, or the values of a plain dict."""
    if type(value) is dict:
        return tuple(value.values())
    if isinstance(value, Mapping):
        raise TypeError(
            f"`inputs` argument to `{api}()` must be a dict, not {type(value).__name__}. Other Mapping types are not "
            "supported."
        )
    return _as_tuple(value)


def first_gradients(tensors: tuple[Any, ...], gradients: tuple[Any, ...]) -> list[Any]:
    """The gradient to start each root from, checked: ones for a scalar where none was given."""
    started: list[Any] = []
    for i, (out, gradient) in enumerate(zip(tensors, gradients, strict=False)):
        if isinstance(gradient, Tensor):
            if gradient._data.shape != out._data.shape:
                raise blame(
                    RuntimeError(
                        f"Mismatch in shape: grad_output[{i}] has a shape of {Size(gradient._data.shape)} and "
                        f"output[{i}] has a shape of {Size(out._data.shape)}."
                    ),
                    "wrong_gradient",
                    tensor=out,
                    gradient=gradient,
                )
            if out._dtype.is_complex != gradient._dtype.is_complex:
                raise RuntimeError(
                    "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch "
                    f"in dtype: grad_output[{i}] has a dtype of {gradient._dtype} and output[{i}] has a dtype of "
                    f"{out._dtype}."
                )
            started.append(gradient)
        elif gradient is None:
            if not out._requires_grad:
                started.append(None)
                continue
            if out._data.size != 1:
                raise blame(
                    RuntimeError("grad can be implicitly created only for scalar outputs"), "not_scalar", tensor=out
                )
            if not out._dtype.is_floating_point:
                raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {out._dtype}")
            started.append(make(np.ones(out._data.shape, out._dtype.np)[()], out._dtype))
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    return started


def start(
    tensors: tuple[Any, ...],
    given: tuple[Any, ...],
    task: Task,
    api: str,
    inputs: tuple[Any, ...] | None,
) -> None:
    """Check the roots and run the engine from them, as one call that a listener sees."""
    gradients = first_gradients(tensors, given)
    roots: list[Any] = []
    for i, (tensor, gradient) in enumerate(zip(tensors, gradients, strict=True)):
        if not tensor._requires_grad:
            raise blame(
                RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn"),
                "untracked",
                tensor=tensor,
            )
        if tensor._view is not None:
            tensor._view.regenerate(tensor)
        node, nr = gradient_edge(tensor)
        if gradient is None:
            continue
        if gradient._dtype is not tensor._dtype:
            gradient = gradient.to(tensor._dtype)
        roots.append((node, nr, gradient))
    wanted = set(task.captures) if task.wanted_leaves is None else task.wanted_leaves
    listener = hub.listener
    if listener is None:
        execute(roots, task, wanted if inputs is not None else None)
        return
    listener.backward_started(task, api, tensors, roots, [g is None for g in given], inputs)
    try:
        execute(roots, task, wanted if inputs is not None else None)
    except BaseException as error:
        listener.backward_failed(error)
        listener.backward_finished(task, True)
        raise
    listener.backward_finished(task, False)


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` with respect to the leaves of their graph to the leaves' `.grad`.

    `inputs` restricts this to the tensors given, which may be non-leaves.  Raises PyTorch's errors for roots that
    don't require grad, non-scalar roots without a gradient, gradients of a wrong shape, and freed graphs.
    """
    if inputs is not None and not isinstance(inputs, Tensor) and len(inputs) == 0:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots = _as_tuple(tensors)
    for root in roots:
        if not isinstance(root, Tensor):
            raise AssertionError("Expected output to be a torch.Tensor")
    given = _as_tuple(grad_tensors) if grad_tensors is not None else (None,) * len(roots)
    if len(given) < len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    given = given[: len(roots)]
    recorded = _flag(create_graph)
    task = Task(recorded if retain_graph is None else _flag(retain_graph), recorded)
    if recorded:
        warn_once(CREATE_GRAPH_CYCLE)
    chosen = None if inputs is None else _as_inputs(inputs, "backward")
    nonleaves: list[tuple[Tensor, int]] = []
    if chosen is not None:
        task.wanted_leaves = set()
        for tensor in chosen:
            if not isinstance(tensor, Tensor):
                raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
            node, nr = gradient_edge(tensor)
            if node is None:
                raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
            task.wanted_leaves.add(node)
            if tensor._grad_fn is not None:
                task.captures.setdefault(node, []).append((nr, len(task.results)))
                nonleaves.append((tensor, len(task.results)))
                task.results.append(None)
    start(roots, given, task, "backward", chosen)
    for tensor, position in nonleaves:
        gradient = task.results[position]
        if gradient is not None:
            tensor._grad = gradient if tensor._grad is None else tensor._grad + gradient


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: Any = None,
    create_graph: Any = False,
    only_inputs: bool = True,
    allow_unused: Any = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`, without touching any `.grad`.

    Returns a tuple in the order of `inputs` (a dict for a dict).  RuntimeError for an input that does not require
    grad, or that was not used unless `allow_unused` (then None) or `materialize_grads` (then zeros).
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if not only_inputs:
        warn(ONLY_INPUTS, FutureWarning)
    allow_unused = bool(materialize_grads if allow_unused is None else allow_unused)
    roots = _as_tuple(outputs)
    keys = list(inputs) if isinstance(inputs, dict) else None
    chosen = _as_inputs(inputs, "grad")
    if not chosen:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    given = _as_tuple(grad_outputs) if grad_outputs is not None else (None,) * len(roots)
    if is_grads_batched:
        return _batched(roots, chosen, given, retain_graph, create_graph, allow_unused)
    if len(given) < len(roots):
        raise RuntimeError(f"got {len(roots)} tensors and {len(given)} gradients")
    given = given[: len(roots)]
    recorded = _flag(create_graph)
    task = Task(recorded if retain_graph is None else _flag(retain_graph), recorded)
    for i, tensor in enumerate(chosen):
        node, nr = gradient_edge(tensor)
        if node is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        task.captures.setdefault(node, []).append((nr, i))
        task.results.append(None)
    start(roots, given, task, "grad", chosen)
    results = list(task.results)
    for i, gradient in enumerate(results):
        if gradient is None and not allow_unused:
            raise RuntimeError(
                f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
        if gradient is None and materialize_grads:
            like = chosen[i]
            results[i] = make(np.zeros(like._data.shape, like._dtype.np)[()], like._dtype)
            results[i]._requires_grad = recorded and mode.enabled
    return dict(zip(keys, results, strict=True)) if keys is not None else tuple(results)


def _batched(
    roots: Any, chosen: Any, given: Sequence[Any], retain_graph: Any, create_graph: Any, allow_unused: bool
) -> tuple[Any, ...]:
    """One backward pass for each entry of the gradients' leading dim, stacked."""
    from backscope.ops.joining import _stack as stack

    for i, (root, gradient) in enumerate(zip(roots, given, strict=False)):
        if gradient is not None and gradient._data.shape[1:] != root._data.shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{i}] has a shape of "
                f"{Size(gradient._data.shape[2:])} and output[{i}] has a shape of {Size(root._data.shape)}. If you "
                "only want some tensors in `grad_output` to be considered batched, consider using vmap."
            )
    count = given[0].shape[0]
    rows = []
    for i in range(count):
        last = i == count - 1
        rows.append(
            grad(
                roots,
                chosen,
                tuple(g[i] for g in given),
                retain_graph if last else True,
                create_graph,
                True,
                allow_unused,
            )
        )
    return tuple(None if column[0] is None else stack(list(column)) for column in zip(*rows, strict=True))
