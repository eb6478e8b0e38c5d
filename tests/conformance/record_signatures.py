"""Writes PyTorch's signatures of the functions that Backscope has, the overloads of its ops, and the names of tensors.

They go to signatures.json and overloads.json in engine/backscope/ops, and engine/backscope/torch/tensor_names.json.

    python tests/conformance/record_signatures.py

Needs PyTorch 2.13.0 in the environment: its torchgen prints them as its argument parser reads them.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import torchgen
from torchgen.gen import parse_native_yaml

ENGINE = Path(__file__).resolve().parents[2] / "engine"
PACKAGED = Path(torchgen.__file__).parent / "packaged"

sys.path.insert(0, str(ENGINE))
sys.path.insert(0, str(PACKAGED))
from autograd import gen_python_functions as bindings  # noqa: E402

from backscope import torch as ours  # noqa: E402
from backscope.ops.names.aten import find  # noqa: E402
from backscope.runtime.aten_names import ATEN_NAMES  # noqa: E402

BY_HAND = {
    "torch": {
        "tensor": [
            "PyObject* data, *, ScalarType dtype=None, Device? device=None, bool pin_memory=False, "
            "bool requires_grad=False, DimnameList? names=None"
        ],
        "nonzero": ["Tensor input, *, Tensor out=None", "Tensor input, *, bool as_tuple, Tensor out=None"],
        "numel": ["Tensor input"],
        "get_device": ["Tensor input"],
    },
    "nn": {"pad": ['Tensor input, SymIntArrayRef pad, c10::string_view mode="constant", double? value=None']},
    "Tensor": {
        "contiguous": ["*, MemoryFormat memory_format=contiguous_format"],
        "copy_": ["Tensor other, bool non_blocking=False"],
        "requires_grad_": ["bool requires_grad=True"],
        "size": ["int64_t? dim=None"],
        "stride": ["int64_t? dim=None"],
        "nonzero": ["", "*, bool as_tuple"],
        "numpy": ["*, bool force=False"],
        "new_tensor": [
            "PyObject* data, *, ScalarType dtype=None, Device? device=None, bool pin_memory=False, "
            "bool requires_grad=False, DimnameList? names=None"
        ],
        "to": [
            f"{first}, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None"
            for first in ("Device device=None, ScalarType dtype=None", "ScalarType dtype", "Tensor tensor")
        ],
        "is_contiguous": ["*, MemoryFormat memory_format=contiguous_format"],
    }
    | {
        name: [""]
        for name in ("dim", "numel", "storage_offset", "item", "tolist", "element_size", "get_device", "data_ptr")
    }
    | {
        name: ["*, MemoryFormat? memory_format=None"]
        for name in ("double", "float", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool")
    },
}
"""Bindings that are not generated."""


def overloads(method: bool) -> dict[str, list[Any]]:
    """Return the overloads of each generated binding."""
    native = parse_native_yaml(
        str(PACKAGED / "ATen/native/native_functions.yaml"), str(PACKAGED / "ATen/native/tags.yaml")
    ).native_functions
    native = [f for f in native if bindings.should_generate_py_binding(f)]
    pairs = bindings.load_signatures(native, str(PACKAGED / "autograd/deprecated.yaml"), method=method)
    found: dict[str, list[Any]] = {}
    for pair in pairs:
        found.setdefault(str(pair.function.func.name.name), []).append(pair)
    return found


def printed(pairs: list[Any]) -> list[str]:
    """Return the signatures of a binding without its name, in the order in which they are tried."""
    texts = [group.signature.signature_str() for group in bindings.group_overloads(pairs, symint=True)]
    return [text[text.index("(") + 1 :].replace(")|", "|").removesuffix(")") for text in texts]


def spaces() -> Iterator[tuple[str, Any, Any, bool, Any]]:
    """Return each namespace: its name, PyTorch's, ours, whether its functions are methods, and its overloads."""
    yield "torch", torch._C._VariableFunctions, ours, False, bindings.is_py_torch_function
    yield "Tensor", torch._C.TensorBase, ours.Tensor, True, bindings.is_py_variable_method
    yield "nn", torch._C._nn, ours.nn.functional, False, bindings.is_py_nn_function
    yield "linalg", torch._C._linalg, ours.linalg, False, bindings.is_py_linalg_function
    yield "special", torch._C._special, ours.special, False, bindings.is_py_special_function
    yield "fft", torch._C._fft, ours.fft, False, bindings.is_py_fft_function


def written_in_python(public: Any) -> bool:
    """Return whether the errors of a function are Python's own."""
    return isinstance(public, ModuleType) or getattr(public, "__code__", None) is not None


def table() -> dict[str, dict[str, list[str]]]:
    """Return the signatures by namespace and name."""
    functions, methods = overloads(False), overloads(True)
    result: dict[str, dict[str, list[str]]] = {}
    for space, real, have, method, belongs in spaces():
        entries = result[space] = dict(BY_HAND.get(space, {}))
        public: Any = {"torch": torch, "Tensor": torch.Tensor, "nn": torch.nn.functional}.get(space)
        public = getattr(torch, space) if public is None else public
        for base, pairs in (methods if method else functions).items():
            own = [p for p in pairs if belongs(p.function)]
            name = base.removeprefix(space + "_")
            if (
                own
                and hasattr(real, base)
                and hasattr(have, name)
                and not written_in_python(getattr(public, name, None))
            ):
                entries[name] = printed(own)
    entries = result["nn"]
    for name, sigs in result["torch"].items():
        if getattr(torch.nn.functional, name, None) is getattr(torch, name):
            entries.setdefault(name, sigs)
    return result


def overload_schemas() -> dict[str, dict[str, str]]:
    """Return the parameters of each overload of Backscope's ops by internal name, those with out= apart."""
    native = parse_native_yaml(
        str(PACKAGED / "ATen/native/native_functions.yaml"), str(PACKAGED / "ATen/native/tags.yaml")
    ).native_functions
    found: dict[str, dict[str, str]] = {}
    for f in native:
        name, overload = str(f.func.name.name), f.func.name.overload_name or "default"
        if (find(name) is not None or name in ATEN_NAMES) and not f.func.arguments.out:
            text = str(f.func)
            written = text[text.index("(") + 1 : text.rindex(" -> ") - 1]
            found.setdefault(name, {})[overload] = re.sub(r"\([a-z]!?(?: -> \*)?\)", "", written)
    return found


def main() -> None:
    (ENGINE / "backscope" / "torch" / "tensor_names.json").write_text(json.dumps(dir(torch.Tensor), indent=0) + "\n")
    named = overload_schemas()
    rows = ",\n".join(f" {json.dumps(name)}: {json.dumps(named[name])}" for name in sorted(named))
    (ENGINE / "backscope" / "ops" / "names" / "overloads.json").write_text("{\n" + rows + "\n}\n")
    found = table()
    lines = []
    for space, entries in found.items():
        rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entries[name])}" for name in sorted(entries))
        lines.append(f" {json.dumps(space)}: {{\n{rows}\n }}")
    path = ENGINE / "backscope" / "ops" / "core" / "arguments" / "signatures.json"
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print({space: len(entries) for space, entries in found.items()}, path.stat().st_size)


if __name__ == "__main__":
    main()
