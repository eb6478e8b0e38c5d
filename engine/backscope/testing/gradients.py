"""`assert_gradients`: gradients that arrive, are finite, and agree with finite differences in float64."""

from __future__ import annotations

import copy
import inspect
import itertools
import sys
from collections.abc import Callable, Collection, Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any

from backscope.testing import recorded_test

if TYPE_CHECKING:
    from backscope.program.recorded_block import RecordedBlock

MOST_SHOWN = 5
"""Elements of a tensor that a failure names at most, and gradients of which it says why."""


# Any: tensors and modules, of PyTorch or of the engine.
def assert_gradients(
    function: Callable[..., Any],
    *arguments: Any,
    without: Collection[str] = (),
    eps: float = 1e-6,
    rtol: float = 1e-3,
    atol: float = 1e-6,
    elements: int = 64,
) -> None:
    """Check the gradients of function(*arguments), or of its sum, for every tensor and parameter that requires grad.

    Each has to get a gradient that is not None, is finite, and agrees with finite differences of step `eps`, at
    `elements` of its elements at most, up to `atol` + `rtol` times their size.  Those named in `without` have to get
    none.  A tensor has the name of its parameter in `function`, a parameter of a module the name in the module, such
    as "0.weight".  The function gets copies in float64, and the same random numbers in every call.

    Raises: AssertionError, which names each gradient that is not as it should be and says why.
    """
    __tracebackhide__ = True
    torch = _torch_of(arguments)
    given = [_in_float64(torch, one) for one in arguments]
    names = _names(function, given)
    leaves = _leaves(torch, names, given)
    unknown = set(without) - set(leaves)
    if unknown or not leaves:
        known = ", ".join(leaves) or "none"
        raise ValueError(f"Of {', '.join(sorted(unknown)) or 'the arguments'} nothing requires grad; these do: {known}")
    state = torch.get_rng_state()
    recording = recorded_test.under_way(torch)
    if recording is not None:
        _name(recording, torch, names, given)
    try:
        problems = _problems(torch, function, given, leaves, without, (eps, rtol, atol, elements))
        if problems:
            if recording is None:
                recording = _record(torch, function, names, given, leaves, sys._getframe(1))
            said = [*problems.values(), *_reasons(torch, recording, leaves, problems)]
            raise AssertionError("\n".join(said))
    finally:
        torch.set_rng_state(state)


def _torch_of(arguments: tuple[Any, ...]) -> Any:
    """Return the torch that the arguments are of."""
    for torch in (sys.modules.get("backscope.torch"), recorded_test.pytorch()):
        if torch is not None and any(isinstance(one, (torch.Tensor, torch.nn.Module)) for one in arguments):
            return torch
    raise ValueError("assert_gradients(function, *arguments) needs a tensor or a module among the arguments.")


def _in_float64(torch: Any, given: Any) -> Any:
    if isinstance(given, torch.nn.Module):
        return copy.deepcopy(given).double()
    if isinstance(given, torch.Tensor):
        made = given.detach().clone()
        made = made.double() if made.is_floating_point() else made
        return made.requires_grad_(given.requires_grad)
    return given


