torch.testing.assert_close(torch.ones(2),torch.zeros(2))
# ---
torch.testing.assert_close(torch.ones(2),torch.ones(3))
# ---
torch.testing.assert_close(torch.ones(2),torch.ones(2,dtype=torch.float64))
# ---
torch.testing.assert_close([torch.ones(2),1.],[torch.ones(2),2.])
# ---
torch.testing.assert_close({'a':torch.ones(2)},{'b':1})
# ---
torch.testing.assert_close(1.,1.1)
# ---
torch.testing.assert_close(1,1.)
# ---
torch.testing.assert_close(torch.tensor([1,2]),torch.tensor([1,3]))
# ---
torch.testing.assert_close(torch.tensor([[1.,2.],[3.,4.]]),torch.tensor([[1.,2.5],[3.,4.]]),rtol=0,atol=.1)
# ---
torch.testing.assert_close(torch.tensor([float('nan')]),torch.tensor([float('nan')]))
# ---
torch.testing.assert_close(torch.tensor([float('nan')]),torch.tensor([float('nan')]),equal_nan=True)
# ---
torch.testing.assert_close(torch.ones(2),torch.zeros(2),msg='mine')
# ---
torch.testing.assert_close(torch.ones(2),torch.zeros(2),msg=lambda m:'mine\n'+m)
# ---
torch.testing.assert_close('a','b')
# ---
torch.testing.assert_close(None,1)
# ---
torch.testing.assert_close(torch.ones(2),torch.ones(2),rtol=1)
# ---
torch.testing.assert_close(torch.tensor([True,False]),torch.tensor([True,True]))
# ---
torch.testing.assert_close([1,2],[1])
# ---
torch.testing.assert_close(torch.tensor(1.5),torch.tensor(2.5))
# ---
class T(torch.Tensor): pass
t=T([1.,2.]); print(type(t+1), t, torch.ones(2).as_subclass(T), isinstance(t,torch.Tensor), type(t.sum()), type(torch.ones(2)+t), type(t.view(2,1)), type(t*2.), (t+1).requires_grad_())
# ---
print(torch.typename(torch.ones(1)), torch.typename(3), torch.is_same_size(torch.ones(2),torch.ones(2)), torch.ones(2).share_memory_())
