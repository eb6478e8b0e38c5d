"""SWALR: the rate moves to that of weight averaging and stays there."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from backscope.optim.lr_scheduler.scheduler import LRScheduler, for_each_group
from backscope.runtime.given import Option, Value

if TYPE_CHECKING:
    from backscope.optim.optimizer import Optimizer


class SWALR(LRScheduler):
    """Moves the rate to `swa_lr` within `anneal_epochs` steps, along a cosine or a line.

    Raises: ValueError for options out of range.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Value,
        anneal_epochs: Option = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for rate, group in zip(for_each_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        part = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return part if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * part)) / 2

    def get_lr(self) -> list[Any]:
        """The rates for the current step."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            target = group["swa_lr"]
            start = target if before == 1 else (group["lr"] - before * target) / (1 - before)
            rates.append(target * now + start * (1 - now))
        return rates


SWALR.__module__ = "torch.optim.swa_utils"
