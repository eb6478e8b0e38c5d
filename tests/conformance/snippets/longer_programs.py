import math
import torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
class PositionalEncoding(nn.Module):
    def __init__(self, d, max_len=50):
        super().__init__()
        pos = torch.arange(max_len).unsqueeze(1); div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        pe = torch.zeros(max_len, 1, d); pe[:, 0, 0::2] = torch.sin(pos * div); pe[:, 0, 1::2] = torch.cos(pos * div)
        self.register_buffer('pe', pe)
    def forward(self, x): return x + self.pe[:x.size(0)]
class LM(nn.Module):
    def __init__(self, v, d):
        super().__init__()
        self.emb = nn.Embedding(v, d); self.pos = PositionalEncoding(d)
        self.enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(d, 2, 16, 0.0), 2); self.out = nn.Linear(d, v)
    def forward(self, x):
        m = nn.Transformer.generate_square_subsequent_mask(x.size(0))
        return self.out(self.enc(self.pos(self.emb(x) * math.sqrt(8)), mask=m))
net = LM(11, 8); opt = torch.optim.AdamW(net.parameters(), lr=1e-2); s = torch.optim.lr_scheduler.StepLR(opt, 2, .5)
x = torch.arange(12).view(6, 2) % 11
for i in range(4):
    opt.zero_grad(); o = net(x); l = F.cross_entropy(o[:-1].reshape(-1, 11), x[1:].reshape(-1)); l.backward(); n = nn.utils.clip_grad_norm_(net.parameters(), 0.5); opt.step(); s.step(); print(i, round(l.item(), 4), round(n.item(), 4), s.get_last_lr())
print(sum(p.numel() for p in net.parameters())); print(net)
# ---
import torch.nn as nn
torch.manual_seed(1)
class RNN(nn.Module):
    def __init__(self, i, h, o):
        super().__init__(); self.h = h; self.i2h = nn.Linear(i + h, h); self.i2o = nn.Linear(i + h, o); self.sm = nn.LogSoftmax(dim=1)
    def forward(self, x, h): c = torch.cat((x, h), 1); return self.sm(self.i2o(c)), torch.tanh(self.i2h(c))
    def init(self): return torch.zeros(1, self.h)
r = RNN(5, 4, 3); crit = nn.NLLLoss(); data = torch.eye(5)[torch.tensor([0, 3, 1, 4])].unsqueeze(1)
for k in range(3):
    h = r.init(); r.zero_grad()
    for t in range(4): o, h = r(data[t], h)
    l = crit(o, torch.tensor([2])); l.backward()
    for p in r.parameters(): p.data.add_(p.grad.data, alpha=-0.5)
    print(l.item())
# ---
import torch.nn as nn, torch.nn.functional as F
torch.manual_seed(3)
class VAE(nn.Module):
    def __init__(self):
        super().__init__(); self.a = nn.Linear(12, 8); self.mu = nn.Linear(8, 2); self.lv = nn.Linear(8, 2); self.d1 = nn.Linear(2, 8); self.d2 = nn.Linear(8, 12)
    def rep(self, mu, lv): return mu + torch.randn_like(mu) * torch.exp(0.5 * lv)
    def forward(self, x):
        h = F.relu(self.a(x.view(-1, 12))); mu, lv = self.mu(h), self.lv(h); z = self.rep(mu, lv); return torch.sigmoid(self.d2(F.relu(self.d1(z)))), mu, lv
v = VAE(); opt = torch.optim.Adam(v.parameters(), lr=1e-2); x = torch.rand(6, 3, 4)
for i in range(3):
    r, mu, lv = v(x); l = F.binary_cross_entropy(r, x.view(-1, 12), reduction='sum') - 0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp()); opt.zero_grad(); l.backward(); opt.step(); print(l)
# ---
import torch.nn as nn
from torch.distributions import Categorical, Normal
torch.manual_seed(5)
pi = nn.Sequential(nn.Linear(4, 8), nn.Dropout(p=0.6), nn.ReLU(), nn.Linear(8, 2)); opt = torch.optim.Adam(pi.parameters(), lr=1e-2)
lp, rw = [], []
for t in range(5):
    s = torch.randn(4); m = Categorical(logits=pi(s)); a = m.sample(); lp.append(m.log_prob(a)); rw.append(float(a))
