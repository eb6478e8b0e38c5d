"""one_hot: classes as rows of zeros with a one."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.namespace import export
from backscope.ops.create.creation import born
from backscope.runtime.given import Value
from backscope.tensor import dtype as types
from backscope.tensor.tensor import Tensor


@export(method=False, function=False, nn=True)
def one_hot(input: Tensor, num_classes: int = -1) -> Value:  # noqa: A002
    """Classes as rows of zeros with a one; RuntimeError for what is no class."""
    if input._dtype is not types.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    classes = np.asarray(input._data)
    if not classes.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return born(np.zeros((*classes.shape, num_classes), np.int64), types.int64, "one_hot")
    if classes.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(classes.max()) + 1
    elif num_classes <= classes.max():
        raise RuntimeError("Class values must be smaller than num_classes.")
    found: Any = born(np.eye(num_classes, dtype=np.int64)[classes], types.int64, "one_hot")
    found._counter()[0] = 2  # PyTorch fills in zeros, then writes the ones.
    return found
