"""The error for a name of PyTorch that Backscope does not have; it suggests the nearest names."""

from __future__ import annotations

import difflib
import dis
import json
import sys
from collections.abc import Iterable
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

from backscope.runtime.error_facts import blame
from backscope.tensor.tensor import Tensor

NAMESPACE = "backscope.torch"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Up to three names like one, in upper or lower case, best first: a common beginning counts for more."""
    if name.startswith("__") and name.endswith("__"):
        return []
    wanted = name.lstrip("_").casefold()
    folded = {
        k: k.casefold()
        for k in sorted(known)
        if not k.startswith("_") and k != name and (name.endswith("_") or not k.endswith("_"))
    }
    begun = {k for k, low in folded.items() if low.startswith(wanted + "_") or wanted.startswith(low + "_")}
    found = begun | {k for k, low in folded.items() if low == wanted}
    if len(wanted) > 2:
        close = difflib.get_close_matches(wanted, set(folded.values()), n=3, cutoff=0.75)
        found |= {
            k for k, low in folded.items() if low in close and (len(low) == len(wanted) or _alike(low, wanted) > 0.76)
        }
    return sorted(found, key=lambda k: (-_alike(folded[k], wanted) - 0.1 * (k in begun), k))[:3]


def _alike(one: str, other: str) -> float:
    """Return the similarity of two spellings, from 0 to 1."""
    return difflib.SequenceMatcher(None, one, other).ratio()


_INSTEAD = {
    "Tensor.chalf": "Tensor.cfloat",
    "Tensor.to_mkldnn": "the tensor as it is",
    "torch.ao": "a model in torch.float16 or torch.bfloat16",
    "torch.complex32": "torch.complex64",
    "torch.cond": "Python's if",
    "torch.cuda.Event": "time.perf_counter()",
    "torch.cuda.Stream": "torch.cpu.Stream",
    "torch.distributed.fsdp": "the model as it is, in one process",
    "torch.export": "the model as it is",
    "torch.frobenius_norm": "torch.linalg.matrix_norm",
    "torch.fx": "torch.overrides.TorchFunctionMode, and the graph of grad_fn",
    "torch.library": "torch.autograd.Function",
    "torch.lobpcg": "torch.linalg.eigh",
    "torch.masked.MaskedTensor": "a mask beside the tensor, torch.where, torch.masked.sum",
    "torch.masked.masked_tensor": "a mask beside the tensor, torch.where, torch.masked.sum",
    "torch.nested": "torch.nn.utils.rnn.pad_sequence, torch.nn.utils.rnn.pack_sequence",
    "torch.nn.attention.flex_attention": "torch.nn.functional.scaled_dot_product_attention with an attn_mask",
    "torch.nuclear_norm": "torch.linalg.matrix_norm",
    "torch.quantization": "a model in torch.float16 or torch.bfloat16",
    "torch.quantize_per_tensor": "torch.round and torch.clamp by hand",
    "torch.utils.benchmark": "time.perf_counter()",
    "torch.utils.cpp_extension": "torch.autograd.Function",
    "torch.utils.data.IterDataPipe": "torch.utils.data.IterableDataset",
    "torch.utils.data.MapDataPipe": "torch.utils.data.Dataset",
    "torch.utils.swap_tensors": "Tensor.data",
    "torch.while_loop": "Python's while",
}
"""Suggestions for names with a purpose that no similarly spelled name serves."""


def lacking(module: str, name: str, known: Iterable[str]) -> str:
    """Return the text that Backscope does not have a name of a module, with the nearest names."""
    instead = _INSTEAD.get(f"{module}.{name}") or ", ".join(f"{module}.{n}" for n in nearest(name, known))
    hint = f" What comes nearest: {instead}." if instead else ""
    return f"Backscope does not have it (yet).{hint}"


def missing_name(module: str, name: str, known: Iterable[str]) -> AttributeError | ImportError:
    """The error for `module.name`, for the module's __getattr__ to raise: an ImportError for `from module import`."""
    explanation = f"import {module}.{name} first." if _is_submodule(module, name) else lacking(module, name, known)
    if _is_imported_from(2):
        return ImportError(f"cannot import name '{name}' from '{module}': {explanation}", name=module)
    return AttributeError(f"module '{module}' has no attribute '{name}': {explanation}", name=name)


def _is_imported_from(depth: int) -> bool:
    """Return True when the caller `depth` frames up is running the second half of a `from ... import`."""
    try:
        frame = sys._getframe(depth + 1)
    except ValueError:
        return False
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM"


def _is_submodule(module: str, name: str) -> bool:
    """Return True for the name of a module that was not imported yet, such as torch.optim.adam."""
    found = sys.modules.get(NAMESPACE + module.removeprefix("torch"))
    path = found.__dict__.get("__path__") if found is not None else None
    if path is None:
        return False
    try:
        return PathFinder.find_spec(f"{NAMESPACE}.{name}", path) is not None
    except OSError:  # Programs may have no files.
        return False


@cache
def _names_of_tensors() -> frozenset[str]:
    """Return the names of the members of PyTorch's Tensor."""
    return frozenset(json.loads(Path(__file__).with_name("tensor_names.json").read_text("utf-8")))


def complete_attribute_error(error: BaseException) -> None:
    """Extend the AttributeError that Python raised for a tensor.

    For members that PyTorch's tensors have, it adds that Backscope does not have them.  For others the text is
    PyTorch's, and the diagnosis lists the nearest names.
    """
    if type(error) is not AttributeError or not isinstance(error.name, str) or len(error.args) != 1:
        return
    kind = error.obj if isinstance(error.obj, type) else type(error.obj)
    text = str(error.args[0])
    if not issubclass(kind, Tensor) or not text.endswith(f"has no attribute '{error.name}'"):
        return
    known = dir(Tensor)
    if error.name in known:
        return
    if error.name in _names_of_tensors():
        error.args = (f"{text}: {lacking('Tensor', error.name, known)}",)
        return
    near = nearest(error.name, known)
    if near:
        blame(error, "misspelled", name=error.name, near=[f"Tensor.{n}" for n in near])


def complete(module: ModuleType) -> None:
    """Add a __getattr__ with the error for missing names to a module of the namespace without one."""
    if module.__name__.startswith(NAMESPACE) and "__getattr__" not in module.__dict__:
        title = "torch" + module.__name__[len(NAMESPACE) :]

        def find(name: str) -> object:
            raise missing_name(title, name, module.__dict__)

        module.__dict__["__getattr__"] = find


def complete_all() -> None:
    """Complete all modules of the namespace that are loaded."""
    for name, module in [*sys.modules.items()]:
        if name.startswith(NAMESPACE + ".") and isinstance(module, ModuleType):
            complete(module)
