"""Declarations of ops: each op has one, from which its calls, its node and its catalogue entry come.

A declaration is a class with static functions:

    @op(symbol="exp", latex="...", summary="...")
    class exp:
        def forward(self: A) -> A: return np.exp(self)
        def grad_self(g: V, result: V) -> V: return g * result

`forward` works on raw values (arrays, numpy scalars); parameters annotated `A`, `A | None` or `list[A]` are tensors.
`grad_X` is the gradient of input X, written once for raw values and Tensors: with operators and the functions of
`xp`, which compute on raw values and record on Tensors. Its parameter names say what the node saves: `g` is the
incoming gradient, the name of an input or `result` (or one of the op's `returns`) is a saved tensor, `X_shape`,
`X_strides` and `X_dtype` describe input X, other names are the op's arguments. An op that is `underivable` has a node
that refuses every gradient, as PyTorch's ops without a derivative have. `into(out, other)` may write the in-place
form straight into `out`, of which the others have the shape and type. `low` computes low precision types where
PyTorch's kernel rounds in between; the gradient of a `fused` op is one kernel, which rounds them once. One function
`grad` may give the gradients of all inputs as a tuple. Parameters annotated `K` or `K | None` are tensors too, saved
like inputs but no part of the graph: indices, running statistics.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from types import SimpleNamespace
from typing import Any, TypeAlias

import numpy as np

from backscope.autograd.node import Node
from backscope.autograd.plan import Plan, Steps
from backscope.autograd.saved.saved_attributes import saved_attributes
from backscope.ops.core.compiled_formula import compile_recorded, compile_run, compile_run_and_send
from backscope.runtime.given import Option, Value, Values

A: TypeAlias = Any
"""A raw value: an array or a numpy scalar."""
K: TypeAlias = Any
"""A raw value of a tensor that has no gradient but that a node may save."""
V: TypeAlias = Any
"""A value in a backward formula: raw, or a Tensor where the formula is itself recorded."""

# Any: a namespace that is filled at import with the functions of formulas.
xp: Any = SimpleNamespace()
"""The functions for formulas, by op name; each computes on raw values and records on Tensors."""

primitives: dict[str, Op] = {}
"""Every declared op by name."""


def catalogue() -> list[dict[str, Any]]:
    """Return the ops for the page: names, symbol, if elementwise, formulas as LaTeX, a sentence for each gradient.

    The values of a formula are to be conjugated where they are complex, if the op `conjugates`.

    An op whose node has another name in place is listed with both names.
    """
    declared = {o.grad_fn for o in primitives.values()}
    return [
        {
            "name": o.torch_name,
            "grad_fn": grad_fn,
            "symbol": o.symbol,
            "elementwise": o.elementwise,
            "latex": o.latex,
            "conjugates": o.conjugates,
            "summary": o.summary,
        }
        for o in primitives.values()
        for grad_fn in (o.grad_fn, *([o.written.__name__] if o.written else []))
        if grad_fn == o.grad_fn or grad_fn not in declared
    ]


class OpPlan(Plan):
    """The plan of an op with inputs that require grad, marked in `needs`.

    `recorded` is `run` on Tensors.  The code is compiled when the first node runs: by then all ops that a formula uses
    are declared.
    """

    __slots__ = ("_complex", "_parts", "needs", "op", "recorded")

    def __init__(self, op: Op, needs: tuple[bool, ...], keeps: tuple[bool, ...], steps: Steps) -> None:
        super().__init__(self._later("run", lambda: compile_run(op, self, real=True)), keeps=keeps, steps=steps)
        self.op = op
        self.needs = needs
        self.recorded = self._later("recorded", lambda: compile_recorded(op, self, needs))
        self._complex: Plan | None = None
        self._parts: dict[tuple[bool, ...], Plan] = {needs: self}
        if not op.listed:
            self.run_and_send = self._later("run_and_send", lambda: compile_run_and_send(op, self, needs))

    def part(self, needs: tuple[bool, ...]) -> Plan:
        """Return a plan for the gradients of some inputs alone; it saves what all of them need."""
        found = self._parts.get(needs)
        if found is None:
            found = self._parts[needs] = OpPlan(self.op, needs, self.keeps, self.op.plan(needs).steps)
        return found

    def prepare(self) -> None:
        """Compile what the fast loop runs."""
        if not self.op.listed:
            self.run_and_send = compile_run_and_send(self.op, self, self.needs)

    def _later(self, name: str, compiled: Callable[[], Callable[[Any, Any], Any]]) -> Callable[[Any, Any], Any]:
        def first(node: Any, other: Value) -> Any:
            if getattr(self, name) is first:
                setattr(self, name, compiled())
            return getattr(self, name)(node, other)

        return first

    @property
    def complex(self) -> Plan:
        """The plan for complex operands."""
        if self._complex is None:
            self._complex = Plan(compile_run(self.op, self, real=False), keeps=self.keeps, steps=self.steps)
        return self._complex

    @property
    def folding(self) -> Plan:
        """The plan for nodes with a broadcast input: its gradient is summed to the input's shape."""
        made = self._folding
        if made is None:
            made = super().folding
            made.run_and_send = compile_run_and_send(self.op, self, self.needs, folds=True)
        return made


