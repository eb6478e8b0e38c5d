"""`%%backscope`: runs a cell, records it, and shows the recording below it."""

from __future__ import annotations

import argparse
import ast
import importlib
import shlex
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from backscope.caption import why_no_step
from backscope.player import cell as player
from backscope.program.recorded_block import RecordedBlock
from backscope.runtime.engine_frames import is_users_error, without_engine
from backscope.runtime.extras import why_missing

if TYPE_CHECKING:
    from backscope.notebook.widget import Widget

_NAME = "__backscope_recording__"
_LAST = "__backscope_last__"


class BadOption(Exception):
    """The error for options of the magic that it does not have; IPython prints the text alone."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class _Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise BadOption(f"%%backscope: {message}\n{self.format_usage()}")


def options() -> argparse.ArgumentParser:
    """Return the parser of the magic's options."""
    parser = _Options(prog="%%backscope", add_help=False, description="Record this cell and show the recording.")
    parser.add_argument(
        "--torch",
        action="store_true",
        help="run on PyTorch itself; without it, `import torch` in the cell gives Backscope's engine",
    )
    parser.add_argument("--step", metavar="N", type=int, help="the step to open at, counted from 1")
    parser.add_argument(
        "--live", action="store_true", help="show the run while it goes on, in a widget that gives the moment back"
    )
    parser.add_argument("--name", metavar="VARIABLE", help="a variable for the recording")
    return parser


# Any: IPython's shell, which has no types.
def load_ipython_extension(shell: Any) -> None:
    """Add the magic to a shell of IPython."""
    shell.register_magic_function(lambda line, cell: record_cell(shell, line, cell), "cell", "backscope")


# Any: IPython's shell, which has no types.
def unload_ipython_extension(shell: Any) -> None:
    """Take the magic away; once it is loaded again, the next output carries the page, for others may be cleared."""
    shell.magics_manager.magics["cell"].pop("backscope", None)
    player.forget_carrier()


# Any: IPython's shell, which has no types.
def record_cell(shell: Any, line: str, text: str) -> None:
    """Run a cell in the namespace of a shell, and show its recording, also where an exception ends it.

    Raises: BadOption, and what the cell raises.
    """
    # Its functions have no types where it is installed, and few machines that check types have it.
    display: Any = importlib.import_module("IPython.display").display
    given = options().parse_args(shlex.split(line))
    if given.step is not None and given.step < 1:
        raise BadOption(f"%%backscope: --step is a number from 1 on, not {given.step}")
    space: dict[str, Any] = shell.user_ns
    on_pytorch = given.torch or _is_pytorch(space.get("torch"))
    source = shell.transform_cell(text)
    file = shell.compile.cache(source, _number(shell), text)
    tree = ast.parse(source, file)
    if not on_pytorch:
        tree = ast.fix_missing_locations(_OnEngine().visit(tree))
    recording = _live(on_pytorch, given.step) if given.live else _record(on_pytorch)
    space[_NAME] = recording
    if given.name:
        space[given.name] = recording
    try:
        exec(compile(_within(tree), file, "exec", dont_inherit=True), space)
        if (last := space.pop(_LAST, None)) is not None:
            display(last)
    except Exception as error:
        _show_cell_alone(shell, error)
        raise
    finally:
        space.pop(_NAME, None)
        step: int | None = given.step
        lines = recording.lines if isinstance(recording, RecordedBlock) else recording.recording.lines
        if step is not None and (reason := why_no_step(step, lines)) is not None:
            print(f"%%backscope: {reason}. It opens as without --step.", file=sys.stderr)
            step = None
        if isinstance(recording, RecordedBlock):
            display(recording._in_cell(step), raw=True)
        else:
            recording.step = step


# Any: IPython's shell, which has no types.
def _show_cell_alone(shell: Any, error: Exception) -> None:
    """Have IPython print the traceback of an error from the cell on, without frames of Backscope."""
    whole = error.__traceback__
    if whole is None or hasattr(error, "_render_traceback_") or not is_users_error(error, whole.tb_next):
        return
    cut = without_engine(whole)
    # What IPython calls where an exception has it.
    error._render_traceback_ = lambda: shell.InteractiveTB.structured_traceback(  # type: ignore[attr-defined]
        type(error), error, cut, tb_offset=0
    )


# Any: IPython's shell, which has no types.
def _number(shell: Any) -> int:
    """Return the number of the cell that runs; the shell counts on when a cell begins, or when it ends."""
    running = getattr(shell.displayhook.exec_result, "execution_count", None)
    return shell.execution_count if running is None else running  # type: ignore[no-any-return]


def _record(on_pytorch: bool) -> RecordedBlock:
    if on_pytorch:
        from backscope import pytorch

        return pytorch.record()
    from backscope.program.recording import record

    return record()


def _live(on_pytorch: bool, step: int | None) -> Widget:
    if (missing := why_missing("%%backscope --live", "notebook")) is not None:
        raise BadOption(missing)
    from backscope.notebook.widget import Widget

    widget = Widget(_record(on_pytorch))
    widget.step = step
    return widget


def _is_pytorch(module: object) -> bool:
    return isinstance(module, ModuleType) and module.__name__ == "torch" and module is sys.modules.get("torch")


def _within(tree: ast.Module) -> ast.Module:
    """Return a program within a with statement, each line where it was, and its last value in a variable."""
    body = tree.body
    if not body:
        return tree
    if isinstance(body[-1], ast.Expr):
        body[-1] = ast.copy_location(ast.Assign([ast.Name(_LAST, ast.Store())], body[-1].value), body[-1])
    block = ast.With([ast.withitem(ast.Name(_NAME, ast.Load()))], body)
    block.lineno, block.col_offset = 1, 0
    return ast.fix_missing_locations(ast.Module([block], tree.type_ignores))


class _OnEngine(ast.NodeTransformer):
    """Has imports of torch give Backscope's engine."""

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        """Replace `import torch.nn as nn`, and add the name torch where there is none."""
        found: list[ast.stmt] = []
        for one in node.names:
            if one.name.split(".")[0] != "torch":
                found.append(ast.copy_location(ast.Import([one]), node))
                continue
            found.append(ast.copy_location(ast.Import([ast.alias(f"backscope.{one.name}", one.asname or "_")]), node))
            if one.asname is None:
                found.append(ast.copy_location(ast.ImportFrom("backscope", [ast.alias("torch")], 0), node))
        return found

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        """Replace `from torch import nn`."""
        if node.level == 0 and node.module is not None and node.module.split(".")[0] == "torch":
            node.module = f"backscope.{node.module}"
        return node
