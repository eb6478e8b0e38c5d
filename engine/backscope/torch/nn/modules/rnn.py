"""The names of `torch.nn.modules.rnn`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.recurrent import GRU, LSTM, RNN, RNNBase
from backscope.nn.layers.recurrent_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "GRUCell",
    "LSTMCell",
    "RNNBase",
    "RNNCell",
    "RNNCellBase",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.rnn", name, globals())
