"""The names of `torch.optim.adagrad`."""

from backscope.optim.adagrad import Adagrad

__all__ = ["Adagrad"]
