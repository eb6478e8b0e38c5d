"""Optimizers, written on the ops."""

from backscope.optim.optimizer import Optimizer
from backscope.optim.sgd import SGD

__all__ = ["SGD", "Optimizer"]
