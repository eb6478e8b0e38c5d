"""RNNCell, LSTMCell and GRUCell: one step of a recurrent network as a module."""

from __future__ import annotations

from typing import Any

from backscope.nn.layers.recurrent_weights import RecurrentWeights
from backscope.ops.core.namespace import argument_error, torch_functions
from backscope.runtime.given import Device, Dtype, Value
from backscope.tensor.parameter import new_parameter
from backscope.tensor.tensor import Tensor
from backscope.tensor.typename import belongs


class RNNCellBase(RecurrentWeights):
    """The weights of a cell with `num_chunks` gates.

    Shape: [B, input_size] or [input_size]; states [B, hidden_size] or [hidden_size].
    """

    weight_ih: Value
    weight_hh: Value
    bias_ih: Value
    bias_hh: Value

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        self.weight_ih = new_parameter((gates, input_size), dtype, device)
        self.weight_hh = new_parameter((gates, hidden_size), dtype, device)
        for name in ("bias_ih", "bias_hh"):
            if bias:
                setattr(self, name, new_parameter((gates,), dtype, device))
            else:
                self.register_parameter(name, None)
        self.reset_parameters()

    def extra_repr(self) -> str:
        """The sizes, and the settings that are not the usual ones."""
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.bias is not True:
            parts.append(f"bias={self.bias}")
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        if nonlinearity != "tanh":
            parts.append(f"nonlinearity={nonlinearity}")
        return ", ".join(parts)

    def _check(self, input: Value) -> bool:  # noqa: A002
        """True for a batch; ValueError for anything but a batch or one sample."""
        if input.dim() not in (1, 2):
            raise ValueError(f"{self._name()}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        return bool(input.dim() == 2)

    def _name(self) -> str:
        return next(c.__name__ for c in type(self).__mro__ if c.__module__ == "torch.nn.modules.rnn")

    def _zeros(self, input: Value) -> Any:  # noqa: A002
        return torch_functions["zeros"](input.size(0), self.hidden_size, dtype=input.dtype, device=input.device)

    def _step(self, function: str, input: Value, hx: Value) -> Any:  # noqa: A002
        return torch_functions[function](input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)

    def _one_state(self, function: str, input: Value, hx: Value) -> Any:  # noqa: A002
        if input.dim() in (1, 2) and hx is not None and hx.dim() not in (1, 2):
            raise ValueError(f"{self._name()}: Expected hidden to be 1D or 2D, got {hx.dim()}D instead")
        batched = self._check(input)
        given = input if batched else input.unsqueeze(0)
        state = self._zeros(given) if hx is None else hx if batched else hx.unsqueeze(0)
        out = self._step(function, given, state)
        return out if batched else out.squeeze(0)


class RNNCell(RNNCellBase):
    """A simple cell: tanh or relu of the weighted input and state."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Value, hx: Value = None) -> Value:  # noqa: A002
        """The next state."""
        if self.nonlinearity not in ("tanh", "relu"):
            self._check(input)
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._one_state(f"rnn_{self.nonlinearity}_cell", input, hx)


class LSTMCell(RNNCellBase):
    """An LSTM cell; the state is a pair: hidden and cell."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Value, hx: Value = None) -> tuple[Value, Value]:  # noqa: A002
        """The next states."""
        batched = self._check(input)
        for i, value in enumerate(() if hx is None else hx):
            if value.dim() not in (1, 2):
                raise ValueError(f"LSTMCell: Expected hx[{i}] to be 1D or 2D, got {value.dim()}D instead")
        if isinstance(hx, Tensor):
            raise argument_error("lstm_cell", "hx", 2, hx, "tuple of Tensors")
        given = input if batched else input.unsqueeze(0)
        if hx is None:
            zeros = self._zeros(given)
            hx = zeros, zeros
        elif not batched:
            hx = hx[0].unsqueeze(0), hx[1].unsqueeze(0)
        h, c = self._step("lstm_cell", given, hx)
        return (h, c) if batched else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """A GRU cell."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Device = None, dtype: Dtype = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Value, hx: Value = None) -> Value:  # noqa: A002
        """The next state."""
        return self._one_state("gru_cell", input, hx)


belongs("torch.nn.modules.rnn", RNNCellBase, RNNCell, LSTMCell, GRUCell)
