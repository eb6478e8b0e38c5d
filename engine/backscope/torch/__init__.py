"""The names of `torch` for programs; the code is in other packages."""

from __future__ import annotations

import importlib as _importlib
import math as _math
from typing import TYPE_CHECKING as _TYPE_CHECKING, Any as _Any

import backscope.ops.names.all  # noqa: F401 - declares the ops
from backscope.autograd.anomaly import is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled
from backscope.autograd.modes.autocast import (
    autocast,
    autocast_decrement_nesting,
    autocast_increment_nesting,
    clear_autocast_cache,
    get_autocast_cpu_dtype,
    get_autocast_dtype,
    get_autocast_gpu_dtype,
    is_autocast_cache_enabled,
    is_autocast_cpu_enabled,
    is_autocast_enabled,
    set_autocast_cache_enabled,
    set_autocast_cpu_dtype,
    set_autocast_cpu_enabled,
    set_autocast_dtype,
    set_autocast_enabled,
    set_autocast_gpu_dtype,
)
from backscope.autograd.modes.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from backscope.autograd.modes.inference_mode import inference_mode, is_inference, is_inference_mode_enabled
from backscope.func.vmap import vmap
from backscope.ops.core.arguments.out_arguments import with_out as _with_out
from backscope.ops.core.namespace import torch_functions as _functions
from backscope.optim.grad_scaler import GradScaler
from backscope.random import Generator, default_generator
from backscope.runtime.version import TORCH_VERSION as _version, TorchVersion as _TorchVersion
from backscope.runtime.warning import is_warn_always_enabled, set_warn_always
from backscope.tensor.device import device, get_default_device, get_device_module, set_default_device
from backscope.tensor.dtype import (
    bfloat16,
    bool_ as bool,  # noqa: A004
    complex64,
    complex128,
    dtype,
    float8_e4m3fn,
    float8_e4m3fnuz,
    float8_e5m2,
    float8_e5m2fnuz,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from backscope.tensor.layout import layout, sparse_coo, sparse_csr, strided
from backscope.tensor.number_limits import finfo, iinfo
from backscope.tensor.printing import set_printoptions
from backscope.tensor.serialization import load, save
from backscope.tensor.size import Size
from backscope.tensor.storage import TypedStorage, UntypedStorage
from backscope.tensor.tensor import Tensor
from backscope.tensor.tensor_type import set_default_tensor_type, tensor_types as _tensor_types
from backscope.tensor.typename import typename
from backscope.torch import (
    _C,
    _VF,
    __config__,
    __future__ as __future__,
    _dynamo,
    _functorch,
    _ops,
    _vmap_internals,
    accelerator,
    amp,
    autograd,
    backends,
    compiler,
    cpu,
    cuda,
    distributed,
    fft,
    func,
    functional,
    hub,
    jit,
    linalg,
    masked,
    mps,
    multiprocessing,
    nn,
    onnx,
    ops,
    optim,
    overrides,
    profiler,
    random,
    return_types,
    serialization,
    signal,
    sparse,
    special,
    storage,
    testing,
    types,
    utils,
    version,
    xpu,
)
from backscope.torch._backend.compiler import compile  # noqa: A004
from backscope.torch._backend.determinism import (
    are_deterministic_algorithms_enabled,
    get_deterministic_debug_mode,
    get_float32_matmul_precision,
    is_deterministic_algorithms_warn_only_enabled,
    set_deterministic_debug_mode,
    set_float32_matmul_precision,
    set_flush_denormal,
    use_deterministic_algorithms,
)
from backscope.torch._backend.threads import (
    get_num_interop_threads,
    get_num_threads,
    set_num_interop_threads,
    set_num_threads,
)
from backscope.torch.missing import complete_all as _complete_all, missing_name as _missing_name

if _TYPE_CHECKING:
    from backscope.torch import distributions

float = float32  # noqa: A001
double = float64
half = float16
int = int32  # noqa: A001
long = int64
short = int16
cfloat = complex64
cdouble = complex128
__version__ = _TorchVersion(_version)
inf = _math.inf
nan = _math.nan
pi = _math.pi
e = _math.e
newaxis = None

globals().update(_with_out(_functions))
globals().update(_tensor_types)
_complete_all()


_LATER = ("distributions",)
"""Modules that are loaded when a program first uses them, as few do: a ninth of all modules."""


def __getattr__(name: str) -> _Any:
    if name in _LATER:
        found = _importlib.import_module(f"{__name__}.{name}")
        _complete_all()
        return found
    raise _missing_name("torch", name, {**globals(), **dict.fromkeys(_LATER)})


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = [
    "_C",
    "_VF",
    "Generator",
    "GradScaler",
    "Size",
    "Tensor",
    "TypedStorage",
    "UntypedStorage",
    "__config__",
    "__version__",
    "_dynamo",
    "_functorch",
    "_ops",
    "_vmap_internals",
    "accelerator",
    "amp",
    "are_deterministic_algorithms_enabled",
    "autocast",
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "autograd",
    "backends",
    "bfloat16",
    "bool",
    "clear_autocast_cache",
    "compile",
    "compiler",
    "complex64",
    "complex128",
    "cpu",
    "cuda",
    "default_generator",
    "device",
    "distributed",
    "distributions",
    "dtype",
    "enable_grad",
    "fft",
    "finfo",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float16",
    "float32",
    "float64",
    "func",
    "functional",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "get_default_device",
    "get_default_dtype",
    "get_deterministic_debug_mode",
    "get_device_module",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "hub",
    "iinfo",
    "inference_mode",
    "int8",
    "int16",
    "int32",
    "int64",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_autocast_cache_enabled",
    "is_autocast_cpu_enabled",
    "is_autocast_enabled",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_grad_enabled",
    "is_inference",
    "is_inference_mode_enabled",
    "is_warn_always_enabled",
    "jit",
    "layout",
    "linalg",
    "load",
    "masked",
    "mps",
    "multiprocessing",
    "nn",
    "no_grad",
    "onnx",
    "ops",
    "optim",
    "overrides",
    "profiler",
    "promote_types",
    "random",
    "return_types",
    "save",
    "serialization",
    "set_anomaly_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_autocast_gpu_dtype",
    "set_default_device",
    "set_default_dtype",
    "set_default_tensor_type",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_flush_denormal",
    "set_grad_enabled",
    "set_num_interop_threads",
    "set_num_threads",
    "set_printoptions",
    "set_warn_always",
    "signal",
    "sparse",
    "sparse_coo",
    "sparse_csr",
    "special",
    "storage",
    "strided",
    "testing",
    "typename",
    "types",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "use_deterministic_algorithms",
    "utils",
    "version",
    "vmap",
    "xpu",
]

__all__ += ["cdouble", "cfloat", "double", "e", "float", "half", "inf", "int", "long", "nan", "newaxis", "pi", "short"]
__all__ += sorted(_functions)
__all__ += sorted(_tensor_types)
