"""The names of `torch.optim.lbfgs`."""

from backscope.optim.lbfgs import LBFGS

__all__ = ["LBFGS"]
