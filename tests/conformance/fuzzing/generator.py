"""Makes a random program from a seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from fuzzing import changes, creation, modes, operations, transforms, views
from fuzzing.scope import Scope
from fuzzing.statements import Program, Statement

PARTS: dict[str, tuple[Callable[..., Any], int, bool]] = {
    "leaf": (creation.leaf, 2, False),
    "factory": (creation.factory, 2, False),
    "view": (views.view, 6, False),
    "change": (changes.change, 6, False),
    "compute": (operations.compute, 8, False),
    "out": (operations.into_out, 2, False),
    "block": (modes.block, 3, True),
    "switch": (modes.switch, 0, False),
    "backward": (modes.backward, 4, False),
    "hook": (modes.hook, 1, False),
    "about_grad": (modes.about_grad, 2, False),
    "transform": (transforms.transformed, 3, True),
    "checkpoint": (transforms.checkpointed, 1, True),
    "forward_mode": (transforms.forward_mode, 1, True),
    "own_function": (transforms.own_function, 1, True),
}
"""What writes statements, how often, and whether it writes others inside."""

THEMES = (
    ("view", "change", "backward"),
    ("view", "view", "compute"),
    ("block", "change", "view"),
    ("transform", "transform", "factory"),
    ("out", "out", "view"),
    ("checkpoint", "block", "backward"),
    ("forward_mode", "change", "view"),
    ("hook", "backward", "about_grad"),
    ("own_function", "change", "transform"),
    ("compute", "backward", "backward"),
)
"""What a program has more of than others."""

SELDOM = {"hook": 0, "about_grad": 0, "own_function": 0, "out": 1, "backward": 1, "checkpoint": 1, "forward_mode": 1}
"""What functions that are transformed have little of: they would end with an error there, as often as not."""

NESTED_TOO_DEEP = 2


def statement(scope: Scope, weights: dict[str, int]) -> Statement | None:
    """Write one statement."""
    names = [n for n in PARTS if weights[n] and not (PARTS[n][2] and scope.depth >= NESTED_TOO_DEEP)]
    name = scope.rng.choices(names, [weights[n] for n in names])[0]
    write, _, nests = PARTS[name]

    def fill(inner: Scope, count: int) -> list[Statement]:
        if inner.inside_function:
            return several(inner, count, {n: min(w, SELDOM.get(n, w)) for n, w in weights.items()})
        return several(inner, count, weights)

    return write(scope, fill) if nests else write(scope)  # type: ignore[no-any-return]


def several(scope: Scope, count: int, weights: dict[str, int]) -> list[Statement]:
    """Write so many statements."""
    found: list[Statement] = []
    for _ in range(4 * count):
        made = statement(scope, weights)
        if made is not None:
            found.append(made)
        if len(found) == count:
            break
    return found


def program(seed: int) -> Program:
    """Return the program of a seed."""
    scope = Scope(random.Random(seed))
    weights = {name: weight for name, (_, weight, _) in PARTS.items()}
    for name in scope.choice(THEMES):
        weights[name] += 6
    statements = [creation.leaf(scope) for _ in range(scope.rng.randrange(1, 4))]
    statements += several(scope, scope.rng.randrange(3, 11), weights)
    last = modes.backward(scope)
    if last is not None:
        statements.append(last)
    return Program(tuple(statements))
