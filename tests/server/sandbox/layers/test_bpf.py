"""Protects the assembler of filters: each condition decides as documented, and the kernel accepts every result."""

from __future__ import annotations

import struct

import pytest

from backscope_server.sandbox.layers import bpf
from backscope_server.sandbox.layers.bpf import ALLOW, KILL, OneOf, Only, Rule

AUDIT = 0xC000003E
REFUSED = bpf.errno(1)


def assembled(*rules: Rule, foreign_from: int | None = None) -> list[bpf.Instruction]:
    return bpf.assemble(AUDIT, foreign_from, rules, REFUSED)


def test_a_call_without_a_rule_is_refused(verdict):
    code = assembled(Rule(7))
    assert verdict(code, AUDIT, 7) == ALLOW
    assert verdict(code, AUDIT, 8) == REFUSED


def test_another_architecture_is_killed(verdict):
    assert verdict(assembled(Rule(7)), 0x40000003, 7) == KILL


def test_numbers_of_another_table_are_killed(verdict):
    code = assembled(Rule(7), foreign_from=1000)
    assert [verdict(code, AUDIT, number) for number in (7, 999, 1000, 1007)] == [ALLOW, REFUSED, KILL, KILL]


@pytest.mark.parametrize(
    ("value", "expected"),
    [(3, ALLOW), (5, ALLOW), (4, REFUSED), (0, REFUSED), (3 | 1 << 32, ALLOW), (-1, REFUSED)],
)
def test_one_of_looks_at_32_bits(verdict, value, expected):
    assert verdict(assembled(Rule(1, conditions=(OneOf(2, (3, 5)),))), AUDIT, 1, (9, 9, value)) == expected


def test_one_of_may_pass_over_flags(verdict):
    code = assembled(Rule(1, conditions=(OneOf(0, (0, 9), ignoring=128),)))
    assert [verdict(code, AUDIT, 1, (value,)) for value in (0, 128, 9, 137, 1, 256)] == [ALLOW] * 4 + [REFUSED] * 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [(6, ALLOW), (7, ALLOW), (2, REFUSED), (0, REFUSED), (14, REFUSED), (6 | 1 << 32, REFUSED), (6 | 1 << 31, REFUSED)],
)
def test_only_looks_at_64_bits(verdict, value, expected):
    assert verdict(assembled(Rule(1, conditions=(Only(1, 7, needed=6),))), AUDIT, 1, (0, value)) == expected


def test_only_with_nothing_needed(verdict):
    code = assembled(Rule(1, conditions=(Only(0, 3),)))
    assert [verdict(code, AUDIT, 1, (value,)) for value in (0, 1, 3, 4)] == [ALLOW] * 3 + [REFUSED]


def test_every_condition_has_to_hold(verdict):
    code = assembled(Rule(1, conditions=(OneOf(0, (3,)), Only(1, 1))), Rule(2))
    assert [verdict(code, AUDIT, 1, given) for given in ((3, 1), (4, 1), (3, 2))] == [ALLOW, REFUSED, REFUSED]
    assert verdict(code, AUDIT, 2, (4, 2)) == ALLOW


def test_a_jump_that_is_too_long_is_said():
    with pytest.raises(ValueError, match="too long"):
        assembled(Rule(1, conditions=(OneOf(0, tuple(range(300))),)))


def test_encoding_names_the_process():
    code = assembled(Rule(1, conditions=(OneOf(0, (bpf.OWN_PROCESS,)),)))
    encoded = bpf.encode(code, 4711)
    values = [value for _code, _when, _otherwise, value in struct.iter_unpack("=HBBI", encoded)]
    assert len(values) == len(code)
    assert 4711 in values and bpf.OWN_PROCESS not in values
