"""AdaptiveLogSoftmaxWithLoss: log probabilities of many classes, the rare ones in clusters with smaller layers."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from backscope.nn.layers.linear import Linear
from backscope.nn.module.containers import ModuleList, Sequential
from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional as F
from backscope.runtime.given import Device, Dtype, Value
from backscope.tensor.typename import belongs

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Classes sorted by frequency, cut into a head and clusters at `cutoffs`."""

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        rising = cutoffs == sorted(set(cutoffs)) and all(int(c) == c for c in cutoffs)
        if not rising or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        given = {"device": device, "dtype": dtype}
        self.head = Linear(self.in_features, self.head_size, bias=self.head_bias, **given)
        self.tail = ModuleList()
        for i, (start, stop) in enumerate(pairwise(self.cutoffs)):
            width = int(self.in_features // (self.div_value ** (i + 1)))
            self.tail.append(
                Sequential(
                    Linear(self.in_features, width, bias=False, **given),
                    Linear(width, stop - start, bias=False, **given),
                )
            )

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def forward(self, input_: Value, target_: Value) -> Value:
        """The log probability of each target, and the mean of their negatives."""
        _check_shapes(input_, target_)
        batched = target_.dim() > 0
        input = input_ if batched else input_.unsqueeze(0)  # noqa: A001
        target = target_ if batched else target_.unsqueeze(0)
        count = target.size(0)
        output = input.new_zeros(count)
        columns = target.new_empty(count)
        seen = 0
        for i, (start, stop) in enumerate(pairwise([0, *self.cutoffs])):
            inside = (target >= start) & (target < stop)
            rows = inside.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            if i == 0:
                columns.index_copy_(0, rows, target[inside])
            else:
                within = target[inside] - start
                logs = F["log_softmax"](self.tail[i - 1](input.index_select(0, rows)), dim=1)
                columns.index_fill_(0, rows, self.shortlist_size + i - 1)
                output.index_copy_(0, rows, logs.gather(1, within.unsqueeze(1)).squeeze(1))
            seen += rows.numel()
        if seen != count:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. "
            )
        head = F["log_softmax"](self.head(input), dim=1)
        output += head.gather(1, columns.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: Value, head_output: Any) -> Any:  # noqa: A002
        out = input.new_empty((head_output.size(0), self.n_classes))
        head = F["log_softmax"](head_output, dim=1)
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for i, (start, stop) in enumerate(pairwise(self.cutoffs)):
            cluster = F["log_softmax"](self.tail[i](input), dim=1)
            out[:, start:stop] = cluster + head[:, self.shortlist_size + i].unsqueeze(1)
        return out

    def log_prob(self, input: Value) -> Value:  # noqa: A002
        """The log probabilities of all classes."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Value) -> Value:  # noqa: A002
        """The most probable class of each row."""
        head_output = self.head(input)
        output = head_output.argmax(dim=1)
        rare = output >= self.shortlist_size
        if not rare.any():
            return output
        if rare.all():
            return self._get_full_log_prob(input, head_output).argmax(dim=1)
        output[rare] = self._get_full_log_prob(input[rare], head_output[rare]).argmax(dim=1)
        return output


def _check_shapes(input: Value, target: Value) -> None:  # noqa: A002
    ndim = target.dim()
    if ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if ndim == 1 and input.size(0) != target.size(0):
        raise RuntimeError("Input and target should have the same size in the batch dimension.")
    if input.dim() != ndim + 1:
        raise RuntimeError(
            f"{ndim}D target tensor expects {ndim + 1}D input tensors, but found inputs with size {input.size()}"
        )


belongs("torch.nn.modules.adaptive", AdaptiveLogSoftmaxWithLoss)
