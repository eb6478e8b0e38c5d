"""__torch_dispatch__: modes and tensor subclasses that take over ops below autograd, by their names in torch.ops.aten.

`stack` keeps the entered modes, `aten_call` writes a call of a declared op as PyTorch's internal op has it,
`interception` hands calls to modes and subclasses, `functions` those of what is no declared op, `pass_below` runs the
nodes of a backward pass op by op, `wrapper` makes tensors without values, `flops` counts operations, `modules`
tracks which modules run.
Where no mode was entered and no class has a __torch_dispatch__, ops pay nothing for it.
"""
