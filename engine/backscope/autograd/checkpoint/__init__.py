"""torch.utils.checkpoint: saved tensors that are computed again in the backward pass."""
