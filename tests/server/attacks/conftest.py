"""The arenas: one server for each kind of user, on which the hostile programs are run once, several at a time."""

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
from server_user import ordinary_user  # noqa: E402


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the programs that are not run on a server of root's."""
    met = {user: armoury.programs_for(user) for user in armoury.USERS}

    def is_met(item: pytest.Item) -> bool:
        given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        return not {"arena", "name"} <= set(given) or given["name"] in met[given["arena"]]

    if left_out := [item for item in items if not is_met(item)]:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if is_met(item)]


@pytest.fixture(scope="session", params=armoury.USERS)
def arena(request: pytest.FixtureRequest) -> Iterator[arenas.Arena]:
    """Return the server of the user that the test is for, after all attacks."""
    if request.param == "root":
        if os.geteuid() != 0:
            pytest.skip("the tests are not run by root")
        user = None
    else:
        try:
            user = ordinary_user()
        except PermissionError as error:
            pytest.skip(str(error))
    with arenas.Arena(user) as found:
        found.attack(armoury.programs_for(request.param))
        yield found
