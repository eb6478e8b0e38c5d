"""Methods that choose the elements to prune: by size, at random, whole channels, by a given mask."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from backscope.nn.pruning.method import BasePruningMethod
from backscope.ops.core.namespace import torch_functions as F
from backscope.runtime.given import Value
from backscope.tensor.typename import belongs

if TYPE_CHECKING:
    from backscope.nn.module.module import Module


def _check_amount(amount: Value) -> None:
    """Raise TypeError for what is no number; ValueError for a fraction outside [0, 1] or a count below 0."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    value = float(amount)
    if value < 0 or (value > 1 and not isinstance(amount, numbers.Integral)):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _count(amount: Value, size: int) -> Any:
    """Return the number of elements to prune out of `size`; ValueError for more than there are."""
    if not isinstance(amount, numbers.Integral):
        return round(amount * size)
    if int(amount) > size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
    return amount


class Identity(BasePruningMethod):
    """Prunes no further elements."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Value, default_mask: Value) -> Value:
        """The mask there is."""
        return default_mask

    @classmethod
    def apply(cls, module: Module, name: str) -> BasePruningMethod:  # type: ignore[override]
        """Prune nothing of a parameter."""
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """Hides single elements."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Value) -> None:
        _check_amount(amount)
        self.amount = amount

    def _chosen(self, t: Value, count: int) -> Any:
        """The indices of the elements to hide."""
        raise NotImplementedError

    def compute_mask(self, t: Value, default_mask: Value) -> Any:
        """The mask with the chosen elements hidden."""
        count = _count(self.amount, t.numel())
        mask = default_mask.contiguous().clone()
        if count:
            mask.view(-1)[self._chosen(t, count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Hides elements drawn at random."""

    def _chosen(self, t: Value, count: int) -> Any:
        return F["topk"](F["rand_like"](t).view(-1), k=count)[1]

    @classmethod
    def apply(cls, module: Module, name: str, amount: Value) -> BasePruningMethod:  # type: ignore[override]
        """Prune a count or a fraction of a parameter's elements."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Hides the elements nearest to 0."""

    def _chosen(self, t: Value, count: int) -> Any:
        return F["topk"](F["abs"](t).view(-1), k=count, largest=False)[1]

    @classmethod
    def apply(cls, module: Module, name: str, amount: Value, importance_scores: Value = None) -> BasePruningMethod:  # type: ignore[override]
        """Prune a count or a fraction of a parameter's elements, or of those with the lowest scores."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    """Hides whole channels along a dim."""

    PRUNING_TYPE = "structured"
    amount: Any
    dim: int

    def _kept(self, t: Value, count: int, size: int) -> Any:
        """The index of the channels to keep."""
        raise NotImplementedError

    def compute_mask(self, t: Value, default_mask: Value) -> Any:
        """The mask with the chosen channels hidden; ValueError for a vector, IndexError for a dim that isn't there."""
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        kept = self._kept(t, count, size)
        if not count:
            return default_mask
        mask = F["zeros_like"](t)
        index: list[Any] = [slice(None)] * t.dim()
        index[self.dim] = kept
        mask[tuple(index)] = 1
        mask *= default_mask.to(dtype=mask.dtype)
        return mask


class RandomStructured(_Structured):
    """Hides channels drawn at random."""

    def __init__(self, amount: Value, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount = amount
        self.dim = dim

    def _kept(self, t: Value, count: int, size: int) -> Any:
        if not count:
            return None
        drawn = F["rand"](size)
        return drawn > F["kthvalue"](drawn, k=count)[0]

    @classmethod
    def apply(cls, module: Module, name: str, amount: Value, dim: int = -1) -> BasePruningMethod:  # type: ignore[override]
        """Prune a count or a fraction of a parameter's channels."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Hides the channels with the smallest norm."""

    def __init__(self, amount: Value, n: Value, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount = amount
        self.n = n
        self.dim = dim

    def _kept(self, t: Value, count: int, size: int) -> Any:
        dims = [*range(t.dim())]
        dims.remove(dims[self.dim])
        return F["topk"](F["norm"](t, p=self.n, dim=dims), k=size - count, largest=True)[1]

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Module, name: str, amount: Value, n: Value, dim: int, importance_scores: Value = None
    ) -> BasePruningMethod:
        """Prune a count or a fraction of a parameter's channels, or of those with the lowest scores."""
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes the elements of a given mask."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Value) -> None:
        self.mask = mask

    def compute_mask(self, t: Value, default_mask: Value) -> Value:
        """Both masks together; AssertionError for different shapes."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: Value) -> BasePruningMethod:  # type: ignore[override]
        """Prune the elements of a parameter that a mask has 0 for."""
        return super().apply(module, name, mask=mask)


belongs(
    "torch.nn.utils.prune",
    Identity, RandomUnstructured, L1Unstructured, RandomStructured, LnStructured, CustomFromMask,
)  # fmt: skip
