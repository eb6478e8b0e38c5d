"""Finds the variables of the environment that are meant as settings and are none."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from backscope_server.settings import PREFIX, Settings

_ALIKE = 0.75
"""The least similarity, from 0 to 1, of a wrong name and the suggested name of a setting, both with the prefix."""
OTHERS = {
    *(
        "ATTACKS",
        "ATTACKS_AS_ROOT",
        "FUZZ_EXAMPLES",
        "NEEDS_BROWSERS",
        "NEEDS_PACKAGES",
        "NEEDS_TORCH",
        "PICTURES",
        "REDIS_SERVER",
    ),
    *("CHROMIUM", "FIREFOX"),
    *("CPUS", "MEM_LIMIT", "PROXY_IMAGE", "PYTHON_IMAGE"),
    *("GATEWAY_MEM_LIMIT", "REDIS_BYTES", "REDIS_IMAGE", "REDIS_MEM_LIMIT", "WORKERS"),
    "SKIP_PAGE",
}
"""Variables with the prefix that the tests, the compose files and the build read, and the server does not."""
_SERVICE = "_SERVICE_HOST"


def unknown_settings(environment: Iterable[str]) -> list[str]:
    """Return a warning for each variable of the environment that looks like a setting and is none."""
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    environment = list(environment)
    # Kubernetes gives pods the addresses of services, each in variables that begin with the service's name.
    services = tuple(f"{name.removesuffix(_SERVICE)}_" for name in environment if name.endswith(_SERVICE))
    unknown = sorted(
        name
        for name in environment
        if (upper := name.upper()).startswith(PREFIX)
        and upper not in known
        and upper.removeprefix(PREFIX) not in OTHERS
        and not name.startswith(services)
    )
    warnings = []
    for name in unknown:
        meant = get_close_matches(name.upper(), known, 1, _ALIKE)
        hint = f"did you mean {meant[0]}?" if meant else "server/backscope_server/operations/README.md lists all."
        warnings.append(f"{name} is no setting and has no effect; {hint}")
    return warnings
