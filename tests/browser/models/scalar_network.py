import random
from itertools import pairwise

import torch

random.seed(0)


class Neuron:
    def __init__(self, count, curved):
        self.weights = [torch.tensor(random.uniform(-1, 1), requires_grad=True) for _ in range(count)]
        self.bias = torch.tensor(0.0, requires_grad=True)
        self.curved = curved

    def __call__(self, inputs):
        total = sum((w * x for w, x in zip(self.weights, inputs, strict=True)), self.bias)
        return total.relu() if self.curved else total

    def parameters(self):
        return [*self.weights, self.bias]


class Layer:
    def __init__(self, count, size, curved):
        self.neurons = [Neuron(count, curved) for _ in range(size)]

    def __call__(self, inputs):
        outputs = [neuron(inputs) for neuron in self.neurons]
        return outputs[0] if len(outputs) == 1 else outputs

    def parameters(self):
        return [p for neuron in self.neurons for p in neuron.parameters()]


class Network:
    def __init__(self, count, sizes):
        counts = [count, *sizes]
        self.layers = [Layer(a, b, b != 1) for a, b in pairwise(counts)]

    def __call__(self, inputs):
        for layer in self.layers:
            inputs = layer(inputs)
        return inputs

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]


network = Network(2, [8, 8, 1])
points = [(random.uniform(-1, 1), random.uniform(-1, 1)) for _ in range(10)]
wanted = [1.0 if x * y > 0 else -1.0 for x, y in points]
for step in range(2):
    losses = [(1 - y * network(point)).relu() for point, y in zip(points, wanted, strict=True)]
    loss = sum(losses) / len(losses)
    for parameter in network.parameters():
        parameter.grad = None
    loss.backward()
    for parameter in network.parameters():
        parameter.data -= 0.1 * parameter.grad
    print(step, loss.item())
