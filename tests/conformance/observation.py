"""Runs a small piece of code on a torch and describes its effects: its prints, its warnings, its exception."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import warnings
from collections.abc import Callable
from typing import Any


def showing_the_last_value(code: str) -> Any:
    """Compile code so that it prints the value of an expression at its end, as a prompt does."""
    tree = ast.parse(code)
    if tree.body and isinstance(tree.body[-1], ast.Expr) and not ast.unparse(tree.body[-1]).startswith("print("):
        value = tree.body[-1].value
        shown = ast.Call(ast.Name("show", ast.Load()), [value], [])
        tree.body[-1] = ast.copy_location(ast.Expr(shown), value)
        ast.fix_missing_locations(tree)
    return compile(tree, "case", "exec")


def attempt(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the type and text of its exception."""
    try:
        return call()
    except Exception as error:  # noqa: BLE001 - every exception is compared
        return f"{type(error).__name__}: {error}"


def observed(code: str, torch: Any) -> str:
    """Run `code`; return the text that it prints, then its warnings, then its exception."""
    space = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "__name__": "case"}
    space["show"] = lambda value: print(repr(value))
    space["attempt"] = attempt
    printed = io.StringIO()
    error = ""
    with warnings.catch_warnings(record=True) as given, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            exec(showing_the_last_value(code), space)
        except BaseException as raised:  # noqa: BLE001 - every exception is compared
            error = f"{type(raised).__name__}: {raised}"
    shown = [f"{w.category.__name__}: {w.message}" for w in given if "torch.jit" not in str(w.message)]
    return "\n".join(part for part in (printed.getvalue().strip(), *shown, error) if part)


def prepare(torch: Any) -> None:
    """Return a torch on which every warning is shown each time and random numbers begin with the seed."""
    torch.set_warn_always(True)
    torch.manual_seed(0)


def restore(torch: Any) -> None:
    """Undo what a case may have switched on for the whole process."""
    torch.set_grad_enabled(True)
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    torch.autograd.set_detect_anomaly(False)
    torch.set_warn_always(False)
    torch.set_default_device(None)
    # PyTorch's compiler switches it off when it is first used.
    torch.distributions.Distribution.set_default_validate_args(True)


def without_addresses(text: str) -> str:
    """Return the text without object addresses, which differ from run to run."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0x..", text)
    return re.sub(r"\(Triggered internally at .*?\)", "", text)
