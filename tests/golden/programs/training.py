import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, h):
        return torch.tanh(self.linear(h))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()
        self.head = nn.Sequential(nn.Linear(2, 1))

    def forward(self, h):
        for t in range(2):
            h = self.cell(h)
        return self.head(h)


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
batches = [torch.ones(1, 2), torch.zeros(1, 2)]
for epoch in range(2):
    for x in batches:
        optimizer.zero_grad()
        loss = model(x).square().sum()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.4f}")
