"""Keys of a state_dict without the prefix that a wrapper gave them."""

from __future__ import annotations

from typing import Any


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix off the keys of a state_dict, in place, and off those of its metadata."""
    for key in [*state_dict]:
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", {})
    for key in [*metadata]:
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix) :]] = metadata.pop(key)
