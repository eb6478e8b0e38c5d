"""Steps of recurrent networks: simple, LSTM and GRU cells, composed of the recorded ops that PyTorch uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backscope.ops.core.namespace import export, functional
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of one layer in one direction; biases and the projection may be None."""

    w_ih: Value
    w_hh: Value
    b_ih: Value = None
    b_hh: Value = None
    w_hr: Value = None

    def from_input(self, value: Value) -> Value:
        """Compute the contribution of the input to the gates."""
        return functional["linear"](value, self.w_ih, self.b_ih)

    def from_hidden(self, value: Value) -> Value:
        """Compute the contribution of the hidden state to the gates."""
        return functional["linear"](value, self.w_hh, self.b_hh)

    def projected(self, value: Value) -> Value:
        """Return the hidden state, projected where there is a projection."""
        return value if self.w_hr is None else value @ self.w_hr.t()


def _made(gates: Value) -> Any:
    """Return the contribution of the input to the gates; a single cell computes it after that of the hidden state."""
    return gates() if callable(gates) else gates


def simple_step(gates: Value, hidden: Value, weights: Weights, name: str) -> Value:
    """Return the next hidden state of a simple cell with the nonlinearity `name`."""
    total = weights.from_hidden(hidden) + _made(gates)
    return getattr(total, name)()


def lstm_step(gates: Value, hidden: tuple[Any, Any], weights: Weights) -> tuple[Any, Any]:
    """The next hidden and cell state of an LSTM cell."""
    h, c = hidden
    total = weights.from_hidden(h).add_(_made(gates))
    i, f, g, o = total.unsafe_chunk(4, 1)
    i, f, g, o = i.sigmoid_(), f.sigmoid_(), g.tanh_(), o.sigmoid_()
    forgotten = f * c
    c = forgotten.add_(i * g)
    return weights.projected(o * c.tanh()), c


def gru_step(gates: Value, hidden: Value, weights: Weights) -> Value:
    """The next hidden state of a GRU cell."""
    of_input = gates.unsafe_chunk(3, 1)
    of_hidden = weights.from_hidden(hidden).unsafe_chunk(3, 1)
    reset = (of_hidden[0] + of_input[0]).sigmoid()
    keep = (of_hidden[1] + of_input[1]).sigmoid()
    new = (of_input[2] + of_hidden[2] * reset).tanh()
    return (hidden - new) * keep + new


def _check_cell(
    input: Tensor,  # noqa: A002
    hidden: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Value,
    b_hh: Value,
    which: int,
) -> None:
    if input._data.shape[1] != w_ih._data.shape[1]:
        raise RuntimeError(
            f"input has inconsistent input_size: got {input._data.shape[1]} expected {w_ih._data.shape[1]}"
        )
    _check_hidden(input, hidden, w_hh._data.shape[1], which)


def _check_hidden(input: Tensor, hidden: Tensor, size: int, which: int) -> None:  # noqa: A002
    if input._data.shape[0] != hidden._data.shape[0]:
        raise RuntimeError(
            f"Input batch size {input._data.shape[0]} doesn't match hidden{which} batch size {hidden._data.shape[0]}"
        )
    if hidden._data.shape[1] != size:
        raise RuntimeError(f"hidden{which} has inconsistent hidden_size: got {hidden._data.shape[1]}, expected {size}")


def _publish_simple(name: str) -> None:
    def cell(input: Value, hx: Value, w_ih: Value, w_hh: Value, b_ih: Value = None, b_hh: Value = None) -> Any:  # noqa: A002
        _check_cell(input, hx, w_ih, w_hh, b_ih, b_hh, 0)
        weights = Weights(w_ih, w_hh, b_ih, b_hh)
        return simple_step(lambda: weights.from_input(input), hx, weights, name)

    cell.__name__ = cell.__qualname__ = f"rnn_{name}_cell"
    cell.__doc__ = "The next hidden state of a simple cell."
    export(f"rnn_{name}_cell", method=False)(cell)


_publish_simple("tanh")
_publish_simple("relu")


@export("lstm_cell", method=False)
def _lstm_cell(input: Value, hx: Value, w_ih: Value, w_hh: Value, b_ih: Value = None, b_hh: Value = None) -> Any:  # noqa: A002
    """The next hidden and cell state of an LSTM cell."""
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    _check_cell(input, hx[0], w_ih, w_hh, b_ih, b_hh, 0)
    _check_hidden(input, hx[1], w_hh._data.shape[1], 1)
    weights = Weights(w_ih, w_hh, b_ih, b_hh)
    return lstm_step(lambda: weights.from_input(input), (hx[0], hx[1]), weights)


@export("gru_cell", method=False)
def _gru_cell(input: Value, hx: Value, w_ih: Value, w_hh: Value, b_ih: Value = None, b_hh: Value = None) -> Any:  # noqa: A002
    """The next hidden state of a GRU cell."""
    _check_cell(input, hx, w_ih, w_hh, b_ih, b_hh, 0)
    weights = Weights(w_ih, w_hh, b_ih, b_hh)
    return gru_step(weights.from_input(input), hx, weights)
