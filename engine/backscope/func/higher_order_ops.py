"""Ops that a program defines by rules in Python, one for each transform and dispatch key: torch._ops."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

from backscope.autograd.modes.inference_mode import is_inference_mode_enabled
from backscope.func.dispatch_key import DispatchKey, excluded
from backscope.func.interpreter import TransformType, innermost
from backscope.func.pytree import tree_leaves, tree_map
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

Rule = Callable[..., Any]

_OF_AUTOGRAD = ("AutogradCPU", "AutogradFunctionality", "Autograd")


class HigherOrderOperator(abc.ABC):
    """An op with rules that py_impl() registers, by dispatch key and by transform.

    Inside transforms the rule of the innermost one runs and calls the op again one level lower. Outside, the rule for
    the dispatch key of the tensors runs, which is AutogradCPU unless the program excluded it, or the rule of an alias.
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

    def fallthrough(self, dispatch_key: object) -> None:
        """Make calls continue with the next key."""
        self.py_kernels.pop(dispatch_key, None)

    # Any: the registered rule returns a value of any type.
    @abc.abstractmethod
    def __call__(self, /, *args: Value, **kwargs: Value) -> Any:
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
        return self.py_kernels[self._resolved_key(_dispatch_key(self.py_kernels, (args, kwargs)))](*args, **kwargs)

    def _resolved_key(self, key: Any) -> Any:
        """Return the key of the rule that runs at a dispatch key, or of its alias; NotImplementedError without one."""
        rules = self.py_kernels
        explicit, implicit = DispatchKey["CompositeExplicitAutograd"], DispatchKey["CompositeImplicitAutograd"]
        if key in rules:
            return key
        if key.name != "AutogradCPU":
            candidates = [explicit, implicit]
        elif explicit in rules or DispatchKey["CPU"] in rules:
            candidates = [DispatchKey["Autograd"]]
        else:
            candidates = [implicit, DispatchKey["Autograd"]]
        for candidate in candidates:
            if candidate in rules:
                return candidate
        if key.name == "AutogradCPU":
            raise NotImplementedError(
                f"could not find kernel for HigherOrderOperator {self._name} "
                "at dispatch key DispatchKey.AutogradCPU (resolved from DispatchKey.AutogradCPU)"
            )
        raise NotImplementedError(f"could not find kernel for {self._name} at dispatch key DispatchKey.{key.name}")

    def __str__(self) -> str:
        return self._name


def _dispatch_key(rules: dict[Any, Rule], arguments: Value) -> Any:
    """Return the key with the highest priority that a call has: Undefined for a call without tensors."""
    left_out, inference = excluded(), is_inference_mode_enabled()
    has_tensors = any(isinstance(leaf, Tensor) for leaf in tree_leaves(arguments))
    if has_tensors and not inference and not any(left_out.has(DispatchKey[name]) for name in _OF_AUTOGRAD):
        return DispatchKey["AutogradCPU"]
    in_place_or_view = DispatchKey["ADInplaceOrView"]
    if in_place_or_view in rules and not inference and not left_out.has(in_place_or_view):
        return in_place_or_view
    return DispatchKey["CPU" if has_tensors else "Undefined"]
