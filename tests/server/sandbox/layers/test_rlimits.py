"""Protects the limits that the kernel counts, without other layers that refuse the same: memory, time, files."""

from __future__ import annotations

LIMITED = """
import os
from backscope_server.sandbox.layers import rlimits
rlimits.apply(cpu_seconds=1, address_space=rlimits.mapped_bytes() + (64 << 20))
"""


def test_memory_ends_at_the_limit(alone):
    code = LIMITED + "bytearray(32 << 20)\ntry: bytearray(128 << 20)\nexcept MemoryError: print('no more')\n"
    assert alone(code) == "no more\n"


def test_processor_time_ends_at_the_limit(alone):
    assert alone(LIMITED + "while True: pass\n") == "[-24]"


def test_a_signal_that_is_ignored_gives_a_second_more(alone):
    code = LIMITED + "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass\n"
    assert alone(code.replace("import os", "import os, signal")) == "[-9]"


def test_a_closed_descriptor_gives_no_room_for_another(alone):
    code = LIMITED + (
        "os.close(0)\nfor make in (lambda: os.open('/', os.O_RDONLY), lambda: os.listdir('/'), os.pipe):\n"
        "    try: make()\n    except OSError as error: print(error.errno)\n"
    )
    assert alone(code) == "24\n" * 3


def test_nothing_can_be_raised_again(alone):
    code = LIMITED + (
        "import resource\nfor name in ('AS', 'CPU', 'NPROC', 'NOFILE', 'FSIZE', 'CORE', 'MEMLOCK', 'STACK'):\n"
        "    assert resource.getrlimit(getattr(resource, 'RLIMIT_' + name))[1] != resource.RLIM_INFINITY, name\n"
        "print('bounded')\n"
    )
    assert alone(code) == "bounded\n"


def test_one_limit_that_cannot_be_set_keeps_no_other_from_being_set(alone):
    code = """
    import resource
    from backscope_server.sandbox.layers import rlimits
    bytes_of_all = rlimits.mapped_bytes() + (1 << 30)
    given = resource.setrlimit
    def setrlimit(limit, values):
        if limit == resource.RLIMIT_AS:
            raise ValueError("current limit exceeds maximum limit")
        given(limit, values)
    resource.setrlimit = setrlimit
    try:
        rlimits.apply(cpu_seconds=1, address_space=bytes_of_all)
    except ValueError as error:
        print(error)
    print([resource.getrlimit(getattr(resource, "RLIMIT_" + name))[1] for name in ("CPU", "NPROC", "FSIZE", "CORE")])
    """
    assert alone(code) == "current limit exceeds maximum limit\n[2, 0, 0, 0]\n"
