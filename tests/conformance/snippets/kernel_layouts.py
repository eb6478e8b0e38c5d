
s=torch.randn(2,3,6,5).permute(2,3,0,1)
print(s.stride(), torch.softmax(s,dim=1).stride(), torch.softmax(s,0).stride(), torch.log_softmax(s,1).stride(), s.masked_fill(torch.zeros(6,5,1,1)>0, 1.).stride(), (s*2).stride(), torch.relu(s).stride(), torch.nn.functional.gelu(s).stride(), torch.nn.functional.dropout(s,.5).stride(), s.clone().stride(), torch.where(s>0,s,0.).stride(), s.exp().stride(), torch.softmax(s,-1).stride(), torch.nn.functional.layer_norm(s,(3,)).stride(), torch.cat([s,s]).stride(), torch.stack([s,s]).stride(), s.cumsum(1).stride(), s.sum(0).stride(), torch.nn.functional.silu(s).stride(), torch.zeros_like(s).stride(), s.flip(0).stride(), s.roll(1,0).stride(), torch.nn.functional.pad(s,(1,1)).stride(), s.sort(1)[0].stride(), s.topk(2,1)[0].stride(), s.tril().stride() if 0 else '', torch.nn.functional.one_hot(s.long().abs()%3,3).stride(), s.to(torch.float64).stride(), s.gather(1,torch.zeros(6,2,2,3,dtype=torch.long)).stride(), torch.nn.functional.elu(s).stride(), torch.nn.functional.leaky_relu(s).stride(), torch.nn.functional.softplus(s).stride(), torch.nn.functional.hardtanh(s).stride(), torch.nn.functional.glu(torch.randn(2,4,6,5).permute(2,3,0,1),-1).stride(), torch.nn.functional.normalize(s,dim=1).stride(), s.clamp(0).stride(), torch.nn.functional.mish(s).stride(), s.amax(0).stride(), s.max(0)[0].stride(), s.cumprod(0).stride(), s.logsumexp(0).stride(), s.var(0).stride(), s.norm(dim=0).stride(), s.repeat(1,1,1,2).stride(), s.index_select(0,torch.tensor([0,1])).stride(), s.masked_fill_(s>0,0).stride(), s.matmul(torch.randn(3,4)).stride(), torch.nn.functional.linear(s,torch.randn(4,3)).stride(), torch.baddbmm(torch.randn(2,3,4),torch.randn(2,3,5),torch.randn(2,5,4)).stride(), torch.bmm(torch.randn(2,5,3).transpose(1,2),torch.randn(2,5,4)).stride(), torch.randn_like(s).stride(), torch.nn.functional.softmin(s,1).stride(), s.fmod(1).stride(), torch.maximum(s,s*2).stride(), torch.lerp(s,s,.5).stride(), torch.addcmul(s,s,s).stride(), s.sigmoid().stride(), torch.nn.functional.cosine_similarity(s,s,dim=1).stride(), torch.nn.functional.instance_norm(s).stride() if 0 else '',sep='\n')
x=torch.randn(2,3,4,5); c=x.contiguous(memory_format=torch.channels_last)
print(torch.cat([c,c],1).stride(), torch.cat([c,x],1).stride(), torch.cat([x,c],1).stride(),torch.cat([c,c],0).stride(), torch.cat([c,c],3).stride())
# ---

q=torch.randn(6,2,2,8); pe=torch.randn(13,2,8); b=torch.einsum('ibhd,jhd->ijbh',q,pe); bias=torch.randn(13,2)[None,:,None,:]; print(b.stride(), bias.stride(), (b+bias).stride(), b.shape)
x=b+bias; z=x.new_zeros(6,1,2,2); print(torch.cat([x,z],dim=1).stride(), torch.cat([b,z],1).stride(), torch.cat([z,b],1).stride())
# ---

torch.manual_seed(0)
def t(spec,*shapes):
    a=[torch.randn(*s) for s in shapes]
    r=torch.einsum(spec,*a); print(spec, tuple(r.shape), r.stride())
t('ibhd,jbhd->ijbh',(6,2,3,4),(5,2,3,4)); t('ijbh,jbhd->ibhd',(6,5,2,3),(5,2,3,4)); t('bhid,bhjd->bhij',(2,3,6,4),(2,3,5,4)); t('bhij,bhjd->bhid',(2,3,6,5),(2,3,5,4))
t('ij,jk->ik',(2,3),(3,4)); t('ij,jk->ki',(2,3),(3,4)); t('bij,bjk->bik',(2,3,4),(2,4,5)); t('ij->ji',(2,3)); t('ii->i',(3,3)); t('i,j->ij',(3,),(4,)); t('bij,kj->bik',(2,3,4),(5,4)); t('bij,bij->b',(2,3,4),(2,3,4)); t('...ij,...jk->...ik',(2,3,4),(2,4,5)); t('bn,anm,bm->ba',(2,5),(3,5,4),(2,4)); t('nhwc,hkc->nhwk',(2,3,4,5),(3,6,5)); t('bhid,jhd->bhij',(2,3,6,4),(5,3,4)); t('ijk->kij',(2,3,4)); t('ijk->ik',(2,3,4)); t('bqhd,bkhd->bhqk',(2,6,3,4),(2,5,3,4)); t('bhqk,bkhd->bqhd',(2,3,6,5),(2,5,3,4)); t('nqhd,nkhd->nhqk',(2,6,3,4),(2,5,3,4)); t('nhql,nlhd->nqhd',(2,3,6,5),(2,5,3,4)); t('abcd,cd->ab',(2,3,4,5),(4,5)); t('abcd,ef->abcdef',(2,3,4,5),(2,3)); t('bci,bcj->bij',(2,3,4),(2,3,5)); t('bld,dnr->blnr',(2,3,4),(4,2,3)); t('ij,ij->ij',(2,3),(2,3)); t('ij,ij->ji',(2,3),(2,3)); t('i,i->',(3,),(3,)); t('sij,sjk->sik',(1,3,4),(1,4,5)); t('ibhd,jbhd->ijbh',(1,2,3,4),(5,2,3,4)); t('bnd,bmd->nbm',(2,3,4),(2,5,4)); t('a,b,c->abc',(2,),(3,),(4,)); t('ijk,jil->kl',(2,3,4),(3,2,5)); t('b h i d, b h j d -> b h i j',(2,3,6,4),(2,3,5,4)); t('b i h d, b j h d -> b h i j',(2,6,3,4),(2,5,3,4))
x=torch.randn(6,2,3,4).transpose(0,1); y=torch.randn(5,2,3,4).transpose(0,1)
print(torch.einsum('bihd,bjhd->bhij',x,y).stride())
# ---
q=torch.randn(6,2,3,4,requires_grad=True); k=torch.randn(5,2,3,4,requires_grad=True); r=torch.einsum('ibhd,jbhd->ijbh',q,k); n=r.grad_fn
for _ in range(8):
    print(n.name(), [m[0].name() if m[0] else None for m in n.next_functions]); n=n.next_functions[0][0]
    if n is None or not n.next_functions: break
# ---
x=torch.randn(2,4,3,3).contiguous(memory_format=torch.channels_last).requires_grad_(); gn=torch.nn.GroupNorm(2,4); y=gn(x); print(y.stride(), y.sum().item()); (y**3).sum().backward(); print(x.grad.stride(), x.grad); y=gn(x.detach().contiguous()); print(y.stride()); y=torch.nn.functional.group_norm(x.detach(),2); print(y.stride()); print(torch.nn.functional.instance_norm(x).stride(), torch.nn.functional.batch_norm(x,torch.zeros(4),torch.ones(4),training=True).stride())
