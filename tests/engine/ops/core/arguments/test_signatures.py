"""Calls with arguments of the wrong number, name or type: PyTorch's TypeErrors, and nothing else changed."""

from __future__ import annotations

import re

import pytest

from backscope import torch
from backscope.ops.core.arguments import signatures
from backscope.ops.core.arguments.argument_types import type_name
from backscope.ops.core.arguments.invalid_arguments import invalid_arguments


def told(call) -> str:
    """The text of the TypeError of a call."""
    with pytest.raises(TypeError) as caught:
        call()
    return str(caught.value)


def test_names_the_argument_of_the_only_signature_that_could_be_meant():
    x = torch.ones(2)
    assert told(lambda: torch.exp("a")) == "exp(): argument 'input' (position 1) must be Tensor, not str"
    assert told(lambda: torch.topk(x, "a")) == "topk(): argument 'k' (position 2) must be int, not str"
    assert told(lambda: torch.zeros(2, dtype=3)) == "zeros(): argument 'dtype' must be torch.dtype, not int"


def test_methods_count_without_the_tensor():
    assert told(lambda: torch.ones(2).topk("a")) == "topk(): argument 'k' (position 1) must be int, not str"


def test_errors_of_methods_without_arguments_name_the_class():
    x = torch.ones(2)
    assert told(lambda: x.exp(3, 4)) == "TensorBase.exp() takes no arguments (2 given)"
    assert told(lambda: x.detach(foo=3)) == "TensorBase.detach() takes no keyword arguments"


def test_missing_surplus_and_unknown_arguments():
    x = torch.ones(2)
    assert told(lambda: x.cumsum()) == 'cumsum() missing 1 required positional arguments: "dim"'
    assert told(lambda: torch.dropout(x)) == 'dropout() missing 2 required positional argument: "p", "train"'
    assert told(lambda: x.clone(3)) == "clone() takes 0 positional arguments but 1 was given"
    assert told(lambda: torch.exp(x, foo=1)) == "exp() got an unexpected keyword argument 'foo'"
    assert told(lambda: torch.topk(x, 1, k=1)) == "topk() got multiple values for argument 'k'"


def test_several_signatures_are_listed_with_what_does_not_fit():
    assert told(lambda: torch.ones(2).pow("a")) == (
        "pow() received an invalid combination of arguments - got (str), but expected one of:\n"
        " * (Tensor exponent)\n"
        "      didn't match because some of the arguments have invalid types: (!str!)\n"
        " * (Number exponent)\n"
        "      didn't match because some of the arguments have invalid types: (!str!)\n"
    )


def test_keywords_alone_leave_a_comma_and_come_backwards():
    text = invalid_arguments("f", (), {"a": 1, "b": "x"}, ["(int a)", "(str b)"])
    assert text.startswith("f() received an invalid combination of arguments - got (b=str, a=int, ), but")


def test_lists_of_numbers_and_tensors_are_looked_into():
    x = torch.ones(2)
    assert told(lambda: torch.cat([x, 3])) == "expected Tensor as element 1 in argument 0, but got int"
    assert told(lambda: torch.zeros(2, "a")) == (
        "zeros(): argument 'size' failed to unpack the object at pos 2 with error "
        '"type must be tuple of ints,but got str"'
    )
    assert told(lambda: x.permute([1.5])) == (
        "permute(): argument 'dims' (position 1) must be tuple of ints, but found element of type float at pos 0"
    )


def test_truth_values_are_checked_even_where_anything_would_do():
    x = torch.ones(2, 2)
    assert told(lambda: x.mean(0, "a")) == "mean(): argument 'keepdim' (position 2) must be bool, not str"
    assert told(lambda: x.max(0, keepdim=1)) == "max(): argument 'keepdim' must be bool, not int"


def test_functions_of_other_namespaces_carry_its_name():
    assert told(lambda: torch.linalg.inv("a")).startswith("linalg_inv(): argument")
    assert told(lambda: torch.special.expit("a")).startswith("special_expit(): argument 'input'")


def test_spellings_of_numpy_and_python_are_taken():
    x = torch.ones(2, 3)
    assert torch.sum(a=x).item() == 6
    assert x.max(axis=0).values.shape == (3,)
    assert torch.zeros(2, dtype=float).dtype is torch.float64
    assert x.sum(dtype=int).dtype is torch.int64
    assert torch.zeros(size=(2,)).shape == (2,)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: torch.dot(input=x, tensor=x),
        lambda x: torch.exp_(input=x),
        lambda x: torch.swapaxes(x[None], axis0=0, axis1=1),
        lambda x: torch.tensor_split(x, sections=2),
        lambda x: torch.isin(elements=x, test_element=1),
        lambda x: torch.where(condition=x > 0, self=1.0, other=2.0),
        lambda x: torch.complex(real=x, imag=x),
        lambda x: torch.arange(end=3),
        lambda x: torch.linalg.solve_triangular(input=x.diag(), B=x[:, None], upper=True),
        lambda x: torch.linalg.vector_norm(input=x, ord=2),
        lambda x: torch.special.zeta(self=2.0, other=x),
        lambda x: torch.special.hermite_polynomial_h(x=x, n=2),
        lambda x: torch.repeat_interleave(repeats=x.long()),
        lambda x: torch.promote_types(type1=x.dtype, type2=torch.int64),
    ],
)
def test_arguments_go_by_the_names_that_pytorch_has_for_them(call):
    call(torch.tensor([1.0, 2.0]))


