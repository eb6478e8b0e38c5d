v = torch.zeros(3); v[0:2] = torch.tensor(1 + 2j); v
# ---
torch.zeros(3).fill_(torch.tensor(1 + 2j)), torch.zeros(3, dtype=torch.int64).fill_(torch.tensor(1 + 2j))
# ---
torch.zeros(3, dtype=torch.bool).copy_(torch.tensor(0 + 2j)), torch.zeros(3, dtype=torch.bool).fill_(torch.tensor(0 + 2j)), torch.tensor([[0 + 2j]]).to(torch.bool)
# ---
torch.ones(1, 3, dtype=torch.complex64).float()
# ---
torch.cumsum(torch.ones(1, 3, dtype=torch.complex64), 1, dtype=torch.float32)
# ---
v = torch.zeros(1, 3); torch.cumsum(torch.ones(1, 3, dtype=torch.complex64), 0, out=v); v
# ---
mask = torch.tensor([True, False, True])
attempt(lambda: torch.zeros(3).masked_fill_(mask, torch.tensor(1 + 2j))), attempt(lambda: torch.zeros(3).masked_fill(mask, torch.tensor(1 + 2j))), torch.zeros(3).masked_fill(mask, torch.tensor(1 + 0j))
# ---
attempt(lambda: torch.zeros(3).index_fill_(0, torch.tensor([1]), torch.tensor(1 + 2j))), attempt(lambda: torch.zeros(3).index_fill(0, torch.tensor([1]), torch.tensor(1 + 2j)))
