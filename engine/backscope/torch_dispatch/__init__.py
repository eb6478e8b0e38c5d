"""__torch_dispatch__: modes and tensor subclasses that take over ops below autograd, by their names in torch.ops.aten.

`mode_stack` has the entered modes, `aten_call` translates a call of a declared op to PyTorch's internal op,
`interception` dispatches calls to modes and subclasses, `function_calls` those of functions that are no declared ops,
`pass_below` runs the nodes of a backward pass op by op, `wrapper` makes tensors without values, and
`selective_checkpoint` keeps the results of chosen ops.
Where no mode was entered and no class has a __torch_dispatch__, ops pay nothing for it.
"""