@pytest.mark.parametrize(
    "make",
    [
        lambda **k: torch.arange(3, **k),
        lambda **k: torch.eye(3, **k),
        lambda **k: torch.full((3,), 1.0, **k),
        lambda **k: torch.rand(3, **k),
        lambda **k: torch.randperm(3, **k),
        lambda **k: torch.zeros_like(torch.ones(3), **k),
        lambda **k: torch.ones(1).new_zeros(3, **k),
        lambda **k: torch.tril_indices(2, 2, **k),
        lambda **k: torch.hann_window(3, **k),
    ],
)
def test_makers_take_keywords_that_ask_for_nothing(make):
    assert make(layout=torch.strided, pin_memory=False).shape == make().shape


def test_a_star_import_has_the_numbers_and_the_short_names_of_types():
    names: dict[str, object] = {}
    exec("from backscope.torch import *", names)
    assert {"pi", "e", "inf", "nan", "newaxis", "float", "int", "double", "half", "long", "cfloat"} <= names.keys()


def test_where_takes_two_numbers_for_masks_of_any_shape():
    mask = torch.tensor([[True, False], [False, True]])
    assert torch.where(mask, 1.0, 0.0).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert torch.where(mask, 1, 2.5).dtype is torch.float32
    assert torch.where(mask, True, 3).dtype is torch.int64


def test_a_singular_matrix_has_an_infinite_condition_number():
    singular = torch.stack([torch.ones(2, 2), torch.eye(2)])
    assert torch.linalg.cond(singular, 1).tolist() == [float("inf"), 1.0]


def test_numbers_are_taken_for_tensors_by_arithmetic():
    assert torch.add(1, 2.5).item() == 3.5
    assert "must be Tensor, not int" in told(lambda: torch.atan2(1, 2))
    x = torch.ones(2)
    assert told(lambda: torch.atan2(x, other=1)) == "atan2(): argument 'other' must be Tensor, not int"
    assert told(lambda: torch.addcmul(x, 2.0, x, value=3)) == (
        "addcmul(): argument 'tensor1' (position 2) must be Tensor, not float"
    )


def test_numbers_may_be_where_earlier_versions_took_them():
    x, y, z = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0]), torch.tensor([6.0, 4.0])
    assert torch.add(x, 2, y).tolist() == [7.0, 12.0]
    assert x.addcdiv(2, y, z).tolist() == [2.0, 4.5]
    assert torch.addmv(2, x, 3, torch.eye(2), y).tolist() == [11.0, 19.0]


def test_errors_of_calls_that_fit_are_left_alone():
    with pytest.raises(RuntimeError, match="size of tensor a"):
        torch.add(torch.ones(2), torch.ones(3))
    with pytest.raises(IndexError, match="Dimension out of range"):
        torch.ones(2).sum(3)


def test_the_first_error_is_not_shown_as_a_cause():
    with pytest.raises(TypeError) as caught:
        torch.sum("a")
    assert caught.value.__suppress_context__


def test_checked_functions_keep_their_names():
    assert torch.matmul.__name__ == "matmul"
    assert torch.Tensor.sum.__doc__


def test_all_signatures_can_be_read():
    for space, entries in signatures.table.items():
        for name in entries:
            for signature in signatures.signatures(space, name):
                assert re.fullmatch(r"\(.*\)", str(signature)), (space, name)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "NoneType"),
        (torch.float32, "torch.dtype"),
        (torch.ones(1), "Tensor"),
        (torch.nn.Parameter(torch.ones(1)), "Parameter"),
        (torch.Size([1]), "torch.Size"),
        (torch.device("cpu"), "torch.device"),
    ],
)
def test_types_are_called_what_pytorch_calls_them(value, name):
    assert type_name(value) == name


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.sort(0, stable=True),
        lambda x: torch.sort(x, True),
        lambda x: torch.clamp(x, 0, x),
        lambda x: torch.addcmul(x, x, 2),
        lambda x: torch.addcdiv(x, x, x, x),
        lambda x: x.clone().addcmul_(x, 2.0),
    ],
)
def test_what_merely_passes_for_another_argument_is_refused(call):
    with pytest.raises(TypeError):
        call(torch.ones(2, 2))


def test_a_call_that_fits_by_its_types_does_not_let_others_in():
    x = torch.ones(2, 2)
    assert torch.clamp(x, 0, 2).sum().item() == 4
    with pytest.raises(TypeError):
        torch.clamp(x, 0, x)
    with pytest.raises(TypeError):
        torch.clamp(x, 0, max=x)


def test_earlier_versions_order_is_that_of_in_place_forms_too():
    x, y, z = torch.ones(2), torch.full((2,), 2.0), torch.full((2,), 4.0)
    assert x.clone().addcdiv_(2, y, z).tolist() == [2, 2]
    assert x.clone().addcmul_(2, y, z).tolist() == [17, 17]


def test_tensors_without_dims_pass_for_numbers():
    x = torch.arange(4.0).reshape(2, 2)
    one = torch.tensor(1)
    assert x.squeeze(one).shape == (2, 2)
    assert [c.shape for c in x.chunk(torch.tensor(2), one)] == [(2, 1), (2, 1)]
    assert torch.logit(torch.tensor([0.1]), torch.tensor(0.25)) == torch.logit(torch.tensor([0.25]))
