torch.manual_seed(1); print(torch.randint_like(torch.ones(3),5), torch.randint_like(torch.ones(2,dtype=torch.int64),2,9), torch.randint(3,(4,)), torch.randint(2,7,(2,2)), torch.randint(0,2**40,(2,)), torch.randint(10,(3,),dtype=torch.int32), torch.randint(5,(2,),dtype=torch.float32))
# ---
torch.manual_seed(1); print(torch.normal(0.,1.,(3,)), torch.normal(torch.zeros(3),torch.ones(3)), torch.normal(torch.zeros(2),2.), torch.normal(1.,torch.ones(2)*3), torch.normal(mean=torch.arange(1.,5.)))
# ---
torch.manual_seed(1); print(torch.bernoulli(torch.tensor([.2,.8,.5])), torch.empty(3).bernoulli_(), torch.empty(3).bernoulli_(.9), torch.tensor([.1,.9]).bernoulli(), torch.empty(3).bernoulli_(torch.tensor([.1,.5,.9])))
# ---
torch.manual_seed(1); print(torch.multinomial(torch.tensor([.1,.3,.6]),5,replacement=True), torch.multinomial(torch.tensor([[.1,.3,.6],[1.,0,0]]),1), torch.tensor([1.,2.,3.]).multinomial(2))
# ---
torch.multinomial(torch.tensor([0.,0.]),1)
# ---
torch.multinomial(torch.tensor([-1.,2.]),1)
# ---
torch.multinomial(torch.tensor([1.,2.]),3)
# ---
torch.manual_seed(1); x=torch.empty(4); print(x.uniform_(-1,1), x.normal_(2,3), x.exponential_(), x.exponential_(2.), x.cauchy_(), x.log_normal_(), x.geometric_(.3), x.random_(), x.random_(10), x.random_(2,5))
# ---
torch.manual_seed(1); print(torch.empty(3,dtype=torch.int64).random_(), torch.empty(3,dtype=torch.uint8).random_(), torch.empty(3,dtype=torch.bool).random_(), torch.empty(20).normal_(), torch.empty(2,3,dtype=torch.float64).uniform_())
# ---
s=torch.get_rng_state(); a=torch.rand(2); torch.set_rng_state(s); b=torch.rand(2); print(torch.equal(a,b), s.dtype, s.shape, s[:8])
# ---
with torch.random.fork_rng(): a=torch.rand(2)
print(torch.equal(a,torch.rand(2)), torch.random.initial_seed(), torch.initial_seed())
# ---
torch.manual_seed(-1); print(torch.rand(2), torch.initial_seed()); torch.manual_seed(2**64-1); torch.manual_seed(2**64)
# ---
torch.manual_seed('a')
# ---
print(type(torch.manual_seed(3)), torch.random.manual_seed(3) is torch.default_generator); torch.randn(2,3), torch.rand(3,3,dtype=torch.float64), torch.randn(5,dtype=torch.complex64), torch.rand(2,dtype=torch.float16), torch.randn(2,dtype=torch.bfloat16), torch.randn(20,dtype=torch.float16)
# ---
torch.randperm(0), torch.randperm(1), torch.randperm(10), torch.randperm(4,dtype=torch.int32)
# ---
torch.randint(5,5,(2,))
# ---
torch.randint(0,(2,))
# ---
torch.rand(2,dtype=torch.int64)
# ---
torch.randn(-1)
# ---
F.dropout(torch.ones(10)), F.dropout(torch.ones(10),.2), F.dropout(torch.ones(3,4,dtype=torch.float64),.5), F.dropout(torch.ones(4),0.), F.dropout(torch.ones(4),1.)
# ---
torch.poisson(torch.tensor([1.,5.])).shape
# ---
torch.nn.init.normal_(torch.empty(2,3)), torch.nn.init.xavier_uniform_(torch.empty(2,3)), torch.nn.init.kaiming_normal_(torch.empty(2,3)), torch.nn.init.orthogonal_(torch.empty(2,2)) if 0 else 0, torch.nn.init.trunc_normal_(torch.empty(3))
# ---
torch.distributions.Normal(0.,1.).sample((3,)), torch.distributions.Categorical(torch.tensor([.2,.8])).sample((4,)), torch.distributions.Uniform(0,1).sample(), torch.distributions.Bernoulli(.3).sample((3,))