def _names(function: Callable[..., Any], given: list[Any]) -> list[str]:
    """Return the names of the arguments: those that the function has for them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        parameters = {}.values()
    names = [one.name for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]
    return names[: len(given)] + [f"argument{k}" for k in range(len(names), len(given))]


def _leaves(torch: Any, names: list[str], given: list[Any]) -> dict[str, Any]:
    """Return what requires grad among the arguments, by name."""
    several = sum(isinstance(one, torch.nn.Module) for one in given) > 1
    found: dict[str, Any] = {}
    for name, one in zip(names, given, strict=True):
        if isinstance(one, torch.nn.Module):
            prefix = f"{name}." if several else ""
            found |= {prefix + inner: p for inner, p in one.named_parameters() if p.requires_grad}
        elif isinstance(one, torch.Tensor) and one.requires_grad:
            found[name] = one
    return found


def _value(torch: Any, function: Callable[..., Any], given: list[Any]) -> Any:
    torch.manual_seed(0)
    out = function(*given)
    return out if out.dim() == 0 else out.sum()


def _problems(
    torch: Any,
    function: Callable[..., Any],
    given: list[Any],
    leaves: dict[str, Any],
    without: Collection[str],
    limits: tuple[float, float, float, int],
) -> dict[str, str]:
    """Return a sentence for each gradient that is not as it should be, by its name."""
    for leaf in leaves.values():
        leaf.grad = None
    value = _value(torch, function, given)
    if value.requires_grad:
        value.backward()
    problems: dict[str, str] = {}
    for name, leaf in leaves.items():
        gradient = leaf.grad
        if (gradient is None) != (name in without):
            said = "None" if gradient is None else "not None"
            problems[name] = f"{name}.grad is {said}"
        elif gradient is not None and not bool(torch.isfinite(gradient).all()):
            bad = int((~torch.isfinite(gradient)).sum())
            problems[name] = f"{name}.grad has {bad} of {gradient.numel()} elements that are NaN or infinite"
        elif gradient is not None and (text := _difference(torch, function, given, leaf, limits)):
            problems[name] = f"{name}.grad differs from finite differences: {text}"
    return problems


def _difference(
    torch: Any, function: Callable[..., Any], given: list[Any], leaf: Any, limits: tuple[float, float, float, int]
) -> str:
    """Return where the gradient of a leaf differs from finite differences; nothing where it agrees."""
    eps, rtol, atol, elements = limits
    count = leaf.numel()
    gradient = leaf.grad.reshape(-1)
    wrong: list[str] = []
    for k in range(0, count, max(1, -(-count // elements))):
        index = _index(k, tuple(leaf.shape))
        with torch.no_grad():
            before = leaf[index].item()
            leaf[index] = before + eps
            above = _value(torch, function, given).item()
            leaf[index] = before - eps
            below = _value(torch, function, given).item()
            leaf[index] = before
        expected, found = (above - below) / (2 * eps), gradient[k].item()
        if not abs(found - expected) <= atol + rtol * abs(expected):
            place = f"[{', '.join(map(str, index))}]" if index else ""
            wrong.append(f"{place} is {found:.6g}, not {expected:.6g}".strip())
    more = "" if len(wrong) <= MOST_SHOWN else f", and {len(wrong) - MOST_SHOWN} more"
    return "; ".join(wrong[:MOST_SHOWN]) + more


def _index(number: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    found: list[int] = []
    for size in reversed(shape):
        number, rest = divmod(number, size)
        found.append(rest)
    return tuple(reversed(found))


def _name(recording: RecordedBlock, torch: Any, names: list[str], given: list[Any]) -> None:
    for name, one in zip(names, given, strict=True):
        if isinstance(one, (torch.Tensor, torch.nn.Module)):
            recording.named(name, one)


def _record(
    torch: Any,
    function: Callable[..., Any],
    names: list[str],
    given: list[Any],
    leaves: dict[str, Any],
    at: FrameType,
) -> RecordedBlock:
    """Return a recording of one more pass, in the place of the frame `at`."""
    for leaf in leaves.values():
        leaf.grad = None
    recording = recorded_test.begin_on(torch)

    def run() -> None:
        _name(recording, torch, names, given)
        value = _value(torch, function, given)
        if value.requires_grad:
            value.backward()

    recorded_test.run_at(at.f_code.co_filename, at.f_lineno, at.f_globals, recording, run)
    return recording


def _reasons(torch: Any, recording: RecordedBlock, leaves: dict[str, Any], asked: Iterable[str]) -> list[str]:
    """Return why the first gradients are as they are."""
    said: list[str] = []
    for name in itertools.islice(asked, MOST_SHOWN):
        gradient = leaves[name].grad
        why = recording.why(leaves[name])
        if gradient is not None and bool(torch.isfinite(gradient).all()):
            # Of a number that came by the program's own formulas, a recording says by which, and that all is in order.
            why = why.partition("\nLines: ")[0]
        said.append(f"\n{name}: {why}")
    return said
