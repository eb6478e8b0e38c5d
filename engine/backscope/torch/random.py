"""The names of `torch.random`."""

from backscope.ops.random.random_tensors import fork_rng, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from backscope.random import default_generator

__all__ = ["default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]
