"""Optimizers, written on the ops."""

from backscope.optim.adadelta import Adadelta
from backscope.optim.adafactor import Adafactor
from backscope.optim.adagrad import Adagrad
from backscope.optim.adam import Adam, AdamW
from backscope.optim.adamax import Adamax
from backscope.optim.asgd import ASGD
from backscope.optim.lbfgs import LBFGS
from backscope.optim.muon import Muon
from backscope.optim.nadam import NAdam
from backscope.optim.optimizer import Optimizer
from backscope.optim.radam import RAdam
from backscope.optim.rmsprop import RMSprop
from backscope.optim.rprop import Rprop
from backscope.optim.sgd import SGD
from backscope.optim.sparse_adam import SparseAdam

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
]

for _class in (ASGD, LBFGS, SGD, Adadelta, Adagrad, Adam, AdamW, Adamax, NAdam, Optimizer, RAdam, RMSprop, Rprop):
    _class.__module__ = f"torch.optim.{_class.__name__.lower()}"
Adafactor.__module__, Muon.__module__ = "torch.optim._adafactor", "torch.optim._muon"
SparseAdam.__module__ = "torch.optim.sparse_adam"
