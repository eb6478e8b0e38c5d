"""Protects everybody from hostile programs: their attempts fail, and ordinary programs are not disturbed.

The programs look for the words that each is given, and print a line that begins with PWNED where they get through.
"""

from __future__ import annotations

import armoury
import pytest
from arena import Arena


@pytest.mark.parametrize("name", armoury.programs())
def test_a_hostile_program_is_contained(arena: Arena, name: str) -> None:
    attack = arena.attacks[name]
    assert not attack.breaches
    assert attack.ending in armoury.late(armoury.programs()[name]), (attack.message, attack.printed[-2000:])
    if attack.ending not in ("ok", "error"):
        assert attack.message.endswith(".")
        assert len(attack.message) > 40


def test_neighbours_and_server_are_unharmed(arena: Arena) -> None:
    assert arena.neighbours > 0
    assert arena.left_over() == []


def test_programs_of_the_folder_in_the_variable_were_run() -> None:
    if not armoury.OUTSIDE.is_dir():
        pytest.skip(f"there are none in {armoury.OUTSIDE}")
    assert sum(name.startswith("outside_") for name in armoury.programs()) > 0


def test_what_root_may_do_is_tried_by_root() -> None:
    assert set(armoury.programs_for("ordinary user")) == set(armoury.programs())
    root = armoury.programs_for("root")
    assert {"p_namespaces", "p_more_rights", "f_handles_and_mounts", "n_every_family", "s_keyrings"} <= set(root)
    assert {"c_every_system_call", "d_priority_raised", "m_system_v", "m_locked"} <= set(root)


def test_each_program_lists_its_endings() -> None:
    ours = [path.read_text() for path in armoury.OURS.glob("*.py")]
    assert len(ours) >= 80
    assert all(text.startswith("# Ends: ") and armoury.endings(text) <= armoury.ENDINGS for text in ours)
