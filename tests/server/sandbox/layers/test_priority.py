"""Protects the priority of the server over programs, for the processor and when memory runs out."""

from __future__ import annotations


def test_a_program_has_the_lowest_priority(alone):
    code = """
        import os
        from backscope_server.sandbox.layers import priority
        before = os.getpriority(os.PRIO_PROCESS, 0)
        priority.prefer_as_victim()
        priority.yield_to_server()
        last = 19
        moved = os.getpriority(os.PRIO_PROCESS, 0) == min(before + 10, last)
        print(moved, open("/proc/self/oom_score_adj").read().strip())
    """
    assert alone(code) == "True 900\n"
