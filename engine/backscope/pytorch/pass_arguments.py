"""What a program gave to backward() or autograd.grad()."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch


# Any: what the program gave as tensors, here and below.
class PassArguments(NamedTuple):
    """The arguments of a pass; `inputs` is None where all leaves are meant, `keep` says that saved tensors stay."""

    roots: list[Any]
    gradients: list[Any]
    inputs: list[Any] | None
    keep: bool
    create: bool
    batched: bool

    @classmethod
    def of(cls, bound: dict[str, Any], *, roots: str, gradients: str) -> PassArguments:
        """Return the arguments that were bound; `roots` and `gradients` are the names of the first two."""
        create, keep = bound["create_graph"], bound["retain_graph"]
        return cls(
            roots=_listed(bound[roots]),
            gradients=_listed(bound[gradients]),
            inputs=None if bound["inputs"] is None else _listed(bound["inputs"]),
            keep=bool(create if keep is None else keep),
            create=bool(create),
            batched=bool(bound.get("is_grads_batched")),
        )

    def batch_size(self) -> int:
        """Return how many gradients a batched pass computes at once."""
        return next((len(g) for g in self.gradients if isinstance(g, torch.Tensor)), 1)

    def seeds(self) -> Iterator[tuple[Any, Any]]:
        """Yield each root with the gradient that was given for it, None where there is none."""
        for k, root in enumerate(self.roots):
            yield root, self.gradients[k] if k < len(self.gradients) else None

    def _fits(self, gradient: torch.Tensor, root: torch.Tensor) -> bool:
        """Return True for a gradient of a root's shape, several of them where the pass is batched, and of its kind."""
        shape = gradient.shape[1:] if self.batched else gradient.shape
        return bool(shape == root.shape and gradient.is_complex() == root.is_complex())

    def is_refused(self) -> bool:
        """Return True if PyTorch is about to refuse the pass before it begins."""
        with torch._C.DisableTorchFunction():
            if not self.roots or not all(isinstance(r, torch.Tensor) and r.requires_grad for r in self.roots):
                return True
            for root, gradient in self.seeds():
                if gradient is None:
                    if root.numel() != 1 or root.is_complex():
                        return True
                elif not isinstance(gradient, torch.Tensor) or not self._fits(gradient, root):
                    return True
            if self.inputs is None:
                return False
            return not self.inputs or not all(isinstance(i, torch.Tensor) and i.requires_grad for i in self.inputs)


def bound_arguments(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any] | None:
    """Return what a call gives by the names of its parameters, with the defaults; None for a call that fails."""
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    return bound.arguments


def _listed(given: Any) -> list[Any]:
    if given is None or isinstance(given, torch.Tensor):
        return [given]
    try:
        return list(given)
    except TypeError:
        return [given]
