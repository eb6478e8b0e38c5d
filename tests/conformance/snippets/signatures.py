torch.sum(bogus=1)
# ---
torch.conv2d(bogus=1)
# ---
torch.conv2d(1,bogus=1,r=4)
# ---
torch.dropout(torch.ones(2))
# ---
torch.batch_norm(torch.ones(2))
# ---
torch.arange('a')
# ---
torch.zeros((2,'a'))
# ---
torch.ones('a','b')
# ---
torch.ones(1,2,dtype=3)
# ---
torch.where('a')
# ---
torch.where(torch.ones(2))
# ---
torch.div(torch.ones(2),torch.ones(2),rounding_mode=3)
# ---
torch.cat([torch.ones(2),3])
# ---
torch.randperm('a')
# ---
torch.eye('a')
# ---
torch.full((2,),'a')
# ---
torch.full(2,1)
# ---
torch.addmm(torch.ones(2),torch.ones(2),'a')
# ---
torch.nn.functional.gelu(3)
# ---
torch.nn.functional.gelu(torch.ones(2),approximate=3)
# ---
torch.nn.functional.avg_pool2d(torch.ones(2),'a')
# ---
torch.nn.functional.linear(torch.ones(2),'a')
# ---
torch.nn.functional.linear(torch.ones(2),torch.ones(2),b=3)
# ---
torch.nn.functional.conv2d(torch.ones(2),'a')
# ---
torch.nn.functional.one_hot('a')
# ---
torch.tensor()
# ---
torch.tensor([1],foo=3)
# ---
torch.tensor([1],dtype=3)
# ---
torch.linalg.norm('a')
# ---
torch.linalg.inv('a')
# ---
torch.linalg.svd(torch.ones(2,2),full_matrices='a')
# ---
torch.fft.fft('a')
# ---
torch.fft.fft(torch.ones(2),norm=3)
# ---
torch.special.expit('a')
# ---
torch.special.gammaln()
# ---
torch.stack(torch.ones(2))
# ---
torch.topk(torch.ones(2),'a')
# ---
torch.set_grad_enabled('a')
# ---
torch.randn('a')
# ---
torch.rand()
# ---
torch.randint('a')
# ---
torch.randint(3,'a')
# ---
torch.normal('a')
# ---
torch.normal(1,2)
# ---
torch.arange()
# ---
torch.softmax(torch.ones(2))
# ---
torch.max('a')
# ---
torch.max(torch.ones(2),'a')
# ---
torch.var_mean('a')
# ---
torch.clamp(torch.ones(2),'a',max='b')
# ---
torch.index_select(torch.ones(2),0,3)
# ---
torch.gather(torch.ones(2),'a',torch.ones(2))
# ---
torch.bincount('a')
# ---
torch.bmm(3,4)
# ---
torch.zeros_like(3)
# ---
torch.zeros_like(torch.ones(2),3)
# ---
torch.empty('a')
# ---
torch.numel(3)
# ---
torch.sub(torch.ones(2),'a')
# ---
torch.zeros(2, dtype=int), torch.ones(2, dtype=bool), torch.full((2,), 1, dtype=float), torch.arange(3, dtype=float), torch.tensor([1], dtype=float)
# ---
torch.ones(2).to(float), torch.ones(2).sum(dtype=float), torch.zeros_like(torch.ones(2), dtype=int), torch.ones(2).new_zeros(2, dtype=int), torch.empty(2, dtype=complex).dtype
# ---
torch.add(1, 'a')
# ---
torch.add('a', 1)
# ---
torch.sin(torch.ones(2), 3)
# ---
torch.sin(torch.ones(2), foo=3)
# ---
torch.sin(torch.ones(2), out=3)
# ---
torch.matmul(torch.ones(2), torch.ones(2), out=3)
# ---
torch.matmul()
# ---
torch.tensor([None])
# ---
torch.tensor(['a'])
# ---
torch.tensor([1, None])
# ---
torch.tensor([[1, 2], [3, 'a']])
# ---
torch.tensor([1, object()])
# ---
x = torch.ones(2,3); x.max(3,4,5)
# ---
x = torch.ones(2,3); x.repeat('a')
# ---
x = torch.ones(2,3); x.permute('a','b')
# ---
x = torch.ones(2,3); x.permute(1.5,0)
# ---
x = torch.ones(2,3); x.permute([1.5])
# ---
x = torch.ones(2,3); x.permute((0,1.5))
# ---
x = torch.ones(2,3); x.clamp('a')
# ---
x = torch.ones(2,3); x.view()
# ---
x = torch.ones(2,3); x.view('a')
# ---
x = torch.ones(2,3); x.view(1.5,2)
# ---
x = torch.ones(2,3); x.view([1.5])
# ---
x = torch.ones(2,3); x.view(2,'a')
# ---
x = torch.ones(2,3); x.reshape(3,'a')
# ---
x = torch.ones(2,3); x.reshape('a')
# ---
x = torch.ones(2,3); x.reshape(3.5,'a')
# ---
x = torch.ones(2,3); x.expand('a','b')
# ---
x = torch.ones(2,3); x.clamp(min='a')
# ---
x = torch.ones(2,3); x.clamp(min='a',max='b')
# ---
x = torch.ones(2,3); x.sum((0,'a'))
# ---
x = torch.ones(2,3); x.sum([1.5])
# ---
x = torch.ones(2,3); torch.tile(x,('a',))
# ---
x = torch.ones(2,3); torch.flip(x,'a')
# ---
x = torch.ones(2,3); x.repeat(2,'a')
# ---
x = torch.ones(2,3); x.std(unbiased='a')
# ---
x = torch.ones(2,3); x.std(dim='a')
# ---
x = torch.ones(2,3); x.max('a')
# ---
x = torch.ones(2,3); x.add()
# ---
x = torch.ones(2,3); x.add(1,2,3)
# ---
x = torch.ones(2,3); x.add(x,alpha='a')
# ---
x = torch.ones(2,3); x.mean('a')
# ---
x = torch.ones(2,3); torch.logsumexp(x)
# ---
x = torch.ones(2,3); x.pow('a')
# ---
x = torch.ones(2,3); x.lerp(x,'a')
# ---
x = torch.ones(2,3); x.exp(3,4)
# ---
x = torch.ones(2,3); x.float(3)
# ---
x = torch.ones(2,3); x.item(3)
# ---
x = torch.ones(2,3); x.sum(0,1)
# ---
x = torch.ones(2,3); x.to('a',3,4,5,6)
# ---
x = torch.ones(2,3); x.to([3])
# ---
x = torch.ones(2,3); x.squeeze('a')
# ---
x = torch.ones(2,3); x.size('a')
# ---
x = torch.ones(2,3); x.copy_('a')
# ---
x = torch.ones(2,3); x.all('a')
# ---
x = torch.ones(2,3); x.transpose('a',0)
# ---
x = torch.ones(2,3); x.unsqueeze('a')
# ---
x = torch.ones(2,3); x.requires_grad_('a')
# ---
x = torch.ones(2,3); x.index_select(0,[0])
# ---
x = torch.ones(2,3); x.masked_fill('a',0)
# ---
x = torch.ones(2,3); x.masked_fill(x>0,'a')
# ---
x = torch.ones(2,3); x.argmax('a')
# ---
x = torch.ones(2,3); x.new_zeros('a')
# ---
x = torch.ones(2,3); x.fill_('a')
# ---
x = torch.ones(2,3); x.zero_(3)
# ---
x = torch.ones(2,3); x.uniform_('a')
# ---
x = torch.ones(2,3); x.normal_(0,'a')
# ---
x = torch.ones(2,3); x.cumsum()
# ---
x = torch.ones(2,3); x.detach(3)
# ---
x = torch.ones(2,3); x.clone(3)
# ---
x = torch.ones(2,3); x.scatter(0,x,'a')
# ---
x = torch.ones(2,3); x.new_tensor()
# ---
x = torch.ones(2,3); x.stride('a')
# ---
x = torch.ones(2,3); x.unbind('a')
# ---
x = torch.ones(2,3); x.relu(3)
# ---
x = torch.ones(2,3); x.matmul()
# ---
x = torch.ones(2,3); x.item('a')
# ---
x = torch.ones(2,3); x.numpy('a')
# ---
x = torch.ones(2,3); x.detach('a')
# ---
x = torch.ones(2,3); x.backward(1,2,3,4,5,6)
# ---
x = torch.ones(2,3); x.relu(foo=3)
# ---
x = torch.ones(2,3); x.abs(3)
# ---
x = torch.ones(2,3); x.neg(3)
# ---
x = torch.ones(2,3); x.absolute(3)
# ---
x = torch.ones(2,3); x.sigmoid(3)
# ---
x = torch.ones(2,3); x.add_('a')
# ---
x = torch.ones(2,3); x.mul_(x, x)
# ---
x = torch.ones(2,3); x.exp_(3)
# ---
x = torch.ones(2,3); x.t(3)
# ---
x = torch.ones(2,3); x.dot(3)
# ---
x = torch.ones(2,3); x.mm()
# ---
x = torch.ones(2,3); x.gather(0)
# ---
x = torch.ones(2,3); x.flatten('a')
# ---
x = torch.ones(2,3); x.softmax('a')
# ---
x = torch.ones(2,3); x.log_softmax()
# ---
x = torch.ones(2,3); x.tril('a')
# ---
x = torch.ones(2,3); x.sort('a')
# ---
x = torch.ones(2,3); x.sort(dim='a', descending=True)
# ---
x = torch.ones(2,3); x.chunk('a')
# ---
x = torch.ones(2,3); x.chunk()
# ---
x = torch.ones(2,3); x.narrow(0)
# ---
x = torch.ones(2,3); x.select(0)
# ---
x = torch.ones(2,3); x.expand_as(3)
# ---
x = torch.ones(2,3); x.view_as(3)
# ---
x = torch.ones(2,3); x.bernoulli_('a')
# ---
x = torch.ones(2,3); x.prod('a')
# ---
x = torch.ones(2,3); x.var('a')
# ---
x = torch.ones(2,3); x.median('a')
# ---
x = torch.ones(2,3); x.min('a')
# ---
x = torch.ones(2,3); x.any('a')
# ---
x = torch.ones(2,3); x.cumprod('a')
# ---
x = torch.ones(2,3); x.roll('a')
# ---
x = torch.ones(2,3); x.flip('a')
# ---
x = torch.ones(2,3); x.movedim('a',0)
# ---
x = torch.ones(2,3); x.swapaxes('a',0)
# ---
x = torch.ones(2,3); x.eq('a')
# ---
x = torch.ones(2,3); x.eq()
# ---
x = torch.ones(2,3); x.lt('a')
# ---
x = torch.ones(2,3); x.where('a')
# ---
x = torch.ones(2,3); x.where()
# ---
x = torch.ones(2,3); x.addcmul(x)
# ---
x = torch.ones(2,3); x.addcmul(x,x,value='a')
# ---
x = torch.ones(2,3); x.clamp_(min='a')
# ---
x = torch.ones(2,3); x.sub(x,x)
# ---
x = torch.ones(2,3); x.div(x,x)
# ---
x = torch.ones(2,3); x.div('a')
# ---
x = torch.ones(2,3); x.floor_divide('a')
# ---
x = torch.ones(2,3); x.remainder('a')
# ---
x = torch.ones(2,3); x.fmod('a')
# ---
x = torch.ones(2,3); x.atan2(3)
# ---
x = torch.ones(2,3); x.bmm(3)
# ---
x = torch.ones(2,3); x.matmul(3)
# ---
x = torch.ones(2,3); x.mv(3)
# ---
x = torch.ones(2,3); x.ger(3)
# ---
x = torch.ones(2,3); x.outer(3)
# ---
x = torch.ones(2,3); x.index_add(0,x)
# ---
x = torch.ones(2,3); x.scatter_(0)
# ---
x = torch.ones(2,3); x.retain_grad(3)
# ---
x = torch.ones(2,3); x.register_hook()
# ---
x = torch.ones(2,3); x.data_ptr(3)
# ---
x = torch.ones(2,3); x.dim(3)
# ---
x = torch.ones(2,3); x.numel(3)
# ---
x = torch.ones(2,3); x.tolist(3)
# ---
x = torch.ones(2,3); x.contiguous(3)
# ---
x = torch.ones(2,3); x.is_contiguous(3)
# ---
x = torch.ones(2,3); x.element_size(3)
# ---
x = torch.ones(2,3); x.zero_(foo=3)
# ---
x = torch.ones(2,3); x.diagonal('a')
# ---
x = torch.ones(2,3); x.diag('a')
# ---
x = torch.ones(2,3); x.trace(3)
# ---
x = torch.ones(2,3); x.unfold(0)
# ---
x = torch.ones(2,3); x.masked_select(3)
# ---
x = torch.ones(2,3); x.take(3)
# ---
x = torch.ones(2,3); x.nonzero(3)
# ---
x = torch.ones(2,3); x.topk()
# ---
x = torch.ones(2,3); x.kthvalue()
# ---
x = torch.ones(2,3); x.mode('a')
# ---
x = torch.ones(2,3); x.argsort('a')
# ---
x = torch.ones(2,3); x.logical_and(3)
# ---
x = torch.ones(2,3); x.isnan(3)
# ---
x = torch.ones(2,3); x.isclose(3)
# ---
x = torch.ones(2,3); x.allclose(3)
# ---
x = torch.ones(2,3); x.equal(3)
# ---
x = torch.ones(2,3); x.round('a')
# ---
x = torch.ones(2,3); x.round(decimals='a')
# ---
x = torch.ones(2,3); x.nan_to_num('a')
# ---
x = torch.ones(2,3); x.type_as(3)
# ---
x = torch.ones(2,3); x.resize_('a')
# ---
x = torch.ones(2,3); x.set_('a')
# ---
x = torch.ones(2,3); x.random_('a')
# ---
x = torch.ones(2,3); x.exponential_('a')
# ---
x = torch.ones(2,3); x.double(3)
# ---
x = torch.ones(2,3); x.requires_grad_(3)
# ---
x = torch.ones(2,3); x.repeat_interleave('a')
# ---
x = torch.ones(2,3); x.tensor_split('a')
# ---
x = torch.ones(2,3); x.sum(dim=0,foo=3)
# ---
x = torch.ones(2,3); x.mean(axis='a')
# ---
x = torch.ones(2,3); x.sum(axis=0, keepdims=True)
# ---
x = torch.ones(2,3); x.max(axis=0)
# ---
x = torch.ones(2,3); torch.sum(a=x)
# ---
x = torch.ones(2,3); torch.add(x1=x,x2=x)
# ---
x = torch.ones(2,3); torch.exp(x=x)
# ---
torch.zeros()
# ---
torch.zeros(size=(2,)), torch.ones(size=[2]), torch.empty(size=(1,)).shape, torch.rand(size=(2,)).shape
# ---
torch.ones(())
# ---
torch.randn()
# ---
torch.zeros(2, 3, device=3.5)
# ---
torch.zeros(2, requires_grad='a')
# ---
torch.eye()
# ---
torch.linspace(0, 1)
# ---
torch.full((2,))
# ---
torch.full((2,), 1, dtype=float)
# ---
x = torch.ones(2); x.to([3])
# ---
x = torch.ones(2); x.to('a')
# ---
x = torch.ones(2); x.to(float), x.to(int), x.to(dtype=float), x.to(torch.float64, True), x.to('cpu', float)
# ---
x = torch.ones(2); x.double(3)
# ---
x = torch.ones(2); x.sum(dtype=float), x.mean(dtype=float), x.cumsum(0, dtype=float), x.softmax(0, dtype=float), x.prod(dtype=float)
# ---
x = torch.ones(2); x[0] = 'a'
# ---
x = torch.ones(2); x[0] = [1, 2, 3]
# ---
x = torch.ones(2); x[0.5]
# ---
x = torch.ones(2); x[None, 'a'] = 1
# ---
x = torch.ones(2); x[0] = None
# ---
x = torch.ones(2); x[:] = torch.ones(3)
# ---
x = torch.ones(2, 3); x[0] = torch.ones(2, 3)
# ---
x = torch.ones(2); x + 'a'
# ---
x = torch.ones(2); 'a' * x
# ---
x = torch.ones(2); x @ 'a'
# ---
x = torch.ones(2); x += 'a'
# ---
x = torch.ones(2); x < 'a'
# ---
x = torch.ones(2); x == 'a', x != None
# ---
x = torch.ones(2); x - [1, 2]
# ---
x = torch.ones(2); x / None
# ---
x = torch.ones(2); x & 1
# ---
x = torch.ones(2); x // 'a'
# ---
x = torch.ones(2); x % 'a'
# ---
x = torch.ones(2); x.expit
# ---
torch.special.log_softmax(torch.ones(2))
# ---
torch.special.softmax(torch.ones(2), 0), torch.special.log_softmax(torch.ones(2), 0), torch.nn.functional.log_softmax(torch.ones(2), 0)
# ---
torch.nn.functional.linear('a', 'b')
# ---
torch.nn.functional.conv2d('a', 'b')
# ---
torch.nn.functional.pad('a', 1)
# ---
torch.nn.functional.cross_entropy('a', 'b')
# ---
torch.nn.functional.gelu()
# ---
torch.nn.functional.max_pool2d(torch.ones(1, 1, 4, 4), 'a')
# ---
torch.nn.functional.embedding('a', torch.ones(2, 2))
# ---
torch.nn.functional.softplus('a')
# ---
torch.nn.Linear('a', 2)
# ---
torch.nn.Linear(2, 2)('a')
# ---
torch.nn.Conv2d(1, 1, 1)('a')
# ---
torch.nn.ReLU()('a')
# ---
torch.nn.Linear()
# ---
torch.nn.Linear(2, 2)()
# ---
torch.autograd.grad('a', 'b')
# ---
torch.autograd.backward('a')
# ---
torch.ones(2, requires_grad=True).sum().backward('a')
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.backward([1, 1])
# ---
x = torch.ones(2); x.requires_grad = 'a'
# ---
x = torch.ones(2); x.grad = 'a'
# ---
x = torch.ones(2); x.data = 'a'
# ---
x = torch.ones(2); x.register_hook('a')
# ---
x = torch.ones(2, requires_grad=True); x.register_hook('a')
# ---
torch.chunk(torch.ones(4), 'a')
# ---
torch.einsum('ij', torch.ones(2))
# ---
torch.save()
# ---
torch.optim.SGD('a')
# ---
torch.optim.SGD([])
# ---
torch.optim.SGD([1], lr=1)
# ---
torch.is_tensor()
# ---
torch.from_numpy('a')
# ---
torch.as_tensor('a')
# ---
torch.clone('a')
# ---
torch.allclose(torch.ones(2), 'a')
# ---
torch.equal('a', torch.ones(2))
# ---
torch.can_cast('a', 'b')
# ---
torch.cumsum(torch.ones(2), dim='a')
# ---
torch.ones(2).argmax(dim=0, keepdim='a')
# ---
torch.ones(2, 2).mean(0, 'a')
# ---
torch.ones(2, 2).max(0, 'a')
# ---
torch.ones(2, 2).var(0, 'a')
# ---
torch.ones(2, 2).sort(0, 'a')
# ---
torch.ones(2, 2).topk(1, 0, 'a')
# ---
torch.ones(2, 2).flatten(0, 1, 2)
# ---
torch.ones(2, 2).squeeze(0, 1)
# ---
torch.ones(2, 2).transpose(0)
# ---
torch.ones(2, 2).clamp(1, 2, 3)
# ---
torch.ones(2, 2).add(torch.ones(2), torch.ones(2), torch.ones(2))
# ---
torch.add(torch.ones(2))
# ---
torch.add()
# ---
torch.add(torch.ones(2), 1, alpha='a')
# ---
torch.add(torch.ones(2), 1, beta=2)
# ---
torch.add(torch.ones(2), torch.ones(2), out='a')
