x = torch.ones(2, 3, requires_grad=True)
[type(f(x).grad_fn).__name__ for f in (lambda t: t.view(6), lambda t: t.reshape(6), lambda t: t.t(), lambda t: t.T, lambda t: t.transpose(0, 1), lambda t: t.permute(1, 0), lambda t: t[0], lambda t: t[:, 1:], lambda t: t[[0, 1]], lambda t: t[None], lambda t: t[..., 0], lambda t: t.squeeze(), lambda t: t.unsqueeze(0), lambda t: t.expand(2, 2, 3), lambda t: t.repeat(2, 1), lambda t: t.flatten(), lambda t: t.chunk(2)[0], lambda t: t.split(1)[0], lambda t: t.unbind()[0], lambda t: t.narrow(1, 0, 2), lambda t: t.diagonal(), lambda t: t.roll(1), lambda t: t.flip(0), lambda t: t.contiguous(), lambda t: t.clone(), lambda t: t.mT, lambda t: t.movedim(0, 1), lambda t: t.select(0, 1), lambda t: t.index_select(0, torch.tensor([0])), lambda t: t.gather(0, torch.tensor([[0]])), lambda t: t.masked_select(t > 0), lambda t: t.take(torch.tensor([0])), lambda t: t.unfold(1, 2, 1), lambda t: t.as_strided((2,), (1,)), lambda t: t.tril(), lambda t: t.triu(), lambda t: t.view_as(t), lambda t: t.expand_as(t), lambda t: t.swapaxes(0, 1), lambda t: t.ravel(), lambda t: t.unflatten(1, (3, 1)), lambda t: t.tile(2), lambda t: t.rot90(), lambda t: t.diag_embed(), lambda t: torch.diag(t[0]), lambda t: torch.broadcast_to(t, (2, 2, 3)), lambda t: torch.atleast_3d(t), lambda t: t.view(torch.int32) if False else t.view(6, 1), lambda t: t.adjoint(), lambda t: t.H)]
# ---
x = torch.ones(2, 2, requires_grad=True)
[type(f(x).grad_fn).__name__ for f in (torch.sum, torch.mean, torch.prod, torch.max, torch.min, torch.amax, torch.median, torch.std, torch.var, torch.norm, torch.logsumexp.__call__ if False else lambda t: t.logsumexp(0), lambda t: t.sum(0), lambda t: t.mean(0), lambda t: t.max(0)[0], lambda t: t.sort()[0], lambda t: t.topk(1)[0], lambda t: t.kthvalue(1)[0], lambda t: t.cumsum(0), lambda t: t.cumprod(0), lambda t: t.prod(0), lambda t: t.std(0), lambda t: t.norm(1), lambda t: t.norm(2, 0), lambda t: torch.linalg.norm(t), lambda t: torch.linalg.vector_norm(t), lambda t: torch.linalg.matrix_norm(t), lambda t: t.nansum(), lambda t: t.aminmax()[0], lambda t: t.mode()[0], lambda t: t.median(0)[0], lambda t: t.cummax(0)[0], lambda t: torch.trace(t), lambda t: t.logcumsumexp(0), lambda t: torch.var_mean(t)[0], lambda t: torch.std_mean(t)[1], lambda t: torch.cdist(t, t), lambda t: torch.dist(t, t + 1), lambda t: t.quantile(0.5), lambda t: t.nanmean(), lambda t: torch.trapezoid(t), lambda t: torch.diff(t), lambda t: torch.cov(t), lambda t: torch.renorm(t, 2, 0, 1.))]
# ---
x = torch.full((2, 2), 0.5, requires_grad=True)
[type(getattr(torch, n)(x).grad_fn).__name__ for n in 'exp log log2 log10 log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt rsqrt reciprocal square abs neg sign floor ceil round trunc frac sigmoid relu erf erfc erfinv lgamma digamma logit sinc exp2 positive deg2rad rad2deg i0 nan_to_num angle selu celu conj_physical real'.split()]
# ---
x = torch.full((2, 2), 0.5, requires_grad=True); y = torch.full((2, 2), 0.7, requires_grad=True)
[type(f(x, y).grad_fn).__name__ for f in (torch.add, torch.sub, torch.mul, torch.div, torch.pow, torch.atan2, torch.fmod, torch.remainder, torch.maximum, torch.minimum, torch.fmax, torch.fmin, torch.hypot, torch.matmul, torch.mm, torch.logaddexp, torch.logaddexp2, torch.xlogy, torch.copysign, torch.ldexp, torch.floor_divide if False else torch.true_divide, torch.cross if False else torch.add, torch.kron, torch.outer if False else torch.add, torch.rsub, torch.special.xlog1py, torch.float_power, torch.polar if False else torch.add)]
# ---
x = torch.full((2, 2), 0.5, requires_grad=True)
[type(f(x).grad_fn).__name__ for f in (lambda t: t + 1, lambda t: 1 - t, lambda t: t / 2, lambda t: 2 / t, lambda t: t ** 2, lambda t: 2 ** t, lambda t: -t, lambda t: abs(t), lambda t: t % 2, lambda t: t @ t, lambda t: t @ t[0], lambda t: t[0] @ t, lambda t: t[0] @ t[0], lambda t: t // 1, lambda t: t.addmm(t, t), lambda t: torch.addcmul(t, t, t), lambda t: torch.addcdiv(t, t, t), lambda t: torch.lerp(t, t, 0.5), lambda t: torch.lerp(t, t, t), lambda t: t.clamp(0, 1), lambda t: t.clamp(min=0), lambda t: t.clamp(t, t), lambda t: t.where(t > 0, t), lambda t: t.masked_fill(t > 0, 1), lambda t: torch.cat([t, t]), lambda t: torch.stack([t, t]), lambda t: torch.hstack([t, t]), lambda t: torch.bmm(t[None], t[None]), lambda t: torch.baddbmm(t[None], t[None], t[None]), lambda t: torch.einsum('ij,jk', t, t), lambda t: torch.tensordot(t, t, 1), lambda t: torch.outer(t[0], t[0]), lambda t: torch.block_diag(t, t), lambda t: torch.cartesian_prod(t[0], t[1]), lambda t: torch.meshgrid(t[0], t[1], indexing='ij')[0], lambda t: t.double(), lambda t: t.to(torch.float16), lambda t: torch.complex(t, t), lambda t: torch.view_as_complex(t), lambda t: t.index_add(0, torch.tensor([0]), t[:1]), lambda t: t.scatter(0, torch.tensor([[0, 0]]), t[:1]), lambda t: t.index_fill(0, torch.tensor([0]), 1.), lambda t: t.put(torch.tensor([0]), torch.tensor([1.])), lambda t: t.index_put((torch.tensor([0]),), t[0]), lambda t: torch.logdet(t + torch.eye(2)), lambda t: torch.det(t), lambda t: torch.inverse(t + torch.eye(2)), lambda t: torch.linalg.solve(t + torch.eye(2), t), lambda t: torch.linalg.cholesky(t @ t + torch.eye(2)), lambda t: torch.linalg.svd(t)[1], lambda t: torch.linalg.eigh(t)[0], lambda t: torch.linalg.qr(t)[0], lambda t: torch.fft.fft(t), lambda t: torch.fft.rfft(t), lambda t: t.dot(t) if False else t.mv(t[0]), lambda t: t[0].dot(t[0]), lambda t: t.softmax(0), lambda t: t.log_softmax(0))]
# ---
import torch.nn.functional as F
x = torch.full((2, 4), 0.5, requires_grad=True)
[type(f(x).grad_fn).__name__ for f in (F.relu, F.gelu, F.elu, F.selu, F.silu, F.softplus, F.leaky_relu, F.hardtanh, F.relu6, F.sigmoid, F.tanh, F.logsigmoid, F.softsign, F.mish, F.hardswish, F.hardsigmoid, F.celu, F.tanhshrink, F.softshrink, F.hardshrink, F.threshold.__call__ if False else lambda t: F.threshold(t, 0.1, 0), lambda t: F.glu(t), lambda t: F.softmax(t, 0), lambda t: F.log_softmax(t, 1), lambda t: F.softmin(t, 0), lambda t: F.mse_loss(t, t.detach()), lambda t: F.l1_loss(t, t.detach()), lambda t: F.smooth_l1_loss(t, t.detach()), lambda t: F.huber_loss(t, t.detach()), lambda t: F.cross_entropy(t, torch.tensor([0, 1])), lambda t: F.nll_loss(t, torch.tensor([0, 1])), lambda t: F.binary_cross_entropy(t, t.detach()), lambda t: F.binary_cross_entropy_with_logits(t, t.detach()), lambda t: F.kl_div(t, t.detach(), reduction='batchmean'), lambda t: F.linear(t, torch.ones(3, 4)), lambda t: F.linear(t, torch.ones(3, 4), torch.ones(3)), lambda t: F.layer_norm(t, (4,)), lambda t: F.batch_norm(t, None, None, training=True), lambda t: F.dropout(t), lambda t: F.normalize(t), lambda t: F.cosine_similarity(t, t), lambda t: F.pad(t, (1, 1)), lambda t: F.conv1d(t[None], torch.ones(1, 2, 1)), lambda t: F.max_pool1d(t, 2), lambda t: F.avg_pool1d(t[None], 2), lambda t: F.max_pool2d(t[None], 2), lambda t: F.avg_pool2d(t[None], 2), lambda t: F.adaptive_avg_pool2d(t[None], 1), lambda t: F.interpolate(t[None], scale_factor=2), lambda t: F.embedding(torch.tensor([0]), t), lambda t: F.group_norm(t, 2), lambda t: F.scaled_dot_product_attention(t[None], t[None], t[None]), lambda t: F.rms_norm(t, (4,)), lambda t: F.prelu(t, torch.tensor([0.1])), lambda t: F.bilinear(t, t, torch.ones(1, 4, 4)), lambda t: F.pixel_shuffle(t.view(1, 4, 1, 2), 2), lambda t: F.unfold(t.view(1, 1, 2, 4), 2), lambda t: F.triplet_margin_loss(t, t + 1, t + 2), lambda t: F.cosine_embedding_loss(t, t, torch.ones(2)), lambda t: F.hinge_embedding_loss(t, torch.ones(2, 4)), lambda t: F.margin_ranking_loss(t, t, torch.ones(2, 4)), lambda t: F.poisson_nll_loss(t, t), lambda t: F.gaussian_nll_loss(t, t, torch.ones(2, 4)), lambda t: F.soft_margin_loss(t, torch.ones(2, 4)), lambda t: F.multi_margin_loss(t, torch.tensor([0, 1])))]
# ---
x = torch.ones(2, requires_grad=True); f = (x * 2).grad_fn; (f.name(), type(f).__name__, type(f).__module__, repr(type(f)), str(f)[:20])
# ---
x = torch.ones(2, requires_grad=True); f = (x * 2).grad_fn; a = f.next_functions[0][0]; (a.name(), type(a).__name__, a.next_functions, a.variable is x, a._sequence_nr())
# ---
x = torch.ones(2, requires_grad=True); f = (x * 2).grad_fn; sorted(n for n in dir(f) if not n.startswith('__'))
# ---
x = torch.ones(2, requires_grad=True); f = (x / 2).sum().grad_fn; sorted(n for n in dir(f) if not n.startswith('__'))
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; y.grad_fn is y.grad_fn
# ---
x = torch.ones(2, requires_grad=True); y = x * 2; g = y.grad_fn(torch.ones(2)); g
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn(torch.ones(2))
# ---
x = torch.ones(2, requires_grad=True); y = x * x; isinstance(y.grad_fn, torch.autograd.graph.Node), issubclass(type(y.grad_fn), torch.autograd.graph.Node)
# ---
x = torch.ones(2, requires_grad=True); y = x * x; hasattr(y.grad_fn, 'metadata'), y.grad_fn.metadata
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn.metadata['a'] = 1; y.grad_fn.metadata
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn.foo = 3
# ---
x = torch.ones(2, requires_grad=True); y = x * x; y.grad_fn.foo
# ---
x = torch.ones(2, requires_grad=True); y = x.sum(0, keepdim=True); y.grad_fn._saved_dim, y.grad_fn._saved_keepdim, y.grad_fn._saved_self_sym_sizes
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.sum((0, -1)); y.grad_fn._saved_dim, y.grad_fn._saved_keepdim, y.grad_fn._saved_self_sym_sizes
# ---
x = torch.ones(2, 3, requires_grad=True); y = x[:, 1:]; f = y.grad_fn; f.name(), f._saved_dim, f._saved_start, f._saved_end, f._saved_step, f._saved_self_sym_sizes
# ---
x = torch.ones(2, 3, requires_grad=True); y = x[1]; f = y.grad_fn; f.name(), f._saved_dim, f._saved_index, f._saved_self_sym_sizes
# ---
x = torch.ones(2, 3, requires_grad=True); y = x[[0, 1]]; f = y.grad_fn; f.name(), f._saved_indices, f._saved_self_sym_sizes
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.transpose(0, 1); f = y.grad_fn; f.name(), f._saved_dim0, f._saved_dim1
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.mean(); f = y.grad_fn; f.name(), f._saved_self_sym_numel, f._saved_self_sym_sizes
# ---
x = torch.ones(2, 3, requires_grad=True); y = x.softmax(-1); f = y.grad_fn; f.name(), f._saved_dim, f._saved_result
# ---
x = torch.ones(2, 3, requires_grad=True); y = torch.cat([x, x], 1); f = y.grad_fn; f.name(), f._saved_dim, f._saved_tensors_args_scalartypes if hasattr(f, '_saved_tensors_args_scalartypes') else None
# ---
x = torch.ones(2, 3, requires_grad=True); y = x + x * 2; f = y.grad_fn; f.name(), f._saved_alpha
# ---
x = torch.ones(2, 3, requires_grad=True); y = torch.add(x, x, alpha=3); f = y.grad_fn; f._saved_alpha
# ---
x = torch.ones(2, 3, requires_grad=True); y = x * 2; f = y.grad_fn; f._saved_self, f._saved_other
# ---
x = torch.ones(2, 3, requires_grad=True); y = x * torch.ones(3); f = y.grad_fn; f._saved_self, f._saved_other
# ---
x = torch.ones(2, 3, requires_grad=True); y = x / 3; f = y.grad_fn; f._saved_self, f._saved_other
# ---
x = torch.ones(2, 3, requires_grad=True); y = x ** 3; f = y.grad_fn; f._saved_self is x, f._saved_exponent
# ---
x = torch.ones(2, 2, requires_grad=True); y = x @ x; f = y.grad_fn; f.name(), f._saved_self is x, f._saved_mat2 is x, f._saved_self_sym_sizes, f._saved_self_sym_strides
# ---
x = torch.ones(2, 2, requires_grad=True); y = x.clamp(0, 1); f = y.grad_fn; f._saved_min, f._saved_max, f._saved_self is x
# ---
x = torch.ones(2, 2, requires_grad=True); y = torch.nn.functional.leaky_relu(x, 0.3); f = y.grad_fn; f.name(), f._saved_negative_slope, f._saved_self is x
# ---
x = torch.ones(2, 2, requires_grad=True); y = x.max(1)[0]; f = y.grad_fn; f.name(), f._saved_indices, f._saved_dim, f._saved_keepdim
# ---
x = torch.ones(2, 2, requires_grad=True); y = x.var(0); f = y.grad_fn; f.name(), f._saved_correction, f._saved_dim, f._saved_keepdim
# ---
x = torch.ones(2, 2, requires_grad=True); y = x.norm(); f = y.grad_fn; f.name(), f._saved_p, f._saved_result
# ---
x = torch.ones(2, 2, requires_grad=True); y = x.view(4); f = y.grad_fn; f.name(), f._saved_self_sym_sizes
# ---
x = torch.ones(2, 2, requires_grad=True); y = x.expand(3, 2, 2); f = y.grad_fn; f._saved_self_sym_sizes
# ---
x = torch.ones(2, 2, requires_grad=True); y = torch.nn.functional.cross_entropy(x, torch.tensor([0, 1])); f = y.grad_fn; f.name(), f._saved_target, f._saved_reduction, f._saved_ignore_index, f.next_functions[0][0].name()
# ---
x = torch.ones(2, 2, requires_grad=True); y = torch.nn.functional.linear(x, x, x[0]); f = y.grad_fn; f.name(), f.next_functions, f._saved_alpha, f._saved_beta
# ---
x = torch.ones(2, 2, requires_grad=True); y = torch.gather(x, 0, torch.tensor([[0, 1]])); f = y.grad_fn; f._saved_index, f._saved_dim, f._saved_sparse_grad
# ---
def walk(f, d=0):
    if f is None: return
    print(' ' * d + f.name())
    for n, i in f.next_functions: walk(n, d + 1)
x = torch.ones(2, 2, requires_grad=True); w = torch.ones(2, requires_grad=True)
walk(((x @ w).tanh() + torch.sigmoid(x).sum(1)).pow(2).mean().grad_fn)
# ---
def walk(f, d=0):
    if f is None: return
    print(' ' * d + f.name())
    for n, i in f.next_functions: walk(n, d + 1)
x = torch.tensor(2., requires_grad=True); y = torch.tanh(x * 3) ** 2; g, = torch.autograd.grad(y, x, create_graph=True); walk(g.grad_fn)
# ---
def walk(f, d=0):
    if f is None: return
    print(' ' * d + f.name())
    for n, i in f.next_functions: walk(n, d + 1)
x = torch.tensor([2., 3.], requires_grad=True); y = (x.exp() / x.sum()).prod(); g, = torch.autograd.grad(y, x, create_graph=True); walk(g.grad_fn)
# ---
def walk(f, d=0):
    if f is None: return
    print(' ' * d + f.name())
    for n, i in f.next_functions: walk(n, d + 1)
x = torch.tensor([[2., 3.], [1., 1.]], requires_grad=True); y = torch.nn.functional.softmax(x @ x, 1).log().sum(); g, = torch.autograd.grad(y, x, create_graph=True); walk(g.grad_fn)
# ---
def walk(f, d=0):
    if f is None: return
    print(' ' * d + f.name())
    for n, i in f.next_functions: walk(n, d + 1)
x = torch.tensor([[2., 3.], [1., 1.]], requires_grad=True); y = torch.nn.functional.mse_loss(torch.relu(x), x.detach()); g, = torch.autograd.grad(y, x, create_graph=True); walk(g.grad_fn)
# ---
def walk(f, d=0):
    if f is None: return
    print(' ' * d + f.name())
    for n, i in f.next_functions: walk(n, d + 1)
x = torch.tensor([[2., 3.], [1., 1.]], requires_grad=True); y = (x.sigmoid() * x.sin() - x.log() + x.sqrt() / x.cos()).mean(); g, = torch.autograd.grad(y, x, create_graph=True); walk(g.grad_fn)
