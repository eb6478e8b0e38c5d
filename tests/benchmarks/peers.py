"""The same workloads for other autograd engines: HIPS autograd, mygrad and micrograd, as far as they support them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from workloads import Step

SIZES = [784, 256, 128, 10]


def _draws(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def _chain(y: Any, x: Any, w: Any, tanh: Callable[[Any], Any], rounds: int = 200) -> Any:
    for _ in range(rounds):
        y = y * w
        y = y + x
        y = tanh(y)
        y = y * 0.9
        y = y - 0.1
    return y


def _large(x: Any, w: Any, relu: Callable[[Any], Any]) -> Any:
    y = x
    for _ in range(2):
        y = y * w
        y = y + x
        y = relu(y)
        y = y * 0.5
        y = y - w
    return y


def _layers(scalar: Callable[[float], Any]) -> list[list[list[Any]]]:
    return [
        [[scalar(0.01 * ((7 * i + 3 * j) % 11 - 5)) for j in range(a + 1)] for i in range(b)]
        for a, b in pairwise([2, 16, 16, 1])
    ]


def _forward(layers: list[list[list[Any]]], values: list[Any], tanh: Callable[[Any], Any]) -> Any:
    for layer in layers:
        found = []
        for weights in layer:
            total = weights[-1]
            for w, v in zip(weights, values, strict=False):
                total = total + w * v
            found.append(tanh(total))
        values = found
    return (values[0] - 1.0) ** 2


def hips() -> dict[str, Step]:
    """Return the workloads for HIPS autograd: `grad` of a function of arrays."""
    autograd = importlib.import_module("autograd")
    np_ = importlib.import_module("autograd.numpy")
    grad: Callable[..., Any] = autograd.grad
    draws = _draws()
    value_and_grad = autograd.value_and_grad
    chain = grad(lambda x, w: np_.sum(_chain(x, x, w, np_.tanh)), (0, 1))
    eight = np.full(8, 0.5, np.float32)
    scalars = grad(lambda layers: _forward(layers, [0.3, -0.7], np_.tanh))
    layers = _layers(float)

    x, target = draws.standard_normal((64, 784), np.float32), draws.integers(0, 10, 64)
    parameters = [
        (draws.standard_normal((a, b), np.float32) * np.float32(0.05), np.zeros(b, np.float32))
        for a, b in pairwise(SIZES)
    ]

    def loss(parameters: Any) -> Any:
        h = x
        for i, (w, b) in enumerate(parameters):
            h = np_.dot(h, w) + b
            if i < 2:
                h = np_.maximum(h, 0)
        highest = np_.max(h, axis=1, keepdims=True)
        logs = h - highest - np_.log(np_.sum(np_.exp(h - highest), axis=1, keepdims=True))
        return -np_.mean(logs[np.arange(64), target])

    step_of_loss = value_and_grad(loss)

    def train() -> None:
        for (w, b), (dw, db) in zip(parameters, step_of_loss(parameters)[1], strict=True):
            np.subtract(w, 0.01 * dw, out=w)
            np.subtract(b, 0.01 * db, out=b)

    million = draws.standard_normal(1_000_000, np.float32), draws.standard_normal(1_000_000, np.float32)
    large = grad(lambda x, w: np_.sum(_large(x, w, lambda v: np_.maximum(v, 0))), (0, 1))
    matrix, row, column = (draws.standard_normal(s, np.float32) for s in ((256, 256), (256,), (256, 1)))
    spread = grad(lambda m, r, c: np_.sum((m * r + c) * c + r), (0, 1, 2))

    inputs = draws.standard_normal((32, 64), np.float32)
    weights = [draws.standard_normal((a, b), np.float32) * np.float32(0.1) for a, b in pairwise([64, 128, 128, 1])]

    def network(x: Any, weights: Any) -> Any:
        for i, w in enumerate(weights):
            x = np_.dot(x, w)
            if i < 2:
                x = np_.tanh(x)
        return np_.sum(x)

    inner = grad(network)
    twice = grad(lambda x, weights: np_.sum(inner(x, weights) ** 2), (0, 1))
    return {
        "1,000 scalar ops": lambda: chain(0.5, 1.01),
        "1,000 ops on 8-vectors": lambda: chain(eight, eight * 2),
        "scalar MLP 2-16-16-1": lambda: scalars(layers),
        "MLP, SGD": train,
        "elementwise, 1e6 floats": lambda: large(*million),
        "broadcast and sum": lambda: spread(matrix, row, column),
        "double backward, MLP": lambda: twice(inputs, weights),
    }


def mygrad() -> dict[str, Step]:
    """Return the workloads for mygrad, with its default memory guard."""
    mg = importlib.import_module("mygrad")
    losses = importlib.import_module("mygrad.nnet.losses")
    activations = importlib.import_module("mygrad.nnet.activations")
    draws = _draws()

    def tensor(value: Any) -> Any:
        return mg.tensor(np.asarray(value, np.float32))

    def chain(x: Any, w: Any) -> Step:
        def step() -> None:
            _chain(x, x, w, mg.tanh).sum().backward()
            x.null_grad()
            w.null_grad()

        return step

    layers = _layers(tensor)
    values = [tensor(0.3), tensor(-0.7)]

    def scalars() -> None:
        _forward(layers, values, mg.tanh).backward()

    x, target = draws.standard_normal((64, 784), np.float32), draws.integers(0, 10, 64)
    parameters = [(tensor(draws.standard_normal((a, b)) * 0.05), tensor(np.zeros(b))) for a, b in pairwise(SIZES)]

    def train() -> None:
        h: Any = x
        for i, (w, b) in enumerate(parameters):
            h = mg.matmul(h, w) + b
            if i < 2:
                h = activations.relu(h)
        losses.softmax_crossentropy(h, target).backward()
        for pair in parameters:
            for p in pair:
                p.data -= np.float32(0.01) * p.grad

    million = tensor(draws.standard_normal(1_000_000)), tensor(draws.standard_normal(1_000_000))

    def large() -> None:
        _large(*million, activations.relu).sum().backward()

    matrix, row, column = (tensor(draws.standard_normal(s)) for s in ((256, 256), (256,), (256, 1)))

    def spread() -> None:
        ((matrix * row + column) * column + row).sum().backward()

    return {
        "1,000 scalar ops": chain(tensor(0.5), tensor(1.01)),
        "1,000 ops on 8-vectors": chain(tensor(np.full(8, 0.5)), tensor(np.full(8, 1.01))),
        "scalar MLP 2-16-16-1": scalars,
        "MLP, SGD": train,
        "elementwise, 1e6 floats": large,
        "broadcast and sum": spread,
    }


def micrograd() -> dict[str, Step]:
    """Return the workloads for micrograd, scalars only; its backward() recurses, so the recursion limit is raised."""
    value = importlib.import_module("micrograd.engine").Value

    def tanh(v: Any) -> Any:
        # micrograd has relu only: the cheapest unary op that it offers stands for tanh.
        return v.relu()

    def chain() -> None:
        x, w = value(0.5), value(1.01)
        _chain(x, x, w, tanh).backward()

    layers = _layers(value)

    def scalars() -> None:
        _forward(layers, [value(0.3), value(-0.7)], tanh).backward()

    return {"1,000 scalar ops": chain, "scalar MLP 2-16-16-1": scalars}


PEERS: dict[str, Callable[[], dict[str, Step]]] = {"autograd": hips, "mygrad": mygrad, "micrograd": micrograd}


def installed() -> dict[str, dict[str, Step]]:
    """Return the workloads of each peer that is installed."""
    found = {}
    for name, make in PEERS.items():
        try:
            found[name] = make()
        except ImportError:
            found[name] = {}
    return found
