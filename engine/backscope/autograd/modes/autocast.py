"""torch.autocast: which dtype ops are computed in on the CPU; switched off where there is no CUDA, as in PyTorch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from backscope.autograd.modes.grad_mode import enable_grad, mode
from backscope.autograd.transforms.level import only_up_to
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
    """Whether PyTorch has autocast for a kind of device."""
    return device_type in _DEVICES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether ops on such a device are cast now."""
    return _enabled.get(device_type, False)


def get_autocast_dtype(device_type: str) -> Any:
    """The dtype that ops on such a device are cast to."""
    return _dtypes.get(device_type, float16)


def set_autocast_enabled(device_type: Any, enabled: Any = None) -> None:
    """Switch the casting of ops on such a device on or off; a truth value alone is meant for CUDA."""
    if enabled is None:
        device_type, enabled = "cuda", device_type
    if enabled and device_type == "cpu":
        _arm()
    _enabled[device_type] = bool(enabled)


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Cast ops on such a device to another dtype."""
    _dtypes[device_type] = dtype


def is_autocast_cache_enabled() -> bool:
    """Whether casts of parameters are kept."""
    return _cache["enabled"]


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Keep casts of parameters or not."""
    _cache["enabled"] = enabled


def clear_autocast_cache() -> None:
    """Forget the casts that were kept."""
    _casts.clear()


def cached(tensor: Tensor, kind: Any, cast: Callable[[], Any]) -> Any:
    """A tensor cast to a lower precision: once for all uses of a parameter, so that its gradients add up in that.

    A cast that is kept is recorded also under no_grad, since later uses may differentiate it, and belongs to the level
    of the tensor, which may be outside of the transforms that are open.  In inference mode casts are neither kept nor
    taken from those that are.
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
    """Begin one more autocast inside of those that are open; how many there are then."""
    _nesting.append(True)
    return len(_nesting)


def autocast_decrement_nesting() -> int:
    """End the innermost autocast; how many are open then."""
    _nesting.pop()
    return len(_nesting)


def _arm() -> None:
    from backscope.ops.core.casting import arm

    arm()


def is_autocast_cpu_enabled() -> bool:
    """Whether ops on the CPU are cast now; deprecated."""
    _deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Switch the casting of ops on the CPU on or off; deprecated."""
    _deprecated("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def get_autocast_cpu_dtype() -> Any:
    """The dtype that ops on the CPU are cast to; deprecated."""
    _deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: Any) -> None:
    """Cast ops on the CPU to another dtype; deprecated."""
    _deprecated("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> Any:
    """The dtype that ops on a GPU would be cast to; deprecated."""
    _deprecated("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: Any) -> None:
    """Cast ops on a GPU to another dtype; deprecated."""
    _deprecated("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


def _deprecated(old: str, new: str) -> None:
    warn(f"torch.{old} is deprecated. Please use torch.{new} instead.", DeprecationWarning)


class autocast:  # noqa: N801 - PyTorch's own name
    """Inside, ops on a kind of device are computed in a lower precision where that is safe."""

    def __init__(
        self, device_type: str, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
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
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return inside


def as_now() -> Callable[[], autocast]:
    """What makes, at any later time, an autocast for the CPU as it is now."""
    state = is_autocast_enabled("cpu"), is_autocast_cache_enabled()
    kind = get_autocast_dtype("cpu")
    return lambda: autocast("cpu", kind, *state)


class CpuAutocast(autocast):
    """The deprecated spelling of autocast for the CPU."""

    def __init__(self, enabled: bool = True, dtype: Any = bfloat16, cache_enabled: bool = True) -> None:
        warn(_DEPRECATED.format("cpu", "cpu"), FutureWarning)
        super().__init__("cpu", dtype, enabled, cache_enabled)


class CudaAutocast(autocast):
    """The deprecated spelling of autocast for CUDA."""

    def __init__(self, enabled: bool = True, dtype: Any = float16, cache_enabled: bool = True) -> None:
        warn(_DEPRECATED.format("cuda", "cuda"), FutureWarning)
        super().__init__("cuda", dtype, enabled, cache_enabled)


_DEPRECATED = "`torch.{}.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('{}', args...)` instead."


def _cast(value: Any, device_type: str, dtype: Any) -> Any:
    if isinstance(value, Tensor):
        eligible = value._dtype.is_floating_point and value.device.type == device_type and value._dtype is not float64
        return value.to(dtype) if eligible else value  # type: ignore[attr-defined]
    if isinstance(value, Mapping):
        return {_cast(k, device_type, dtype): _cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        cast = [_cast(v, device_type, dtype) for v in value]
        return type(value)(cast) if isinstance(value, (list, tuple)) else cast
    return value


def custom_fwd(fwd: Any = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """A Function's forward() under autocast, its inputs cast to one dtype first where that is given."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(*args: Any, **kwargs: Any) -> Any:
        args[0]._dtype = get_autocast_dtype(device_type)
        args[0]._fwd_used_autocast = cast_inputs is None and is_autocast_enabled(device_type)
        if cast_inputs is None or not is_autocast_enabled(device_type):
            return fwd(*args, **kwargs)
        with autocast(device_type=device_type, enabled=False):
            cast = [_cast(a, device_type, cast_inputs) for a in args]
            return fwd(*cast, **_cast(kwargs, device_type, cast_inputs))

    return forward


def custom_bwd(bwd: Any = None, *, device_type: str) -> Any:
    """A Function's backward() under the autocast that its forward() ran under."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type=device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return bwd(*args, **kwargs)

    return backward


for _class, _where in ((autocast, "amp"), (CpuAutocast, "cpu.amp"), (CudaAutocast, "cuda.amp")):
    _class.__module__ = f"torch.{_where}.autocast_mode"
    _class.__name__ = _class.__qualname__ = "autocast"
