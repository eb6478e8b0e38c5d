"""torch.lstm, gru, rnn_tanh and rnn_relu: layers of cells over padded or packed sequences, in one or two directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.ops.core.declaration import primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import argument_error, export, torch_functions
from backscope.ops.layers.cells import Weights, gru_step, lstm_step, simple_step
from backscope.ops.layers.dropout import drop
from backscope.runtime.given import Shape, Value, Values
from backscope.runtime.warning import warn_once
from backscope.tensor.dtype import float32
from backscope.tensor.tensor import Tensor

Step = Callable[[Any, Any, Weights], Any]
"""A cell: maps the input's part of the gates, the state and weights to the next state."""


def _stack(tensors: list[Any]) -> Any:
    return torch_functions["stack"](tensors, 0)


def _cat(tensors: list[Any], dim: int) -> Any:
    return torch_functions["cat"](tensors, dim)


def _output(state: Any) -> Any:
    return state[0] if isinstance(state, tuple) else state


def _over_states(function: Callable[..., Any], *states: Any) -> Any:
    """`function` on each part of states: one tensor, or the cell and then the hidden state."""
    if isinstance(states[0], tuple):
        cell = function(*[s[1] for s in states])
        return function(*[s[0] for s in states]), cell
    return function(*states)


def _padded_layer(step: Step, value: Value, state: Any, weights: Weights, reverse: bool) -> tuple[Any, Any]:
    """Run all steps of one layer in one direction; return the outputs and the last state."""
    if not len(value._data):
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    gates = list(weights.from_input(value).unbind(0))
    if reverse:
        gates.reverse()
    outputs = []
    for part in gates:
        state = step(part, state, weights)
        outputs.append(_output(state))
    if reverse:
        outputs.reverse()
    return _stack(outputs), state


def _packed_layer(step: Step, value: Value, state: Any, weights: Weights, sizes: list[int]) -> tuple[Any, Any]:
    """Run a layer over a packed sequence, in which shorter samples end early."""
    gates = weights.from_input(value)
    outputs, ended = [], []
    offset, last = 0, sizes[0]
    for size in sizes:
        part = gates.narrow(0, offset, size)
        offset += size
        if size < last:
            ended.append(_over_states(lambda s, a=size, b=last: s.narrow(0, a, b - a), state))
            state = _over_states(lambda s, a=size: s.narrow(0, 0, a), state)
        last = size
        state = step(part, state, weights)
        outputs.append(_output(state))
    ended.append(state)
    ended.reverse()
    return _cat(outputs, 0), _over_states(lambda *parts: _cat(list(parts), 0), *ended)


def _packed_layer_reversed(
    step: Step, value: Value, initial: Value, weights: Weights, sizes: list[int]
) -> tuple[Any, Any]:
    """Run a layer over a packed sequence from its end; shorter samples are added at their last step."""
    gates = weights.from_input(value)
    outputs = []
    offset, last = value._data.shape[0], sizes[-1]
    state = _over_states(lambda s: s.narrow(0, 0, last), initial)
    for size in reversed(sizes):
        if size > last:
            joining = _over_states(lambda s, a=last, b=size: s.narrow(0, a, b - a), initial)
            state = _over_states(lambda s, j: _cat([s, j], 0), state, joining)
        part = gates.narrow(0, offset - size, size)
        offset -= size
        last = size
        state = step(part, state, weights)
        outputs.append(_output(state))
    outputs.reverse()
    return _cat(outputs, 0), state


def _layer(step: Step, value: Value, state: Any, weights: Weights, reverse: bool, sizes: Shape) -> tuple[Any, Any]:
    if sizes is None:
        return _padded_layer(step, value, state, weights, reverse)
    if reverse:
        return _packed_layer_reversed(step, value, state, weights, sizes)
    return _packed_layer(step, value, state, weights, sizes)


