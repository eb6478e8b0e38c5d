"""The ctx of a custom Function: it carries values from forward() to backward(), and is the `grad_fn` of the outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.autograd.node import FREED_TEXT, node_address
from backscope.autograd.saved.saved_hooks import SavedTensor
from backscope.autograd.saved.saved_tensors import unpack
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Value
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.autograd.function.custom_node import CustomNode
    from backscope.autograd.function.function import Function
    from backscope.autograd.hooks.removable import RemovableHandle

ACCESSED_TWICE = (
    "saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the autograd.Function. "
    "Either access saved_tensors only once, or set clear_saved_tensors_on_access=False."
)
TWO_FORMULAS = (
    "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of "
    "them."
)


class FunctionCtx:
    """The methods by which forward() and setup_context() save tensors and mark inputs and outputs."""

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Save tensors for backward(), which reads them from `saved_tensors`."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Value) -> None:
        """Save tensors for jvp(), which reads them from `saved_tensors`."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise AssertionError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes "
                    "on ctx."
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Mark inputs that forward() changed in place."""
        self.dirty_tensors = args

    def mark_shared_storage(self, *pairs: object) -> None:
        """Do nothing: shared storages are found without it."""
        warn(
            "`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked. Note that "
            "calls to `set_()` are not tracked",
            FutureWarning,
        )

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Mark outputs that carry no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Set if backward() gets zeros (True, the default) or None where no gradient arrived."""
        self.materialize_grads = value


def _flag(name: str, value: Value) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name} received an invalid combination of arguments - got (), but expected (bool)")
    return value


def _slot(slot: str) -> property:
    """Make a property that reads and writes a slot of the node."""

    def read(self: BackwardCFunction) -> Any:
        return getattr(self._engine_node, slot)

    def write(self: BackwardCFunction, value: Value) -> None:
        setattr(self._engine_node, slot, value)

    return property(read, write)


class BackwardCFunction(FunctionCtx):
    """The object that a program sees in place of a CustomNode: ctx and grad_fn in one.

    It is made when a program reads the node, and shares the node's dictionary of user attributes, so that it
    owns the node while the node does not own it; `_engine_node` is the node.
    """

    __slots__ = ("_engine_node",)

    _engine_node: CustomNode
    _forward_cls: ClassVar[Any]

    to_save = _slot("to_save")
    dirty_tensors = _slot("dirty_tensors")
    non_differentiable = _slot("non_differentiable")
    saved_for_forward = _slot("saved_for_forward")
    needs_input_grad = _slot("needs_input_grad")
    _is_pure_view = _slot("pure_view")

    def _set_materialize(self, value: Value) -> None:
        self._engine_node.materialize = _flag("set_materialize_grads", value)

    def _no_reading(self) -> Any:
        raise AttributeError("attribute 'materialize_grads' of 'torch._C._FunctionBase' objects is not readable")

    materialize_grads = property(_no_reading, _set_materialize)

    @property
    def _materialize_non_diff_grads(self) -> bool:
        return self._engine_node.materialize_non_diff

    @_materialize_non_diff_grads.setter
    def _materialize_non_diff_grads(self, value: Value) -> None:
        self._engine_node.materialize_non_diff = _flag("set_materialize_non_diff_grads", value)

    def __setattr__(self, name: str, value: Value) -> None:
        if name in _READ_ONLY:
            raise AttributeError(f"attribute '{name}' of 'torch._C._FunctionBase' objects is not writable")
        object.__setattr__(self, name, value)

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors saved for backward(), or inside jvp() those saved for it.

        RuntimeError once they were freed, or where one was changed in place.
        """
        node = self._engine_node
        if node.saved_for_forward is not None:
            return tuple(node.saved_for_forward)
        if node.saved is None:
            raise blame(RuntimeError(FREED_TEXT), "freed", node=node)
        if node.accessed:
            raise RuntimeError(ACCESSED_TWICE)
        values = tuple([unpack(node, k) for k in range(len(node.saved))])
        if values and self._forward_cls.clear_saved_tensors_on_access:
            node.accessed = True
            node.saved = (None,) * len(values)
        return values

    @property
    def _raw_saved_tensors(self) -> tuple[Any, ...]:
        node = self._engine_node
        if node.saved is None:
            raise blame(RuntimeError(FREED_TEXT), "freed", node=node)
        return tuple([SavedTensor._of(node, k, None) for k in range(len(node.saved))])

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """The old name of saved_tensors."""
        warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning)
        return self.saved_tensors

    def maybe_clear_saved_tensors(self) -> None:
        """Free the saved tensors where the Function allows them to be read only once."""
        if self._forward_cls.clear_saved_tensors_on_access and self._engine_node.saved:
            self._engine_node.saved = None

    @property
    def next_functions(self) -> tuple[Any, ...]:
        """The node and output number that the gradient of each tensor among the inputs goes to."""
        return self._engine_node.next_functions

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary in which a program may keep notes on this node."""
        return self._engine_node.metadata

    @property
    def requires_grad(self) -> bool:
        """True where an input requires grad."""
        return bool(self._engine_node.next)

    @property
    def _input_metadata(self) -> Any:
        return self._engine_node._input_metadata

    def name(self) -> str:
        """Return the class's name, e.g. `MyFunctionBackward`."""
        return self._engine_node.name()

    def _sequence_nr(self) -> int:
        return self._engine_node._sequence_nr()

    def _set_sequence_nr(self, number: int) -> None:
        self._engine_node.sequence_nr = number

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node ran."""
        return self._engine_node.register_hook(hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node runs."""
        return self._engine_node.register_prehook(hook)

    def _get_user_fn(self) -> Any:
        return user_formula(self._forward_cls)

    # Any: a user's backward() returns a value of any type.
    def apply(self, *args: Value) -> Any:
        """Run the user's backward() on gradients."""
        formula = self._get_user_fn()
        if getattr(self._forward_cls, "boxed_grads_call", False):
            args = (list(args),)
        return formula(self, *args)

    # Any: a user's backward() returns a value of any type.
    def apply_boxed(self, *args: Value) -> Any:
        """Run the user's backward() on one list of gradients."""
        return self._get_user_fn()(self, *args)

    # Any: a user's jvp() returns a value of any type.
    def apply_jvp(self, *args: Value) -> Any:
        """Run the user's jvp() on tangents."""
        return self._forward_cls.jvp(self, *args)

    def __repr__(self) -> str:
        return f"<torch.autograd.function.{type(self).__name__} object at {node_address(self._engine_node)}>"


def user_formula(function: type[Function]) -> Callable[..., Any]:
    """Return the backward() of a Function, or its vjp(); RuntimeError where it defines both."""
    from backscope.autograd.function.function import Function

    if function.backward is not Function.backward and function.vjp is not Function.vjp:
        raise RuntimeError(TWO_FORMULAS)
    return function.vjp if function.vjp is not Function.vjp else function.backward


_READ_ONLY = frozenset({"saved_tensors", "saved_variables", "next_functions", "metadata", "requires_grad"})

BackwardCFunction.__module__ = FunctionCtx.__module__ = "torch.autograd.function"
