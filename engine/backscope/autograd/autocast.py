"""torch.autocast: which dtype ops would be computed in; switched off where there is no CUDA, as in PyTorch."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from backscope.dtype import bfloat16, float16, float64
from backscope.process import process_wide
from backscope.tensor import Tensor
from backscope.warning import warn

_DEVICES = ("cpu", "cuda", "xpu", "hpu", "mps", "xla", "mtia", "maia")

_enabled: dict[str, bool] = process_wide({})
_dtypes: dict[str, Any] = process_wide({"cpu": bfloat16})
_cache: dict[str, bool] = process_wide({"enabled": True})


def is_autocast_available(device_type: str) -> bool:
    """Whether PyTorch has autocast for a kind of device."""
    return device_type in _DEVICES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether ops on such a device are cast now."""
    return _enabled.get(device_type, False)


def get_autocast_dtype(device_type: str) -> Any:
    """The dtype that ops on such a device are cast to."""
    return _dtypes.get(device_type, float16)


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Cast ops on such a device to another dtype."""
    _dtypes[device_type] = dtype


def is_autocast_cache_enabled() -> bool:
    """Whether casts of parameters would be kept."""
    return _cache["enabled"]


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Note whether casts of parameters would be kept."""
    _cache["enabled"] = enabled


def clear_autocast_cache() -> None:
    """Nothing to forget: nothing is kept."""


class autocast:  # noqa: N801 - PyTorch's own name
    """Inside, ops on a kind of device are computed in a lower precision where that is safe.

    Raises NotImplementedError when it is entered for the CPU: Backscope does not cast ops by itself.
    """

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
        if self._enabled:
            raise NotImplementedError(
                f"torch.autocast('{self.device}'): Backscope does not cast ops by itself (yet). What comes nearest: "
                f"model.to({self.fast_dtype}) and inputs of that dtype, or autocast(..., enabled=False)."
            )
        self._before = _enabled.get(self.device, False), get_autocast_dtype(self.device), _cache["enabled"]
        _enabled[self.device], _dtypes[self.device] = self._enabled, self.fast_dtype
        _cache["enabled"] = self._cache_enabled
        return self

    def __exit__(self, *exc: object) -> None:
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