def _layers(
    step: Step, value: Value, states: list[Any], weights: list[Weights], directions: int, dropout: float, train: bool,
    sizes: Shape,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Run all layers, each on the outputs of the one before; return the outputs and the last states of all."""
    final: list[Any] = []
    layers = len(weights) // directions
    for number in range(layers):
        outputs = []
        for direction in range(directions):
            k = number * directions + direction
            out, state = _layer(step, value, states[k], weights[k], direction == 1, sizes)
            outputs.append(out)
            final.append(state)
        value = outputs[0] if directions == 1 else _cat(outputs, outputs[0]._data.ndim - 1)
        if dropout and train and number < layers - 1:
            value = drop(value, dropout, True)
    return value, final


def _fused_lstm(
    value: Value, hx: Value, cx: Any, weights: list[Weights], directions: int, dropout: float, train: bool,
    batch_first: bool,
) -> tuple[Any, Any, Any]:  # fmt: skip
    """The LSTM layers of the float32 kernel, one op each."""
    if batch_first:
        value = value.transpose(0, 1)
    value, hx, cx = value.contiguous(), hx.contiguous(), cx.contiguous()
    layers = len(weights) // directions
    hidden: list[Any] = []
    cells: list[Any] = []
    for number in range(layers):
        outputs = []
        for direction in range(directions):
            k = number * directions + direction
            w = weights[k]
            size = w.w_hh._data.shape[1]
            biases = [w.w_ih.new_zeros(w.w_ih._data.shape[0]) if b is None else b for b in (w.b_ih, w.b_hh)]
            out, h, c, _ = apply(
                primitives["mkldnn_rnn_layer"], value, w.w_ih, w.w_hh, *biases, hx[k], cx[k], direction == 1, (), 2,
                size, layers, w.b_ih is not None, directions == 2, batch_first, bool(train),
            )  # fmt: skip
            outputs.append(out)
            hidden.append(h)
            cells.append(c)
        value = outputs[0] if directions == 1 else _cat(outputs, -1)
        if dropout and train and number < layers - 1:
            value = drop(value, dropout, True)
    return (value.transpose(0, 1) if batch_first else value), _stack(hidden), _stack(cells)


def _gathered(params: Values, has_biases: bool, projected: bool) -> list[Weights]:
    """A flat list of weights by layer and direction."""
    count = (4 if has_biases else 2) + (1 if projected else 0)
    if len(params) % count:
        raise RuntimeError("got an incorrect number of RNN parameters")
    made = []
    for k in range(0, len(params), count):
        part: Any = list(params[k : k + count])
        w_hr = part.pop() if projected else None
        biases = part[2:] if has_biases else [None, None]
        made.append(Weights(part[0], part[1], biases[0], biases[1], w_hr))
    return made


def _split_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments by name: data and batch sizes for a packed sequence, else the input."""
    padded = (
        "input", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first",
    )  # fmt: skip
    packed = (
        "data", "batch_sizes", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional",
    )  # fmt: skip
    is_packed = "batch_sizes" in kwargs or (len(args) > 3 and not isinstance(args[3], bool))
    return dict(zip(packed if is_packed else padded, args, strict=False)) | kwargs


def _sizes(given: dict[str, Any]) -> list[int] | None:
    sizes = given.get("batch_sizes")
    return None if sizes is None else [int(n) for n in sizes._data]


def _check_dtypes(value: Tensor, params: Values) -> None:
    if value._dtype is not params[0]._dtype:
        raise RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {value._dtype.type_name} and {params[0]._dtype.type_name}"
        )


def _run(step: Step, given: dict[str, Any]) -> tuple[Any, Any]:
    sizes = _sizes(given)
    value = given["data"] if sizes is not None else given["input"]
    _check_dtypes(value, given["params"])
    batch_first = sizes is None and given["batch_first"]
    if batch_first:
        value = value.transpose(0, 1)
    weights = _gathered(given["params"], given["has_biases"], False)
    states = list(given["hx"].unbind(0))
    directions = 2 if given["bidirectional"] else 1
    out, final = _layers(step, value, states, weights, directions, given["dropout"], given["train"], sizes)
    return (out.transpose_(0, 1) if batch_first else out), _stack(final)


def _publish(name: str, step: Step, words: str) -> None:
    def run(*args: Any, **kwargs: Any) -> Any:
        return _run(step, _split_arguments(args, kwargs))

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"Layers of {words} over a padded or packed sequence: all outputs, and the last states."
    export(name, method=False)(run)


_publish("rnn_tanh", lambda gates, state, weights: simple_step(gates, state, weights, "tanh"), "simple cells")
_publish("rnn_relu", lambda gates, state, weights: simple_step(gates, state, weights, "relu"), "simple cells")
_publish("gru", gru_step, "GRU cells")


@export("lstm", method=False)
def _lstm(*args: Any, **kwargs: Any) -> Any:
    """Layers of LSTM cells over a padded or packed sequence: all outputs, the last hidden and the last cell states."""
    given = _split_arguments(args, kwargs)
    if isinstance(given["hx"], Tensor):
        raise argument_error("lstm", "hx", 2, given["hx"], "tuple of Tensors")
    if len(given["hx"]) != 2:
        raise RuntimeError("lstm expects two hidden states")
    sizes = _sizes(given)
    value = given["data"] if sizes is not None else given["input"]
    hx, cx = given["hx"]
    _check_dtypes(value, given["params"])
    projected = hx._data.shape[2] != cx._data.shape[2]
    weights = _gathered(given["params"], given["has_biases"], projected)
    directions = 2 if given["bidirectional"] else 1
    dropout, train = given["dropout"], given["train"]
    fused = sizes is None and value._dtype is float32 and value._data.size
    if fused and projected:
        warn_once(
            "LSTM with projections is not supported with oneDNN. Using default implementation. (Triggered internally "
            "at /__w/pytorch/pytorch/aten/src/ATen/native/RNN.cpp:1512.)"
        )
    elif fused:
        return _fused_lstm(value, hx, cx, weights, directions, dropout, train, given["batch_first"])
    batch_first = sizes is None and given["batch_first"]
    if batch_first:
        value = value.transpose(0, 1)
    states: list[Any] = list(zip(hx.unbind(0), cx.unbind(0), strict=True))
    out, final = _layers(lstm_step, value, states, weights, directions, dropout, train, sizes)
    hidden, cells = _stack([s[0] for s in final]), _stack([s[1] for s in final])
    return (out.transpose(0, 1) if batch_first else out), hidden, cells
