"""Protects how captions write ops: by a sign, or by the name and with the numbers of the program."""

from __future__ import annotations

import pytest

from backscope.caption import expression
from backscope.protocol import events as ev


@pytest.mark.parametrize(
    ("op", "given", "text"),
    [
        ("mul", {"self": 0, "other": 1}, "x × y"),
        ("rsub", {"self": 0, "other": "1"}, "1 − x"),
        ("pow_base", {"exponent": 0, "self": "2"}, "2^x"),
        ("div_unrounded", {"self": 0, "other": 1}, "x ÷ y"),
        ("div_mode", {"self": 0, "other": 1, "rounding_mode": "'floor'"}, "div(x, y, rounding_mode='floor')"),
        ("fmod_number", {"self": 0, "other": "0.7"}, "fmod(x, 0.7)"),
        ("xlogy_of_number", {"other": 0, "self": "2.5"}, "xlogy(2.5, x)"),
        ("linalg_inv_ex", {"self": 0}, "linalg.inv(x)"),
        ("special_i1e", {"self": 0}, "special.i1e(x)"),
        ("fft_c2c", {"self": 0, "forward": "False"}, "fft.ifft(x)"),
        ("fft_c2c", {"self": 0, "forward": "True"}, "fft.fft(x)"),
        ("fft_c2c", {"self": 0, "dim": "(0, 1)", "forward": "True"}, "fft.fftn(x)"),
        ("fft_r2c", {"self": 0, "dim": "(1,)", "onesided": "True"}, "fft.rfft(x)"),
        ("eq_number_", {"self": 0, "other": "0.5"}, "eq_(x, 0.5)"),
        ("floor_divide_", {"self": 0, "other": 1}, "x //= y"),
        ("upsample_bicubic2d_aa_backward", {"grad_output": 0}, "interpolate_backward(x)"),
        ("neg_view", {"self": 0}, "−x"),
        ("masked_fill", {"self": 0, "mask": 1, "value": "-inf"}, "masked_fill(x, y, −inf)"),
        ("where", {"self": 0, "other": "0.0", "condition": 1}, "where(y, x, 0)"),
        ("stack", {f"tensors[{i}]": i % 2 for i in range(64)}, "stack(x, y, x, y, x, y, …, y)"),
    ],
)
def test_an_op_is_written_as_in_a_program(op: str, given: dict[str, int | str], text: str) -> None:
    inputs = [
        ev.Argument(name=name, tensor=one, text=None)
        if isinstance(one, int)
        else ev.Argument(name=name, tensor=None, text=one)
        for name, one in given.items()
    ]
    names = "xy"
    assert expression.of(op, inputs, lambda tensor: names[tensor], lambda tensor: names[tensor]) == text
