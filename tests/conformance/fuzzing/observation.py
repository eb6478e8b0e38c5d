"""Runs a program on a torch, and records the state of every tensor after each of its statements."""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fuzzing.statements import Program

DEPTH = 3
"""The depth to which the graph of a tensor is compared."""


MOST_ELEMENTS = 4096
"""Of larger tensors, which only a mistaken size makes, the numbers are not looked at."""


@dataclass
class Step:
    """The effect of one statement: its error, its output, its warnings, and the state of all tensors after it."""

    error: str = ""
    printed: str = ""
    warned: list[str] = field(default_factory=list)
    tensors: dict[str, dict[str, Any]] = field(default_factory=dict)


def plain(text: str) -> str:
    """Return a text without parts that differ from run to run: addresses, and lines of PyTorch's sources."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x..", text)
    text = re.sub(r"\s*\(Triggered internally at .*?\)", "", text)
    text = re.sub(r"\n?Exception raised from .*", "", text, flags=re.DOTALL)
    return text.strip()


def attempt(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the type and text of its error."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
        return f"{type(error).__name__}: {plain(str(error))}"


def graph(node: Any, depth: int = DEPTH) -> str:
    """Return the names of a node and of those below it."""
    if node is None:
        return "-"
    name: str = node.name()
    if not depth or not node.next_functions:
        return name
    below = [f"{graph(n, depth - 1)}{f'#{nr}' if nr else ''}" for n, nr in node.next_functions]
    return f"{name}({', '.join(below)})"


def elements(tensor: Any) -> Any:
    """Return the elements of a tensor as nested lists; for a large one their number."""
    if tensor.numel() > MOST_ELEMENTS:
        return f"{tensor.numel()} elements"
    return tensor.detach().resolve_conj().resolve_neg().tolist()


def gradient(tensor: Any) -> Any:
    """Return the gradient of a tensor: its type, its strides, whether it is part of a graph, and its elements."""
    grad = tensor.grad
    if grad is None:
        return None
    return {
        "dtype": str(grad.dtype),
        "strides": attempt(lambda: tuple(grad.stride())),
        "graph": attempt(lambda: graph(grad.grad_fn)),
        "values": attempt(lambda: elements(grad)),
    }


ASKED: dict[str, Callable[[Any], Any]] = {
    "dtype": lambda t: str(t.dtype),
    "shape": lambda t: tuple(t.shape),
    "strides": lambda t: tuple(t.stride()),
    "offset": lambda t: t.storage_offset(),
    "version": lambda t: t._version,
    "requires_grad": lambda t: t.requires_grad,
    "is_leaf": lambda t: t.is_leaf,
    "grad_fn": lambda t: graph(t.grad_fn),
    "output_nr": lambda t: t.output_nr,
    "retains_grad": lambda t: t.retains_grad,
    "conjugated": lambda t: (t.is_conj(), t.is_neg()),
    "inference": lambda t: t.is_inference(),
    "view": lambda t: t.requires_grad and t._is_view(),
    "values": elements,
    "grad": gradient,
}
"""The compared attributes of a tensor, in the order of reading: `grad_fn` brings the history of a view up to date."""


def look(space: dict[str, Any], tensor_class: type) -> dict[str, dict[str, Any]]:
    """Return the state of every tensor that has a name."""
    found = {}
    for name, value in space.items():
        if isinstance(value, tensor_class):
            found[name] = {what: attempt(lambda ask=ask, t=value: ask(t)) for what, ask in ASKED.items()}  # type: ignore[misc]
    return found


@contextlib.contextmanager
def quiet() -> Iterator[io.StringIO]:
    """Collect the output as text, and drop warnings."""
    printed = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        yield printed


def run(program: Program, torch: Any) -> list[Step]:
    """Run the statements one after the other and record the state after each; an error ends only its own statement."""
    torch.manual_seed(0)
    torch.set_warn_always(True)
    space: dict[str, Any] = {"torch": torch, "__name__": "case"}
    steps = []
    for statement in program.statements:
        step = Step()
        code = compile(statement.source(), "case", "exec")
        with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(io.StringIO()) as printed:
            warnings.simplefilter("always")
            try:
                exec(code, space)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is compared
                step.error = f"{type(error).__name__}: {plain(str(error))}"
        step.printed = printed.getvalue()
        step.warned = list(dict.fromkeys([f"{w.category.__name__}: {plain(str(w.message))}" for w in warned]))
        with quiet():
            step.tensors = look(space, torch.Tensor)
        steps.append(step)
    torch.set_grad_enabled(True)
    torch.set_warn_always(False)
    torch.clear_autocast_cache()
    return steps
