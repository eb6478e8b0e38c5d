"""Pruning as functions: of one parameter, or of many together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from backscope.nn.pruning.choice import (
    CustomFromMask,
    Identity,
    L1Unstructured,
    LnStructured,
    RandomStructured,
    RandomUnstructured,
)
from backscope.nn.pruning.method import BasePruningMethod, PruningContainer
from backscope.nn.vectors import parameters_to_vector
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Option, Value, Values

if TYPE_CHECKING:
    from backscope.nn.module.module import Module


def identity(module: Module, name: str) -> Module:
    """Give a parameter the form of a pruned one without hiding anything."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: Value) -> Module:
    """Hide a count or a fraction of a parameter's elements, drawn at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Module, name: str, amount: Value, importance_scores: Value = None) -> Module:
    """Hide a count or a fraction of a parameter's elements, the ones nearest to 0 or with the lowest scores."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: Value, dim: int) -> Module:
    """Hide a count or a fraction of a parameter's channels, drawn at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: Value, n: Value, dim: int, importance_scores: Value = None
) -> Module:
    """Hide a count or a fraction of a parameter's channels, the ones with the smallest norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Value) -> Module:
    """Prune the elements of a parameter that a mask has 0 for."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Values,
    pruning_method: Callable[..., BasePruningMethod],
    importance_scores: Value = None,
    **kwargs: Option,
) -> None:
    """Prune parameters, given as (module, name), as if they were one.

    Raises: TypeError for what is no iterable, scores that are no dict, and a method that hides whole channels.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs: Any = parameters
    values = parameters_to_vector([scores.get((module, name), getattr(module, name)) for module, name in pairs])
    ones = torch_functions["ones_like"]
    masks = [getattr(module, name + "_mask", ones(getattr(module, name))) for module, name in pairs]
    container = PruningContainer()
    method = pruning_method(**kwargs)
    container._tensor_name = method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of '
            f"type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    mask = container.compute_mask(values, parameters_to_vector(masks))
    start = 0
    for module, name in pairs:
        parameter = getattr(module, name)
        count = parameter.numel()
        custom_from_mask(module, name, mask=mask[start : start + count].view_as(parameter))
        start += count


def remove(module: Module, name: str) -> Module:
    """Make the pruned values of a parameter permanent; ValueError where it was not pruned."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module: Module) -> bool:
    """True if a parameter of a module, or of one below it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod) for part in module.modules() for hook in part._forward_pre_hooks.values()
    )
