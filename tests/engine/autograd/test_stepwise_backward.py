"""The backward pass node by node: which nodes run, in which order, what their hooks see, passes inside one another."""

from __future__ import annotations

from typing import Any

import pytest


def watched(torch: Any, count: int) -> tuple[list[Any], list[int]]:
    """Leaves, and the list in which each notes its number when its gradient arrives."""
    order: list[int] = []
    leaves = [torch.ones(1, requires_grad=True) for _ in range(count)]
    for i, leaf in enumerate(leaves):
        leaf.register_hook(lambda g, i=i: order.append(i))
    return leaves, order


@pytest.mark.parametrize(
    ("count", "expected"),
    [(3, [0, 1, 2]), (4, [0, 2, 1, 3]), (6, [0, 2, 5, 4, 1, 3]), (9, [0, 2, 6, 8, 5, 7, 4, 1, 3])],
)
def test_leaves_of_one_node_run_in_the_order_of_a_heap(torch: Any, count: int, expected: list[int]) -> None:
    """All AccumulateGrads have one sequence number: which comes first is up to the ready queue."""
    leaves, order = watched(torch, count)
    torch.cat(leaves).sum().backward()
    assert order == expected


def test_hooks_of_outputs_without_a_gradient_see_none(torch: Any) -> None:
    """A node of several outputs runs when one has a gradient; the hooks of the others are called too."""
    seen: list[Any] = []
    first, second = torch.ones(2, 2, requires_grad=True).unbind(0)
    first.register_hook(lambda g: seen.append(("first", g)))
    first.grad_fn.register_prehook(lambda gs: seen.append(("node", gs[0])))
    second.sum().backward()
    assert seen == [("first", None), ("node", None)]


def test_none_can_not_become_a_gradient(torch: Any) -> None:
    first, second = torch.ones(2, 2, requires_grad=True).unbind(0)
    first.register_hook(lambda g: torch.ones(2))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        second.sum().backward()


def test_retained_gradient_is_that_between_tensor_hooks_and_node_hooks(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.grad_fn.register_prehook(lambda gs: (gs[0] * 10,))
    y.register_hook(lambda g: g + 1)
    y.sum().backward()
    assert y.grad.tolist() == [2.0, 2.0]
    assert x.grad.tolist() == [40.0, 40.0]


def test_captured_gradient_of_a_node_that_runs_is_that_before_its_hooks(torch: Any) -> None:
    """grad() gives what hooks made of the gradient only where the pass ends."""
    x = torch.ones(1, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    on_the_way, _ = torch.autograd.grad(y, [y, x], retain_graph=True)
    (at_the_end,) = torch.autograd.grad(y.clone(), y)
    assert (on_the_way.item(), at_the_end.item()) == (1.0, 10.0)


def test_root_that_nothing_is_wanted_of_still_calls_its_hooks(torch: Any) -> None:
    seen: list[float] = []
    x, other = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: seen.append(g.item()))
    assert torch.autograd.grad(y, other, allow_unused=True, retain_graph=True) == (None,)
    y.backward()
    assert (seen, x.grad.item()) == ([1.0, 1.0], 2.0)


def test_post_hooks_see_only_the_gradients_that_are_wanted(torch: Any) -> None:
    seen: list[Any] = []
    x, w = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    y = x * w
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append([g is None for g in inputs]))
    torch.autograd.grad(y, x)
    assert seen == [[False, True]]


def test_hooks_of_a_dropped_accumulator_go_with_it(torch: Any) -> None:
    """A leaf only knows its AccumulateGrad weakly: hooks of the node die with the last graph that leads to it."""
    seen: list[str] = []
    x = torch.ones(1, requires_grad=True)
    (x * 2).grad_fn.next_functions[0][0].register_hook(lambda inputs, outputs: seen.append("dropped"))
    y = x * 3
    y.grad_fn.next_functions[0][0].register_hook(lambda inputs, outputs: seen.append("kept"))
    y.backward()
    assert seen == ["kept"]


def test_a_set_sequence_number_decides_what_runs_first(torch: Any) -> None:
    order: list[str] = []
    x = torch.ones(1, requires_grad=True)
    values = {name: x * i for i, name in enumerate("abc")}
    for name, value in values.items():
        value.register_hook(lambda g, name=name: order.append(name))
    values["a"].grad_fn._set_sequence_nr(2**40)
    (values["a"] + values["b"] + values["c"]).backward()
    assert order == ["a", "c", "b"]


def test_a_frozen_shape_refuses_the_gradient_of_exchanged_data(torch: Any) -> None:
    """The AccumulateGrad of a living graph keeps the shape that the leaf had."""
    x = torch.ones(2, requires_grad=True)
    old = x * 2
    x.data = torch.ones(3)
    with pytest.raises(
        RuntimeError, match=r"Function MulBackward0 returned an invalid gradient at index 0 - got \[3\]"
    ):
        (x * 2).sum().backward()
    assert old.shape == (2,)


