"""backward(): runs the nodes of a graph in PyTorch's order and sends their gradients along the edges.

Nodes run by descending sequence number, which puts every node after all of its consumers, because an edge always leads
to an older node; an AccumulateGrad runs as soon as its last gradient has arrived.  There are two loops.  The fast one
(fast_backward.py) keeps arriving gradients in the nodes themselves, as raw values, with a listener or without one.  The
stepwise one (stepwise_backward.py) runs what the fast one does not support: hooks, inputs that get their `.grad`,
wanted inputs that a listener follows or that lie behind a custom function, passes that are themselves recorded, anomaly
mode, and a pass inside another.
"""

from __future__ import annotations

import re
import threading
from typing import Any

from backscope.autograd.accumulate_inputs import CapturingPass, ListenedPass, Pass
from backscope.autograd.anomaly import state
from backscope.autograd.fast_backward import run_fast, run_part
from backscope.autograd.hooks.user_hooks import is_own
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import Node, next_sequence_nr
from backscope.autograd.stepwise_backward import run_steps
from backscope.autograd.task import Demands, Task, discover, forget_gradients
from backscope.autograd.thread import running, with_room
from backscope.autograd.transforms.level import levels
from backscope.runtime.listening import hub
from backscope.runtime.passive import callable_name
from backscope.torch_dispatch.mode_stack import stack

_nodes_unused = threading.Lock()
"""Held while a pass keeps its gradients in the nodes; a pass that begins meanwhile runs in the stepwise loop."""


def execute(roots: list[tuple[Node, int, Any]], task: Task) -> None:
    """Run the graph below `roots`, each a node, an output number and the gradient to start from.

    Raises what a formula or a hook raises; nodes that had not run then keep their saved tensors.
    """
    if len(roots) > 1:
        next_sequence_nr()  # PyTorch makes a node that leads to all the roots.
    with_room(_execute, roots, task)


def _execute(roots: list[tuple[Node, int, Any]], task: Task) -> None:
    before = mode.enabled
    mode.enabled = task.create_graph
    running.tasks.append(task)
    task.roots = [r[0] for r in roots]
    try:
        if not _run_fast(roots, task):
            run_steps(roots, task)
        if task.callbacks:
            _call_back(task)
    except ValueError as error:
        mismatched = _of_shapes(error)
        if mismatched is None:
            raise
        raise mismatched from None
    finally:
        running.tasks.pop()
        task.forget()
        mode.enabled = before


def _of_shapes(error: ValueError) -> RuntimeError | None:
    """Return PyTorch's error for shapes that a formula could not broadcast; None for any other error."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    shapes = re.fullmatch(
        r"operands could not be broadcast together with shapes \(([\d,]*)\) \(([\d,]*)\) ", str(error)
    )
    if shapes is None or trace is None or not trace.tb_frame.f_code.co_filename.startswith("<backscope"):
        return None
    from backscope.ops.core.elementwise import mismatch

    return mismatch(*[tuple([int(n) for n in s.split(",") if n]) for s in shapes.groups()])


def _call_back(task: Task) -> None:
    called = 0
    while called < len(task.callbacks):
        callback = task.callbacks[called]
        callback()
        called += 1
        if hub.listener is not None and not is_own(callback):
            hub.listener.hook_ran("callback", None, callable_name(callback), None, None)


def _run_fast(roots: list[tuple[Node, int, Any]], task: Task) -> bool:
    """Run the whole graph in the fast loop; return False, with nothing run, where it needs the stepwise one."""
    if levels or Demands.stepwise or state.enabled or stack.modes:
        return False
    listener, restricted = hub.listener, task.wants is not None
    if task.on_tensors or (restricted and listener is not None) or not _nodes_unused.acquire(blocking=False):
        return False
    try:
        order = discover(task.roots) if Demands.hooked or listener is not None or restricted else []
        parts = None
        if order is None:
            return False
        if restricted:
            if not task.wants_all_leaves(order):
                parts = task.parts(order)
                if parts is None:
                    return False
            for _, _, gradient in roots:
                task.wrapped[id(gradient._data)] = gradient
        if parts is not None:
            run_part(roots, task, CapturingPass(not task.retain_graph), parts)
        elif listener is None:
            run_fast(roots, task, (CapturingPass if restricted else Pass)(not task.retain_graph))
        else:
            pass_ = ListenedPass(not task.retain_graph, listener)
            stops = None if hub.debugger is None else hub.debugger.nodes(order, pass_)
            try:
                run_fast(roots, task, pass_, stops)
            except BaseException:
                forget_gradients(order)
                raise
    finally:
        _nodes_unused.release()
    return True
