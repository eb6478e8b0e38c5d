"""What can be named at a stop in a node: its gradients, which can be changed, the node itself, and what it saved."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch

from backscope.debugger.stopped import StopNames
from backscope.debugger.tensors import NotInspectable


class Saved:
    """The saved tensors of a node as attributes, `saved.self`: each is read when it is asked for.

    Reading checks versions, and calls the hooks that unpack it.
    """

    # Any: a node of PyTorch's.
    def __init__(self, node: Any) -> None:
        self._node = node

    def __dir__(self) -> list[str]:
        kind = type(self._node)
        return sorted(name.removeprefix("_saved_") for name in dir(kind) if name.startswith("_saved_"))

    # Any: what the node saved.
    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if isinstance(self._node, torch.autograd.function.BackwardCFunction):
            if name == "tensors":
                return self._node.saved_tensors
        elif name in dir(self):
            return getattr(self._node, f"_saved_{name}")
        raise AttributeError(f"{self._node.name()} saved nothing as {name}; it has {self!r}")

    def __repr__(self) -> str:
        if isinstance(self._node, torch.autograd.function.BackwardCFunction):
            return "saved.tensors"
        return ", ".join(f"saved.{name}" for name in dir(self)) or "(nothing is saved)"


class NodeNames(StopNames):
    """`grad` and `grads` are what arrived at a node, `sent` what it sends once it ran; `node` and `saved` are its own.

    Before the node runs its gradients can be changed, afterwards those that it sends.
    """

    def __init__(
        self,
        # Any: a node of PyTorch's.
        node: Any,
        gradients: Sequence[torch.Tensor | None],
        sent: Sequence[torch.Tensor | None] | None,
        quiet: AbstractContextManager[None],
        on_change: Callable[[Sequence[torch.Tensor | None]], None] | None = None,
    ) -> None:
        super().__init__(grads=list(gradients), **({} if sent is None else {"sent": list(sent)}))
        if len(gradients) == 1:
            self["grad"] = gradients[0]
        if node is not None:
            self |= {"node": node, "saved": Saved(node)}
        self.quiet = quiet
        self._on_change = on_change
        self._changeable = "grads" if sent is None else "sent"
        self._given = list(gradients if sent is None else sent)

    @property
    def changed(self) -> tuple[torch.Tensor | None, ...] | None:
        """What goes on in place of the gradients; None where none was changed."""
        now = self[self._changeable]
        if all(one is other for one, other in zip(now, self._given, strict=True)):
            return None
        return tuple(now)

    def quietly(self) -> AbstractContextManager[None]:
        """Return a context for the user's code, which is not the program's."""
        return self.quiet

    def change(self, target: ast.Name | ast.Subscript, assign: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        """Set a gradient or an element of one, of which a copy goes on: others may have the same tensor.

        Raises: NotInspectable where it cannot be changed, or is none that the node could have got.
        """
        root: ast.expr = target
        while isinstance(root, (ast.Subscript, ast.Attribute)):
            root = root.value
        name = ast.unparse(root)
        allowed = ("grad", "grads") if self._changeable == "grads" else ("sent",)
        if name not in allowed:
            raise NotInspectable(
                f"{name} cannot be changed here; {' and '.join(allowed)} can, and variables of the program."
            )
        held = self[self._changeable]
        copies = [one if one is None else one.clone() for one in held]
        after = assign({name: copies[0] if name == "grad" else list(copies)})[name]
        new = [after] if name == "grad" else after
        if not isinstance(new, (list, tuple)) or len(new) != len(held):
            raise NotInspectable(f"{name} is a list of {len(held)}, one gradient each.")
        final = []
        for one, copy, before in zip(new, copies, held, strict=True):
            if one is copy and (one is None or torch.equal(one, before)):
                one = before
            if one is None and before is not None and name == "sent":
                raise NotInspectable("What was sent cannot be taken back; 0 sets all elements to zero.")
            final.append(_fitting(one, before, name))
        self[self._changeable] = final
        if self._on_change is not None:
            self._on_change(final)
        if "grad" in self and self._changeable == "grads":
            self["grad"] = final[0]


def _fitting(new: object, old: torch.Tensor | None, name: str) -> torch.Tensor | None:
    """Return a gradient that can take the place of another one.

    Raises: NotInspectable for what cannot.
    """
    if new is None:
        return None
    if old is not None and isinstance(new, (int, float)):
        return torch.full_like(old, new)
    if not isinstance(new, torch.Tensor):
        raise NotInspectable(f"{name} is a tensor, or a number for all of its elements.")
    if old is None:
        return new.detach()
    if new.shape != old.shape:
        raise NotInspectable(f"{name} has the shape {list(old.shape)}; this has {list(new.shape)}.")
    return new.detach().to(old) if new is not old else old