def test_pass_within_a_hook_leaves_the_outer_one_alone(torch: Any) -> None:
    """Both run over the same nodes, each with its own gradients."""
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    z = y * 3
    inner: list[Any] = []

    def nested(g: Any) -> None:
        with torch.enable_grad():
            inner.append(torch.autograd.grad((y * 5).sum(), x, retain_graph=True)[0].tolist())

    z.register_hook(nested)
    z.sum().backward()
    assert inner == [[10.0, 20.0]]
    assert x.grad.tolist() == [6.0, 12.0]


def test_passes_may_be_deep_inside_one_another(torch: Any) -> None:
    """Each level has its own Python frames: they must not use up one thread's stack."""

    class Deep(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_() - 1
            return ctx.x.detach()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            if ctx.x >= 0:
                with torch.enable_grad():
                    Deep.apply(ctx.x).sum().backward()
            return g

    start = torch.tensor(150.0, requires_grad=True)
    Deep.apply(start).sum().backward()
    assert start.grad.item() == 1.0


def test_callbacks_run_at_the_end_of_their_own_pass(torch: Any) -> None:
    order: list[str] = []
    queue = torch.autograd.Variable._execution_engine.queue_callback
    x = torch.ones(1, requires_grad=True)

    def hook(g: Any) -> None:
        queue(lambda: (order.append("outer"), queue(lambda: order.append("added"))))
        with torch.enable_grad():
            z = x * 5
        z.register_hook(lambda g: queue(lambda: order.append("inner")))
        z.backward()
        order.append("hook")

    y = x * 2
    y.register_hook(hook)
    y.backward()
    assert order == ["inner", "hook", "outer", "added"]
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass"):
        queue(lambda: None)


def test_a_failing_hook_leaves_no_pass_behind(torch: Any) -> None:
    x = torch.ones(1, requires_grad=True)
    y = x * 2
    handle = y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        y.backward()
    handle.remove()
    assert torch._C._current_graph_task_id() == -1
    assert torch.is_grad_enabled()
    y.backward()
    assert x.grad.item() == 2.0


def test_several_roots_take_a_sequence_number(torch: Any) -> None:
    """PyTorch makes a node that leads to all roots; the numbers of later nodes show it."""
    x = torch.ones(1, requires_grad=True)
    roots = [x * 2, x * 3]
    torch.autograd.backward(roots)
    assert (x * 1).grad_fn._sequence_nr() - roots[1].grad_fn._sequence_nr() == 2


def test_tree_of_a_node_that_clones_in_place_is_numbered_in_order(torch: Any) -> None:
    """The in-place op's node comes before the clone that it saves."""
    y = torch.ones(2, requires_grad=True) * 1
    before = y.grad_fn._sequence_nr()
    y.sin_()
    assert y.grad_fn._sequence_nr() == before + 1
    assert (y * 1).grad_fn._sequence_nr() == before + 3


@pytest.mark.parametrize("function", ["will_engine_execute_node", "current_graph_task_execution_order"])
def test_questions_about_the_running_pass_need_one(torch: Any, function: str) -> None:
    node = (torch.ones(1, requires_grad=True) * 2).grad_fn
    with pytest.raises(RuntimeError, match="should only be called during the backward pass"):
        getattr(torch._C, f"_{function}")(*([node] if "node" in function else []))


def test_execution_order_is_known_at_the_start(torch: Any) -> None:
    names: list[str] = []
    y = torch.ones(1, requires_grad=True).clone().sin()
    z = y.exp() * y
    z.register_hook(lambda g: names.extend(node.name() for node in torch._C._current_graph_task_execution_order()))
    with torch.autograd.set_multithreading_enabled(False):
        z.backward()
    assert names == [
        "MulBackward0",
        "ExpBackward0",
        "SinBackward0",
        "CloneBackward0",
        "torch::autograd::AccumulateGrad",
    ]


def test_hooks_stay_with_a_tensor_that_is_detached_in_place(torch: Any) -> None:
    seen: list[float] = []
    y = torch.ones(1, requires_grad=True) * 2
    y.register_hook(lambda g: seen.append(g.item()))
    y.detach_().requires_grad_()
    (y * 3).backward()
    assert seen == [3.0]


def test_post_accumulate_hook_runs_without_a_gradient_too(torch: Any) -> None:
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> None:
            return None

    seen: list[Any] = []
    x = torch.ones(1, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad))
    Nothing.apply(x).backward()
    assert seen == [None]


def test_leaf_that_became_a_result_takes_no_gradient(torch: Any) -> None:
    """A graph from before still leads to its AccumulateGrad."""
    x, w = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    y = x * 2
    x.requires_grad_(False)
    x.mul_(w)
    with pytest.raises(RuntimeError, match="leaf variable has been moved into the graph interior"):
        y.backward()
