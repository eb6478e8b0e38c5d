"""Values: the elements of a tensor as Python and numpy see them, and where they lie in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.views.lazy_views import is_conj, is_neg, refresh
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Array, Device, Dtype, Option, Value
from backscope.runtime.listening import refusal
from backscope.runtime.shared_memory import expose
from backscope.tensor.dtype import FOREIGN, dtype
from backscope.tensor.layout import strided
from backscope.tensor.meta import MetaArray, no_data
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.strides import offset_in_storage


class Values:
    """The methods that turn a tensor into Python numbers, lists, arrays and text."""

    __slots__ = ()

    _data: Any
    _dtype: dtype
    _requires_grad: bool
    _view: Any
    _array: Any

    def __bool__(self: Value) -> bool:
        return bool(self._single("Boolean value of Tensor with"))

    def __repr__(self: Value, *, tensor_contents: Value = None) -> str:
        from backscope.tensor.representation import represent

        return represent(self)

    def __format__(self: Value, spec: str) -> str:
        from backscope.tensor.tensor import Tensor

        if self._data.ndim == 0 and self.__class__ is Tensor:
            return str(self.item().__format__(spec))
        return object.__format__(self, spec)

    def data_ptr(self: Value) -> int:
        """The address of the first element."""
        if isinstance(self._data, MetaArray):
            return 0
        array = self._array()
        expose(array)
        return int(array.__array_interface__["data"][0])

    def storage_offset(self: Value) -> int:
        """Return the position of the first element in the memory, in elements."""
        return offset_in_storage(self._array())

    def _single(self: Value, what: str) -> Any:
        if self._view is not None:
            refresh(self)
        size = self._data.size
        if size == 1:
            return self._data.item()
        if what == "item":
            raise refusal(RuntimeError(f"a Tensor with {size} elements cannot be converted to Scalar"))
        many = "more than one value" if size else "no values"
        raise refusal(RuntimeError(f"{what} {many} is ambiguous"))

    # Any: a number of the type of the elements.
    def item(self: Value) -> Any:
        """The single element as a Python number."""
        value = self._single("item")
        return value if isinstance(value, (bool, int, float, complex)) else float(value)

    # Any: a number, or nested lists of them.
    def tolist(self: Value) -> Any:
        """The elements as nested lists of Python numbers."""
        if self._view is not None:
            refresh(self)
        data = self._data
        if isinstance(data, MetaArray):
            raise no_data()
        if isinstance(data, Sparse):
            raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
        if self._dtype in FOREIGN:
            data = np.asarray(data).astype(np.float32)
        return data.tolist()

    def _convert(self: Value, kind: type) -> Any:
        if self._requires_grad and kind is not bool and mode.enabled:
            from backscope.runtime.warning import warn_scalar_conversion

            warn_scalar_conversion()
        if self._data.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        value = self.item()
        if isinstance(value, complex) and kind is not complex:
            if value.imag:
                raise RuntimeError(
                    f"value cannot be converted to type {'double' if kind is float else 'int64_t'} without overflow"
                )
            value = value.real
        return kind(value)

    def __float__(self: Value) -> float:
        return float(self._convert(float))

    def __int__(self: Value) -> int:
        return int(self._convert(int))

    def __complex__(self: Value) -> complex:
        return complex(self._convert(complex))

    def __index__(self: Value) -> int:
        if self._dtype.category > 1 or self._data.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._data.item())

    def __len__(self: Value) -> int:
        if self._data.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return int(self._data.shape[0])

    def __contains__(self: Value, element: Value) -> bool:
        if not isinstance(element, (Values, int, float, complex)):
            raise RuntimeError(
                f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
            )
        return bool((self == element).any().item())

    def __array__(self: Value, dtype: Dtype = None) -> np.ndarray[Any, Any]:
        array: np.ndarray[Any, Any] = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __array_wrap__(self: Value, array: Array) -> Value:
        from backscope.ops.create.creation import from_numpy

        return from_numpy(array.astype(np.uint8) if array.dtype == np.bool_ else array)

    def numpy(self: Value, *, force: bool = False) -> np.ndarray[Any, Any]:
        """The memory as a numpy array; RuntimeError for a tensor that is tracked now unless `force`."""
        if self._requires_grad and mode.enabled and not force:
            text = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            raise blame(RuntimeError(text), "numpy", tensor=self)
        if self._dtype in FOREIGN:
            raise TypeError(f"Got unsupported ScalarType {self._dtype.type_name}")
        if isinstance(self._data, MetaArray):
            raise TypeError(
                "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
                "first."
            )
        if isinstance(self._data, Sparse):
            raise TypeError("can't convert Sparse layout tensor to numpy. Use Tensor.to_dense() first.")
        if self._view is not None and self._view.lazy is not None:
            for flag, name, short in ((is_conj(self), "conjugate", "conj"), (is_neg(self), "negative", "neg")):
                if flag and not force:
                    raise RuntimeError(
                        f"Can't call numpy() on Tensor that has {name} bit set. Use tensor.resolve_{short}().numpy() "
                        "instead."
                    )
            refresh(self)
        array: np.ndarray[Any, Any] = self._array()
        expose(array)
        return array

    # Any: a capsule; Python has no type for it.
    def __dlpack__(
        self: Value,
        *,
        stream: Option = -1,
        max_version: Option = None,
        dl_device: Device = None,
        copy: bool | None = None,
    ) -> Any:
        """The memory as a DLPack capsule; BufferError where that would lose what the tensor is."""
        if self._requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if is_conj(self):
            raise BufferError("Can't export tensors with the conjugate bit set")
        if self.layout is not strided:
            raise BufferError("Can't export tensors with layout other than torch.strided")
        if stream is not None and type(stream) is not int:
            raise TypeError("stream must be ``int`` or ``none``")
        if isinstance(self._data, MetaArray):
            raise BufferError("Cannot pack tensors on meta")
        if stream not in (None, -1):
            raise AssertionError("stream should be None on cpu.")
        if self._dtype in FOREIGN:
            # numpy's error for such a capsule, which it does not make either.
            raise RuntimeError("Unsupported dtype in DLTensor.")
        array = self.numpy(force=True)
        return array.__dlpack__(max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self: Value) -> tuple[int, int]:
        """The kind and the number of the device in DLPack's terms; ValueError for one it doesn't know."""
        if isinstance(self._data, MetaArray):
            raise ValueError("Unknown device type meta for Dlpack")
        return np.empty(0).__dlpack_device__()
