"""Node: the record that an op leaves on the tape so that its backward formula can run."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from backscope.autograd.evaluation import WrappedFloat, WrappedInt
from backscope.runtime.given import Array, Device, Dtype, Shape, Value, Values
from backscope.runtime.node_ids import addresses
from backscope.runtime.process import process_wide
from backscope.tensor.dtype import dtype
from backscope.tensor.version_counter import Version

if TYPE_CHECKING:
    from backscope.autograd.hooks.removable import RemovableHandle
    from backscope.autograd.hooks.user_hooks import NodeHooks
    from backscope.autograd.plan import Plan
    from backscope.tensor.tensor import Tensor

_new: Callable[[type], Any] = object.__new__

next_sequence_nr: Callable[[], int] = itertools.count().__next__
ACCUMULATE_SEQUENCE_NR = 2**64 - 1

made_leaf: list[Callable[[Any], None]] = process_wide([])
"""The function that is called with each new AccumulateGrad; empty where there is none."""

FREED_TEXT = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


class SavedResult:
    """A node's own output as it saved it: without the grad_fn, so that no cycle keeps the graph alive."""

    __slots__ = ("_data", "_dtype", "_shared", "output_nr")

    _data: Any
    _dtype: dtype
    _shared: Version
    output_nr: int


def save_result(tensor: Tensor, output_nr: int) -> SavedResult:
    """Return a node's own output as the node saves it."""
    saved: SavedResult = _new(SavedResult)
    shared = tensor._shared
    if shared is None:
        shared = tensor._shared = [0]
    saved._data = tensor._data
    saved._dtype = tensor._dtype
    saved._shared = shared
    saved.output_nr = output_nr
    return saved


class SavedNumber:
    """A Python number in a saved slot, and the raw value that formulas use; PyTorch shows a 0-d tensor."""

    __slots__ = ("_data", "number")
    _shared: ClassVar[None] = None

    def __init__(self, number: Value, data: Array = None) -> None:
        self.number = number
        # To numpy a number of a class derived from int or float is an array, and its type takes part in promotion.
        self._data = (
            (number.real if isinstance(number, (WrappedFloat, WrappedInt)) else number) if data is None else data
        )


class _NodeType(type):
    """Refuses calls of node classes: only ops make nodes."""

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        raise TypeError(f"cannot create '{cls.__name__}' instances")


def maker(cls: type) -> Callable[[], Any]:
    """Return a faster `object.__new__(cls)` without arguments, which works where the class itself can't be called."""
    make: Callable[[], Any] = type.__call__.__get__(cls)
    return make


class Node(metaclass=_NodeType):
    """One step of the backward pass.

    `next` are the nodes that the gradients of the inputs go to (an AccumulateGrad has none, which marks it),
    and `next_nr` their output numbers (None when all are nodes of one output).  `saved` are Tensors, SavedResults or
    Python numbers in the order of the op's slots, None once freed; `versions` are their versions when
    they were saved (None when all were 0).  `plan` has the formula.  `grad` adds up incoming gradients.
    """

    # A __getattr__ would make every access slow: each op's class has properties for saved values instead.
    __slots__ = (
        "__weakref__",
        "_address",
        "_notes",
        "attrs",
        "dtype",
        "grad",
        "hooks",
        "next",
        "next_nr",
        "plan",
        "saved",
        "sequence_nr",
        "shape",
        "token",
        "versions",
    )

    multi: ClassVar[bool] = False
    runs_without_gradient: ClassVar[bool] = False
    takes_tensors: ClassVar[bool] = False
    reduces: ClassVar[bool] = False
    composite: ClassVar[bool] = False
    op: ClassVar[Any] = None
    prefix: ClassVar[str] = ""

    next: tuple[Node | None, ...]
    next_nr: tuple[int, ...] | None
    saved: tuple[Any, ...] | None
    versions: tuple[int, ...] | None
    attrs: tuple[Any, ...]
    shape: Shape
    dtype: Dtype
    hooks: NodeHooks | None
    token: Any  # Any: the object that a recorder keeps for the node, of a type of its own.
    grad: Value
    plan: Plan
    sequence_nr: int
    _address: int
    _notes: dict[str, Any]
    _pending: int

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The pair of node and output number that the gradient of each input goes to."""
        edges = tuple((None if n is None else n.public(), nr) for n, nr in self.edges())
        if self.composite or type(self).__name__ != "NotImplemented":
            return edges
        return tuple(e for e in edges if e[0] is not None)  # Without a derivative, only what requires grad is known.

    @next_functions.setter
    def next_functions(self, value: Value) -> None:
        raise AttributeError(f"attribute 'next_functions' of '{type(self).__name__}' objects is not writable")

    def edges(self) -> tuple[tuple[Node | None, int], ...]:
        """Return `next_functions` with the engine's own nodes."""
        numbers = self.next_nr or (0,) * len(self.next)
        return tuple(zip(self.next, numbers, strict=True))

    # Any: the node, or the ctx of a Function with the attributes that a program gave it.
    def public(self) -> Any:
        """Return the object that a program sees as this node: itself, or the ctx of a custom Function."""
        return self

    def release(self) -> None:
        """Free the saved tensors."""
        if self.saved:
            self.saved = None

    def slot_name(self, k: int) -> str:
        """Return the name of saved tensor number `k`, e.g. `_saved_self`."""
        return f"_saved_{self.op.slots[k]}"

    def name(self) -> str:
        """Return the name of the formula, e.g. `MulBackward0`; PyTorch's handwritten nodes have a C++ namespace."""
        return self.prefix + type(self).__name__

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    def _set_sequence_nr(self, number: int) -> None:
        from backscope.autograd.task import Demands

        if not isinstance(number, int):
            raise TypeError("an integer is required")
        if number < 0:
            raise OverflowError("can't convert negative int to unsigned")
        Demands.stepwise = True
        self.sequence_nr = number

    @property
    def requires_grad(self) -> bool:
        """True: a node exists because an input requires grad."""
        return True

    @property
    def _input_metadata(self) -> tuple[Metadata, ...]:
        return tuple([Metadata(*described(self, nr)) for nr in range(len(self.shape) if self.multi else 1)])

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary for the user's own notes on this node."""
        try:
            return self._notes
        except AttributeError:
            self._notes = {}
            return self._notes

    @metadata.setter
    def metadata(self, value: Value) -> None:
        raise AttributeError(f"attribute 'metadata' of '{type(self).__name__}' objects is not writable")

    def __dir__(self) -> list[str]:
        from backscope.autograd.saved.saved_tensors import slot_names

        return sorted([*object.__dir__(object()), *_PUBLIC, *slot_names(self)])

    def __call__(self, *gradients: Value) -> Values:
        from backscope.autograd.formula import call_node

        return call_node(self, gradients)

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after this node ran; what it returns replaces grad_inputs."""
        from backscope.autograd.hooks.user_hooks import add_hook

        return add_hook(self, "post", hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before this node runs; what it returns replaces grad_outputs."""
        from backscope.autograd.hooks.user_hooks import add_hook

        return add_hook(self, "pre", hook)

    def _register_hook_dict(self, tensor: Tensor) -> None:
        from backscope.autograd.hooks.user_hooks import register_hook_dict

        register_hook_dict(self, tensor)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {node_address(self)}>"


