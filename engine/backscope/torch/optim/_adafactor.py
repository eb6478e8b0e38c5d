"""The names of `torch.optim._adafactor`."""

from backscope.optim.adafactor import Adafactor

__all__ = ["Adafactor"]
