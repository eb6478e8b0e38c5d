"""Ops that a program defines by rules in Python, one for each transform and dispatch key: torch._ops."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

from backscope.func.dispatch_key import DispatchKey, excluded
from backscope.func.interpreter import TransformType, innermost
from backscope.func.pytree import tree_map
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

Rule = Callable[..., Any]

_TRIED = ("AutogradCPU", "Autograd", "CompositeImplicitAutograd", "ADInplaceOrView", "CPU", "CompositeExplicitAutograd")
"""The dispatch keys of a call outside transforms, in the order in which they are tried."""

_OF_AUTOGRAD = ("AutogradCPU", "Autograd")


class HigherOrderOperator(abc.ABC):
    """An op with rules that py_impl() registers, by dispatch key and by transform.

    Inside transforms the rule of the innermost one runs and calls the op again one level lower; outside, the rule of
    the first dispatch key that has one.
    """

    def __init__(self, name: str, *, cacheable: bool = False) -> None:
        self._name = self.__name__ = name
        self.namespace = "higher_order"
        self.py_kernels: dict[Any, Rule] = {}
        self.functorch_table: dict[TransformType, Rule] = {}

    def name(self) -> str:
        """Return the op's name."""
        return self._name

    def cacheable(self) -> bool:
        """Return False: nothing is compiled that could be cached."""
        return False

    def py_impl(self, k: Value) -> Callable[[Rule], Rule]:
        """Declare the rule of a transform or of a dispatch key; RuntimeError for a second one of a key."""

        def declare(rule: Rule) -> Rule:
            if isinstance(k, TransformType):
                self.functorch_table[k] = rule
                return rule
            if k in self.py_kernels:
                raise RuntimeError(f"Trying to override a python impl for {k} on operator {self._name}")
            self.py_kernels[k] = rule
            return rule

        return declare

    def has_kernel_for_dispatch_key(self, k: Value) -> bool:
        """Return True when a dispatch key has a rule."""
        return k in self.py_kernels

    def fallthrough(self, dispatch_key: Any) -> None:
        """Make calls continue with the next key."""
        self.py_kernels.pop(dispatch_key, None)

    @abc.abstractmethod
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Compute the op; NotImplementedError without a rule."""
        interpreter = innermost()
        if interpreter is not None:
            key = interpreter.key()
            if key not in self.functorch_table:
                raise NotImplementedError(
                    f"There is no rule for {key.name} on HigherOrderOperator {self._name}: declare one with "
                    f"py_impl(torch._C._functorch.TransformType.{key.name})."
                )
            if key is not TransformType.Vmap:
                args, kwargs = tree_map(lambda x: interpreter.lift(x) if isinstance(x, Tensor) else x, (args, kwargs))
            return self.functorch_table[key](interpreter, *args, **kwargs)
        left_out = excluded()
        silent = any(left_out.has(DispatchKey[n]) for n in _OF_AUTOGRAD)
        for name in _TRIED:
            found = DispatchKey[name]
            if found in self.py_kernels and not left_out.has(found) and not (silent and name in _OF_AUTOGRAD):
                return self.py_kernels[found](*args, **kwargs)
        raise NotImplementedError(
            f"There is no rule for tensors of the CPU on HigherOrderOperator {self._name}: declare one with "
            "py_impl(torch._C.DispatchKey.CompositeExplicitAutograd)."
        )

    def __str__(self) -> str:
        return self._name
