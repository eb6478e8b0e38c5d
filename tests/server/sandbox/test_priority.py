"""Protects that the server comes first, for the processor and when memory runs out."""

from __future__ import annotations


def test_a_program_comes_last(alone):
    code = """
        import os
        from backscope_server.sandbox import priority
        before = os.getpriority(os.PRIO_PROCESS, 0)
        priority.prefer_as_victim()
        priority.yield_to_server()
        print(os.getpriority(os.PRIO_PROCESS, 0) - before, open("/proc/self/oom_score_adj").read().strip())
    """
    assert alone(code) == "10 900\n"
