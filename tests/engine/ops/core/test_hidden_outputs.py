"""Events say which outputs of an op no program ever holds, and the numbers of all outputs stay what they are."""

from __future__ import annotations

import pytest

from backscope.program import runner
from backscope.protocol import events as ev

_HEAD = """import torch
import torch.nn.functional as F
x = torch.zeros(2, 3, requires_grad=True)
image = torch.zeros(1, 2, 4, 4, requires_grad=True)
"""


@pytest.mark.parametrize(
    ("source", "op", "hidden"),
    [
        ("F.cross_entropy(x, torch.tensor([0, 1]))", "nll_loss", [1]),
        ("F.logsigmoid(x)", "log_sigmoid", [1]),
        ("F.multilabel_margin_loss(x, torch.tensor([[0, -1, -1], [1, -1, -1]]))", "multilabel_margin_loss", [1]),
        ("F.layer_norm(x, (3,))", "native_layer_norm", [1, 2]),
        ("torch.native_layer_norm(x, (3,), None, None, 1e-5)", "native_layer_norm", []),
        ("F.group_norm(image, 2)", "native_group_norm", [1, 2]),
        ("torch.native_group_norm(image, None, None, 1, 2, 16, 2, 1e-5)", "native_group_norm", []),
        ("torch.nn.BatchNorm1d(3)(x)", "native_batch_norm", [1, 2]),
        ("F.instance_norm(image)", "native_batch_norm", [1, 2]),
        ("torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5)", "native_batch_norm", []),
        ("F.max_pool1d(x, 2)", "max_pool2d_with_indices", [1]),
        ("F.max_pool1d(x, 2, return_indices=True)", "max_pool2d_with_indices", []),
        ("F.max_pool2d(image, 2)", "max_pool2d_with_indices", [1]),
        ("F.max_pool2d(image, 2, return_indices=True)", "max_pool2d_with_indices", []),
        ("F.adaptive_max_pool2d(image, 2)", "adaptive_max_pool2d", [1]),
        ("F.adaptive_max_pool2d(image, 2, return_indices=True)", "adaptive_max_pool2d", []),
        ("F.fractional_max_pool2d(image, 2, output_size=2)", "fractional_max_pool2d", [1]),
        ("F.embedding_bag(torch.tensor([[0, 1]]), x)", "embedding_bag", [1, 2, 3]),
        ("torch.embedding_bag(x, torch.tensor([0, 1]), torch.tensor([0]))", "embedding_bag", []),
        ("F.scaled_dot_product_attention(image, image, image)", "scaled_dot_product_flash_attention_for_cpu", [1]),
        ("torch.nn.LSTM(3, 2)(x)", "mkldnn_rnn_layer", [3]),
        ("torch.linalg.eigvalsh(image)", "linalg_eigh", [1]),
        ("torch.linalg.eigvals(image)", "linalg_eig", [1]),
        ("torch.linalg.svdvals(x)", "linalg_svd", [0, 2]),
        ("torch.linalg.svd(x)", "linalg_svd", []),
        ("torch.linalg.inv(torch.eye(2))", "linalg_inv_ex", [1]),
        ("torch.linalg.inv_ex(torch.eye(2))", "linalg_inv_ex", []),
        ("torch.linalg.solve(torch.eye(2), torch.ones(2))", "linalg_solve_ex", [1]),
        ("torch.linalg.solve_ex(torch.eye(2), torch.ones(2))", "linalg_solve_ex", []),
        ("torch.linalg.cholesky(torch.eye(2))", "linalg_cholesky_ex", [1]),
        ("torch.linalg.cholesky_ex(torch.eye(2))", "linalg_cholesky_ex", []),
        ("torch.linalg.lu_factor(torch.eye(2))", "linalg_lu_factor_ex", [2]),
        ("torch.linalg.lu_factor_ex(torch.eye(2))", "linalg_lu_factor_ex", []),
        ("torch.native_dropout(x, 0.5, True)", "native_dropout", []),
        ("x.max(1)", "max", []),
        ("x.exp()", "exp", []),
    ],
)
def test_outputs_that_no_program_holds_are_marked(source: str, op: str, hidden: list[int]) -> None:
    written: list[bytes] = []
    runner.run(_HEAD + source, written.append)
    events = [ev.decode(line) for line in b"".join(written).splitlines()]
    (applied,) = [event for event in events if isinstance(event, ev.OpApplied) and event.op == op]
    assert applied.hidden == hidden
    assert len(applied.outputs) > max([0, *hidden])
    assert len(applied.outputs) >= 2 or op == "exp"
