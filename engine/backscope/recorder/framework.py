"""What recordings have to know of the library that a program computes with: the classes of its tensors and modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeGuard

from backscope.recorder.identity import Token
from backscope.recorder.tensor_slots import grad_fn_of, requires_grad_of, token_of
from backscope.runtime.passive import is_a, is_module
from backscope.tensor.tensor import Tensor


class Framework(NamedTuple):
    """The class of tensors, a function that recognizes modules, and functions that read a tensor.

    None of them runs code of the program.
    """

    tensor: type[Any]
    is_module: Callable[[Any], bool]
    token_of: Callable[[Any], Token | None]
    requires_grad_of: Callable[[Any], bool]
    grad_fn_of: Callable[[Any], object]

    # Any: a tensor of the framework.
    def is_tensor(self, value: object) -> TypeGuard[Any]:
        """Return True for an instance of the class of tensors."""
        return is_a(value, self.tensor)


ENGINE = Framework(Tensor, is_module, token_of, requires_grad_of, grad_fn_of)
"""The engine itself."""