_PUBLIC = (
    "_input_metadata",
    "_register_hook_dict",
    "_sequence_nr",
    "_set_sequence_nr",
    "metadata",
    "name",
    "next_functions",
    "register_hook",
    "register_prehook",
    "requires_grad",
)


def node_address(node: Node) -> str:
    """Return the address that a node shows: the same in every run of a program."""
    try:
        return hex(node._address)
    except AttributeError:
        node._address = addresses.next()
        return hex(node._address)


def described(node: Node, nr: int) -> tuple[tuple[int, ...], dtype]:
    """Return shape and dtype of the gradient of output `nr` of a node."""
    return (node.shape[nr], node.dtype[nr]) if node.multi else (node.shape, node.dtype)


class Metadata:
    """Shape, dtype and device of one output of a node's op."""

    is_nested_tensor = False
    is_cpp_nested_tensor = False
    is_tensor_subclass = False

    def __init__(self, shape: Shape, kind: dtype) -> None:
        self.shape = list(shape)
        self.dtype = kind

    @property
    def device(self) -> Device:
        """The device of the output."""
        from backscope.tensor.device import CPU

        return CPU


class AccumulateGrad(Node):
    """The last node of a path: adds the arriving gradient to `.grad` of the leaf `variable`."""

    __slots__ = ("_pending", "variable")

    variable: Tensor
    _pending: int

    def name(self) -> str:
        """Return PyTorch's name, with its C++ namespace."""
        return "torch::autograd::AccumulateGrad"

    @property
    def _input_metadata(self) -> tuple[Metadata, ...]:
        return (Metadata(self.shape, self.variable._dtype),)

    def __dir__(self) -> list[str]:
        return sorted([*super().__dir__(), "variable"])


AccumulateGrad.__module__ = "builtins"
Metadata.__module__ = "torch._C._autograd"
Metadata.__qualname__ = Metadata.__name__ = "_InputMetadata"


_accumulate_grad = maker(AccumulateGrad)


def accumulator(leaf: Tensor) -> AccumulateGrad:
    """Return the AccumulateGrad of a leaf, made on first use; the leaf only has a weak reference to it."""
    ref = leaf._accumulator
    node: AccumulateGrad | None = None if ref is None else ref()
    if node is None:
        node = _accumulate_grad()
        node.sequence_nr = ACCUMULATE_SEQUENCE_NR
        node.next = node.saved = node.attrs = ()
        node.next_nr = node.versions = node.grad = node.token = None
        extra = leaf._extra
        if extra is None:
            node.hooks = None
            node.dtype = leaf._dtype
        else:
            node.hooks = extra.hooks_of_accumulator()
            node.dtype = extra.grad_dtype(leaf)
        node.shape = leaf._data.shape
        node.variable = leaf
        node._pending = 0
        leaf._accumulator = weakref.ref(node)
        if made_leaf:
            made_leaf[-1](node)
    return node


def gradient_edge(tensor: Tensor) -> tuple[Node | None, int]:
    """Return the node and output number that a tensor's gradient goes to: its grad_fn, its AccumulateGrad, or None."""
    grad_fn = tensor._grad_fn
    if grad_fn is not None:
        return grad_fn, tensor._output_nr or 0
    if tensor._requires_grad and (tensor._view is None or not tensor._view.inherits):
        return accumulator(tensor), 0
    return None, 0
