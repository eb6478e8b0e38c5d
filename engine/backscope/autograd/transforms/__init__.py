"""The levels of function transforms and of forward mode, and the tensors that belong to them."""
