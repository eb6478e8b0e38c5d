"""The arenas: one server for each kind of user, in which every hostile program is run once, several at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import arena as arenas  # noqa: E402 - beside this file, which is no package
import armoury  # noqa: E402


@pytest.fixture(scope="session", params=["root", "ordinary user"])
def arena(request: pytest.FixtureRequest) -> Iterator[arenas.Arena]:
    """A server of this user, after all attacks."""
    if request.param == "root":
        if os.geteuid() != 0:
            pytest.skip("the tests are not run by root")
        user = None
    else:
        try:
            user = arenas.ordinary_user()
        except PermissionError as error:
            pytest.skip(str(error))
    with arenas.Arena(user) as found:
        found.attack(armoury.programs())
        yield found
