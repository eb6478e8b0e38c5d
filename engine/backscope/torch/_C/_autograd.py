"""The names of `torch._C._autograd`."""

from backscope.autograd.engine_queries import keeps_graph as _get_current_graph_task_keep_graph
from backscope.autograd.saved.saved_hooks import (
    SavedTensor,
    are_saved_hooks_enabled as _saved_tensors_hooks_is_enabled,
    make_saved_tensor as _make_saved_tensor,
    pop as _pop_saved_tensors_default_hooks,
    push as _push_saved_tensors_default_hooks,
)
from backscope.autograd.views.version_access import set_version_counters as _unsafe_set_version_counter
from backscope.torch._backend.profiling import is_profiling as _profiler_enabled

__all__ = [
    "SavedTensor",
    "_get_current_graph_task_keep_graph",
    "_make_saved_tensor",
    "_pop_saved_tensors_default_hooks",
    "_profiler_enabled",
    "_push_saved_tensors_default_hooks",
    "_saved_tensors_hooks_is_enabled",
    "_unsafe_set_version_counter",
]
