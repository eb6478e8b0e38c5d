# One Linear that is called twice, a weight that two modules share, and a matrix that is used again as its transpose.
import torch
from torch import nn

torch.manual_seed(0)
lin = nn.Linear(3, 3)
x = torch.randn(2, 3)
loss = lin(torch.tanh(lin(x))).pow(2).mean()
loss.backward()


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 3)
        self.hidden = nn.Linear(3, 3)
        self.out = nn.Linear(3, 5, bias=False)
        self.out.weight = self.embedding.weight

    def forward(self, tokens):
        return self.out(torch.relu(self.hidden(self.embedding(tokens))))


model = LanguageModel()
nn.functional.cross_entropy(model(torch.tensor([1, 2])), torch.tensor([2, 3])).backward()

W = torch.randn(5, 3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
h = torch.tanh(torch.randn(2, 5) @ W + b)
((h @ W.T - torch.randn(2, 5)) ** 2).mean().backward()
