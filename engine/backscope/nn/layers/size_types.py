"""Types of sizes as PyTorch's modules annotate them: one number for all dims, or one for each."""

from __future__ import annotations

from backscope.tensor.tensor import Tensor

size_any = int | tuple[int, ...]
size_1, size_2, size_3 = int | tuple[int], int | tuple[int, int], int | tuple[int, int, int]
size_4, size_5 = int | tuple[int, int, int, int], int | tuple[int, int, int, int, int]
size_6 = int | tuple[int, int, int, int, int, int]
optional_size_any = int | None | tuple[int | None, ...]
optional_size_2 = int | None | tuple[int | None, int | None]
optional_size_3 = int | None | tuple[int | None, int | None, int | None]
ratio_any, ratio_2, ratio_3 = float | tuple[float, ...], float | tuple[float, float], float | tuple[float, float, float]
tensors = Tensor | tuple[Tensor, ...]
maybe_indices = Tensor | tuple[Tensor, Tensor]
