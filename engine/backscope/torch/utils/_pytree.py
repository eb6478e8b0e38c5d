"""The names of `torch.utils._pytree`."""

from backscope.func.pytree import (
    LeafSpec,
    TreeSpec,
    _deregister_pytree_node,
    register_pytree_node,
    tree_all,
    tree_any,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_map_,
    tree_map_only,
    tree_structure,
    tree_unflatten,
)

__all__ = [
    "LeafSpec",
    "TreeSpec",
    "_deregister_pytree_node",
    "register_pytree_node",
    "tree_all",
    "tree_any",
    "tree_flatten",
    "tree_leaves",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_structure",
    "tree_unflatten",
]
