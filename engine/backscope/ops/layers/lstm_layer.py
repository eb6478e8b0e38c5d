"""A whole LSTM layer in one direction as one op, with its backward pass through time."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.ones import number, ones
from backscope.ops.core.declaration import A, V, op
from backscope.ops.core.namespace import torch_functions
from backscope.ops.core.recomputed import gradients_through
from backscope.ops.layers.cells import Weights, lstm_step
from backscope.runtime.given import Option, Value
from backscope.tensor.tensor import Tensor


def _order(length: int, reverse: bool) -> range:
    return range(length - 1, -1, -1) if reverse else range(length)


def _composed(inputs: list[Any], reverse: bool) -> Any:
    """Output, hidden and cell state of the layer by recorded ops."""
    value, w_ih, w_hh, b_ih, b_hh, h, c = inputs
    weights = Weights(w_ih, w_hh, b_ih, b_hh)
    gates = weights.from_input(value).unbind(0)
    found: list[Any] = [None] * len(gates)
    for t in _order(len(gates), reverse):
        h, c = lstm_step(gates[t], (h, c), weights)
        found[t] = h
    return torch_functions["stack"](found, 0), h, c


@op(
    outputs=4,
    differentiable=3,
    returns=("result0", "result1", "result2", "result3"),
    hidden=("result3",),
    symbol="lstm",
    latex={
        "input": r"\textstyle\sum_t g_t W_{ih}",
        "weight0": r"\textstyle\sum_t g_t^T x_t",
        "weight1": r"\textstyle\sum_t g_t^T h_{t-1}",
        "weight2": r"\textstyle\sum_t g_t",
        "weight3": r"\textstyle\sum_t g_t",
        "hx_": r"g_1 W_{hh}",
        "cx_": r"g_{c_1} f_1",
    },
    summary={
        "input": "goes back through time and multiplies each step's gate gradients by {weight0}",
        "weight0": "sums over time the gate gradients times the input",
        "weight1": "sums over time the gate gradients times the hidden state before",
        "weight2": "sums the gate gradients over time",
        "weight3": "sums the gate gradients over time",
        "hx_": "multiplies the first step's gate gradients by {weight1}",
        "cx_": "multiplies the first step's cell gradient by the forget gate",
    },
)
class mkldnn_rnn_layer:
    """An LSTM layer: outputs of all steps, the last hidden and cell states, and the gates for the way back.

    Shape: input [T, B, in], weight0 [4 H, in], weight1 [4 H, H], biases [4 H], hx_ and cx_ [B, H].
    """

    def forward(
        input: A,  # noqa: A002
        weight0: A,
        weight1: A,
        weight2: A,
        weight3: A,
        hx_: A,
        cx_: A,
        reverse: bool,
        batch_sizes: Value,
        mode: int,
        hidden_size: int,
        num_layers: int,
        has_biases: bool,
        bidirectional: bool,
        batch_first: bool,
        train: bool,
    ) -> tuple[A, ...]:
        length, batch, size = input.shape
        n = hidden_size
        gates = input.reshape(length * batch, size) @ weight0.T
        gates += weight2 + weight3
        gates = gates.reshape(length, batch, 4 * n)
        states = np.empty((length, batch, n), input.dtype)
        out = np.empty((length, batch, n), input.dtype)
        h, c = hx_, cx_
        into, one = weight1.T, number(1, input.dtype)
        for t in _order(length, reverse):
            a = gates[t]
            a += h.dot(into)
            middle = a[:, 2 * n : 3 * n]
            new = np.tanh(middle)
            # The sigmoid of all gates, which is too much by one, takes fewer steps than that of those around it.
            np.negative(a, a)
            np.exp(a, a)
            a += one
            np.reciprocal(a, a)
            middle[...] = new
            new *= a[:, :n]
            c = np.multiply(a[:, n : 2 * n], c, states[t])
            c += new
            h = np.multiply(np.tanh(c), a[:, 3 * n :], out[t])
        workspace = np.concatenate([gates, states], 2)
        return out, np.array(h), np.array(c), workspace

    def grad(
        g: V,
        input: V,  # noqa: A002
        weight0: V,
        weight1: V,
        weight2: V,
        weight3: V,
        hx_: V,
        cx_: V,
        result0: V,
        result1: V,
        result2: V,
        result3: V,
        reverse: V,
        batch_sizes: V,
        mode: V,
        hidden_size: V,
        num_layers: V,
        has_biases: V,
        bidirectional: V,
        batch_first: V,
        train: V,
        needs: Option,
    ) -> V:
        inputs = [input, weight0, weight1, weight2, weight3, hx_, cx_]
        if isinstance(input, Tensor):
            return gradients_through(lambda *given: _composed(list(given), reverse), inputs, needs, list(g))
        if input.dtype.kind == "c":
            inputs, result0, result3 = [np.conj(v) for v in inputs], np.conj(result0), np.conj(result3)
        return _through_time(g, inputs, result0, result3, reverse, hidden_size, needs)


def _earlier(values: A, first: A, reverse: bool) -> A:
    """Return the value of the previous step for each step; `first` is that of the first one."""
    found = np.empty(values.shape, values.dtype)
    if reverse:
        found[-1], found[:-1] = first, values[1:]
    else:
        found[0], found[1:] = first, values[:-1]
    return found


def _through_time(
    g: Value, inputs: list[Any], out: A, workspace: A, reverse: bool, n: int, needs: Option
) -> tuple[Any, ...]:
    """The gradients of all inputs by running back through the steps."""
    input, weight0, weight1, _, _, hx, cx = inputs  # noqa: A001
    length, batch, size = input.shape
    of_out, of_h, of_c = g
    i, f, new, o, states = (workspace[:, :, k * n : (k + 1) * n] for k in range(5))
    bent = np.tanh(states)
    # The factors of the gradient of the cell (for the last gate: of the hidden state) on the way to each gate.
    gates = np.empty((length, batch, 4, n), input.dtype)
    gates[:, :, 0] = new * i * (1 - i)
    gates[:, :, 1] = _earlier(states, cx, reverse) * f * (1 - f)
    gates[:, :, 2] = i * (1 - new * new)
    gates[:, :, 3] = bent * o * (1 - o)
    bent *= bent
    into_cell = o * (1 - bent)
    h_gradient = np.zeros_like(hx) if of_h is None else of_h
    c_gradient = np.zeros_like(cx) if of_c is None else of_c
    rows = gates.reshape(length, batch, 4 * n)
    for t in reversed(_order(length, reverse)):
        if of_out is not None:
            h_gradient = h_gradient + of_out[t]
        c_gradient = c_gradient + h_gradient * into_cell[t]
        a = gates[t]
        a[:, :3] *= c_gradient[:, None]
        a[:, 3] *= h_gradient
        h_gradient = rows[t].dot(weight1)
        c_gradient = c_gradient * f[t]
    flat = gates.reshape(length * batch, 4 * n)
    biases = ones(len(flat), flat.dtype) @ flat if needs[3] or needs[4] else None
    return (
        (flat @ weight0).reshape(input.shape) if needs[0] else None,
        flat.T @ input.reshape(length * batch, size) if needs[1] else None,
        flat.T @ _earlier(out, hx, reverse).reshape(length * batch, n) if needs[2] else None,
        biases if needs[3] else None,
        biases.copy() if needs[4] and biases is not None else None,
        h_gradient if needs[5] else None,
        c_gradient if needs[6] else None,
    )
