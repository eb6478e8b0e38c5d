# title: A network of single numbers
# summary: Every weight is a tensor of its own, as in micrograd: 5,000 nodes for twelve points.

import math, random

import torch

random.seed(1)

class Neuron:
    def __init__(self, inputs):
        self.w = [torch.tensor(random.uniform(-1, 1), requires_grad=True) for _ in range(inputs)]
        self.b = torch.tensor(0.0, requires_grad=True)

    def __call__(self, x):
        act = self.b
        for w, x_i in zip(self.w, x):
            act = act + w * x_i
        return torch.tanh(act)

class Layer:
    def __init__(self, inputs, outputs):
        self.neurons = [Neuron(inputs) for _ in range(outputs)]

    def __call__(self, x):
        return [neuron(x) for neuron in self.neurons]

class MLP:
    def __init__(self, *sizes):
        self.layers = [Layer(a, b) for a, b in zip(sizes, sizes[1:])]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x[0]

points = [[math.cos(i), math.sin(2 * i)] for i in range(12)]
wanted = [1.0 if x > y else -1.0 for x, y in points]
model = MLP(2, 8, 8, 1)
loss = 0.0
for x, y in zip(points, wanted):
    loss = loss + (model(x) - y) ** 2
loss.backward()
print(f"{loss.item():.4f}")
