"""The names of tensors and nodes in captions: the variable, else the expression, else the value or the class."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backscope.caption import expression
from backscope.caption.number import shape, takes_an, values
from backscope.caption.state import State
from backscope.protocol import events as ev
from backscope.protocol.sentences import say

_VALUE = 28
"""Characters that a value takes at most."""
_NESTED = 2
"""Levels of unnamed operands that are written as expressions."""
_EXPRESSION = 32
"""Characters that such an expression takes at most."""
_INNERMOST = re.compile(r"\[[^\[\]()]*\]|\([^\[\]()]*\)")
"""Brackets without others inside, and what they hold."""
_COMPLEX = re.compile(r"[^ ]*\d[+−][\d.e−]+i", re.ASCII)


def content(value: ev.Summary) -> str:
    """Return a tensor in a sentence: its elements if they fit, else its shape."""
    return values(value, _VALUE) or shaped(value)


def shaped(value: ev.Summary) -> str:
    """Return a tensor's shape in a sentence: `an [8, 4] tensor`."""
    dims = shape(value.shape)
    return say("shaped.an_tensor", shape=dims) if takes_an(value.shape) else say("shaped.a_tensor", shape=dims)


def gradient(value: ev.Summary) -> str:
    """Return a gradient in a sentence: its elements if they fit, else its shape."""
    dims = shape(value.shape)
    if elements := values(value, _VALUE):
        return elements
    return say("shaped.an_gradient", shape=dims) if takes_an(value.shape) else say("shaped.a_gradient", shape=dims)


class Naming:
    """Names tensors and nodes by the variables that they have in one state."""

    def __init__(self, state: State) -> None:
        self.state = state

    def variable(self, tensor: int) -> str | None:
        """Return the name of a tensor's variable, `x.grad` for the `.grad` of a leaf; None without one."""
        name = self.state.variable(tensor)
        if name is not None:
            return name
        leaf = self.state.tape.grad_of.get(tensor)
        called = None if leaf is None else self.variable(leaf)
        return None if called is None else say("held.grad", name=called)

    def tensor(self, tensor: int, depth: int = 0) -> str:
        """Return a tensor's variable, else its expression, else its value if it is small, else its shape."""
        name = self.variable(tensor)
        if name is not None:
            return name
        op = self.state.maker(tensor)
        if op is not None and depth < _NESTED:
            text = self.expression(op.op, op.inputs, depth + 1)
            if len(text) <= _EXPRESSION:
                return text
        value = self.state.value(tensor)
        return say("word.a_tensor") if value is None else values(value, _VALUE) or shape(value.shape)

    def valued(self, tensor: int) -> str:
        """Return a tensor with its value if that is small: `w = 3`."""
        name, value = self.variable(tensor), self.state.value(tensor)
        text = None if value is None else values(value, 14)
        if name is not None and text is not None:
            return say("held.elements", name=name, value=text)
        return name or text or self.tensor(tensor)

    def leaf(self, tensor: int) -> str:
        """Return the variable of a leaf, or `the leaf` without one."""
        return self.variable(tensor) or say("word.the_leaf")

    def grad(self, tensor: int) -> str:
        """Return the `.grad` of a tensor: `w.grad`, or `the .grad of the leaf` without a variable."""
        name = self.variable(tensor)
        if name is not None:
            return say("held.grad", name=name)
        is_leaf = self.state.maker(tensor) is None
        return say("held.grad_unnamed", tensor=say("word.the_leaf") if is_leaf else self.tensor(tensor))

    def node(self, node: int | None) -> str:
        """Return the name of a node's class, such as MulBackward0."""
        facts = self.state.node(node)
        return say("word.a_node") if facts is None else facts.name

    def receiver(self, node: int, output: int) -> str:
        """Return the receiver of a gradient: the leaf, the variable that the node made, or the node itself."""
        facts = self.state.node(node)
        if facts is not None and facts.leaf is not None:
            return self.leaf(facts.leaf)
        made = self.state.run.made.get(node, [])
        tensor = made[output] if output < len(made) else made[0] if made else None
        return (None if tensor is None else self.variable(tensor)) or self.node(node)

    def expression(self, op: str, inputs: Sequence[ev.Argument], depth: int = 0) -> str:
        """Return an op with its arguments as an expression: `w × x`, `tanh(h)`."""
        return expression.of(
            op,
            self._uncopied(inputs) if op == "unsafe_view" else inputs,
            lambda tensor: self.tensor(tensor, depth),
            lambda tensor: self._operand(tensor, depth),
        )

    def _uncopied(self, inputs: Sequence[ev.Argument]) -> list[ev.Argument]:
        """Return the input of reshape(), even where an op before it copied the memory."""
        found: list[ev.Argument] = []
        for one in inputs:
            unnamed = one.tensor is not None and self.variable(one.tensor) is None
            made = self.state.maker(one.tensor) if one.tensor is not None and unnamed else None
            copied = made.inputs[0].tensor if made is not None and made.op == "clone" and made.inputs else None
            found.append(one if copied is None else ev.Argument(name=one.name, tensor=copied, text=one.text))
        return found

    def _operand(self, tensor: int, depth: int) -> str:
        text = bare = self.tensor(tensor, depth)
        while (less := _INNERMOST.sub("", bare)) != bare:
            bare = less
        return f"({text})" if " " in bare or _COMPLEX.fullmatch(bare) else text
