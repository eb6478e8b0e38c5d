"""Caches searches through the log while questions are about one moment."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from backscope.diagnosis.why.log.tape import Tape

Found = TypeVar("Found")


def once_per_moment(find: Callable[[Tape, int], Found]) -> Callable[[Tape, int], Found]:
    """Cache the results of a search until a question is about another moment."""

    @functools.wraps(find)
    def cached(tape: Tape, seq: int) -> Found:
        key = find.__name__, seq
        if key not in tape.cache:
            result = find(tape, seq)
            for other in [known for known in tape.cache if known[1] != seq]:
                del tape.cache[other]
            tape.cache[key] = result
        answer: Found = tape.cache[key]
        return answer

    return cached
