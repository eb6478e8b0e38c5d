"""torch.autocast: which dtype ops are computed in on the CPU; switched off where there is no CUDA, as in PyTorch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from backscope.autograd.modes.grad_mode import enable_grad, mode
from backscope.autograd.transforms.level import only_up_to
from backscope.runtime.given import Dtype, Option, Value
from backscope.runtime.process import process_wide
from backscope.runtime.warning import warn
from backscope.tensor.dtype import bfloat16, float16, float32, float64
from backscope.tensor.tensor import Tensor

_DEVICES = ("cpu", "cuda", "xpu", "hpu", "mps", "xla", "mtia", "maia")

_enabled: dict[str, bool] = process_wide({})
_dtypes: dict[str, Any] = process_wide({"cpu": bfloat16})
_cache: dict[str, bool] = process_wide({"enabled": True})
_casts: dict[int, tuple[Tensor, Any]] = process_wide({})
"""The casts of parameters that are kept until the outermost autocast ends, by the parameter's identity."""
_nesting: list[bool] = process_wide([])


def is_autocast_available(device_type: str) -> bool:
    """Return True if PyTorch has autocast for this kind of device."""
    return device_type in _DEVICES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Return True if ops on this kind of device are cast now."""
    return _enabled.get(device_type, False)


def get_autocast_dtype(device_type: str) -> Dtype:
    """Return the dtype that ops on this kind of device are cast to."""
    return _dtypes.get(device_type, float16)


def set_autocast_enabled(device_type: Option, enabled: Option = None) -> None:
    """Switch the casting of ops on this kind of device on or off; a bool alone is for CUDA."""
    if enabled is None:
        device_type, enabled = "cuda", device_type
    if enabled and device_type == "cpu":
        _arm()
    _enabled[device_type] = bool(enabled)


def set_autocast_dtype(device_type: str, dtype: Dtype) -> None:
    """Set the dtype that ops on this kind of device are cast to."""
    _dtypes[device_type] = dtype


def is_autocast_cache_enabled() -> bool:
    """Return True if casts of parameters are kept."""
    return _cache["enabled"]


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Switch the keeping of casts of parameters on or off."""
    _cache["enabled"] = enabled


def clear_autocast_cache() -> None:
    """Forget the casts that were kept."""
    _casts.clear()


def cached(tensor: Tensor, kind: Dtype, cast: Callable[[], Any]) -> Value:
    """Return a tensor in a lower precision; a parameter is cast once for all uses, and its gradients add up in that.

    A cast that is kept is recorded also under no_grad, since later uses may differentiate it.  It belongs to the level
    of the tensor, which may be outside of the open transforms.  In inference mode casts are neither kept nor reused.
    """
    keeps = (
        _cache["enabled"]
        and not mode.inference
        and kind is get_autocast_dtype("cpu")
        and tensor._dtype is float32
        and tensor._requires_grad
        and tensor._grad_fn is None
        and tensor._view is None
    )
    if not keeps:
        return cast()
    found = _casts.get(id(tensor))
    if found is None:
        with only_up_to(getattr(tensor, "level", None)), enable_grad():
            found = _casts[id(tensor)] = tensor, cast()
    return found[1]


def autocast_increment_nesting() -> int:
    """Add one to the number of open autocasts and return it."""
    _nesting.append(True)
    return len(_nesting)


def autocast_decrement_nesting() -> int:
    """Take one from the number of open autocasts and return it."""
    _nesting.pop()
    return len(_nesting)


def _arm() -> None:
    from backscope.ops.core.casting import arm

    arm()


