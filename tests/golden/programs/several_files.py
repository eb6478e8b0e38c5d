import torch
from scaled import Scaled, halved

model = Scaled()
x = torch.tensor([1.0, 0.5])
model(x).sum().backward()
print(model.weight.grad)

out = model(x)
loss = halved(out).sum()
loss.backward()
