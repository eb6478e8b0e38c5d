x = torch.ones(3).as_strided((2, 2), (0, 1))
x[...] = x
x[:] = x.conj()
x[0] = x[0]
x._version, x.copy_(x.view_as(x))._version
# ---
x = torch.ones(3).as_strided((2, 2), (0, 1))
x[...] = x + 1
