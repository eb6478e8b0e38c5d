"""Nested containers as a flat list and a description of their structure: torch.utils._pytree."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

from backscope.runtime.given import Tree, Value
from backscope.runtime.process import process_wide
from backscope.tensor.size import Size


class TreeSpec:
    """The structure of nested containers: the kind of the outermost, its context (keys), the structures inside."""

    __slots__ = ("children_specs", "context", "num_leaves", "type")

    num_leaves: int

    # Any: kind is a type, or None for a leaf; the context is what its flatten function returns beside the children.
    def __init__(self, kind: Any, context: Any, children: list[TreeSpec]) -> None:
        self.type = kind
        self.context = context
        self.children_specs = children
        self.num_leaves = 1 if kind is None else sum(c.num_leaves for c in children)

    def is_leaf(self) -> bool:
        """True for the structure of a single value."""
        return self.type is None

    @property
    def num_children(self) -> int:
        """The number of values in the outermost container."""
        return len(self.children_specs)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TreeSpec)
            and self.type is other.type
            and self.context == other.context
            and self.children_specs == other.children_specs
        )

    def __hash__(self) -> int:
        return hash((self.type, self.num_leaves))

    def unflatten(self, leaves: Iterable[Any]) -> Tree:
        """Containers of this structure around the leaves."""
        return tree_unflatten(leaves, self)

    def __repr__(self, indent: int = 0) -> str:
        if self.is_leaf():
            return "*"
        inside = [c.__repr__(indent + 2) for c in self.children_specs]
        text = f"TreeSpec({self.type.__name__}, {self.context}, ["
        if inside:
            text += inside[0]
            margin = "\n" + " " * (indent + 2)
            if len(inside) > 1:
                text += "," + ",".join([margin + c for c in inside[1:]])
        return text + "])"


LeafSpec = TreeSpec
_LEAF = TreeSpec(None, None, [])

Flatten = Callable[[Any], tuple[list[Any], Any]]
Unflatten = Callable[[list[Any], Any], Any]

_nodes: dict[type, tuple[Flatten, Unflatten]] = {}


def register_pytree_node(cls: type, flatten_fn: Flatten, unflatten_fn: Unflatten, **options: object) -> None:
    """Treat instances of a class as containers."""
    _nodes[cls] = flatten_fn, unflatten_fn


def _deregister_pytree_node(cls: type) -> None:
    """Treat instances of a class as leaves again; ValueError for a class that was not registered."""
    if cls not in _nodes:
        raise ValueError(f"{cls} is not registered as pytree node.")
    del _nodes[cls]


register_pytree_node(tuple, lambda x: (list(x), None), lambda values, _: tuple(values))
register_pytree_node(Size, lambda x: (list(x), None), lambda values, _: tuple(values))
register_pytree_node(list, lambda x: (list(x), None), lambda values, _: list(values))
register_pytree_node(
    dict, lambda x: (list(x.values()), list(x)), lambda values, keys: dict(zip(keys, values, strict=True))
)
register_pytree_node(
    OrderedDict, lambda x: (list(x.values()), list(x)), lambda values, keys: OrderedDict(zip(keys, values, strict=True))
)
register_pytree_node(
    defaultdict,
    lambda x: (list(x.values()), [x.default_factory, list(x)]),
    lambda values, context: defaultdict(context[0], zip(context[1], values, strict=True)),
)
register_pytree_node(deque, lambda x: (list(x), x.maxlen), lambda values, maxlen: deque(values, maxlen=maxlen))
process_wide(_nodes)


def _is_namedtuple(kind: type) -> bool:
    return issubclass(kind, tuple) and kind is not tuple and hasattr(kind, "_fields")


def _handlers(value: Value) -> tuple[Flatten, Unflatten] | None:
    kind = type(value)
    found = _nodes.get(kind)
    if found is None and _is_namedtuple(kind):
        return lambda x: (list(x), kind), lambda values, context: context(*values)
    return found


def tree_flatten(tree: Tree, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves of nested containers in order, and their structure."""
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves, is_leaf)


