"""The names of `torch.autograd.functional`."""

from backscope.autograd.functional.jacobian_products import hessian, hvp, jacobian, jvp, vhp, vjp

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
