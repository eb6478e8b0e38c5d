"""Source text of the part of a call that makes its node: edges, shapes, attributes and saved tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from backscope.runtime.given import Values

if TYPE_CHECKING:
    from backscope.ops.core.declaration import Op


def tuple_of(values: Values) -> str:
    return "(" + "".join([f"{v}, " for v in values]) + ")"


class Written(NamedTuple):
    """The templates of a call's expressions: for an argument and an output by number, and for all outputs."""

    argument: str
    output: str
    outputs: str


def first_output(op: Op, written: Written) -> str:
    """Return the expression of the first output that is not None."""
    first = written.output.format(0)
    if op.outputs == 1:
        return first
    return f"{first} if {first} is not None else next(o for o in {written.outputs} if o is not None)"


def node_lines(op: Op, names: dict[str, Any], written: Written, *, replaced: bool = False) -> list[str]:
    """Return the lines that make the `node` of a call with the outputs `given`, of the type `kind`.

    With `replaced`, a value passed under that name may be saved in place of the first argument.
    """
    lines = [
        "node = new_node()",
        "node.sequence_nr = sequence_nr()",
        "node.grad = node.hooks = node.token = node.versions = node.next_nr = None",
        *(_edges_of_list() if op.listed else _edges(op, names)),
        *_shapes(op, written),
        f"node.attrs = {tuple_of(_attribute(op, a, written) for a in op.attrs)}",
        *_saving(op, written, replaced=replaced),
    ]
    if not op.multi:
        out = written.output.format(0)
        lines += [f"{out}._grad_fn = node", f"{out}._requires_grad = True", f"{out}._output_nr = None"]
    else:
        limit = "" if op.differentiable is None else f"[:{op.differentiable}]"
        lines += [
            f"for i, out in enumerate({written.outputs}{limit}):",
            "    if out is not None:",
            "        out._grad_fn = node",
            "        out._requires_grad = True",
            "        out._output_nr = i",
        ]
    return lines


def _edge(tensor: str, node: str, indent: str) -> list[str]:
    """Return the lines that find the node that receives the gradient of `tensor`; see gradient_edge()."""
    return [
        f"{indent}{node} = {tensor}._grad_fn",
        f"{indent}if {node} is None and {tensor}._requires_grad and ("
        f"{tensor}._view is None or not {tensor}._view.inherits):",
        f"{indent}    {node} = {tensor}._accumulator",
        f"{indent}    if {node} is not None: {node} = {node}()",
        f"{indent}    if {node} is None: {node} = accumulator({tensor})",
    ]


def _edges(op: Any, names: dict[str, Any]) -> list[str]:
    """Return the lines that give the node its edges and its plan."""
    count = len(op.inputs)
    each = range(count)
    lines = []
    for i in each:
        lines += [f"n{i} = None", f"if t{i} is not None:", *_edge(f"t{i}", f"n{i}", " " * 4)]
    several = " or ".join([f"(n{i} is not None and n{i}.multi)" for i in each])
    numbers = tuple_of(f"0 if n{i} is None else t{i}._output_nr or 0" for i in each)
    plain = " and ".join(["kind.wide", *[f"(t{i} is None or t{i}._dtype.wide)" for i in each]])
    lines += [f"node.next = {tuple_of(f'n{i}' for i in each)}", f"if {several}: node.next_nr = {numbers}"]
    if count == 1:  # A single input is saved even where it gets no gradient.
        names["plan"] = op.plan((True,))
    else:
        mask = tuple_of(f"n{i} is not None" for i in each)
        lines += [f"needs = {mask}", "plan = plans.get(needs) or op.plan(needs)"]
    tensors = tuple_of(f"t{i}" for i in each)
    lines.append(f"node.plan = plan if {plain} else special_plan(op, plan, {tensors}, given)")
    missing = " or n0 is None" if count == 1 else ""
    lines.append(f"if node.next_nr is not None{missing}: node.plan = node.plan.general")
    return lines


def _edges_of_list() -> list[str]:
    return [
        "below = []",
        "several = False",
        "for t in tensors:",
        *_edge("t", "n", " " * 4),
        "    below.append(n)",
        "    if n is not None and n.multi: several = True",
        "node.next = tuple(below)",
        "if several:",
        "    node.next_nr = tuple([0 if n is None else t._output_nr or 0 for n, t in zip(below, tensors)])",
        "plan = op.plan((True,))",
        "node.plan = special_plan(op, plan, tensors, given)",
    ]


def _shapes(op: Any, written: Written) -> list[str]:
    if not op.multi:
        out = written.output.format(0)
        return [f"node.shape = {out}._data.shape", f"node.dtype = {out}._dtype"]
    limit = "" if op.differentiable is None else f"[:{op.differentiable}]"
    return [
        f"node.shape = [None if o is None else o._data.shape for o in {written.outputs}{limit}]",
        f"node.dtype = [None if o is None else o._dtype for o in {written.outputs}{limit}]",
    ]


def _attribute(op: Any, name: str, written: Written) -> str:
    """Return the expression of an attribute: an argument, or the shape or another property of an input."""
    if name in op.parameters:
        return written.argument.format(op.parameters.index(name))
    stem, _, what = name.rpartition("_")
    if op.listed:
        return "[t._data.shape for t in tensors]" if what == "shape" else "[t._dtype for t in tensors]"
    t = f"t{op.inputs.index(stem)}"
    value = f"{t}._data.shape" if what == "shape" else f"described({t}, {what!r})"
    return f"None if {t} is None else {value}"


def _saving(op: Any, written: Written, *, replaced: bool) -> list[str]:
    """Return the lines that save what the plan keeps; versions are noted where a version counter is not 0."""
    slots = range(len(op.slots))
    if not slots:
        return ["node.saved = ()"]
    lines = [f"{tuple_of(f'c{k}' for k in slots)} = plan.keeps", "stale = False"]
    for k in slots:
        result, position = op.result_slots[k], op.slot_positions[k]
        lines.append(f"s{k} = None")
        lines.append(f"if c{k}:")
        if result is not None:
            lines.append(f"    s{k} = save_result({written.output.format(result)}, {result})")
        else:
            value = written.argument.format(position)
            lines += [
                f"    s{k} = {f'{value} if replaced is None else replaced' if replaced and not position else value}",
                f"    if s{k}.__class__ is not Tensor and not isinstance(s{k}, Tensor): s{k} = entry(s{k})",
            ]
        lines += [
            f"    v = None if s{k} is None else s{k}._shared",
            "    if v is not None and (v.__class__ is not list or v[0]): stale = True",
        ]
    kept = " or ".join([f"c{k}" for k in slots])
    return [
        *lines,
        f"node.saved = {tuple_of(f's{k}' for k in slots)} if {kept} else ()",
        "if stale: node.versions = versions_of(node.saved)",
    ]