class Op:
    """A declared op: `differentiable` outputs come first, `returns` names several, `listed` ops take a list of tensors.

    `hidden` are the numbers of the outputs that the program never holds and events leave out: of every call, or of one
    by a function that passes on some of them alone (`giving`).

    The kernel of an elementwise op takes the layout of its result from its operands in their order, with the one that
    is `leading` before the others.

    What the formulas multiply a gradient by is conjugated where it is complex, unless `conjugates` is False: then they
    are written with the conjugates that they have.

    `apply` runs it, `record` puts its node on the tape.  Elementwise ops also have their calls: `call` for what is
    common, `slow` for all operands, `call_in_place`; `weighted` ones multiply their second input by a number alpha.
    """

    call: Callable[..., Any]
    slow: Callable[..., Any]
    call_in_place: Callable[..., Any]
    apply: Callable[..., Any]
    record: Callable[..., Any]

    def __init__(self, name: str, body: type, options: dict[str, Any]) -> None:
        self.name = name
        self.torch_name = re.sub(r"_(all|dim|scalar|tensor|bounds|op|in_place|with)$", "", name)
        self.forward: Callable[..., Any] = body.__dict__["forward"]
        self.into: Callable[..., None] | None = body.__dict__.get("into")
        self.low: Callable[..., Any] | None = body.__dict__.get("low")
        self.symbol: str = options.get("symbol", name)
        self.latex: dict[str, str] = options.get("latex", {})
        self.conjugates: bool = options.get("conjugates", True)
        self.summary: dict[str, str] = options.get("summary", {})
        self.shows: dict[str, Any] = options.get("shows", {})
        self.view: bool = options.get("view", False)
        self.replays: bool = options.get("replays", False)
        self.fused: bool = options.get("fused", False)
        self.promotes: bool = options.get("promotes", False)
        self.lazily: Callable[..., Any] | None = options.get("lazily")
        self.broadcasts: bool = options.get("broadcasts", False)
        self.leading: str | None = options.get("leading")
        self.elementwise = False
        self.weighted = False
        self.outputs: int | None = options.get("outputs", 1)
        self.differentiable: int | None = options.get("differentiable", self.outputs)
        self.returns: tuple[str, ...] = options.get("returns", ())
        self.hidden = _numbers(self.returns.index(name) for name in options.get("hidden", ()))
        self._giving: dict[tuple[int, int], Op] = {}
        self.multi = self.differentiable != 1
        usual = "".join(p.capitalize() for p in name.split("_")) + "Backward0"
        self.grad_fn: str = options.get("grad_fn", "NotImplemented" if options.get("underivable") else usual)
        parameters = list(inspect.signature(self.forward).parameters.values())
        self.parameters = [p.name for p in parameters]
        self.defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        self.inputs = [p.name for p in parameters if str(p.annotation) in ("A", "A | None")]
        self.optional = any(str(p.annotation) == "A | None" for p in parameters)
        self.listed = any(str(p.annotation) == "list[A]" for p in parameters)
        if self.listed:
            self.inputs = [p.name for p in parameters if str(p.annotation) == "list[A]"]
        self.variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        self.positions = tuple(self.parameters.index(i) for i in self.inputs)
        self.kept = [p.name for p in parameters if str(p.annotation) in ("K", "K | None", "list[K]")]
        self.kept_positions = tuple(self.parameters.index(k) for k in self.kept)
        self.formulas = {k[5:]: f for k, f in body.__dict__.items() if k.startswith("grad_")}
        self.whole: Callable[..., Any] | None = body.__dict__.get("grad")
        if options.get("underivable"):
            self._refuse_gradients()
        self.tracked = bool(self.formulas or self.whole)
        self._find_slots()
        self.plans: dict[tuple[bool, ...], OpPlan] = {}
        self.apply = self._compiled_call("apply")
        self.record = self._compiled_call("record")
        self.node: type[Node] = self._node_class(self.grad_fn, options)
        written = options.get("written_grad_fn")
        self.written: type[Node] | None = None if written is None else self._node_class(written, options)
        self.underived: Plan | None = None
        if options.get("underived_in_place"):
            self._refuse_in_place()

    def _node_class(self, name: str, options: dict[str, Any]) -> type[Node]:
        return type(
            name,
            (Node,),
            {
                "__slots__": (),
                "op": self,
                "prefix": options.get("prefix", "torch::autograd::" if name == "NotImplemented" else ""),
                "multi": self.multi,
                "reduces": self.broadcasts,
                "__module__": "builtins",
                **saved_attributes(self.slots, self.attrs, self.inputs, self.shows),
            },
        )

    def _refuse_in_place(self) -> None:
        """Make the in-place form of the op one without a derivative."""

        def refuse(node: Any, g: Value) -> Any:
            raise NotImplementedError(f"the derivative for 'inplace version of {self.name}' is not implemented.")

        members = {"__slots__": (), "op": self, "prefix": "", "multi": False, "reduces": False}
        members |= {"__module__": "builtins", "composite": True, "run_tensors": lambda own, node, g: refuse(node, g)}
        self.written = type(f"{self.name.capitalize()}Backward1", (Node,), members)
        self.underived = Plan(refuse)

    def _refuse_gradients(self) -> None:
        name = self.torch_name

        def refuse(g: V) -> V:
            raise RuntimeError(f"derivative for aten::{name} is not implemented")

        self.whole = refuse
        self.latex = dict.fromkeys(self.inputs, r"\text{not implemented}")
        self.summary = dict.fromkeys(self.inputs, "raises an error: PyTorch has no derivative for this op")

    def _find_slots(self) -> None:
        self.slots: list[str] = []
        self.attrs: list[str] = []
        functions = [*self.formulas.values(), *([self.whole] if self.whole else [])]
        for function in functions:
            for name in inspect.signature(function).parameters:
                if name in ("g", "needs"):
                    continue
                saved = (name in self.inputs and not self.listed) or name in self.kept or self._is_result(name)
                group = self.slots if saved else self.attrs
                if name not in group:
                    group.append(name)
        self.given = [i for i, name in enumerate(self.attrs) if name in self.parameters]
        self.uses = {k: list(inspect.signature(f).parameters) for k, f in self.formulas.items()}
        self.result_slots = [
            self.returns.index(s) if s in self.returns else 0 if s == "result" else None for s in self.slots
        ]
        self.identities = 2 + len(self.slots)
        self.saves_result = any(r is not None for r in self.result_slots)
        self.slot_positions = [
            None if r is not None else self.parameters.index(s)
            for s, r in zip(self.slots, self.result_slots, strict=True)
        ]
        self.unpack_order = sorted(
            range(len(self.slots)), key=lambda k: (self.result_slots[k] is not None, self.slots[k])
        )

    def _is_result(self, name: str) -> bool:
        return name == "result" or name in self.returns

    def plan(self, needs: tuple[bool, ...]) -> OpPlan:
        """The plan for inputs of which those marked in `needs` require grad; made on first use."""
        found = self.plans.get(needs)
        if found is None:
            found = self.plans[needs] = self._make_plan(needs)
        return found

    def giving(self, count: int, first: int = 0) -> Op:
        """Return the op for a function that returns `count` of its outputs only, from number `first` on."""
        made = self._giving.get((count, first))
        if made is None:
            made = self._giving[count, first] = copy(self)
            made.hidden = _numbers([*range(first), *range(first + count, self.outputs or 0)])
            made.apply = made._compiled_call("apply")
        return made

    def prepare(self) -> None:
        """Compile the calls, and the plans for one input and for all, in a process that others are forked from."""
        from backscope.ops.core import calling

        self.apply, self.record = calling.compile_apply(self), calling.compile_record(self)
        for other in self._giving.values():
            other.apply = calling.compile_apply(other)
        if self.whole is None and not self.formulas:
            return
        count = len(self.inputs)
        alone = [tuple([i == j for i in range(count)]) for j in range(count)] if count <= 3 else []
        for needs in {(True,) * count, *alone}:
            self.plan(needs).prepare()

    def _make_plan(self, needs: tuple[bool, ...]) -> OpPlan:
        env = ["g", *self.slots, *self.attrs]
        steps: list[tuple[int, Callable[..., Any], tuple[int, ...]]] = []
        if self.whole is not None:
            names = list(inspect.signature(self.whole).parameters)
            function = self.whole
            if "needs" in names:
                names.remove("needs")
                function = _with_needs(self.whole, needs)
            steps.append((-1, function, tuple(env.index(n) for n in names)))
        else:
            # PyTorch computes the gradients in the alphabetical order of the inputs: nodes of second order show it.
            for i, name in sorted(enumerate(self.inputs), key=lambda pair: pair[1]):
                if needs[i] and name in self.formulas:
                    function = self.formulas[name]
                    steps.append((i, function, tuple(env.index(n) for n in inspect.signature(function).parameters)))
        used = {i for _, _, indices in steps for i in indices}
        keeps = tuple(k + 1 in used for k in range(len(self.slots)))
        return OpPlan(self, needs, keeps, tuple(steps))

    def _compiled_call(self, name: str) -> Callable[..., Any]:
        """Compile `apply` or `record` on first use: by then the whole engine is imported."""

        def first(*args: Any) -> Any:
            from backscope.ops.core import calling

            made = getattr(calling, f"compile_{name}")(self)
            setattr(self, name, made)
            return made(*args)

        return first


