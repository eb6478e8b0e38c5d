"""functionalize: a function that changes its arguments in place only at its end."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from backscope.autograd.transforms.level import opened
from backscope.autograd.transforms.transform_tensor import bottom_of
from backscope.func.pytree import tree_flatten, tree_map, tree_unflatten
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

Function = Callable[..., Any]
_WAYS = ("mutations", "mutations_and_views")


def functionalize(func: Function, *, remove: str = "mutations") -> Function:
    """Return a function that runs `func` on copies of its tensors, and copies the changes to them at the end.

    With `remove="mutations_and_views"` no result is a view.  RuntimeError for any other `remove`.
    """
    if remove not in _WAYS:
        raise RuntimeError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are:\n"
            "     remove='mutations': all inplace and out= operators will be removed from the program, and replaced "
            "with their out-of-place equivalents.\n"
            "     remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be "
            "replaced with their non-aliasing counterparts, {view}_copy.\n"
        )

    @functools.wraps(func)
    def functional(*args: Any, **kwargs: Any) -> Any:
        leaves, spec = tree_flatten((args, kwargs))
        pairs = [(x, _Copy(x)) for x in leaves if isinstance(x, Tensor)]
        copies = iter([copy.tensor for _, copy in pairs])
        given, named = tree_unflatten([next(copies) if isinstance(x, Tensor) else x for x in leaves], spec)
        with opened("functionalize"):
            output = func(*given, **named)
        unchanged = {id(copy.tensor): x for x, copy in pairs if not copy.changed}
        output = tree_map(lambda x: unchanged.get(id(x), x), output)
        if remove == "mutations_and_views":
            output = tree_map(lambda x: x.clone() if _is_view(x) else x, output)
        for x, copy in pairs:
            if copy.changed:
                copy.write_back(x)
        return output

    return functional


class _Copy:
    """A copy of an argument, and whether the function changed it."""

    def __init__(self, original: Any) -> None:
        self.tensor = original.clone()
        self.version = _version(self.tensor)

    @property
    def changed(self) -> bool:
        """True when an in-place op ran on it."""
        return _version(self.tensor) != self.version

    def write_back(self, original: Any) -> None:
        """Give the argument the shape and the values of its copy."""
        if original.shape != self.tensor.shape:
            original.resize_(self.tensor.shape)
        original.copy_(self.tensor)


def _is_view(x: Value) -> bool:
    return isinstance(x, Tensor) and x._is_view()


def _version(tensor: Value) -> int:
    """Return the version of a tensor's memory; inside other transforms, that of the wrapped tensor."""
    return int(bottom_of(tensor)._version)


functionalize.__module__ = "torch.func"
