"""Protects public signatures of the engine: a bare `Any` needs a reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

MOST = 0.05
"""The share of annotated parameters that may be bare `Any`: what is handed on as it came, such as `*args`."""

REASON = "# Any: "
"""How a comment begins that says why a bare `Any` is right: in its line, or above it or its function."""


def _is_bare(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "Any"


def _is_public(name: str) -> bool:
    """Return True for names without a leading underscore and for Python's special methods."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _bare_in_signatures(body: list[ast.stmt]) -> Iterator[tuple[int, int, str]]:
    """Yield each bare `Any` in the public signatures of a module or class: its line, its statement's, its name."""
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if _is_public(statement.name):
                first = min(node.lineno for node in (statement, *statement.decorator_list))
                for parameter in ast.walk(statement.args):
                    if isinstance(parameter, ast.arg) and _is_bare(parameter.annotation):
                        yield parameter.lineno, first, f"{statement.name}({parameter.arg})"
                if statement.returns is not None and _is_bare(statement.returns):
                    yield statement.returns.lineno, first, f"{statement.name}() -> Any"
            case ast.ClassDef() if _is_public(statement.name):
                yield from _bare_in_signatures(statement.body)
            case ast.AnnAssign(target=ast.Name(id=name)) if _is_public(name) and _is_bare(statement.annotation):
                yield statement.lineno, statement.lineno, name
            case ast.If() | ast.Try():
                yield from _bare_in_signatures([*statement.body, *statement.orelse])


@pytest.fixture(scope="module")
def modules(root: Path) -> dict[Path, ast.Module]:
    """Return the modules of the engine, parsed, by their paths."""
    pages = sorted((root / "engine" / "backscope").rglob("*.py"))
    return {page: ast.parse(page.read_text(encoding="utf-8")) for page in pages}


def _without_reason(text: str, module: ast.Module) -> list[tuple[int, str]]:
    """Return the bare `Any` in the public signatures of a module that have no reason: their lines and names."""
    lines = ["", *text.splitlines()]
    return [
        (line, name)
        for line, first, name in _bare_in_signatures(module.body)
        if not (
            REASON in lines[line] or any(lines[above].strip().startswith(REASON) for above in (line - 1, first - 1))
        )
    ]


def test_few_parameters_are_annotated_by_any_alone(modules: dict[Path, ast.Module]) -> None:
    annotations = [
        parameter.annotation
        for module in modules.values()
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for parameter in ast.walk(function.args)
        if isinstance(parameter, ast.arg) and parameter.annotation is not None
    ]
    bare = sum(_is_bare(annotation) for annotation in annotations)
    assert len(annotations) > 10_000
    assert bare / len(annotations) <= MOST, f"{bare} of {len(annotations)}"


def test_any_in_a_public_signature_has_a_reason(root: Path, modules: dict[Path, ast.Module]) -> None:
    engine = root / "engine" / "backscope"
    pages = [p for p in modules if all(map(_is_public, p.relative_to(engine).with_suffix("").parts))]
    found = [
        f"{page.relative_to(root)}:{line}: {name}: name its type, or say why it can be any in a comment `{REASON}...`"
        for page in pages
        for line, name in _without_reason(page.read_text(encoding="utf-8"), modules[page])
    ]
    assert len(pages) > 500
    assert found == [], "\n".join(found)


def test_any_without_a_reason_is_found() -> None:
    text = """
value: Any = 1
_private: Any = 2
class Layer:
    weight: Any
    bias: Any  # Any: a reason.
    # Any: a reason.
    @property
    def data(self) -> Any: ...
    def forward(self, x: Any, *args: Any) -> Any: ...
    def __call__(self, x: list[Any], **kwargs: Any) -> int: ...
    def _private(self, x: Any) -> Any: ...
class _Private:
    weight: Any
# Any: a reason.
def explained(
    x: Any,
    y: Any,
) -> Any: ...
def unexplained(
    x: int,
    y: Any,
) -> None:
    def inside(x: Any) -> Any: ...
"""
    assert _without_reason(text, ast.parse(text)) == [
        (2, "value"),
        (5, "weight"),
        (10, "forward(x)"),
        (10, "forward(args)"),
        (10, "forward() -> Any"),
        (11, "__call__(kwargs)"),
        (22, "unexplained(y)"),
    ]