def _numbers(places: Iterable[int]) -> bytes:
    return b",".join([b"%d" % place for place in places])


def _with_needs(function: Callable[..., Any], needs: tuple[bool, ...]) -> Callable[..., Any]:
    def bound(*args: Any) -> Any:
        return function(*args, needs=needs)

    bound.formula, bound.needs = function, needs  # type: ignore[attr-defined]
    return bound


def evaluate(steps: Sequence[tuple[Any, ...]], env: list[Any], count: int) -> Values:
    """The gradients of all inputs from formulas and their environment [g, saved..., attributes...]."""
    if steps and steps[0][0] == -1:
        _, function, indices = steps[0]
        return function(*[env[i] for i in indices])
    gradients = [None] * count
    for position, function, indices in steps:
        gradients[position] = function(*[env[i] for i in indices])
    return gradients


def op(**options: Option) -> Callable[[type], Any]:
    """Declare an op that is called with `dispatch.apply`; see the module's first lines."""

    def declare(body: type) -> Op:
        name = options.pop("name", body.__name__.rstrip("_"))
        made = primitives[name] = Op(name, body, options)
        setattr(xp, name, _polymorphic(made))
        return made

    return declare


def _polymorphic(declared: Op) -> Callable[..., Any]:
    from backscope.ops.core.dispatch import apply
    from backscope.tensor.tensor import Tensor

    defaults = [declared.defaults.get(p) for p in declared.parameters]
    positions = declared.positions

    def either(*args: Any) -> Any:
        for p in positions:
            a = args[p]
            if a.__class__ is np.ndarray:
                continue
            if isinstance(a, Tensor) or (isinstance(a, (list, tuple)) and a and isinstance(a[0], Tensor)):
                return apply(declared, *args, *defaults[len(args) :])
        return declared.forward(*args)

    either.forward = declared.forward  # type: ignore[attr-defined]
    return either
