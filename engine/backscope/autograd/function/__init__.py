"""torch.autograd.Function: ops whose forward and backward a program writes itself."""
