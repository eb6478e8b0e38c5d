"""torch.func: transforms of functions, one open level each, and the tangents of forward mode."""
