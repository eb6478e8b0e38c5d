"""The names of `torch.optim._muon`."""

from backscope.optim.muon import Muon

__all__ = ["Muon"]
