"""Anomaly mode: what it remembers of the forward pass, what it warns of, and that NaN stops a backward pass."""

import json
import warnings
import weakref

import pytest

from backscope import torch
from backscope.program.runner import run
from backscope.runtime.listening import hub
from backscope.torch.autograd import detect_anomaly, set_detect_anomaly


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def failing(call):
    """The error of a call and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(Exception) as error:  # noqa: PT011
            call()
    return error.value, [str(w.message) for w in caught]


def test_nan_is_an_error_that_shows_the_forward_call():
    x = leaf(0.0, 4.0)

    def forward():
        return x.sqrt() * torch.tensor([0.0, 1.0])

    def backward():
        with set_detect_anomaly(True):
            forward().sum().backward()

    error, warned = failing(backward)
    assert type(error) is RuntimeError
    assert str(error) == "Function 'SqrtBackward0' returned nan values in its 0th output."
    (text,) = warned
    assert text.startswith("Error detected in SqrtBackward0. Traceback of forward call that caused the error:\n  File ")
    assert text.endswith("in forward\n    return x.sqrt() * torch.tensor([0.0, 1.0])\n")
    assert "backscope/autograd" not in text
    assert x.grad is None


def test_without_check_nan_it_flows():
    x = leaf(0.0)
    with set_detect_anomaly(True, check_nan=False):
        assert (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()) == (True, False)
        (x.sqrt() * 0).sum().backward()
    assert repr(x.grad) == "tensor([nan])"
    assert (torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()) == (False, True)


def test_forward_outside_the_mode_has_no_traceback():
    y = leaf(0.0).sqrt() * 0

    def backward():
        with set_detect_anomaly(True):
            y.sum().backward()

    _, warned = failing(backward)
    assert warned == [
        "Error detected in SqrtBackward0. No forward pass information available. Enable detect anomaly during forward "
        "pass for more information."
    ]


def test_errors_of_hooks_show_the_forward_call_too():
    def backward():
        with set_detect_anomaly(True):
            y = leaf(1.0) * 2
            y.register_hook(lambda g: 1 / 0)
            y.backward()

    error, warned = failing(backward)
    assert type(error) is ZeroDivisionError
    assert [w.split("\n")[0] for w in warned] == [
        "Error detected in MulBackward0. Traceback of forward call that caused the error:"
    ]


def test_recorded_passes_name_the_node_that_induced_them():
    with set_detect_anomaly(True):
        x = leaf(2.0)
        (first,) = torch.autograd.grad(x**3, x, create_graph=True)
        first.register_hook(lambda g: 1 / 0)
    assert first.grad_fn.metadata["parent_"].name() == "PowBackward0"
    _, warned = failing(lambda: with_anomaly(first.backward))
    assert [w.split("\n")[0] or w.split("\n")[2] for w in warned] == [
        "Error detected in MulBackward0. Traceback of forward call that caused the error:",
        "Previous calculation was induced by PowBackward0. Traceback of forward call that induced the previous "
        "calculation:",
    ]


def with_anomaly(call):
    with set_detect_anomaly(True):
        call()


def test_stale_saved_tensors_get_another_hint():
    with set_detect_anomaly(True):
        y = leaf(1.0) * 2
        z = y * y
        y.add_(1)
    error, _ = failing(lambda: with_anomaly(z.backward))
    assert str(error).endswith(
        "Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable in "
        "question was changed in there or anywhere later. Good luck!"
    )


def test_detect_anomaly_warns_of_itself_and_nobody_listens_afterwards():
    with pytest.warns(UserWarning, match="^Anomaly Detection has been enabled. This mode will increase the runtime"):
        mode = detect_anomaly()
    assert not torch.is_anomaly_enabled()
    with mode:
        assert torch.is_anomaly_enabled()
    assert hub.listener is None
    with pytest.raises(TypeError, match="must be bool, not int"):
        set_detect_anomaly(1)


def test_a_recorded_run_explains_where_the_nan_came_from():
    told = []
    run(
        "import torch\n"
        "x = torch.tensor([4., 0.], requires_grad=True)\n"
        "torch.autograd.set_detect_anomaly(True)\n"
        "y = x.sqrt()\n"
        "(y * torch.tensor([1., 0.])).sum().backward()\n",
        told.append,
    )
    events = [json.loads(line) for batch in told for line in batch.splitlines()]
    error = next(e for e in events if e["kind"] == "error_raised")
    assert error["diagnosis"]["cause"] == (
        "SqrtBackward0, made at line 4, computed NaN for input 0: element [1] of its gradient is not a number. There "
        "the incoming gradient is 0, _saved_result is 0."
    )
    assert error["diagnosis"]["lines"] == [4, 5]
    assert not torch.is_anomaly_enabled() or run("", told.append) == "ok"
    assert not torch.is_anomaly_enabled()


def test_warnings_that_are_errors_do_not_hide_the_error(capsys):
    with set_detect_anomaly(True), warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeError, match="returned nan values in its 0th output"):
            (leaf(0.0).sqrt() * 0).backward()
    assert "UserWarning: Error detected in SqrtBackward0." in capsys.readouterr().err


def test_notes_of_a_node_die_with_it():
    class Note:
        pass

    with set_detect_anomaly(True):
        x = leaf(1.0)
        y = x.exp()
        torch.autograd.grad(y, x, create_graph=True)
    note = Note()
    y.grad_fn.metadata["note"] = note
    alive = weakref.ref(note)
    del note
    assert alive() is not None
    del y
    assert alive() is None
