"""Forward mode's switch: ops compute tangents while it is on."""

from __future__ import annotations

from backscope.runtime.process import process_wide


class _ForwardMode:
    """`enabled` is True unless a program switches forward mode off, directly or by inference mode."""

    enabled = True


forward_mode = process_wide(_ForwardMode(), "enabled")
