"""functional_call under its deprecated name, which gives a warning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from backscope.func.functional_call import functional_call as current
from backscope.runtime.warning import warn

if TYPE_CHECKING:
    from backscope.nn.module.module import Module


# Any: the module's forward returns a value of any type.
def functional_call(
    module: Module,
    parameters_and_buffers: dict[str, Any],
    args: tuple[Any, ...] | None = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Call a module with other parameters and buffers in the places of its own."""
    warn(
        "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
        "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement.",
        FutureWarning,
    )
    return current(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)
