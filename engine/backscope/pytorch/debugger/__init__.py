"""Debugs programs on PyTorch: stops them at lines, ops, modules, and inside backward(), node by node.

Breakpoints, steps, commands and watched expressions are those of `backscope.debugger`; here are the places at which a
program on PyTorch can stop, and what is read of its tensors there.
"""
