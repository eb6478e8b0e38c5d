"""Tensor: a numpy value with a dtype, a place on the tape, a `.grad` and a version counter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.node import Node, maker
from backscope.autograd.views.lazy_views import LazyAlias
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Dtype, Option, Tree, Value
from backscope.runtime.listening import hub
from backscope.tensor.data_assignment import assign_data
from backscope.tensor.device import CPU, META, device
from backscope.tensor.dtype import dtype
from backscope.tensor.grad_reads import note
from backscope.tensor.meta import MetaArray
from backscope.tensor.size import Size
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.values import Values
from backscope.tensor.version_counter import InferenceVersion, Version, detached_counter

if TYPE_CHECKING:
    from backscope.autograd.views.view_history import View

ndarray = np.ndarray


class _TensorType(type):
    """Runs the constructor of Tensor, which has no `__init__`: so the engine makes tensors without its cost."""

    def __call__(cls, *args: Value, **kwargs: Any) -> Any:
        from backscope.ops.create.creation import construct

        return construct(cls, args, kwargs)


class Tensor(Values, metaclass=_TensorType):
    """A multi-dimensional array with its place on the tape.

    `_data` is an array, or a numpy scalar for a 0-d tensor with storage of its own.  `_shared` is None until the
    tensor is changed in place, viewed or detached.  `_output_nr` is None unless `_grad_fn` has several outputs.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_accumulator",
        "_data",
        "_dtype",
        "_extra",
        "_grad",
        "_grad_fn",
        "_output_nr",
        "_requires_grad",
        "_shared",
        "_token",
        "_view",
    )

    _accumulator: Any
    _data: Any
    _dtype: dtype
    _extra: Any
    _grad: Tensor | None
    _grad_fn: Node | None
    _output_nr: int | None
    _requires_grad: bool
    _token: Any
    _shared: Version | None
    _view: View | None

    __array_priority__ = 1000

    def _counter(self) -> Version:
        """The version counter, made on first use."""
        if self._shared is None:
            self._shared = [0]
        return self._shared

    def _array(self) -> Any:
        """The value as an array, owned or shared; a numpy scalar becomes a 0-d array for good."""
        data = self._data
        array = data if isinstance(data, (ndarray, Sparse)) else np.array(data)
        if array is not data:
            self._data = array
        return array

    @property
    def shape(self) -> Size:
        """The length of each dim."""
        return Size(self._data.shape)

    @property
    def dtype(self) -> dtype:
        """The element type."""
        return self._dtype

    @property
    def device(self) -> device:
        """The device: the CPU, or "meta" for a tensor without data."""
        return META if isinstance(self._data, MetaArray) else CPU

    @property
    def is_meta(self) -> bool:
        """True for a tensor without data."""
        return isinstance(self._data, MetaArray)

    @property
    def ndim(self) -> int:
        """The number of dims."""
        return int(self._data.ndim)

    @property
    def requires_grad(self) -> bool:
        """True for a leaf that wants a gradient and for everything computed from one."""
        if self._view is not None:
            self._view.inherit(self)
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError("requires_grad must be a bool")
        if value and not self.is_leaf:
            raise blame(
                RuntimeError("you can only change requires_grad flags of leaf variables."), "not_a_leaf", tensor=self
            )
        if value and self._dtype.category < 2:
            error = RuntimeError("only Tensors of floating point and complex dtype can require gradients")
            raise blame(error, "whole_numbers", tensor=self)
        self._set_requires_grad(value)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad must be a bool")

    def _set_requires_grad(self, value: bool) -> None:
        if self._grad_fn is not None:
            if not value:
                error = RuntimeError(
                    "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                    "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach()."
                )
                raise blame(error, "not_a_leaf", tensor=self)
            return
        if value and not mode.inference and isinstance(self._shared, InferenceVersion):
            raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
        if self._view is not None:
            self._view.inherit(self)
            if value:
                self._view.inherits = False
        if value != self._requires_grad:
            self._requires_grad = value
            if hub.listener is not None:
                hub.listener.requires_grad_changed(self)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set requires_grad of a leaf in place and return it."""
        if not isinstance(requires_grad, bool):
            raise TypeError(
                "requires_grad_(): argument 'requires_grad' (position 1) must be bool, "
                f"not {type(requires_grad).__name__}"
            )
        from backscope.autograd.transforms.transform_refusals import refuse_requires_grad

        refuse_requires_grad()
        return self._change_requires_grad(requires_grad)

    def _change_requires_grad(self, requires_grad: bool) -> Tensor:
        if requires_grad and self._dtype.category < 2:
            error = RuntimeError("only Tensors of floating point dtype can require gradients")
            raise blame(error, "whole_numbers", tensor=self)
        self._set_requires_grad(requires_grad)
        return self

    def _node(self) -> Node | None:
        """Return the engine's node of the op that computed this tensor; a view's history is updated first."""
        if self._view is not None:
            self._view.regenerate(self)
        return self._grad_fn

    # Any: a node, or the ctx of a Function with the attributes that a program gave it.
    @property
    def grad_fn(self) -> Any:
        """The node of the op that computed this tensor; None for a leaf."""
        node = self._node()
        return None if node is None else node.public()

    @grad_fn.setter
    def grad_fn(self, value: Value) -> None:
        raise AttributeError("attribute 'grad_fn' of 'torch._C.TensorBase' objects is not writable")

    @property
    def is_leaf(self) -> bool:
        """True for a tensor that no tracked op computed."""
        return self._node() is None

    @is_leaf.setter
    def is_leaf(self, value: Value) -> None:
        raise AttributeError("attribute 'is_leaf' of 'torch._C.TensorBase' objects is not writable")

    @property
    def output_nr(self) -> int:
        """The number of this tensor among the outputs of `grad_fn`."""
        return self._output_nr or 0

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated by backward(), None until there is one."""
        found = self._grad
        if found is None:
            if hub.listener is not None:
                note(self)
            if self._grad_fn is not None and self._requires_grad and not self.retains_grad:
                from backscope.runtime.warning import warn_non_leaf_grad

                warn_non_leaf_grad()
        return found

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is None and hub.listener is None:
            self._grad = None
            return
        from backscope.autograd.accumulate import assign_grad

        assign_grad(self, value)

    @grad.deleter
    def grad(self) -> None:
        self.grad = None

    @property
    def retains_grad(self) -> bool:
        """True for a non-leaf that keeps its `.grad`, after retain_grad()."""
        return self._extra is not None and bool(self._extra.retains_grad)

    @property
    def data(self) -> Tensor:
        """A view of the memory off the tape, with a version counter of its own."""
        out: Tensor = alias(self, self._array())
        if isinstance(self._shared, InferenceVersion):
            out._shared = detached_counter()
        if hub.listener is not None:
            hub.listener.aliased(out, self)
        return out

    @data.setter
    def data(self, value: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
        if value.__class__ is not Tensor:
            from backscope.autograd.transforms.transform_tensor import refuse_mapped_data

            refuse_mapped_data(value)
        assign_data(self, value)

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")

    def detach(self) -> Tensor:
        """A view with the same version counter, off the tape."""
        out: Tensor = alias(self, self._array())
        counter = self._counter()
        out._shared = detached_counter() if isinstance(counter, InferenceVersion) else counter
        if hub.listener is not None:
            hub.listener.op("detach", None, (self,), (out,), None, view=True)
        return out

    def detach_(self) -> Tensor:
        """Take this tensor off the tape in place."""
        from backscope.tensor.in_place_detachment import detach_in_place

        detach_in_place(self)
        return self

    @property
    def _base(self) -> Tensor | None:
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None and self._view.base is not None

    @property
    def _version(self) -> int:
        shared = self._shared
        if shared is None:
            return 0
        if shared.__class__ is InferenceVersion:
            raise RuntimeError("Inference tensors do not track version counter.")
        return +shared[0]

    def is_inference(self) -> bool:
        """True for a tensor made in inference mode."""
        return isinstance(self._shared, InferenceVersion)

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):  # type: ignore[no-untyped-def]
        """Add the gradients of this tensor with respect to the leaves of its graph to their `.grad`."""
        from backscope.autograd.backward_and_grad import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook):  # type: ignore[no-untyped-def]
        """Call `hook(grad)` when a gradient for this tensor was computed; what it returns replaces it."""
        from backscope.autograd.hooks.user_hooks import register_tensor_hook

        return register_tensor_hook(self, hook)

    def register_post_accumulate_grad_hook(self, hook):  # type: ignore[no-untyped-def]
        """Call `hook(leaf)` after a gradient was added to this leaf's `.grad`."""
        from backscope.autograd.hooks.user_hooks import register_post_accumulate_hook

        return register_post_accumulate_hook(self, hook)

    def retain_grad(self) -> None:
        """Keep the gradient of this non-leaf in `.grad`."""
        from backscope.autograd.hooks.user_hooks import retain_grad

        retain_grad(self)

    @property
    def _backward_hooks(self) -> Any:
        return None if self._extra is None else self._extra.backward_hooks

    @_backward_hooks.setter
    def _backward_hooks(self, hooks: Tree) -> None:
        from backscope.autograd.hooks.user_hooks import set_backward_hooks

        set_backward_hooks(self, hooks)

    @_backward_hooks.deleter
    def _backward_hooks(self) -> None:
        raise RuntimeError("Deletion of _backwards_hooks not allowed!")

    @property
    def _post_accumulate_grad_hooks(self) -> Any:
        return None if self._extra is None else self._extra.post_accumulate

    @property
    def grad_dtype(self) -> Dtype:
        """The dtype of `.grad`, the tensor's own unless set; None where any will do."""
        from backscope.autograd.grad_dtype import grad_dtype

        return grad_dtype(self)

    @grad_dtype.setter
    def grad_dtype(self, kind: Dtype) -> None:
        from backscope.autograd.grad_dtype import set_grad_dtype

        set_grad_dtype(self, kind)

    def __hash__(self) -> int:
        return id(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        from backscope.ops.create.pickling import deepcopy

        copied: Tensor = deepcopy(self, memo)
        return copied

    def __reduce_ex__(self, protocol: Option) -> tuple[Any, ...]:
        from backscope.ops.create.pickling import reduce

        return reduce(self)


_tensor = maker(Tensor)


def make(data: Value, kind: dtype) -> Value:
    """Make a leaf around a raw value."""
    t = _tensor()
    t._data = data
    t._dtype = kind
    t._requires_grad = False
    t._grad_fn = t._output_nr = t._grad = t._shared = t._view = t._accumulator = t._extra = t._token = None
    return t


def alias(tensor: Tensor, data: Value) -> Value:
    """Make an untracked tensor over the memory of `tensor`."""
    out = make(data, tensor._dtype)
    if tensor._view is not None and tensor._view.lazy is not None:
        out._view = LazyAlias(tensor._view.lazy)
    return out


def of_raw(data: Value) -> Value:
    """Make a leaf around a raw value of any supported type."""
    return make(data, dtype.table[data.dtype])


Tensor.__module__ = "torch"
