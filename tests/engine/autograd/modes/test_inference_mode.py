"""Inference mode: what it makes, what may be done with that outside, and what ordinary tensors keep inside."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

CHANGES: list[Callable[[Any], Any]] = [lambda x: x.add_(2), lambda x: x.transpose_(0, 1)]


@pytest.mark.parametrize("requires_grad", [True, False])
def test_what_is_made_inside(torch: Any, requires_grad: bool) -> None:
    """Results and views are inference tensors without history; a leaf may still require grad."""
    with torch.inference_mode():
        leaf = torch.ones(1, 2, 3, requires_grad=requires_grad)
        made = leaf * leaf
        assert leaf.is_inference() and made.is_inference() and leaf.view(-1).is_inference()
        assert (leaf.requires_grad, made.requires_grad) == (requires_grad, False)
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        _ = leaf._version


@pytest.mark.parametrize("requires_grad", [True, False])
def test_ops_outside_on_inference_tensors_alone(torch: Any, requires_grad: bool) -> None:
    """Autograd has nothing to do with them: results are ordinary and untracked, views are inference tensors."""
    with torch.inference_mode():
        c = torch.ones(2, requires_grad=requires_grad)
    product, view = c * c, c.view(-1)
    assert not product.is_inference() and not product.requires_grad and product.is_leaf
    assert view.is_inference() and not view._is_view() and not view.requires_grad


def test_saving_one_for_backward_is_refused(torch: Any) -> None:
    """A sum needs no saved operand and works; a product does not."""
    with torch.inference_mode():
        c = torch.ones(2)
    w = torch.ones(2, requires_grad=True)
    (w + c).sum().backward()
    assert w.grad.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        w * c
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        w.clone().mul_(c)


@pytest.mark.parametrize("change", CHANGES)
def test_changing_one_outside_is_refused(torch: Any, change: Callable[[Any], Any]) -> None:
    """And so is asking it for gradients."""
    with torch.inference_mode():
        c = torch.ones(1, 2)
        change(c)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        change(c)
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor outside InferenceMode"):
        c.requires_grad_()
    assert not c.clone().is_inference()


@pytest.mark.parametrize("change", CHANGES)
def test_ordinary_tensors_stay_ordinary(torch: Any, change: Callable[[Any], Any]) -> None:
    """Their in-place changes count, their views are views, and what was saved is noticed to have changed."""
    a = torch.ones(1, 2, requires_grad=True).clone()
    product = a * a
    with torch.inference_mode():
        change(a)
        assert not a.is_inference() and a._version == 1
        view = a[:]
        assert not view.is_inference() and view._is_view() and view.requires_grad
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


@pytest.mark.parametrize("change", CHANGES)
def test_views_made_inside_are_not_changed_outside(torch: Any, change: Callable[[Any], Any]) -> None:
    """Neither themselves nor by way of their base, where that would be recorded."""
    a = torch.ones(1, 2, requires_grad=True).clone()
    with torch.inference_mode():
        view, other = a.view_as(a), a.view(-1)
    with pytest.raises(RuntimeError, match="A view was created in inference mode and is being modified inplace"):
        change(view)
    change(a)
    with pytest.raises(RuntimeError, match="A view was created in inference mode and its base or another view"):
        _ = other.grad_fn


def test_nested_modes(torch: Any) -> None:
    """inference_mode(False) is normal mode again, also within no_grad; enable_grad inside records nothing."""
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        assert torch.is_inference_mode_enabled() and not torch.is_grad_enabled()
        with torch.enable_grad():
            assert torch.is_grad_enabled() and not (x * 2).requires_grad
        with torch.inference_mode(False):
            assert not torch.is_inference_mode_enabled() and (x * 2).requires_grad
    with torch.no_grad(), torch.inference_mode(False):
        assert torch.is_grad_enabled()
    assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


def test_decorator(torch: Any) -> None:
    """With and without parentheses, and switched off."""

    @torch.inference_mode
    def bare(x: Any) -> Any:
        return x * 2

    @torch.inference_mode(mode=False)
    def off(x: Any) -> Any:
        return x * 2

    x = torch.ones(2, requires_grad=True)
    assert bare(x).is_inference() and bare.__name__ == "bare"
    with torch.inference_mode():
        assert off(x).requires_grad


def test_mode_is_the_threads_own(torch: Any) -> None:
    """Another thread makes ordinary tensors."""
    made: list[Any] = []
    with torch.inference_mode():
        thread = threading.Thread(target=lambda: made.append(torch.ones(1) * 2))
        thread.start()
        thread.join()
    assert not made[0].is_inference()


def test_nobody_listens_afterwards(ours: Any) -> None:
    """The mark is set by a listener of the mode's own, which goes when the mode ends, however that happens."""
    from backscope.runtime.listening import hub

    with pytest.raises(ValueError, match="x"), ours.inference_mode(), ours.inference_mode():
        raise ValueError("x")
    assert hub.listener is None


def test_recording_goes_on_inside(record: Any) -> None:
    """Ops in inference mode are recorded like others."""
    recording = record("with torch.inference_mode():\n    x = torch.ones(2)\n    y = x * 3\nprint(y.is_inference())\n")
    assert recording.stdout == "True\n"
    assert recording.named("y")


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
def test_no_tangents_are_computed_in_inference_mode(torch: Any) -> None:
    """The mode switches forward mode off too, for views and changes in place as well, and on where it is left."""
    fw = torch.autograd.forward_ad
    x = torch.tensor([1.0, 2.0])
    with fw.dual_level():
        dual = fw.make_dual(x, torch.ones(2))
        with torch.inference_mode():
            for made in (dual, dual * 2, dual.view(2, 1), fw.make_dual(x, torch.ones(2))):
                assert fw.unpack_dual(made).tangent is None
            with torch.enable_grad():
                assert fw.unpack_dual(dual * 2).tangent is None
            with torch.inference_mode(False):
                assert fw.unpack_dual(dual * 2).tangent.tolist() == [2.0, 2.0]
            assert torch.add(dual, dual, out=torch.zeros(2)).tolist() == [2.0, 4.0]
            dual.mul_(3)
        assert fw.unpack_dual(dual).primal.tolist() == [3.0, 6.0]
        assert fw.unpack_dual(dual).tangent.tolist() == [1.0, 1.0]
        with fw._set_fwd_grad_enabled(False), torch.inference_mode(False):
            assert fw.unpack_dual(dual * 2).tangent.tolist() == [2.0, 2.0]
    with torch.inference_mode():
        assert torch.func.jvp(lambda t: t * t, (x,), (torch.ones(2),))[1].tolist() == [6.0, 12.0]