R, ret = 0, []
for r in rw[::-1]: R = r + .99 * R; ret.insert(0, R)
ret = torch.tensor(ret); ret = (ret - ret.mean()) / (ret.std() + 1e-8)
loss = torch.stack([-l * r for l, r in zip(lp, ret)]).sum(); opt.zero_grad(); loss.backward(); opt.step(); print(loss, m.entropy(), Normal(0., 1.).rsample((2,)))
# ---
import torch.nn as nn, torch.nn.functional as F
torch.manual_seed(2)
m = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Dropout2d(0.25), nn.Flatten(), nn.Linear(36, 3)).eval()
x = torch.rand(2, 1, 8, 8, requires_grad=True); y = torch.tensor([0, 2]); l = F.nll_loss(F.log_softmax(m(x), 1), y); m.zero_grad(); l.backward()
adv = torch.clamp(x + 0.1 * x.grad.data.sign(), 0, 1); print(m(adv).max(1, keepdim=True)[1], (adv - x).abs().max(), l)
# ---
import torch.nn as nn
torch.manual_seed(2)
b = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU()); 
for p in b.parameters(): p.requires_grad = False
h = nn.Linear(8, 2); m = nn.Sequential(b, h); opt = torch.optim.SGD([{'params': h.weight, 'lr': .1}, {'params': [h.bias], 'weight_decay': .01}], lr=.01, momentum=.9)
x = torch.randn(5, 4)
for i in range(2): l = nn.CrossEntropyLoss(label_smoothing=.1)(m(x), torch.tensor([0, 1, 1, 0, 1])); opt.zero_grad(); l.backward(); opt.step(); print(l.item())
print([n for n, p in m.named_parameters() if p.grad is not None], opt); b[1].running_mean
# ---
import torch.nn as nn
from torch.optim.swa_utils import AveragedModel, SWALR, update_bn
torch.manual_seed(2); m = nn.Linear(2, 1); sw = AveragedModel(m); o = torch.optim.SGD(m.parameters(), lr=.1); sc = SWALR(o, swa_lr=.05)
for i in range(3): o.zero_grad(); m(torch.ones(1, 2)).sum().backward(); o.step(); sw.update_parameters(m); sc.step()
print(sw.module.weight, sw.n_averaged, o.param_groups[0]['lr'])
# ---
from torch.utils.data import Dataset, DataLoader, TensorDataset, random_split, WeightedRandomSampler, Subset
class D(Dataset):
    def __len__(self): return 7
    def __getitem__(self, i): return {'x': torch.tensor([i, i * 2.]), 'y': i}
torch.manual_seed(0)
for b in DataLoader(D(), batch_size=3, shuffle=True, drop_last=False): print(b)
a, b = random_split(TensorDataset(torch.arange(10), torch.arange(10) * 2), [7, 3], generator=torch.Generator().manual_seed(1)); print(list(a.indices), len(b)); print(list(DataLoader(a, 4))); list(WeightedRandomSampler([.1, .9, .5], 4))
# ---
import torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
enc = nn.GRU(4, 6, batch_first=True, bidirectional=True); dec = nn.GRUCell(4, 6); emb = nn.Embedding(9, 4, padding_idx=0); out = nn.Linear(6, 9)
src = torch.tensor([[1, 2, 3], [4, 5, 0]]); pk = nn.utils.rnn.pack_padded_sequence(emb(src), torch.tensor([3, 2]), batch_first=True); o, h = enc(pk); o, ln = nn.utils.rnn.pad_packed_sequence(o, batch_first=True)
h = h.sum(0); loss = 0; inp = torch.tensor([1, 1])
for t in range(3): h = dec(emb(inp), h); a = torch.softmax(torch.bmm(o[:, :, :6], h.unsqueeze(2)).squeeze(2), 1); lg = out(h + torch.einsum('bt,bth->bh', a, o[:, :, :6])); loss = loss + F.cross_entropy(lg, src[:, t], ignore_index=0); inp = lg.argmax(1)
loss.backward(); print(loss, o.shape, ln, emb.weight.grad[0], emb.weight.grad[1])
# ---
import torch.nn as nn, torch.nn.utils.parametrize as P
from torch.nn.utils.parametrizations import weight_norm, orthogonal, spectral_norm
torch.manual_seed(0)
class Sym(nn.Module):
    def forward(self, X): return X.triu() + X.triu(1).transpose(-1, -2)
    def right_inverse(self, A): return A.triu()
l = nn.Linear(3, 3); P.register_parametrization(l, 'weight', Sym()); print(l, torch.equal(l.weight, l.weight.T), dict(l.named_parameters()).keys()); l(torch.ones(1, 3)).sum().backward(); print(l.parametrizations.weight.original.grad)
w = weight_norm(nn.Linear(2, 2)); w(torch.ones(1, 2)).sum().backward(); print([(n, p.grad) for n, p in w.named_parameters()]); s = spectral_norm(nn.Linear(3, 3)); print(s(torch.ones(1, 3)).shape); P.remove_parametrizations(l, 'weight'); l
# ---
import torch.nn as nn
torch.manual_seed(0); m = nn.Linear(3, 1); x, y = torch.randn(8, 3), torch.randn(8, 1)
nn.functional.mse_loss(m(x), y).backward(); g = m.weight.grad.clone(); m.zero_grad()
for a, b in zip(x.chunk(4), y.chunk(4)): (nn.functional.mse_loss(m(a), b) / 4).backward()
print(torch.allclose(g, m.weight.grad), g)
# ---
import torch.nn as nn
torch.manual_seed(0); m = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)); x = torch.randn(5, 3)
l = m(x).pow(2).mean() + 1e-2 * sum(p.abs().sum() for p in m.parameters()) + 1e-2 * sum((p ** 2).sum() for p in m.parameters()); l.backward(); print(l, m[0].bias.grad)
# ---
torch.manual_seed(0)
for n in ('SGD', 'Adam', 'AdamW', 'RMSprop', 'Adagrad', 'Adadelta', 'Adamax', 'NAdam', 'RAdam', 'ASGD', 'Rprop', 'Adafactor', 'Muon', 'LBFGS'):
    p = torch.nn.Parameter(torch.tensor([[1.5, -2.], [.5, 1.]])); o = getattr(torch.optim, n)([p], lr=.1)
    def c(): o.zero_grad(); l = (p ** 2).sum() + (p[0, 0] * p[1, 1]).sin(); l.backward(); return l
    for _ in range(4): l = o.step(c)
    print(n, p.data.tolist(), l)
