"""A pruning method: keeps a mask over a parameter, and puts the masked parameter in its place before each call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, SupportsIndex

from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Option, Value, Values
from backscope.tensor.typename import belongs

if TYPE_CHECKING:
    from backscope.nn.module.module import Module


class BasePruningMethod(ABC):
    """Computes a mask; `NAME_orig` and `NAME_mask` of a module make up its NAME."""

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Module, inputs: Values) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Value, default_mask: Value) -> Value:
        """Return the mask of a tensor, combined with `default_mask`."""

    def apply_mask(self, module: Module) -> Value:
        """Return the parameter with masked elements set to 0."""
        self._check_bound(module, "")
        kept = getattr(module, self._tensor_name + "_orig")
        return getattr(module, self._tensor_name + "_mask").to(dtype=kept.dtype) * kept

    def _check_bound(self, module: Any, use: str) -> None:
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned{use}")

    @classmethod
    def _combined(cls, module: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the method for a parameter: alone, or in a container with earlier methods."""
        hooks = module._forward_pre_hooks
        before = {k: h for k, h in hooks.items() if isinstance(h, BasePruningMethod) and h._tensor_name == name}
        if len(before) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a "
                "PruningContainer."
            )
        for number in before:
            del hooks[number]
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        for old in before.values():
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            container.add_pruning_method(method)
            method = container
        return method

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Option, importance_scores: Value = None, **kwargs: Option
    ) -> BasePruningMethod:
        """Prune a parameter of a module: put `NAME_orig` and `NAME_mask` in its place.

        Raises: AssertionError for scores of another shape; the errors of compute_mask(), with the module unchanged.
        """
        method: BasePruningMethod = cls._combined(module, name, args, kwargs)
        kept = getattr(module, name)
        if importance_scores is None:
            importance_scores = kept
        elif importance_scores.shape != kept.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, got "
                f"{importance_scores.shape} vs {kept.shape}"
            )
        first = not isinstance(method, PruningContainer)
        if first:
            module.register_parameter(name + "_orig", kept)
            del module._parameters[name]
            mask = torch_functions["ones_like"](kept)
        else:
            mask = getattr(module, name + "_mask").detach().contiguous().clone()
        try:
            module.register_buffer(name + "_mask", method.compute_mask(importance_scores, default_mask=mask))
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if first:
                module.register_parameter(name, getattr(module, name + "_orig"))
                del module._parameters[name + "_orig"]
            raise
        return method

    def prune(self, t: Value, default_mask: Value = None, importance_scores: Value = None) -> Value:
        """Return a tensor with masked elements set to 0; AssertionError for scores of another shape."""
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as tensor t, got {importance_scores.shape} vs {t.shape}"
            )
        mask = torch_functions["ones_like"](t) if default_mask is None else default_mask
        return t * self.compute_mask(importance_scores, default_mask=mask)

    def remove(self, module: Module) -> None:
        """Make the pruned values permanent, in an ordinary parameter again."""
        self._check_bound(module, " before pruning can be removed")
        name = self._tensor_name
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        kept = module._parameters.pop(name + "_orig")
        kept.data = pruned.data
        del module._buffers[name + "_mask"]
        setattr(module, name, kept)


class PruningContainer(BasePruningMethod):
    """Methods that pruned one parameter, one after the other; the last one is the one at work."""

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod | None) -> None:
        """Add a method; TypeError for something else, ValueError for one of another parameter."""
        if method is not None:
            if not isinstance(method, BasePruningMethod):
                raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
            if self._tensor_name != method._tensor_name:
                raise ValueError(
                    f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                    f"PruningContainer {self}. Found '{method._tensor_name}'"
                )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    # Any: a method, or a tuple of methods for a slice.
    def __getitem__(self, idx: SupportsIndex | slice) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Value, default_mask: Value) -> Value:
        """Return the mask after the last method has pruned further elements."""
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype)
        left = _not_pruned(method, t, default_mask)
        mask[left] = method.compute_mask(t[left], default_mask=default_mask[left]).to(dtype=mask.dtype)
        return mask


def _not_pruned(method: Any, t: Value, mask: Value) -> Any:
    """Return the index of the elements that a method may still prune; ValueError for an unknown kind of method."""
    kind = method.PRUNING_TYPE
    if kind == "unstructured":
        return mask == 1
    index: list[Any] = [slice(None)] * t.dim()
    if kind == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        dim = method.dim + t.dim() if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")
        index[dim] = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
    elif kind != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
    return tuple(index)


belongs("torch.nn.utils.prune", BasePruningMethod, PruningContainer)
