"""torch.func: transforms of functions, one open level each."""
