def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e).split(chr(10))[0][:150])
a = [torch.tensor([.5, -.25]), torch.tensor([[.1], [.9]])]
for n in 'abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc clone max norm'.split():
    print(n, getattr(torch, '_foreach_' + n)(a))
    if n not in ('clone', 'max', 'norm'):
        b = [x.clone() for x in a]; r = getattr(torch, '_foreach_' + n + '_')(b); print(r, b)
# ---
a = [torch.tensor([.5, 2.]), torch.tensor([[1.], [3.]])]
b = [x + 1 for x in a]
for n in 'add sub mul div clamp_max clamp_min maximum minimum pow'.split():
    f = getattr(torch, '_foreach_' + n); g = getattr(torch, '_foreach_' + n + '_')
    print(n, f(a, 2), f(a, [1., 2.]), f(a, b))
    for o in (2., [1., 2.], b):
        c = [x.clone() for x in a]; g(c, o); print(c)
print(torch._foreach_add(a, b, alpha=.5), torch._foreach_sub(a, b, alpha=2), torch._foreach_mul(a, torch.tensor(3.)), torch._foreach_pow(2., a))
# ---
a = [torch.tensor([.5, 2.]), torch.tensor([[1.], [3.]])]
b = [x + 1 for x in a]; c = [x * 2 for x in a]
for n in ('addcmul', 'addcdiv'):
    f = getattr(torch, '_foreach_' + n); g = getattr(torch, '_foreach_' + n + '_')
    print(f(a, b, c), f(a, b, c, value=.5), f(a, b, c, [1., 2.]), f(a, b, c, torch.tensor([1., 2.])))
    d = [x.clone() for x in a]; g(d, b, c, value=-1); print(d)
print(torch._foreach_lerp(a, b, .3), torch._foreach_lerp(a, b, c), torch._foreach_lerp(a, b, [.1, .2]))
d = [x.clone() for x in a]; torch._foreach_lerp_(d, b, .3); print(d)
print(torch._foreach_norm(a, 1), torch._foreach_norm(a, float('inf')), torch._foreach_powsum(a, 2))
torch._foreach_copy_(d, b); print(d); torch._foreach_zero_(d); print(d)
# ---
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e).split(chr(10))[0][:150])
for f in (lambda: torch._foreach_add([],1), lambda: torch._foreach_add([torch.ones(2)],[torch.ones(2)]*2), lambda: torch._foreach_add([torch.ones(2)],[1.,2.]), lambda: torch._foreach_exp([]), lambda: torch._foreach_exp(torch.ones(2)), lambda: torch._foreach_addcmul([torch.ones(2)],[torch.ones(2)],[torch.ones(2)]*2), lambda: torch._foreach_exp([1.])): t(f)
# ---
a = [torch.ones(2, requires_grad=True), torch.full((3,), 2., requires_grad=True)]
n = torch.stack(torch._foreach_norm(a)).norm(); n.backward(); print(n.item(), a[0].grad, a[1].grad)
r = torch._foreach_mul(torch._foreach_exp(a), 2.); sum(x.sum() for x in r).backward(); print(a[0].grad, a[1].grad)