def is_autocast_cpu_enabled() -> bool:
    """Return True if ops on the CPU are cast now; deprecated."""
    _deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Switch the casting of ops on the CPU on or off; deprecated."""
    _deprecated("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> Dtype:
    """Return the dtype that ops on the CPU are cast to; deprecated."""
    _deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: Dtype) -> None:
    """Set the dtype that ops on the CPU are cast to; deprecated."""
    _deprecated("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> Dtype:
    """Return the dtype that ops on a GPU would be cast to; deprecated."""
    _deprecated("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: Dtype) -> None:
    """Set the dtype that ops on a GPU would be cast to; deprecated."""
    _deprecated("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


def _deprecated(old: str, new: str) -> None:
    warn(f"torch.{old} is deprecated. Please use torch.{new} instead.", DeprecationWarning)


class autocast:  # noqa: N801 - PyTorch's own name
    """Inside, ops on a kind of device are computed in a lower precision where that is safe."""

    def __init__(
        self, device_type: str, dtype: Dtype = None, enabled: bool = True, cache_enabled: bool | None = None
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = device_type
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and device_type == "cuda":
            warn("CUDA is not available or torch_xla is imported. Disabling autocast.")
            enabled = False
        elif enabled and self.fast_dtype not in (bfloat16, float16):
            warn(
                f"In {device_type.upper()} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{device_type.upper()} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
            )
            enabled = False
        self._enabled = enabled

    def __enter__(self) -> autocast:
        self._before = _enabled.get(self.device, False), get_autocast_dtype(self.device), _cache["enabled"]
        set_autocast_enabled(self.device, self._enabled)
        _dtypes[self.device], _cache["enabled"] = self.fast_dtype, self._cache_enabled
        autocast_increment_nesting()
        return self

    def __exit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        if autocast_decrement_nesting() == 0:
            clear_autocast_cache()
        _enabled[self.device], _dtypes[self.device], _cache["enabled"] = self._before

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast "
                "as a context manager?"
            )

        @functools.wraps(func)
        def inside(*args: Value, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return inside


def as_now() -> Callable[[], autocast]:
    """Return a function that makes, at any later time, an autocast with the present settings of the CPU."""
    state = is_autocast_enabled("cpu"), is_autocast_cache_enabled()
    kind = get_autocast_dtype("cpu")
    return lambda: autocast("cpu", kind, *state)


class CpuAutocast(autocast):
    """The deprecated spelling of autocast for the CPU."""

    def __init__(self, enabled: bool = True, dtype: Dtype = bfloat16, cache_enabled: bool = True) -> None:
        warn(_DEPRECATED.format("cpu", "cpu"), FutureWarning)
        super().__init__("cpu", dtype, enabled, cache_enabled)


class CudaAutocast(autocast):
    """The deprecated spelling of autocast for CUDA."""

    def __init__(self, enabled: bool = True, dtype: Dtype = float16, cache_enabled: bool = True) -> None:
        warn(_DEPRECATED.format("cuda", "cuda"), FutureWarning)
        super().__init__("cuda", dtype, enabled, cache_enabled)


_DEPRECATED = "`torch.{}.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('{}', args...)` instead."


def _cast(value: Value, device_type: str, dtype: Dtype) -> Any:
    if isinstance(value, Tensor):
        eligible = value._dtype.is_floating_point and value.device.type == device_type and value._dtype is not float64
        return value.to(dtype) if eligible else value  # type: ignore[attr-defined]
    if isinstance(value, Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        cast = [_cast(v, device_type, dtype) for v in value]
        return type(value)(cast) if isinstance(value, (list, tuple)) else cast
    return value


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: Option = None
) -> Callable[..., Any]:
    """Decorate a Function's forward() so that it runs under autocast, on inputs cast to `cast_inputs` if given."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(*args: Value, **kwargs: Any) -> Any:
        args[0]._dtype = get_autocast_dtype(device_type)
        args[0]._fwd_used_autocast = cast_inputs is None and is_autocast_enabled(device_type)
        if cast_inputs is None or not is_autocast_enabled(device_type):
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            cast = [_cast(a, device_type, cast_inputs) for a in args]
            return fwd(*cast, **_cast(kwargs, device_type, cast_inputs))

    return forward


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """Decorate a Function's backward() so that it runs under the autocast that its forward() ran under."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(*args: Value, **kwargs: Any) -> Any:
        with autocast(device_type=device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return backward


for _class, _where in ((autocast, "amp"), (CpuAutocast, "cpu.amp"), (CudaAutocast, "cuda.amp")):
    _class.__module__ = f"torch.{_where}.autocast_mode"
    _class.__name__ = _class.__qualname__ = "autocast"
