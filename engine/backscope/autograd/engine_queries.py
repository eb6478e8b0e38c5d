"""The functions by which a program reads the running backward pass, and queues callbacks for its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.backward_and_grad import run_backward
from backscope.autograd.edge import inner_node
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import Node
from backscope.autograd.ready import ReadyQueue
from backscope.autograd.task import Task, count_dependencies
from backscope.autograd.thread import running
from backscope.runtime.given import Option, Value


def _current() -> Task | None:
    return running.tasks[-1] if running.tasks else None


def current_graph_task_id() -> int:
    """Return the number of the running backward pass, -1 where none runs."""
    task = _current()
    return -1 if task is None else task.id


# Any: a node, or the ctx of a Function with the attributes that a program gave it.
def current_autograd_node() -> Any:
    """Return the node that is running, None where none is."""
    task = _current()
    return None if task is None or task.current is None else task.current.public()


def keeps_graph() -> bool:
    """Return True if the running backward pass keeps the saved tensors, and where none runs."""
    task = _current()
    return True if task is None else bool(task.retain_graph)


def will_engine_execute_node(node: Node) -> bool:
    """Return True for a node that the running backward pass executes; RuntimeError where none runs."""
    inner = inner_node(node)
    if not isinstance(inner, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    task = _current()
    if task is None:
        raise RuntimeError("_get_should_execute_nodes should only be called during the backward pass")
    if not task.contains(inner) or not task.runs(inner):
        return False
    if task.wants is not None and not inner.next and task.wants[inner].captures is not None:
        raise RuntimeError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
            "currently not supported."
        )
    return True


def current_graph_task_execution_order() -> list[Any]:
    """Return the nodes that the running pass executes, in order; for a hook of its first node."""
    task = _current()
    if task is None:
        raise RuntimeError("_current_graph_task_execution_order should only be called during the backward pass")
    if mode.multithreading:
        raise RuntimeError(
            "get_current_graph_task_execution_order expects the current backward to be executed with multithreading "
            "disabled, e.g. by running:\n\n>>> with torch.autograd.set_multithreading_enabled(False):\n"
            "...     torch.autograd.grad(...)\n"
        )
    if task.dependencies is None:
        count_dependencies(task.roots, task)
    assert task.dependencies is not None
    left = dict(task.dependencies)
    ready = ReadyQueue()
    for root in task.roots:
        ready.push(root, None)
    order: list[Any] = []
    while ready.entries:
        node, _ = ready.pop()
        order.append(node.public())
        for below in node.next:
            if below is None or not task.runs(below):
                continue
            if below not in left:
                raise RuntimeError("it != dependencies.end() INTERNAL ASSERT FAILED, please report a bug to PyTorch. ")
            left[below] -= 1
            if not left[below]:
                del left[below]
                ready.push(below, None)
    return order


class ExecutionEngine:
    """`torch.autograd.Variable._execution_engine`."""

    def run_backward(self, *args: Value, **kwargs: Option) -> tuple[Any, ...]:
        """Run a backward pass from tuples of tensors and gradients; see torch.autograd.backward and grad."""
        return run_backward(*args, **kwargs)

    def queue_callback(self, callback: Callable[[], Any]) -> None:
        """Call `callback()` at the end of the running backward pass; RuntimeError where none runs."""
        task = _current()
        if task is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        task.callbacks.append(callback)

    def is_checkpoint_valid(self) -> bool:
        """Return True unless a pass that runs now is restricted to some inputs."""
        return all(task.wants is None for task in running.tasks)


execution_engine = ExecutionEngine()