def _flatten(tree: Tree, leaves: list[Any], is_leaf: Callable[[Any], bool] | None) -> TreeSpec:
    handlers = None if is_leaf is not None and is_leaf(tree) else _handlers(tree)
    if handlers is None:
        leaves.append(tree)
        return _LEAF
    children, context = handlers[0](tree)
    return TreeSpec(type(tree), context, [_flatten(c, leaves, is_leaf) for c in children])


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Tree:
    """Containers of a structure around leaves; ValueError for another number of them."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"Expected `treespec` to be an instance of TreeSpec but got item of type {type(treespec)}.")
    values = list(leaves)
    if len(values) != treespec.num_leaves:
        raise ValueError(
            f"treespec.unflatten(leaves): `leaves` has length {len(values)} but the spec refers to a pytree that holds "
            f"{treespec.num_leaves} items ({treespec})."
        )
    return _unflatten(iter(values), treespec)


def _unflatten(leaves: Any, spec: TreeSpec) -> Any:
    if spec.is_leaf():
        return next(leaves)
    children = [_unflatten(leaves, c) for c in spec.children_specs]
    if _is_namedtuple(spec.type):
        return spec.context(*children)
    return _nodes[spec.type][1](children, spec.context)


class _Star:
    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec: TreeSpec) -> str:
    """Return a structure as text, with a star for each leaf."""
    return repr(tree_unflatten([_Star()] * treespec.num_leaves, treespec))


def tree_leaves(tree: Tree, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves of nested containers in order."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: Tree, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    """The structure of nested containers."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Tree, *rests: Tree, is_leaf: Callable[[Any], bool] | None = None) -> Tree:
    """Apply a function to each leaf of nested containers, and to the values at its position in further ones."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_leaves_up_to(spec, r) for r in rests]
    return tree_unflatten([func(*values) for values in zip(leaves, *others, strict=True)], spec)


def _leaves_up_to(spec: TreeSpec, tree: Tree) -> list[Any]:
    """Return the subtrees at the positions of a structure's leaves."""
    if spec.is_leaf():
        return [tree]
    handlers = _handlers(tree)
    if handlers is None or type(tree) is not spec.type:
        raise ValueError(f"Type mismatch; expected {spec.type!r}, but got {type(tree)!r}.")
    children, context = handlers[0](tree)
    if len(children) != spec.num_children:
        raise ValueError(f"Node arity mismatch; expected {spec.num_children}, but got {len(children)}.")
    if context != spec.context:
        raise ValueError(f"Node context mismatch for custom node type {spec.type!r}.")
    return [leaf for c, s in zip(children, spec.children_specs, strict=True) for leaf in _leaves_up_to(s, c)]


def tree_map_(func: Callable[..., Any], tree: Tree, *rests: Tree, is_leaf: Callable[[Any], bool] | None = None) -> Tree:
    """Call a function with each leaf; returns the containers as they are."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(
    kind: type | tuple[type, ...] | Callable[[Any], bool], func: Callable[[Any], Any], tree: Tree
) -> Tree:
    """Apply a function to the leaves of a type, or those for which a predicate is true, in nested containers."""
    chosen = kind if callable(kind) and not isinstance(kind, type) else lambda x: isinstance(x, kind)
    return tree_map(lambda x: func(x) if chosen(x) else x, tree)


def tree_all(pred: Callable[[Any], bool], tree: Tree) -> bool:
    """Return True when a predicate is true for all leaves."""
    return all(map(pred, tree_leaves(tree)))


def tree_any(pred: Callable[[Any], bool], tree: Tree) -> bool:
    """Return True when a predicate is true for a leaf."""
    return any(map(pred, tree_leaves(tree)))


def broadcast_to_and_flatten(tree: Tree, spec: TreeSpec) -> list[Any] | None:
    """Repeat each leaf of a tree, a prefix of a structure, once for each leaf of the subtree at its position."""
    handlers = _handlers(tree)
    if spec.is_leaf():
        return [tree] if handlers is None else None
    if handlers is None:
        return [tree] * spec.num_leaves
    if type(tree) is not spec.type:
        return None
    children, context = handlers[0](tree)
    if len(children) != spec.num_children or context != spec.context:
        return None
    found: list[Any] = []
    for c, s in zip(children, spec.children_specs, strict=True):
        part = broadcast_to_and_flatten(c, s)
        if part is None:
            return None
        found.extend(part)
    return found
