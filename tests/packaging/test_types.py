"""Protects public signatures of the engine: a bare `Any` needs a reason."""

from __future__ import annotations

import ast
from pathlib import Path

MOST = 0.10
"""The share of annotated parameters that may be bare `Any`: what is handed on as it came, such as `*args`."""


def test_few_parameters_are_annotated_by_any_alone(root: Path) -> None:
    annotations = [
        parameter.annotation
        for page in (root / "engine" / "backscope").rglob("*.py")
        for function in ast.walk(ast.parse(page.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for parameter in ast.walk(function.args)
        if isinstance(parameter, ast.arg) and parameter.annotation is not None
    ]
    bare = sum(isinstance(annotation, ast.Name) and annotation.id == "Any" for annotation in annotations)
    assert len(annotations) > 10_000
    assert bare / len(annotations) <= MOST, f"{bare} of {len(annotations)}"
