"""Layers as modules: initial values, printing, saved state, and what they do in training and evaluation."""

from __future__ import annotations

from typing import Any

import pytest


def test_convolution_draws_weight_and_bias_as_pytorch_does(ours: Any) -> None:
    ours.manual_seed(0)
    conv = ours.nn.Conv2d(1, 2, 2)
    assert repr(conv) == "Conv2d(1, 2, kernel_size=(2, 2), stride=(1, 1))"
    assert [round(v, 4) for v in conv.weight.flatten().tolist()] == [
        -0.0037, 0.2682, -0.4115, -0.3680, -0.1926, 0.1341, -0.0099, 0.3964,
    ]  # fmt: skip
    assert list(conv.state_dict()) == ["weight", "bias"]


def test_same_padding_keeps_the_lengths(ours: Any) -> None:
    for mode in ("zeros", "reflect", "replicate", "circular"):
        conv = ours.nn.Conv1d(2, 3, 3, padding="same", dilation=2, padding_mode=mode)
        assert conv(ours.ones(1, 2, 9)).shape == (1, 3, 9)


def test_batch_norm_tracks_the_batches_in_training_only(ours: Any) -> None:
    bn = ours.nn.BatchNorm1d(2)
    x = ours.tensor([[1.0, 2.0], [3.0, 6.0]])
    assert bn(x).detach().round(decimals=3).tolist() == [[-1.0, -1.0], [1.0, 1.0]]
    assert [round(v, 4) for v in bn.running_mean.tolist()] == [0.2, 0.4]
    assert [round(v, 4) for v in bn.running_var.tolist()] == [1.1, 1.7]
    assert bn.num_batches_tracked.item() == 1
    bn.eval()
    bn(x)
    assert bn.num_batches_tracked.item() == 1
    assert list(bn.state_dict()) == ["weight", "bias", "running_mean", "running_var", "num_batches_tracked"]


def test_batch_norm_without_momentum_averages_all_batches(ours: Any) -> None:
    bn = ours.nn.BatchNorm1d(1, momentum=None)
    for value in (1.0, 4.0):
        bn(ours.tensor([[value], [value + 2]]))
    assert bn.running_mean.item() == pytest.approx(3.5)


def test_batch_norm_refuses_one_value_per_channel_in_training(ours: Any) -> None:
    with pytest.raises(ValueError, match="Expected more than 1 value per channel when training"):
        ours.nn.BatchNorm1d(2)(ours.ones(1, 2))


def test_dropout_in_evaluation_is_the_input_itself(ours: Any) -> None:
    x = ours.ones(3, requires_grad=True)
    assert ours.nn.Dropout(0.5).eval()(x) is x


def test_dropout_draws_pytorchs_mask(ours: Any) -> None:
    ours.manual_seed(0)
    assert ours.nn.Dropout(0.5)(ours.ones(8)).tolist() == [0, 0, 2, 0, 0, 0, 2, 2]


def test_embedding_keeps_its_padding_row_at_zero(ours: Any) -> None:
    embedding = ours.nn.Embedding(4, 3, padding_idx=1)
    assert embedding.weight[1].tolist() == [0, 0, 0]
    embedding(ours.tensor([0, 1, 1])).sum().backward()
    assert embedding.weight.grad.tolist() == [[1, 1, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0]]


def test_recurrent_layers_agree_with_their_cells(ours: Any) -> None:
    x = ours.linspace(-1, 1, 12).reshape(3, 2, 2)
    for name in ("LSTM", "GRU", "RNN"):
        whole, step = getattr(ours.nn, name)(2, 3), getattr(ours.nn, name + "Cell")(2, 3)
        step.load_state_dict({k.removesuffix("_l0"): v for k, v in whole.state_dict().items()})
        state = None
        for t in range(3):
            state = step(x[t], state)
        last = state[0] if isinstance(state, tuple) else state
        assert ours.allclose(whole(x)[0][-1], last, atol=1e-6)


def test_packed_sequences_give_what_each_sequence_gives_alone(ours: Any) -> None:
    rnn = ours.nn.utils.rnn
    lstm = ours.nn.LSTM(2, 3, num_layers=2, bidirectional=True)
    sequences = [ours.linspace(-1, 1, 2 * n).reshape(n, 2) for n in (2, 4, 1)]
    out, _ = lstm(rnn.pack_sequence(sequences, enforce_sorted=False))
    for got, sequence in zip(rnn.unpack_sequence(out), sequences, strict=True):
        assert ours.allclose(got, lstm(sequence)[0], atol=1e-6)


def test_attention_does_not_look_at_what_a_mask_hides(ours: Any) -> None:
    attention = ours.nn.MultiheadAttention(4, 2, batch_first=True)
    x = ours.linspace(-1, 1, 12).reshape(1, 3, 4)
    mask = ours.nn.Transformer.generate_square_subsequent_mask(3)
    _, weights = attention(x, x, x, attn_mask=mask)
    assert (weights.triu(1) == 0).all() and ours.allclose(weights.sum(-1), ours.ones(1, 3))
    changed = x.clone()
    changed[0, 2] = 5.0
    first, second = (attention(v, v, v, attn_mask=mask, need_weights=False)[0] for v in (x, changed))
    assert ours.allclose(first[0, :2], second[0, :2], atol=1e-6)


def test_transformer_has_pytorchs_parameters(ours: Any) -> None:
    model = ours.nn.Transformer(8, 2, 1, 1, 16, batch_first=True)
    names = list(model.state_dict())
    assert len(names) == 34 and names[0] == "encoder.layers.0.self_attn.in_proj_weight"
    assert model(ours.ones(2, 3, 8), ours.ones(2, 4, 8)).shape == (2, 4, 8)


def test_lazy_layers_take_their_channels_from_the_first_input(ours: Any) -> None:
    net = ours.nn.Sequential(ours.nn.LazyConv2d(4, 3), ours.nn.LazyBatchNorm2d())
    assert net(ours.ones(2, 3, 5, 5)).shape == (2, 4, 3, 3)
    assert type(net[0]) is ours.nn.Conv2d and net[0].weight.shape == (4, 3, 3, 3)
    assert type(net[1]) is ours.nn.BatchNorm2d and net[1].num_features == 4


def test_cross_map_norm_has_pytorchs_gradient(ours: Any) -> None:
    x = ours.linspace(-1, 1, 5).reshape(1, 5, 1, 1).requires_grad_()
    ours.nn.CrossMapLRN2d(3, 0.5, 0.75, 1.0)(x).pow(2).sum().backward()
    assert [round(v, 4) for v in x.grad.flatten().tolist()] == [-1.1942, -0.5582, 0.0, 0.5531, 0.9585]
