"""The functions of the package functorch: those of torch.func, with a warning that they moved."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from backscope.func import forward_transforms, functionalize as functionalizing, reverse_transforms, vmap as mapping
from backscope.nn import make_functional as modules
from backscope.runtime.warning import warn

Function = Callable[..., Any]


def _moved(function: Function, instead: str) -> Function:
    """Return a function that warns of its new name and calls it."""
    name = function.__name__
    text = (
        "We've integrated functorch into PyTorch. As the final step of the integration, "
        f"`functorch.{name}` is deprecated as of PyTorch 2.0 and will be deleted in a future version of PyTorch >= "
        f"2.3. Please use `{instead}` instead; see the PyTorch 2.0 release notes and/or the `torch.func` migration "
        "guide for more details https://pytorch.org/docs/main/func.migrating.html"
    )

    @functools.wraps(function)
    def moved(*args: Any, **kwargs: Any) -> Any:
        warn(text, FutureWarning)
        return function(*args, **kwargs)

    moved.__module__ = "torch._functorch.deprecated"
    return moved


_CALL = "torch.func.functional_call"
vmap = _moved(mapping.vmap, "torch.vmap")
grad = _moved(reverse_transforms.grad, "torch.func.grad")
grad_and_value = _moved(reverse_transforms.grad_and_value, "torch.func.grad_and_value")
vjp = _moved(reverse_transforms.vjp, "torch.func.vjp")
jvp = _moved(forward_transforms.jvp, "torch.func.jvp")
jacrev = _moved(reverse_transforms.jacrev, "torch.func.jacrev")
jacfwd = _moved(forward_transforms.jacfwd, "torch.func.jacfwd")
hessian = _moved(reverse_transforms.hessian, "torch.func.hessian")
functionalize = _moved(functionalizing.functionalize, "torch.func.functionalize")
make_functional = _moved(modules.make_functional, _CALL)
make_functional_with_buffers = _moved(modules.make_functional_with_buffers, _CALL)
combine_state_for_ensemble = _moved(modules.combine_state_for_ensemble, "torch.func.stack_module_state")
