"""Protects the server's memory: a removed log is freed soon, also when a reference cycle holds it."""

from __future__ import annotations

import asyncio
import platform
import subprocess
import sys
import weakref

import pytest

from backscope_server.session import memory
from backscope_server.session.log import SessionLog


class Holder:
    """An object that refers to itself and a log."""

    def __init__(self, log: list[bytes]) -> None:
        self.me = self
        self.log = log


def test_a_cycle_does_not_keep_a_log(monkeypatch):
    monkeypatch.setattr(memory, "_DELAY_SECONDS", 0.01)

    async def check() -> None:
        held = weakref.ref(Holder([b"x" * 1000]))
        freed = memory.FreedBytes()
        freed.add(memory.GIVE_BACK_BYTES - 1)
        assert freed._timer is None
        assert held() is not None
        freed.add(1)
        async with asyncio.timeout(120):
            while held() is not None:
                await asyncio.sleep(0.01)

    asyncio.run(check())


def test_the_log_of_a_finished_run_is_packed_while_it_is_read(monkeypatch):
    monkeypatch.setattr(memory, "_DELAY_SECONDS", 0.0)
    lines = [b'{"seq":%d,"text":"much of this is the same"}' % seq for seq in range(5000)]

    async def check() -> None:
        log = SessionLog()
        log.append(lines)
        log.finish()
        packing = memory.Packing(memory.FreedBytes())
        before = log.nbytes
        packing.add(log)
        seen: list[bytes] = []
        while packing._going or len(seen) < len(lines):
            seen += log.lines.some(len(seen), 300)
            await asyncio.sleep(0)
        assert seen == lines
        assert log.lines == lines
        assert log.nbytes < before / 5

    asyncio.run(check())


HEAPS = """import ctypes, sys, threading
from backscope_server.session import memory
if sys.argv[1] == "held":
    memory.return_memory_soon()
libc = ctypes.CDLL(None)
together = threading.Barrier(4)
def work():
    pieces = [bytes(1000) for _ in range(1000)]
    together.wait()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc.fopen.restype = ctypes.c_void_p
out = ctypes.c_void_p(libc.fopen(sys.argv[2].encode(), b"w"))
libc.malloc_info(0, out)
libc.fclose(out)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's way with memory")
def test_threads_have_no_heaps_of_their_own(tmp_path):
    heaps = {}
    for how in ("held", "not held"):
        # Large objects of Python come from malloc; small ones have an allocator of their own.
        subprocess.run([sys.executable, "-c", HEAPS, how, str(tmp_path / how)], check=True)
        heaps[how] = (tmp_path / how).read_text().count("<heap nr=")
    assert heaps["held"] == 1 < heaps["not held"]
