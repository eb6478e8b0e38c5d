"""The engine's warnings: PyTorch's texts, on every occasion or once per process as PyTorch has it."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

from backscope.runtime.process import process_wide

_given: set[str] = process_wide(set())
_always = False
process_wide(sys.modules[__name__], "_always")

NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access "
    "the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)
CREATE_GRAPH_CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
    "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
    "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
    "cycle and avoid the leak."
)
ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for other parts "
    "of the graph, please use torch.autograd.backward."
)


_OF_NUMPY = r"(divide by zero|overflow|underflow|invalid value) encountered in "


def silence_numpy(modules: str = "") -> None:
    """Ignore numpy's warnings of overflow, 0/0 and the like: PyTorch has none.

    `modules` is a regular expression for the names of the modules that warn, by default any.
    """
    warnings.filterwarnings("ignore", _OF_NUMPY, RuntimeWarning, modules)


def set_warn_always(value: bool) -> None:
    """Give warnings that come once per process every time."""
    global _always
    _always = value


def is_warn_always_enabled() -> bool:
    """Return True after set_warn_always(True)."""
    return _always


def _depth() -> int:
    """Return the number of the engine's frames above the user's."""
    depth, frame = 1, sys._getframe(1)
    current: FrameType | None = frame
    while current is not None and current.f_globals.get("__name__", "").startswith("backscope"):
        current = current.f_back
        depth += 1
    return depth - 1


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """A warning at the user's line."""
    warnings.warn(message, category, stacklevel=_depth() + 1)


def warn_once(message: str, *, whatever: bool = False) -> None:
    """A UserWarning that comes once per process, `whatever` set_warn_always says."""
    if (_always and not whatever) or message not in _given:
        _given.add(message)
        warn(message)


def warn_non_leaf_grad() -> None:
    """Reading `.grad` of a non-leaf."""
    warn(NON_LEAF_GRAD)


def warn_scalar_conversion() -> None:
    """float() and the like of a tensor that requires grad."""
    warn_once(
        "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
        "Consider using tensor.detach() first."
    )
