"""The initialization of weights that recurrent layers and cells share."""

from __future__ import annotations

import math

from backscope.nn import init
from backscope.nn.module.module import Module


class RecurrentWeights(Module):
    """A module with initial weights that depend on the size of its state."""

    hidden_size: int

    def reset_parameters(self) -> None:
        """Draw all weights uniformly within 1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)
