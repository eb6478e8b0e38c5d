"""What came before torch.func: make_functional, levels as programs see them, ops with rules in Python."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from backscope.torch._backend.import_hook import Alias

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")


def page(torch: Any, name: str) -> Any:
    """A module of either torch."""
    return importlib.import_module(f"{torch.__name__}.{name}")


def tied(torch: Any) -> Any:
    """A module with a parameter and a buffer of two names each."""
    nn = torch.nn

    class Tied(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(2, 2)
            self.weight = self.linear.weight
            self.shift = nn.Buffer(torch.ones(2))
            self.again = self.shift

        def forward(self, x: Any) -> Any:
            return nn.functional.linear(self.linear(x) + self.shift, self.weight) + self.again

    return Tied()


def test_module_as_function_of_its_tensors(torch: Any) -> None:
    made = page(torch, "_functorch.make_functional")
    module, x = tied(torch), torch.tensor([[1.0, -2.0]])
    with pytest.raises(RuntimeError, match=r"`model` has buffers. Please use make_functional_with_buffers"):
        made.make_functional(module)
    call, params, buffers = made.make_functional_with_buffers(module)
    assert call.all_names_map == {
        "weight": ["weight", "linear.weight"],
        "linear.bias": ["linear.bias"],
        "shift": ["shift", "again"],
    }
    assert call.stateless_model.weight.device.type == "meta"
    assert call(params, buffers, x).tolist() == module(x).tolist()
    assert all(p.requires_grad for p in params)
    module(x).sum().backward()
    found = torch.func.grad(lambda p: call(p, buffers, x).sum())(params)
    assert [g.tolist() for g in found] == [p.grad.tolist() for p in module.parameters()]
    untracked = made.make_functional_with_buffers(module, disable_autograd_tracking=True)[1]
    assert not any(p.requires_grad for p in untracked)


def test_ensembles(torch: Any) -> None:
    made = page(torch, "_functorch.make_functional")
    nn, combine = torch.nn, made.combine_state_for_ensemble
    models = [nn.Linear(2, 2) for _ in range(3)]
    x = torch.arange(6.0).view(3, 2)
    call, params, buffers = combine(models)
    expected = torch.stack([m(row) for m, row in zip(models, x, strict=True)])
    torch.testing.assert_close(torch.func.vmap(call)(params, buffers, x), expected.detach())
    assert not any(p.requires_grad for p in params)
    with pytest.raises(RuntimeError, match="Expected at least one model, got 0"):
        combine([])
    models[1].eval()
    with pytest.raises(RuntimeError, match="Expected all models to have the same training/eval mode"):
        combine(models)
    with pytest.raises(RuntimeError, match="Expected all models to be of the same class"):
        combine([nn.Linear(2, 2), nn.Conv1d(2, 2, 1)])
    weights, run, names = made.functional_init(nn.Linear, (4,))(2, 3)
    assert [tuple(w.shape) for w in weights] == [(4, 3, 2), (4, 3)]
    assert names == ("weight", "bias")
    assert torch.func.vmap(run, (0, None))(weights, (torch.ones(1, 2),)).shape == (4, 1, 3)
    with pytest.raises(ValueError, match="num_models 0 should be > 0"):
        made.functional_init(nn.Linear, (0,))(2, 3)


@pytest.mark.parametrize("name", ["vmap", "grad", "grad_and_value", "jacrev", "jacfwd", "hessian", "functionalize"])
def test_functions_that_moved_warn(torch: Any, name: str) -> None:
    with pytest.warns(FutureWarning, match=f"Please use `torch.(func.)?{name}` instead"):
        getattr(page(torch, "_functorch.deprecated"), name)(torch.sin)
    getattr(torch.func, name)(torch.sin)


def test_programs_import_functorch() -> None:
    with Alias():
        functorch = importlib.import_module("functorch")
        experimental = importlib.import_module("functorch.experimental")
        torch = importlib.import_module("torch")
        assert experimental.functionalize is torch.func.functionalize
        x = torch.arange(3.0)
        assert experimental.chunk_vmap(torch.square, chunks=2)(x).tolist() == [0.0, 1.0, 4.0]
        with pytest.raises(NotImplementedError, match="make_fx: Backscope traces no graph of a function"):
            functorch.make_fx(torch.sin)


def test_tensors_know_their_levels(torch: Any) -> None:
    c = page(torch, "_C")._functorch
    seen, escaped = [], []

    def look(x: Any) -> Any:
        interpreter = c.peek_interpreter_stack()
        seen.append(
            (interpreter.key().name, interpreter.level(), c.maybe_get_level(x), c.dlevel(x), c.maybe_get_bdim(x))
        )
        seen.append((c.is_batchedtensor(x), c.is_gradtrackingtensor(x), tuple(c.get_unwrapped(x).shape)))
        escaped.append(x.sin())
        return x.sum()

    torch.func.vmap(look, in_dims=1)(torch.ones(2, 3))
    torch.func.vmap(torch.func.grad(look))(torch.ones(2, 3))
    torch.func.grad(look)(torch.ones(2))
    assert seen == [
        ("Vmap", 1, 1, 0, 1),
        (True, False, (2, 3)),
        ("Grad", 2, 2, 2, -1),
        (False, True, (3,)),
        ("Grad", 1, 1, 1, -1),
        (False, True, (2,)),
    ]
    assert c.dlevel(escaped[-1]) == -1
    assert c.is_dead_tensor_wrapper(escaped[-1])
    assert c.dlevel(escaped[-1].sum()) == 0
    assert c.peek_interpreter_stack() is None
    with pytest.raises(RuntimeError, match="No wrappers present"):
        c.get_unwrapped(torch.ones(1))


def test_level_opened_by_hand(torch: Any) -> None:
    c = page(torch, "_C")._functorch
    level = c._vmap_increment_nesting(2, "error")
    try:
        summed = c._remove_batch_dim(c._add_batch_dim(torch.ones(2, 3), 0, level).sum(), level, 2, 0)
    finally:
        assert c._vmap_decrement_nesting() == level == 1
    assert summed.tolist() == [3.0, 3.0]
    assert c.maybe_current_level() is None


def summing(torch: Any) -> Callable[..., Any]:
    """A sum with a rule for vmap, for grad and for tensors of the CPU."""
    c, keys = torch._C._functorch, torch._C.DispatchKey

    class Summing(page(torch, "_ops").HigherOrderOperator):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__("summing")

        def __call__(self, *args: Any) -> Any:
            return super().__call__(*args)

    op = Summing()

    @op.py_impl(c.TransformType.Vmap)
    def mapped(interpreter: Any, x: Any, dim: int) -> Any:
        if not c.is_batchedtensor(x):
            with interpreter.lower():
                return op(x, dim)
        whole = c.get_unwrapped(x).movedim(c.maybe_get_bdim(x), 0)
        with interpreter.lower():
            return c._add_batch_dim(op(whole, dim + 1), 0, interpreter.level())

    @op.py_impl(c.TransformType.Grad)
    def differentiated(interpreter: Any, x: Any, dim: int) -> Any:
        class Single(torch.autograd.function._SingleLevelFunction):  # type: ignore[misc]
            @staticmethod
            def forward(ctx: Any, x: Any, dim: int) -> Any:
                ctx.shape = x.shape
                with torch.enable_grad(), interpreter.lower():
                    y = op(c._unwrap_for_grad(x, interpreter.level()), dim)
                return c._wrap_for_grad(y, interpreter.level())

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return g.unsqueeze(dim).expand(ctx.shape), None

        with page(torch, "_functorch.utils").enable_single_level_autograd_function():
            return Single.apply(x, dim)

    @op.py_impl(keys.AutogradCPU)
    def plain(x: Any, dim: int) -> Any:
        return torch.sum(x, dim)

    return op


def test_op_with_rules_in_python(torch: Any) -> None:
    op, func = summing(torch), torch.func
    x = torch.arange(6.0).view(2, 3)
    assert op(x, 0).tolist() == [3.0, 5.0, 7.0]
    assert func.vmap(op, (0, None))(x, 0).tolist() == [3.0, 12.0]
    assert func.vmap(func.grad(op), (0, None))(x, 0).tolist() == [[1.0] * 3] * 2
    assert func.vmap(lambda y: op(x, 1) + y)(torch.zeros(2)).tolist() == [[3.0, 12.0]] * 2
    twice = func.grad(lambda y: func.grad(lambda z: op(z**3, 0))(y).sum())
    assert twice(torch.tensor([1.0, 2.0])).tolist() == [6.0, 12.0]
    with torch.no_grad():
        assert func.grad(op)(torch.ones(2, requires_grad=True), 0).tolist() == [1.0, 1.0]


def test_keys_are_left_out(torch: Any) -> None:
    c = torch._C
    key, w = c.DispatchKey, torch.ones(2, requires_grad=True)
    with c._ExcludeDispatchKeyGuard(c.DispatchKeySet(key.AutogradCPU)):
        assert not (w * 2).requires_grad
        assert c._dispatch_tls_local_exclude_set().has(key.AutogradCPU)
    assert (w * 2).requires_grad
    with c._ExcludeDispatchKeyGuard(c.DispatchKeySet(key.FuncTorchBatched)):
        assert torch.func.vmap(torch.sum)(torch.ones(2, 3)).tolist() == [3.0, 3.0]
        assert c._dispatch_tls_local_exclude_set().has(key.FuncTorchBatched)
    both = c.DispatchKeySet(key.CPU) | c.DispatchKeySet(key.AutogradCPU)
    assert both == c.DispatchKeySet(key.CPU).add(key.AutogradCPU)
    assert repr(both) == "DispatchKeySet(CPU, AutogradCPU)"
    assert (both - c.DispatchKeySet(key.CPU)).has(key.CPU) is False


def test_gradients_of_batches_are_reduced(torch: Any) -> None:
    reduce = page(torch, "_functorch.autograd_function").reductify_leaf
    g = torch.arange(6.0).view(2, 3)
    assert reduce(None, None, 0, 2) is None
    assert reduce(g, 0, None, 2).tolist() == [3.0, 5.0, 7.0]
    assert reduce(g, 0, 1, 2).tolist() == g.t().tolist()
    assert reduce(g, None, 1, 4).shape == (2, 4, 3)
    assert reduce(g, None, 1, 4, (3,)).tolist() == torch.tensor([3.0, 5.0, 7.0]).unsqueeze(1).expand(3, 4).tolist()


def test_ctx_with_other_saved_tensors(torch: Any) -> None:
    other = page(torch, "_functorch.autograd_function").CtxWithSavedTensors
    seen = []

    class Keeping(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any, name: str) -> Any:
            setattr(ctx, name, 1)
            ctx.save_for_backward(x)
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            instead = other(other(ctx, (1,)), (1, 2))
            instead.note = "kept"
            seen.append((instead.saved_tensors, ctx.note, instead.needs_input_grad))
            return g, None

    x = torch.ones(1, requires_grad=True)
    Keeping.apply(x, "own").backward()
    assert seen == [((1, 2), "kept", (True, False))]
    for name in ("_pt_inner_ctx", "_pt_new_saved_tensors"):
        with pytest.raises(RuntimeError, match="to avoid name collision"):
            Keeping.apply(x, name).backward()


def test_unique2_always_gives_three(torch: Any) -> None:
    values = torch.tensor([1, 3, 1])
    assert [t.tolist() for t in torch._unique2(values)] == [[1, 3], [], []]
    assert [t.tolist() for t in torch._unique2(values, return_inverse=True, return_counts=True)] == [
        [1, 3],
        [0, 1, 0],
        [2, 1],
    ]
