"""GradScaler: a loss scaled up so that half precision gradients don't vanish, and optimizer steps scaled back."""

from __future__ import annotations

from collections import abc
from enum import Enum
from typing import TYPE_CHECKING, Any

from backscope.autograd.modes.grad_mode import no_grad
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Value, Values
from backscope.runtime.warning import warn
from backscope.tensor.dtype import float16, float32, int32
from backscope.tensor.tensor import Tensor

if TYPE_CHECKING:
    from backscope.optim.optimizer import Optimizer

_FIX = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."


class OptState(Enum):
    """The progress of an optimizer within an iteration."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _require(holds: bool, text: str) -> None:
    if not holds:
        raise AssertionError(text)


class GradScaler:
    """Scales outputs by a number that grows while gradients stay finite and shrinks when they do not.

    For the device "cuda", which is the default and which there is none of, it warns and does nothing.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if enabled and device == "cuda":
            warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            self._enabled = False
        if self._enabled:
            _require(growth_factor > 1.0, "The growth factor must be > 1.0.")
            _require(backoff_factor < 1.0, "The backoff factor must be < 1.0.")
            self._init_scale = init_scale
            self._scale: Any = None
            self._growth_factor = growth_factor
            self._backoff_factor = backoff_factor
            self._growth_interval = growth_interval
            self._init_growth_tracker = 0
            self._growth_tracker: Any = None
            self._states: dict[int, dict[str, Any]] = {}

    def _state(self, optimizer: Optimizer) -> dict[str, Any]:
        return self._states.setdefault(id(optimizer), {"stage": OptState.READY, "found_inf": None})

    def _check_begun(self, name: str) -> None:
        _require(self._scale is not None, f"Attempted {name} but _scale is None.  {_FIX}")
        _require(self._growth_tracker is not None, f"Attempted {name} but _growth_tracker is None.  {_FIX}")

    def _current(self) -> Any:
        if self._scale is None:
            self._scale = torch_functions["full"]((), self._init_scale, dtype=float32)
            self._growth_tracker = torch_functions["full"]((), self._init_growth_tracker, dtype=int32)
        return self._scale

    def scale(self, outputs: Values) -> Values:
        """Outputs, or all of an iterable of them, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._current()
        if isinstance(outputs, abc.Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Optimizer) -> None:
        """Divide the gradients of an optimizer's parameters by the scale, and note whether all are finite."""
        if not self._enabled:
            return
        self._check_begun("unscale_")
        state = self._state(optimizer)
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = self._scale.double().reciprocal().float()
        with no_grad():
            for gradient in self._gradients(optimizer):
                finite = bool(gradient.isfinite().all())
                state["found_inf"] = float(not finite) or state["found_inf"] or 0.0
                gradient.mul_(inverse)
        state["stage"] = OptState.UNSCALED

    @staticmethod
    def _gradients(optimizer: Optimizer) -> Any:
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                gradient = parameter.grad
                if gradient is None:
                    continue
                if gradient.dtype is float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                yield gradient._values() if gradient.is_sparse else gradient

    # Any: the optimizer's step returns what its closure does.
    def step(self, optimizer: Optimizer, *args: Value, **kwargs: Value) -> Any:
        """The optimizer's step with gradients scaled back, unless one of them is infinite or NaN."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_begun("step")
        state = self._state(optimizer)
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        _require(state["found_inf"] is not None, "No inf checks were recorded for this optimizer.")
        result = None if state["found_inf"] else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale: Value = None) -> None:
        """Shrink the scale after a skipped step, and grow it after many steps without a skipped one."""
        if not self._enabled:
            return
        self._check_begun("update")
        if new_scale is not None:
            self._scale.fill_(float(new_scale))
        else:
            found = [s["found_inf"] for s in self._states.values() if s["found_inf"] is not None]
            _require(bool(found), "No inf checks were recorded prior to update.")
            self._adapt(any(found))
        self._states = {}

    def _adapt(self, failed: bool) -> None:
        if failed:
            self._scale.mul_(self._backoff_factor)
            self._growth_tracker.zero_()
            return
        steps = int(self._growth_tracker) + 1
        if steps == self._growth_interval:
            larger = self._scale * self._growth_factor
            if bool(larger.isfinite()):
                self._scale.copy_(larger)
            steps = 0
        self._growth_tracker.fill_(steps)

    def get_scale(self) -> float:
        """The scale; 1 where nothing is scaled."""
        if not self._enabled:
            return 1.0
        return float(self._init_scale if self._scale is None else self._scale.item())

    def get_growth_factor(self) -> float:
        """Return the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return the factor by which the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the factor by which the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many steps the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of steps after which the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return int(self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker)

    def is_enabled(self) -> bool:
        """Return True when losses are scaled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Return the scale, its growth factors and interval, and the number of steps since its last change."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue with the scale of a state_dict."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale = state_dict["scale"]
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)


class CudaGradScaler(GradScaler):
    """The deprecated spelling of GradScaler for CUDA."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        warn(
            "`torch.cuda.amp.GradScaler(args...)` is deprecated. Please use `torch.amp.GradScaler('cuda', args...)` "
            "instead.",
            FutureWarning,
        )
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


GradScaler.__module__ = "torch.amp.grad_scaler"
CudaGradScaler.__module__, CudaGradScaler.__name__ = "torch.cuda.amp.grad_scaler", "GradScaler"
CudaGradScaler.__qualname__ = "GradScaler"
