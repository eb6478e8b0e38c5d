"""RNN, LSTM and GRU: layers of cells over whole sequences."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Self

from backscope.nn.layers.recurrent_weights import RecurrentWeights
from backscope.nn.packed_sequence import PackedSequence
from backscope.ops.core.namespace import torch_functions
from backscope.runtime.given import Device, Dtype, Option, Value
from backscope.runtime.warning import warn
from backscope.tensor.parameter import new_parameter
from backscope.tensor.typename import belongs

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(RecurrentWeights):
    """The weights of all layers and directions, and the checks of inputs and states.

    Shape: [T, B, input_size], [B, T, input_size] where `batch_first`, or [T, input_size] for one sequence.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._flat_weight_refs: list[Any] = []
        self._check_settings(dropout)
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        directions = 2 if bidirectional else 1
        for layer in range(num_layers):
            for direction in range(directions):
                self._add_layer(layer, direction, directions, device, dtype)
        self._init_flat_weights()
        self.reset_parameters()

    def _check_settings(self, dropout: Any) -> None:
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}"
            )
        for name, kind in (("bias", bool), ("batch_first", bool)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
        for name in ("input_size", "hidden_size"):
            value = getattr(self, name)
            if not isinstance(value, int):
                raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
            if value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def _add_layer(self, layer: int, direction: int, directions: int, device: Device, dtype: Dtype) -> None:
        gates = _GATES[self.mode] * self.hidden_size
        state = self.proj_size or self.hidden_size
        shapes = {"weight_ih": (gates, self.input_size if layer == 0 else state * directions)}
        shapes["weight_hh"] = (gates, state)
        if self.bias:
            shapes["bias_ih"] = shapes["bias_hh"] = (gates,)  # type: ignore[assignment]
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        suffix = f"_l{layer}{'_reverse' if direction else ''}"
        names = [name + suffix for name in shapes]
        for name, shape in zip(names, shapes.values(), strict=True):
            setattr(self, name, new_parameter(shape, dtype, device))
        self._flat_weights_names += names
        self._all_weights.append(names)

    def _init_flat_weights(self) -> None:
        self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]
        self.flatten_parameters()

    def __setattr__(self, attr: str, value: Value) -> None:
        names = self.__dict__.get("_flat_weights_names")
        if names and attr in names and "_flat_weights" in self.__dict__:
            self._flat_weights[names.index(attr)] = value
        super().__setattr__(attr, value)

    def flatten_parameters(self) -> None:
        """Do nothing: weights are one block of memory on a GPU only."""

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> Self:
        self._flat_weight_refs = []
        found = super()._apply(fn, recurse)
        self._init_flat_weights()
        return found

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters by layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def _update_flat_weights(self) -> None:
        for ref, name in zip(self._flat_weight_refs, self._flat_weights_names, strict=False):
            weight = getattr(self, name, None)
            if weight is not None and ref is not None and ref() is not weight:
                self._init_flat_weights()
                return

    def __getstate__(self) -> dict[str, Any]:
        self._update_flat_weights()
        state = self.__dict__.copy()
        del state["_flat_weight_refs"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._flat_weight_refs = [None if w is None else weakref.ref(w) for w in self._flat_weights]

    def check_input(self, input: Value, batch_sizes: Value) -> None:  # noqa: A002
        """Raise ValueError for another dtype than the weights', RuntimeError for a wrong shape."""
        first: Any = self._flat_weights[0]
        kind = first.dtype
        if input.dtype != kind:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({kind}). Convert input: "
                f"input.to({kind}), or convert model: model.to({input.dtype})"
            )
        wanted = 2 if batch_sizes is not None else 3
        if input.dim() != wanted:
            raise RuntimeError(f"input must have {wanted} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _batch(self, input: Value, batch_sizes: Value) -> int:  # noqa: A002
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return int(input.size(0) if self.batch_first else input.size(1))

    def get_expected_hidden_size(self, input: Value, batch_sizes: Value) -> tuple[int, int, int]:  # noqa: A002
        """The shape of the hidden state."""
        layers = self.num_layers * (2 if self.bidirectional else 1)
        return layers, self._batch(input, batch_sizes), self.proj_size or self.hidden_size

    def check_hidden_size(
        self, hx: Value, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Raise RuntimeError for a state of another shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Value, hidden: Value, batch_sizes: Value) -> None:  # noqa: A002
        """Check the input and the state."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Value, permutation: Value) -> Value:
        """A state with its samples in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def extra_repr(self) -> str:
        """The sizes, and the settings that are not the usual ones."""
        parts = [f"{self.input_size}, {self.hidden_size}"]
        if self.proj_size != 0:
            parts.append(f"proj_size={self.proj_size}")
        if self.num_layers != 1:
            parts.append(f"num_layers={self.num_layers}")
        if self.bias is not True:
            parts.append(f"bias={self.bias}")
        if self.batch_first is not False:
            parts.append(f"batch_first={self.batch_first}")
        if self.dropout != 0:
            parts.append(f"dropout={self.dropout}")
        if self.bidirectional is not False:
            parts.append(f"bidirectional={self.bidirectional}")
        return ", ".join(parts)

    def _zeros(self, input: Value, batch: int, size: int) -> Any:  # noqa: A002
        layers = self.num_layers * (2 if self.bidirectional else 1)
        return torch_functions["zeros"](layers, batch, size, dtype=input.dtype, device=input.device)

    def _settings(self) -> tuple[Any, ...]:
        return self.bias, self.num_layers, self.dropout, self.training, self.bidirectional


class _OneState(RNNBase):
    """The shared part of RNN and GRU, which have one state."""

    _title: str

    def _function(self) -> Any:
        raise NotImplementedError

    def _state(self, input: Value, hx: Value, batched: bool, order: Value) -> Any:  # noqa: A002
        """The state to start from, in the order of the samples."""
        if hx is None:
            return self._zeros(input, self._batch(input, None), self.hidden_size)
        wanted, word = (3, "batched 3-D") if batched else (2, "unbatched 2-D")
        if hx.dim() != wanted:
            raise RuntimeError(f"For {word} input, hx should also be {wanted}-D but got {hx.dim()}-D tensor")
        return self.permute_hidden(hx if batched else hx.unsqueeze(1), order)

    def forward(self, input: Value, hx: Value = None) -> Any:  # noqa: A002
        """Return all outputs and the last states, of a padded or packed batch or of one sequence."""
        self._update_flat_weights()
        run = self._function()
        if isinstance(input, PackedSequence):
            data, sizes, order, back = input
            if hx is None:
                hx = self._zeros(data, int(sizes[0]), self.hidden_size)
            else:
                hx = self.permute_hidden(hx, order)
            self.check_forward_args(data, hx, sizes)
            out, hidden = run(data, sizes, hx, self._flat_weights, *self._settings())
            return PackedSequence(out, sizes, order, back), self.permute_hidden(hidden, back)
        if input.dim() not in (2, 3):
            end = "tensor instead" if self._title == "RNN" else "instead"
            raise ValueError(f"{self._title}: Expected input to be 2D or 3D, got {input.dim()}D {end}")
        batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        given = input if batched else input.unsqueeze(batch_dim)
        hx = self._state(given, hx, batched, None)
        self.check_forward_args(given, hx, None)
        out, hidden = run(given, hx, self._flat_weights, *self._settings(), self.batch_first)
        return (out, hidden) if batched else (out.squeeze(batch_dim), hidden.squeeze(1))


class RNN(_OneState):
    """Layers of simple cells: tanh or relu of the weighted input and state."""

    _title = "RNN"

    def __init__(self, *args: Option, **kwargs: Option) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__("RNN_" + nonlinearity.upper(), *args, **kwargs)
        self.nonlinearity = nonlinearity

    def _function(self) -> Any:
        return torch_functions[self.mode.lower()]


class GRU(_OneState):
    """Layers of GRU cells."""

    _title = "GRU"

    def __init__(self, *args: Option, **kwargs: Option) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def _function(self) -> Any:
        return torch_functions["gru"]


class LSTM(RNNBase):
    """Layers of LSTM cells; the state is a pair: hidden and cell."""

    def __init__(self, *args: Option, **kwargs: Option) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Value, batch_sizes: Value) -> tuple[int, int, int]:  # noqa: A002
        """The shape of the cell state."""
        layers = self.num_layers * (2 if self.bidirectional else 1)
        return layers, self._batch(input, batch_sizes), self.hidden_size

    def check_forward_args(self, input: Value, hidden: Value, batch_sizes: Value) -> None:  # noqa: A002
        """Check the input and both states."""
        self.check_input(input, batch_sizes)
        shapes = self.get_expected_hidden_size(input, batch_sizes), self.get_expected_cell_size(input, batch_sizes)
        for i, (state, shape) in enumerate(zip(hidden, shapes, strict=True)):
            self.check_hidden_size(state, shape, f"Expected hidden[{i}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Value, permutation: Value) -> Value:
        """Both states with their samples in another order."""
        if permutation is None:
            return hx
        return hx[0].index_select(1, permutation), hx[1].index_select(1, permutation)

    def _start(self, input: Value, batch: int) -> Any:  # noqa: A002
        return self._zeros(input, batch, self.proj_size or self.hidden_size), self._zeros(
            input, batch, self.hidden_size
        )

    def forward(self, input: Value, hx: Value = None) -> tuple[Value, tuple[Value, Value]]:  # noqa: A002
        """Return all outputs and the last states, of a padded or packed batch or of one sequence."""
        self._update_flat_weights()
        run = torch_functions["lstm"]
        if isinstance(input, PackedSequence):
            data, sizes, order, back = input
            hx = self._start(data, int(sizes[0])) if hx is None else self.permute_hidden(hx, order)
            self.check_forward_args(data, hx, sizes)
            out, *hidden = run(data, sizes, hx, self._flat_weights, *self._settings())
            return PackedSequence(out, sizes, order, back), self.permute_hidden(tuple(hidden), back)
        if input.dim() not in (2, 3):
            raise ValueError(f"LSTM: Expected input to be 2D or 3D, got {input.dim()}D instead")
        batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        given = input if batched else input.unsqueeze(batch_dim)
        if hx is None:
            hx = self._start(given, self._batch(given, None))
        else:
            wanted, word = (3, "batched 3-D") if batched else (2, "unbatched 2-D")
            if hx[0].dim() != wanted or hx[1].dim() != wanted:
                raise RuntimeError(
                    f"For {word} input, hx and cx should also be {wanted}-D but got ({hx[0].dim()}-D, "
                    f"{hx[1].dim()}-D) tensors"
                )
            if not batched:
                hx = hx[0].unsqueeze(1), hx[1].unsqueeze(1)
        self.check_forward_args(given, hx, None)
        out, h, c = run(given, hx, self._flat_weights, *self._settings(), self.batch_first)
        return (out, (h, c)) if batched else (out.squeeze(batch_dim), (h.squeeze(1), c.squeeze(1)))


belongs("torch.nn.modules.rnn", RNNBase, RNN, LSTM, GRU)
