"""Assembles seccomp filters, a rule for each system call, to classic BPF instructions."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import msgspec

ALLOW = 0x7FFF0000
KILL = 0x80000000
"""Ends the whole process with SIGSYS."""
_ERRNO = 0x00050000

LOAD = 0x20
"""A 32-bit word of struct seccomp_data becomes the accumulator."""
AND = 0x54
EQUAL = 0x15
AT_LEAST = 0x35
ANY_BIT = 0x45
RETURN = 0x06

NUMBER = 0
ARCHITECTURE = 4
_ARGUMENTS = 16
_OF_A_THREAD = 6
"""The last bits of such a clock: CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED."""
_LONGEST = 4096
"""Instructions that the kernel takes, BPF_MAXINSNS."""


class Instruction(msgspec.Struct, frozen=True, array_like=True):
    """struct sock_filter: `when` and `otherwise` are how many instructions a comparison skips."""

    code: int
    when: int
    otherwise: int
    value: int


OWN_PROCESS = 0x7FFFFFFF
"""A placeholder for the process id in which the filter will be installed; no process has this id."""
OWN_THREAD_CLOCK = 0x7FFFFFFE
"""A placeholder for the processor-time clock of its first thread, which pthread_getcpuclockid() returns."""


class OneOf(msgspec.Struct, frozen=True):
    """The condition that an argument is one of these values; its low 32 bits count, as for descriptors."""

    argument: int
    values: tuple[int, ...]
    ignoring: int = 0
    """Bits that may be set or not."""


class Only(msgspec.Struct, frozen=True):
    """The condition that an argument has no bits beside `bits`, and all of `needed`."""

    argument: int
    bits: int
    needed: int = 0


Condition = OneOf | Only


class Rule(msgspec.Struct, frozen=True):
    """The rule for system call `number`: `verdict` if every condition holds, otherwise EPERM."""

    number: int
    verdict: int = ALLOW
    conditions: tuple[Condition, ...] = ()


def errno(number: int) -> int:
    """Return the verdict that makes a system call fail with this error."""
    return _ERRNO | number


def _low(argument: int) -> int:
    return _ARGUMENTS + 8 * argument  # Little-endian.


def _one_of(condition: OneOf) -> list[Instruction]:
    code = [Instruction(LOAD, 0, 0, _low(condition.argument))]
    if condition.ignoring:
        code.append(Instruction(AND, 0, 0, ~condition.ignoring & 0xFFFFFFFF))
    last = len(condition.values) - 1
    for at, value in enumerate(condition.values):
        # A match skips the other comparisons and the refusal behind them.
        code.append(Instruction(EQUAL, last - at + 1, 0, value))
    return code


def _only(condition: Only) -> list[Instruction]:
    # Each failure jumps to the refusal that follows the last instruction, success over it.
    return [
        Instruction(LOAD, 0, 0, _low(condition.argument) + 4),
        Instruction(EQUAL, 0, 4, 0),
        Instruction(LOAD, 0, 0, _low(condition.argument)),
        Instruction(ANY_BIT, 2, 0, ~condition.bits & 0xFFFFFFFF),
        Instruction(AND, 0, 0, condition.needed),
        Instruction(EQUAL, 1, 0, condition.needed),
    ]


def _body(rule: Rule, refusal: int) -> list[Instruction]:
    code: list[Instruction] = []
    for condition in rule.conditions:
        code += _one_of(condition) if isinstance(condition, OneOf) else _only(condition)
        code.append(Instruction(RETURN, 0, 0, refusal))
    code.append(Instruction(RETURN, 0, 0, rule.verdict))
    return code


def assemble(audit: int, foreign_from: int | None, rules: Sequence[Rule], otherwise: int) -> list[Instruction]:
    """Return the filter: it checks the architecture, then finds the rule; `otherwise` is for calls without one.

    Raises: ValueError for a program that the kernel would not take.
    """
    code = [
        Instruction(LOAD, 0, 0, ARCHITECTURE),
        Instruction(EQUAL, 1, 0, audit),
        Instruction(RETURN, 0, 0, KILL),
        Instruction(LOAD, 0, 0, NUMBER),
    ]
    if foreign_from is not None:
        code += [Instruction(AT_LEAST, 0, 1, foreign_from), Instruction(RETURN, 0, 0, KILL)]
    for rule in rules:
        body = _body(rule, otherwise)
        code.append(Instruction(EQUAL, 0, len(body), rule.number))
        code += body
    code.append(Instruction(RETURN, 0, 0, otherwise))
    if len(code) > _LONGEST or any(max(step.when, step.otherwise) > 255 for step in code):
        raise ValueError("the filter is too long for the kernel")
    return code


def encode(code: Sequence[Instruction], process: int) -> bytes:
    """Encode the filter as the kernel reads it, for the process with this id."""
    own = {OWN_PROCESS: process, OWN_THREAD_CLOCK: (~process << 3 | _OF_A_THREAD) & 0xFFFFFFFF}
    fields: list[int] = []
    for step in code:
        fields += (step.code, step.when, step.otherwise, own.get(step.value, step.value))
    return struct.pack("=" + "HBBI" * len(code), *fields)
