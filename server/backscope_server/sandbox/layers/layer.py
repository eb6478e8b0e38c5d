"""The state of each layer of the sandbox on this system, and whether they suffice for a public server."""

from __future__ import annotations

import msgspec


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """The state of one layer: whether it works here, the result of its test, and what to do if it does not."""

    name: str
    works: bool
    found: str
    remedy: str = ""


ESSENTIAL = ("rlimits", "seccomp")
"""The layers that a public server needs, all of them."""
SECOND_WALL = ("landlock", "namespaces")
"""The layers of which a public server needs one more."""
ALL = "all together"

REMEDIES = {
    "rlimits": "Do not raise the limits of the user that starts the server, and start it as an ordinary user.",
    "seccomp": "Use Linux on x86-64 or aarch64 with CONFIG_SECCOMP_FILTER; a container needs no profile for it.",
    "landlock": "Use Linux 5.13 or newer with landlock among the names in the kernel's lsm= list.",
    "namespaces": "Allow user namespaces to ordinary users (sysctl user.max_user_namespaces, and "
    "kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu), or start the server as root with CAP_SYS_ADMIN.",
    "identity": "Start the server as root, or be content: programs of one user are kept apart by the other layers.",
    "executable memory": "Use Linux 6.3 or newer; seccomp refuses executable memory too.",
}


def lacking(layers: list[Layer]) -> list[str]:
    """Return why these layers do not suffice for untrusted programs, a sentence or two each; empty if they do."""
    by_name = {layer.name: layer for layer in layers}
    reasons: list[str] = []
    if set(by_name) == {ALL} and not by_name[ALL].works:  # A system without zygotes.
        return [f"{by_name[ALL].found}. {by_name[ALL].remedy}"]

    def missing(name: str) -> str | None:
        layer = by_name.get(name)
        if layer is not None and layer.works:
            return None
        return f"{name}: {layer.found if layer is not None else 'not tested'}. {REMEDIES[name]}"

    reasons += [reason for name in ESSENTIAL if (reason := missing(name)) is not None]
    second = [reason for name in SECOND_WALL if (reason := missing(name)) is not None]
    if len(second) == len(SECOND_WALL):
        reasons.append("neither Landlock nor namespaces, of which one is needed. " + " ".join(second))
    together = by_name.get(ALL)
    if together is None or not together.works:
        reasons.append(f"{ALL}: {together.found if together is not None else 'not tested'}.")
    return reasons
