"""Modules as functions of their parameters: functional_call and stack_module_state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from backscope.ops.core.namespace import torch_functions as torch
from backscope.runtime.given import Value, Values
from backscope.tensor.tensor import Tensor

Tensors = dict[str, Any]
_MISSING = object()


# Any: the module's forward returns a value of any type.
def functional_call(
    module: Callable[..., Any],
    parameter_and_buffer_dicts: Tensors | Sequence[Tensors],
    args: Values = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other parameters and buffers in the places of its own.

    ValueError for a name that several dicts have, or different values of tied ones; RuntimeError, where `strict`, for
    names that don't fit the module's.
    """
    given = _joined(parameter_and_buffer_dicts)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with exchanged(module, given, tie_weights=tie_weights, strict=strict):
        return module(*args, **(kwargs or {}))


def _joined(dicts: Any) -> Tensors:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(
            f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}"
        )
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    repeated = [k for k, n in Counter(k for d in dicts for k in d).items() if n > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {k: v for d in dicts for k, v in d.items()}


# Any: a module; its class is in a room above this one.
@contextmanager
def exchanged(module: Any, given: Tensors, *, tie_weights: bool, strict: bool) -> Iterator[None]:
    """Replace a module's tensors within a context; the ones that it has at the end are put into `given`."""
    tensors = _untied(module, given) if tie_weights else given
    if strict:
        _check_names(module, tensors)
    before: Tensors = {}
    try:
        for name, tensor in tensors.items():
            before[name] = swap(module, name, tensor)
        yield
    finally:
        after = {name: swap(module, name, tensor) for name, tensor in before.items()}
        given.update({k: after[k] for k in given if k in after})


def _own(module: Any) -> Tensors:
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _untied(module: Any, given: Tensors) -> Tensors:
    """Give all names of a tied tensor the value that was given for one of them."""
    names: dict[int, set[str]] = {}
    for name, tensor in _own(module).items():
        names.setdefault(id(tensor), set()).add(name)
    tied = {name: group for group in names.values() if len(group) > 1 for name in group}
    everywhere = dict(given)
    for name in [n for n in given if n in tied]:
        group = tied[name]
        if len({id(given[n]) for n in group if n in given}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(group)}, which are tied. Consider using "
                "tie_weights=False"
            )
        everywhere.update(dict.fromkeys(group, given[name]))
    return everywhere


def _check_names(module: Any, tensors: Tensors) -> None:
    own = _own(module)
    texts = []
    unexpected, missing = sorted(set(tensors) - set(own)), sorted(set(own) - set(tensors))
    if unexpected:
        texts.append(f"Unexpected key(s): {', '.join(map(repr, unexpected))}.")
    if missing:
        texts.append(f"Missing key(s): {', '.join(map(repr, missing))}.")
    if texts:
        raise RuntimeError("Error(s) in reparametrizing for {}:\n\t{}".format(module._get_name(), "\n\t".join(texts)))


# Any: a module; its class is in a room above this one.
def swap(module: Any, path: str, tensor: Value) -> Value:
    """Put a tensor in the place of a parameter or buffer, which is returned."""
    at, _, name = path.rpartition(".")
    prefix = at.split(".") if at else []
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')
    for part in prefix:
        if not hasattr(module, part):
            raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
        module = getattr(module, part)
    if tensor is not _MISSING and tensor is not None and not isinstance(tensor, Tensor):
        raise TypeError(f"{tensor} is not an instance of torch.Tensor")
    for store in (module._parameters, module._buffers):
        if name in store:
            before = store[name]
            if tensor is _MISSING:
                del store[name]
            else:
                store[name] = tensor
            return before
    before = getattr(module, name, _MISSING)
    if before is not _MISSING and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{name}`: {before} is not an instance of torch.Tensor")
    if tensor is _MISSING:
        delattr(module, name)
    else:
        setattr(module, name, tensor)
    return before


def stack_module_state(models: Sequence[Any]) -> tuple[Tensors, Tensors]:
    """The parameters and the buffers of models of one class, each stacked along a new first dim.

    RuntimeError for no models, of different classes or modes.
    """
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({bool(m.training) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return (
        {k: _stacked([p[k] for p in parameters], k) for k in parameters[0]},
        {k: _stacked([b[k] for b in buffers], k) for k in buffers[0]},
    )


def _stacked(tensors: list[Any], name: str) -> Any:
    tracked = {t.requires_grad for t in tensors}
    if len(tracked) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    whole = torch["stack"](tensors)
    return whole.detach().requires_grad_() if tracked == {True} else whole


for _function in (functional_call, stack_module_state):
    _function.__module__ = "torch.func"
