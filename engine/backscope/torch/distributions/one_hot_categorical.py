"""The names of `torch.distributions.one_hot_categorical`."""

from backscope.distributions.discrete import OneHotCategorical, OneHotCategoricalStraightThrough

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]
