"""The formulas of an op as straight-line code: for one node's gradients, and to pass them to the next nodes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from heapq import heappush
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.autograd.evaluation import in_formula, wrapped
from backscope.autograd.node import FREED_TEXT
from backscope.autograd.unbroadcast import fold
from backscope.ops.core.inline import expression
from backscope.runtime.error_facts import blame
from backscope.tensor.dtype import float32, float64

if TYPE_CHECKING:
    from backscope.autograd.plan import Plan
    from backscope.ops.core.declaration import Op


def define(source: str, names: dict[str, Any], function: str) -> Callable[..., Any]:
    """Return the function with that name in a source text, which may use `names`."""
    exec(_code(source, function), names)  # noqa: S102
    made: Any = names[function]
    made.__code__ = (
        made.__code__.replace()
    )  # Python specializes code for the types that it runs with: each op has a copy of its own.
    found: Callable[..., Any] = made
    return found


@lru_cache(maxsize=512)
def _code(source: str, function: str) -> CodeType:
    """Compile a text, cached: many ops have the same text with other names."""
    return compile(source, f"<backscope {function}>", "exec")


def _freed(node: Any) -> RuntimeError:
    error: RuntimeError = blame(RuntimeError(FREED_TEXT), "freed", node=node)
    return error


def _modified(node: Any, slot: int) -> RuntimeError:
    from backscope.autograd.saved.saved_tensors import modified_error

    return modified_error(node, slot)


def _names() -> dict[str, Any]:
    return {
        "fold": fold,
        "freed": _freed,
        "modified": _modified,
        "ndarray": np.ndarray,
        "push": heappush,
    }


def compile_run(op: Op, plan: Plan, *, real: bool) -> Callable[[Any, Any], Any]:
    """Compile `run(node, g)`: the gradients of all inputs by a plan, on raw values; `real` promises real numbers."""
    names = _names()
    lines, results = _prelude_and_results(op, plan, names, real=real)
    value = results if isinstance(results, str) else f"({', '.join(r or 'None' for r in results)},)"
    return define("\n".join(["def run(node, g):", *lines, f"    return {value}"]), names, "run")


def compile_run_and_send(
    op: Op, plan: Plan, needs: tuple[bool, ...], *, folds: bool = False
) -> Callable[[Any, Any], Any]:
    """Compile `run_and_send(node, pass_)` for real numbers; see Plan.  All nodes below have one output.

    Where the plan `folds`, gradients are summed to the shapes of inputs that were broadcast.
    """
    names = _names()
    lines, results = _prelude_and_results(op, plan, names, real=True)
    if isinstance(results, str):
        lines.append(f"    {_unpacked('v', len(needs))} = {results}")
        results = [f"v{i}" for i in range(len(needs))]
    receivers = [i for i, needed in enumerate(needs) if needed]
    sent = [i for i in receivers if results[i] is not None]
    if op.elementwise and not op.kept:
        results = _with_constants(results, lines, names)
    lines += [f"    v{i} = {results[i]}" for i in sent if results[i] != f"v{i}"]
    lines += [f"    {_unpacked('n', len(needs))} = node.next", "    node.grad = None"]
    if folds:
        lines += [f"    if v{i} is not None and v{i}.shape != n{i}.shape: v{i} = fold(v{i}, n{i}.shape)" for i in sent]
    lines.append("    sent = pass_.gradients_sent")
    if any(plan.keeps):
        lines.append("    if sent is None and pass_.frees: node.saved = None")
    found = "None"
    certain = op.elementwise  # Formulas of other ops may return None.
    for i in receivers:
        if i not in sent:
            lines.append(f"    pass_.reach_undefined(n{i})")
            continue
        lines += _arrival(i, found, certain=certain)
        found = "found"
    gradients = "".join([f"v{i}, " if i in sent else "None, " for i in range(len(needs))])
    totals = "".join([f"w{i}, " if i in sent else "None, " for i in range(len(needs))])
    first = " and ".join([f"w{i} is None" for i in sent]) or "True"
    lines += [
        "    if sent is not None:",
        "        frees = bool(node.saved) and pass_.frees",
        f"        sent(node, node.token, g, ({gradients}), None if {first} else ({totals}), frees)",
        "        if frees: node.saved = None",
        f"    return {found}",
    ]
    head = ["def run_and_send(node, pass_):", "    g = node.grad"]
    return define("\n".join([*head, *lines]), names, "run_and_send")


def _with_constants(results: Any, lines: list[str], names: dict[str, Any]) -> list[str | None]:
    """Convert each Python number beside a gradient or a saved value to that value's dtype, once.

    NumPy would first make an array of the Python number and then convert it, at each evaluation.
    """
    numbers: list[Any] = []
    made: list[str | None] = []
    for text in results:
        tree = None if text is None else _Numbers(numbers).visit(ast.parse(text, mode="eval"))
        made.append(None if tree is None else f"({ast.unparse(tree)})")
    if numbers:
        kinds = (float32, float64)
        names["scalars"] = {k: tuple([k.scalar(n) for n in numbers]) for k in kinds}
        names["arrays"] = {k: tuple([np.asarray(k.scalar(n)) for n in numbers]) for k in kinds}
        constants = "".join([f"k{j}, " for j in range(len(numbers))])
        lines.append(f"    {constants} = (arrays if g.__class__ is ndarray else scalars)[node.dtype]")
    return made


class _Numbers(ast.NodeTransformer):
    """Names the numbers beside values: k0 for the first of `numbers` and so on."""

    def __init__(self, numbers: list[Any]) -> None:
        self.numbers = numbers

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
            if isinstance(node.left, ast.Constant) and _is_value(node.right):
                node.left = self._named(node.left)
            elif isinstance(node.right, ast.Constant) and _is_value(node.left):
                node.right = self._named(node.right)
        return node

    def _named(self, constant: ast.Constant) -> ast.expr:
        if constant.value.__class__ not in (int, float):
            return constant
        self.numbers.append(constant.value)
        return ast.Name(f"k{len(self.numbers) - 1}", ast.Load())


def _is_value(node: ast.AST) -> bool:
    """Return True for arithmetic on the gradient and saved values."""
    if isinstance(node, ast.BinOp):
        return _is_value(node.left) and _is_value(node.right)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and _is_value(node.operand)
    return isinstance(node, ast.Name) and (node.id == "g" or re.fullmatch(r"[sk]\d+", node.id) is not None)


def _unpacked(letter: str, count: int) -> str:
    return "".join([f"{letter}{i}, " for i in range(count)])


def compile_recorded(op: Op, plan: Plan, needs: tuple[bool, ...]) -> Callable[[Any, Any], Any]:
    """Compile `recorded(node, g)`: the gradients that `needs` marks, as Tensors, by a plan's formulas on Tensors.

    All saved values are unpacked, as in PyTorch: a change of one that is not needed is an error too.
    """
    from backscope.autograd.formula import fit
    from backscope.autograd.saved.saved_tensors import unpack
    from backscope.autograd.transforms.transform_tensor import TransformTensor
    from backscope.tensor.tensor import Tensor

    names = _names() | {
        "TransformTensor": TransformTensor,
        "Tensor": Tensor,
        "fit": fit,
        "in_formula": in_formula,
        "unpack": unpack,
        "wrapped": wrapped,
    }
    slots, attrs = len(op.slots), len(op.attrs)
    lines = ["def recorded(node, g):", "    saved = node.saved", "    if saved is None: raise freed(node)"]
    if slots:
        lines.append(f"    {_unpacked('s', slots)} = saved or {(None,) * slots}")
    for k in op.unpack_order:
        lines += [
            f"    if s{k}.__class__ is Tensor:",
            f"        c = s{k}._shared",
            f"        if c is not None and c[0] != (node.versions[{k}] if node.versions else 0): "
            f"raise modified(node, {k})",
            f"    elif s{k} is not None: s{k} = wrapped(unpack(node, {k}))",
        ]
    if attrs:
        lines.append(f"    {_unpacked('a', attrs)} = node.attrs")
        lines += [f"    if a{k}.__class__ is TransformTensor: a{k} = a{k}._live()" for k in range(attrs)]
    env = ["g", *(f"s{k}" for k in range(slots)), *(f"a{k}" for k in range(attrs))]
    lines += ["    in_formula.append(True)", "    try:"]
    results = ["None"] * len(needs)
    for n, (position, function, indices) in enumerate(plan.steps):
        names[f"f{n}"] = function
        call = f"f{n}({', '.join([env[i] for i in indices])})"
        if position == -1:
            results = [f"v{i}" for i in range(len(needs))]
            lines.append(f"        {_unpacked('v', len(needs))} = {call}")
        else:
            results[position] = f"v{position}"
            lines.append(f"        v{position} = {call}")
    lines += ["        pass", "    finally: in_formula.pop()", f"    {_unpacked('n', len(needs))} = node.next"]
    for i, name in enumerate(results):
        if name != "None":
            lines += [
                f"    if n{i} is None: v{i} = None",
                f"    elif v{i} is not None and (v{i}._data.shape != n{i}.shape or v{i}._dtype is not n{i}.dtype):",
                f"        v{i} = fit(v{i}, n{i}, node.next_nr[{i}] if node.next_nr else 0, {op.name!r})",
            ]
    lines.append(f"    return ({', '.join(results)},)")
    return define("\n".join(lines), names, "recorded")


def _arrival(i: int, found: str, *, certain: bool) -> list[str]:
    """Return the lines that send gradient `i`; the youngest node reached first is `found`, others are queued.

    `w{i}` is then reported to the listener: the sum with earlier gradients, None without one.
    """
    first = [f"    w{i} = n{i}.grad", f"    if w{i} is None:", f"        n{i}.grad = v{i}"]
    if found == "None":
        first += [
            f"        if n{i}.next: found = n{i}",
            "        else:",
            "            found = None",
            f"            pass_.reach_leaf(n{i})",
            "    else:",
            "        found = None",
        ]
    else:
        first += [
            f"        if not n{i}.next: pass_.reach_leaf(n{i})",
            f"        elif found is None: found = n{i}",
            f"        elif found.sequence_nr > n{i}.sequence_nr: push(pass_.queue, (-n{i}.sequence_nr, n{i}))",
            "        else:",
            "            push(pass_.queue, (-found.sequence_nr, found))",
            f"            found = n{i}",
            "    else:",
        ]
    first += [
        f"        n{i}.grad = pass_.add(n{i}, w{i}, v{i}) if w{i}.__class__ is ndarray else w{i} + v{i}",
        f"        w{i} = None if sent is None else pass_.total(n{i}, w{i})",
    ]
    if certain:
        return first
    undefined = [f"    if v{i} is None:", f"        pass_.reach_undefined(n{i})", f"        w{i} = None"]
    if found == "None":
        undefined.append("        found = None")
    return [*undefined, "    else:", *["    " + line for line in first]]


def _prelude_and_results(op: Op, plan: Any, names: dict[str, Any], *, real: bool) -> tuple[list[str], Any]:
    """Return the lines that read saved values, and an expression for each input's gradient (or one for all)."""
    lines: list[str] = []
    keeps = plan.keeps
    attrs = len(op.attrs)
    if any(keeps):
        lines += ["    saved = node.saved", "    if saved is None: raise freed(node)"]
        lines.append(f"    {_unpacked('s', len(keeps))} = saved")
        for k in op.unpack_order:
            if not keeps[k]:
                continue
            indent = "    "
            if op.optional or not op.elementwise:  # The slot of an input that was not given is empty.
                lines.append(f"    if s{k} is not None:")
                indent = " " * 8
            lines += [
                f"{indent}c = s{k}._shared",
                f"{indent}if c is not None and c[0] != (node.versions[{k}] if node.versions else 0): raise "
                f"modified(node, {k})",
                f"{indent}s{k} = s{k}._data",
            ]
    if attrs and any(i > len(keeps) for _, _, indices in plan.steps for i in indices):
        lines.append(f"    {_unpacked('a', attrs)} = node.attrs")
    env = ["g", *(f"s{k}" if kept else "None" for k, kept in enumerate(keeps)), *(f"a{k}" for k in range(attrs))]
    results: list[str | None] = [None] * len(op.inputs)
    for n, (position, function, indices) in enumerate(plan.steps):
        names[f"f{n}"] = function
        arguments = [env[i] for i in indices]
        call = expression(function, arguments, names, real=real) or f"f{n}({', '.join(arguments)})"
        if position == -1:
            return lines, call
        results[position] = call
    return lines, results
