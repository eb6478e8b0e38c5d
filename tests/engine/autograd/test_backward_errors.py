"""PyTorch's own errors of the tape and its tensors, letter by letter."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest

FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been "
    "freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
    "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors "
    "after calling backward."
)


def leaf(torch: Any, *shape: int) -> Any:
    """A leaf of ones that requires grad."""
    return torch.ones(shape, requires_grad=True)


def backward_twice(torch: Any) -> None:
    y = leaf(torch) * leaf(torch)
    y.backward()
    y.backward()


def not_a_scalar(torch: Any) -> None:
    (leaf(torch, 2) * 2).backward()


def empty_is_not_a_scalar(torch: Any) -> None:
    (leaf(torch, 0) * 2).backward()


def wrong_shape(torch: Any) -> None:
    (leaf(torch, 2) * 2).backward(torch.ones(3))


def one_is_not_scalar_shape(torch: Any) -> None:
    leaf(torch, 2).sum().backward(torch.ones(1))


def complex_for_real(torch: Any) -> None:
    leaf(torch, 2).sum().backward(torch.tensor(1j))


def gradient_is_a_number(torch: Any) -> None:
    leaf(torch).backward(1.0)


def gradients_are_numbers(torch: Any) -> None:
    torch.autograd.backward([leaf(torch)], [1.0])


def too_few_gradients(torch: Any) -> None:
    torch.autograd.backward([leaf(torch), leaf(torch)], [torch.tensor(1.0)])


def nothing_tracked(torch: Any) -> None:
    torch.ones(()).backward()


def nothing_tracked_in_grad(torch: Any) -> None:
    x = leaf(torch)
    torch.autograd.grad(x.detach() * 2, x)


def input_wants_no_gradient(torch: Any) -> None:
    torch.autograd.grad(leaf(torch) * 2, torch.ones(()))


def unused_input(torch: Any) -> None:
    torch.autograd.grad(leaf(torch) * 2, leaf(torch))


def second_input_unused(torch: Any) -> None:
    x = leaf(torch)
    torch.autograd.grad(x * 2, [x, leaf(torch)])


def other_mapping(torch: Any) -> None:
    x = leaf(torch)
    torch.autograd.grad(x * 2, OrderedDict(x=x))


def other_mapping_in_backward(torch: Any) -> None:
    x = leaf(torch)
    (x * 2).backward(inputs=OrderedDict(x=x))


def input_is_a_number(torch: Any) -> None:
    leaf(torch).backward(inputs=[1])


def root_is_a_number(torch: Any) -> None:
    torch.autograd.backward(3)


def create_graph_is_none(torch: Any) -> None:
    leaf(torch).backward(create_graph=None)


def no_inputs_of_grad(torch: Any) -> None:
    torch.autograd.grad(leaf(torch) * 2, [])


def input_of_backward_wants_no_gradient(torch: Any) -> None:
    leaf(torch).backward(inputs=[torch.ones(())])


def batched_gradient_of_another_shape(torch: Any) -> None:
    x = leaf(torch, 3)
    torch.autograd.grad(x * 2, x, torch.eye(2), is_grads_batched=True)


def data_is_a_number(torch: Any) -> None:
    leaf(torch).data = 3


def empty_inputs(torch: Any) -> None:
    leaf(torch).backward(inputs=[])


def materialize_and_refuse(torch: Any) -> None:
    x = leaf(torch)
    torch.autograd.grad(x * 2, x, materialize_grads=True, allow_unused=False)


def integer_leaf(torch: Any) -> None:
    torch.ones(2, dtype=torch.int64).requires_grad_()


def integer_creation(torch: Any) -> None:
    torch.tensor([1, 2], requires_grad=True)


def non_leaf_flag(torch: Any) -> None:
    (leaf(torch) * 2).requires_grad_(False)


def flag_is_no_bool(torch: Any) -> None:
    leaf(torch).requires_grad = 1


def item_of_many(torch: Any) -> None:
    torch.ones(2).item()


def item_of_none(torch: Any) -> None:
    torch.ones(0).item()


def float_of_many(torch: Any) -> None:
    float(torch.ones(2))


def int_of_many(torch: Any) -> None:
    int(torch.ones(2))


def complex_of_none(torch: Any) -> None:
    complex(torch.ones(0))


def int_of_complex(torch: Any) -> None:
    int(torch.tensor(1 + 2j))


def bool_of_many(torch: Any) -> None:
    bool(torch.ones(2))


def bool_of_none(torch: Any) -> None:
    bool(torch.ones(0))


def len_of_a_scalar(torch: Any) -> None:
    len(torch.tensor(1.0))


def index_with_a_float(torch: Any) -> None:
    [1, 2][torch.tensor(1.0)]


def numpy_of_tracked(torch: Any) -> None:
    leaf(torch).numpy()


def grad_is_a_number(torch: Any) -> None:
    leaf(torch).grad = 1.0


def grad_is_itself(torch: Any) -> None:
    x = leaf(torch)
    x.grad = x


def grad_of_another_shape(torch: Any) -> None:
    leaf(torch, 2).grad = torch.ones(3)


def grad_of_another_type(torch: Any) -> None:
    leaf(torch, 2).grad = torch.ones(2, dtype=torch.float64)


def detach_a_view(torch: Any) -> None:
    (leaf(torch, 2) * 2)[0].detach_()


def make_a_node(torch: Any) -> None:
    type((leaf(torch) * 2).grad_fn)()


def grad_fn_is_read_only(torch: Any) -> None:
    leaf(torch).grad_fn = None


def out_that_requires_grad(torch: Any) -> None:
    torch.mul(leaf(torch, 2), 2, out=torch.ones(2))


ERRORS: list[tuple[Callable[[Any], None], type[BaseException], str]] = [
    (backward_twice, RuntimeError, FREED),
    (not_a_scalar, RuntimeError, "grad can be implicitly created only for scalar outputs"),
    (empty_is_not_a_scalar, RuntimeError, "grad can be implicitly created only for scalar outputs"),
    (
        wrong_shape,
        RuntimeError,
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of "
        "torch.Size([2]).",
    ),
    (
        one_is_not_scalar_shape,
        RuntimeError,
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([1]) and output[0] has a shape of torch.Size([]).",
    ),
    (
        complex_for_real,
        RuntimeError,
        "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
        "grad_output[0] has a dtype of torch.complex64 and output[0] has a dtype of torch.float32.",
    ),
    (gradient_is_a_number, TypeError, "'float' object is not iterable"),
    (gradients_are_numbers, TypeError, "gradients can be either Tensors or None, but got float"),
    (too_few_gradients, RuntimeError, "got 2 tensors and 1 gradients"),
    (nothing_tracked, RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn"),
    (nothing_tracked_in_grad, RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn"),
    (input_wants_no_gradient, RuntimeError, "One of the differentiated Tensors does not require grad"),
    (
        unused_input,
        RuntimeError,
        "The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True if "
        "this is the desired behavior.",
    ),
    (
        second_input_unused,
        RuntimeError,
        "The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused=True if "
        "this is the desired behavior.",
    ),
    (
        other_mapping,
        TypeError,
        "`inputs` argument to `grad()` must be a dict, not OrderedDict. Other Mapping types are not supported.",
    ),
    (
        other_mapping_in_backward,
        TypeError,
        "`inputs` argument to `backward()` must be a dict, not OrderedDict. Other Mapping types are not supported.",
    ),
    (input_is_a_number, RuntimeError, "all inputs have to be Tensors or GradientEdges, but got int"),
    (root_is_a_number, TypeError, "'int' object is not iterable"),
    (create_graph_is_none, TypeError, "'NoneType' object cannot be interpreted as an integer"),
    (no_inputs_of_grad, RuntimeError, "`inputs` argument to `grad()` cannot be empty."),
    (input_of_backward_wants_no_gradient, RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"),
    (
        batched_gradient_of_another_shape,
        RuntimeError,
        "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
        "sizes of the remaining dimensions are expected to match the shape of corresponding output, but a mismatch "
        "was detected: grad_output[0] has a shape of torch.Size([]) and output[0] has a shape of torch.Size([3]). If "
        "you only want some tensors in `grad_output` to be considered batched, consider using vmap.",
    ),
    (data_is_a_number, TypeError, "Variable data has to be a tensor, but got int"),
    (empty_inputs, RuntimeError, "`inputs` argument to `backward()` cannot be empty."),
    (
        materialize_and_refuse,
        ValueError,
        "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.",
    ),
    (integer_leaf, RuntimeError, "only Tensors of floating point dtype can require gradients"),
    (integer_creation, RuntimeError, "Only Tensors of floating point and complex dtype can require gradients"),
    (
        non_leaf_flag,
        RuntimeError,
        "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
        "subgraph that doesn't require differentiation use var_no_grad = var.detach().",
    ),
    (flag_is_no_bool, RuntimeError, "requires_grad must be a bool"),
    (item_of_many, RuntimeError, "a Tensor with 2 elements cannot be converted to Scalar"),
    (item_of_none, RuntimeError, "a Tensor with 0 elements cannot be converted to Scalar"),
    (float_of_many, ValueError, "only one element tensors can be converted to Python scalars"),
    (int_of_many, ValueError, "only one element tensors can be converted to Python scalars"),
    (complex_of_none, ValueError, "only one element tensors can be converted to Python scalars"),
    (int_of_complex, RuntimeError, "value cannot be converted to type int64_t without overflow"),
    (bool_of_many, RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    (bool_of_none, RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
    (len_of_a_scalar, TypeError, "len() of a 0-d tensor"),
    (index_with_a_float, TypeError, "only integer tensors of a single element can be converted to an index"),
    (
        numpy_of_tracked,
        RuntimeError,
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    ),
    (grad_is_a_number, TypeError, "assigned grad expected to be a Tensor or None but got grad of type float"),
    (grad_is_itself, RuntimeError, "can't assign Variable as its own grad"),
    (
        grad_of_another_shape,
        RuntimeError,
        "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the gradient and "
        "the tensor are the same size",
    ),
    (
        grad_of_another_type,
        RuntimeError,
        "attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Float'. The gradient must "
        "match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype "
        "attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the "
        "dtypes of a tensor and its gradient may break downstream systems that assume they match.",
    ),
    (
        detach_a_view,
        RuntimeError,
        "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
        "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
        "detach_() cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() "
        "function in torch/optim/optimizer.py as the solution.",
    ),
    (make_a_node, TypeError, "cannot create 'MulBackward0' instances"),
    (grad_fn_is_read_only, AttributeError, "attribute 'grad_fn' of 'torch._C.TensorBase' objects is not writable"),
    (
        out_that_requires_grad,
        RuntimeError,
        "mul(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
        "requires grad.",
    ),
]


@pytest.mark.parametrize(("act", "kind", "text"), ERRORS, ids=[e[0].__name__ for e in ERRORS])
def test_error(torch: Any, act: Callable[[Any], None], kind: type[BaseException], text: str) -> None:
    """Type and text are PyTorch's."""
    with pytest.raises(kind) as caught:
        act(torch)
    assert type(caught.value) is kind
    assert str(caught.value) == text
