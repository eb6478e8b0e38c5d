"""Learning rate schedulers, which change the rate of an optimizer from step to step."""

from backscope.optim.lr_scheduler.annealing import CosineAnnealingLR, CosineAnnealingWarmRestarts, PolynomialLR
from backscope.optim.lr_scheduler.combination import ChainedScheduler, SequentialLR
from backscope.optim.lr_scheduler.cycle import CyclicLR, OneCycleLR
from backscope.optim.lr_scheduler.decay import ConstantLR, ExponentialLR, LinearLR, MultiStepLR, StepLR
from backscope.optim.lr_scheduler.lambda_lr import LambdaLR, MultiplicativeLR
from backscope.optim.lr_scheduler.plateau import ReduceLROnPlateau
from backscope.optim.lr_scheduler.scheduler import LRScheduler

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

for _name in __all__:
    globals()[_name].__module__ = "torch.optim.lr_scheduler"
