"""Protects threads that parse sources at once, which Python 3.11 takes for a damaged count."""

from __future__ import annotations

import ast
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from backscope.runtime import syntax_tree
from backscope.runtime.syntax_tree import parse, tree_of


def test_threads_may_parse_at_once() -> None:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            found = list(threads.map(lambda _: ast.dump(parse("x = [(a, -b) for a, b in c]\n" * 50)), range(200)))
    finally:
        sys.setswitchinterval(interval)
    assert len(set(found)) == 1


def test_a_handler_of_a_signal_may_parse_where_its_thread_does(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(source: str, mode: str) -> ast.AST:
        monkeypatch.undo()
        assert tree_of("b") is not None
        return ast.parse(source, mode=mode)

    # Not in `ast` itself, which the engine uses beside the test where that is a recorded program.
    monkeypatch.setattr(syntax_tree, "ast", SimpleNamespace(parse=interrupted))
    found: list[ast.AST] = []
    thread = threading.Thread(target=lambda: found.append(parse("a")), daemon=True)
    thread.start()
    thread.join(60)
    assert len(found) == 1


def test_an_expression_is_parsed_as_one() -> None:
    assert isinstance(parse("a + 1", "eval"), ast.Expression)
    with pytest.raises(SyntaxError):
        parse("a = 1", "eval")


@pytest.mark.parametrize("source", ["x =", "\0", "(" * 5000, "-" * 100_000 + "1"])
def test_what_is_no_source_has_no_tree(source: str) -> None:
    assert tree_of(source) is None
