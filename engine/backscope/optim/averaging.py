"""Averages of a model's parameters over its training: of equal weight, or exponentially decaying."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from itertools import chain
from typing import Any

from backscope.autograd.modes.grad_mode import no_grad
from backscope.nn.module.module import Module
from backscope.ops.create.creation import tensor
from backscope.runtime.given import Device, Option, Value
from backscope.tensor.dtype import int64

Average = Callable[[Any, Any, Any], Any]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """The function that moves an average towards a parameter by 1 - decay."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Value, current_param: Value, num_averaged: Option) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """The function that adds a parameter to an average of equal weights."""

    @no_grad()
    def swa_update(averaged_param: Value, current_param: Value, num_averaged: Option) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def _in_place(average: Average) -> Callable[[Any, Any, Any], None]:
    @no_grad()
    def update(averaged: Value, current: Value, num_averaged: Option) -> None:
        for mean, value in zip(averaged, current, strict=True):
            mean.copy_(average(mean, value, num_averaged))

    return update


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[[Any, Any, Any], None]:
    """get_ema_avg_fn for lists of parameters, in place."""
    return _in_place(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> Callable[[Any, Any, Any], None]:
    """get_swa_avg_fn for lists of parameters, in place."""
    return _in_place(get_swa_avg_fn())


class AveragedModel(Module):
    """A copy of a model with the averages of its parameters, updated by `update_parameters`."""

    def __init__(
        self,
        model: Module,
        device: Device = None,
        avg_fn: Average | None = None,
        multi_avg_fn: Callable[[Any, Any, Any], None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module: Any = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    # Any: the model's forward returns a value of any type.
    def forward(self, *args: Value, **kwargs: Value) -> Any:
        """Return the output of the averaged model."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Include the current parameters in the average; the first ones become the average."""
        own: Any = chain(self.module.parameters(), self.module.buffers()) if self.use_buffers else self.parameters()
        others: Any = chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()
        pairs = [(a.detach(), b.detach()) for a, b in zip(own, others, strict=False)]
        count: Any = self.n_averaged
        if count == 0:
            for mean, value in pairs:
                mean.copy_(value)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn([a for a, _ in pairs], [b for _, b in pairs], count)
        else:
            average = self.avg_fn or get_swa_avg_fn()
            for mean, value in pairs:
                mean.copy_(average(mean, value, count))
        if not self.use_buffers:
            for kept, buffer in zip(self.module.buffers(), model.buffers(), strict=True):
                kept.detach().copy_(buffer.detach())
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Device = None) -> None:
    """Compute the running statistics of a model's batch norms anew over the data of a loader."""
    norms = [m for m in model.modules() if hasattr(m, "reset_running_stats") and hasattr(m, "momentum")]
    if not norms:
        return
    momenta = [m.momentum for m in norms]
    training = model.training
    model.train()
    for m in norms:
        m.reset_running_stats()
        m.momentum = None
    for batch in loader:
        inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(inputs if device is None else inputs.to(device))
    for m, momentum in zip(norms, momenta, strict=True):
        m.momentum = momentum
    model.train(training)


AveragedModel.__module__ = "torch.optim.swa_utils"
