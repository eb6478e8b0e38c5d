import torch
from torch import nn

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 2)
        self.unused = nn.Linear(2, 2)
        self.last = nn.Linear(2, 1)

    def forward(self, x):
        return self.last(self.first(x).detach())


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(2):
    loss = net(torch.ones(3, 2)).pow(2).mean()
    loss.backward()
    optimizer.step()
