"""torch._C._WeakTensorRef: a weak reference to a tensor."""

from __future__ import annotations

import weakref

from backscope.tensor.tensor import Tensor


class WeakTensorRef:
    """Refers to a tensor that it does not keep alive."""

    def __init__(self, tensor: Tensor) -> None:
        self._held = weakref.ref(tensor)

    def expired(self) -> bool:
        """Return True once the tensor no longer exists."""
        return self._held() is None


WeakTensorRef.__module__, WeakTensorRef.__name__ = "torch._C", "_WeakTensorRef"
