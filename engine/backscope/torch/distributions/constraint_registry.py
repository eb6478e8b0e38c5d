"""The names of `torch.distributions.constraint_registry`."""

from backscope.distributions.constraint_registry import ConstraintRegistry, biject_to, transform_to

__all__ = ["ConstraintRegistry", "biject_to", "transform_to"]
