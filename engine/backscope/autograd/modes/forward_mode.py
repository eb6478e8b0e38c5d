"""Whether ops compute tangents."""

from __future__ import annotations

from backscope.runtime.process import process_wide


class _ForwardMode:
    """On unless a program switches it off, by itself or by inference mode."""

    enabled = True


forward_mode = process_wide(_ForwardMode(), "enabled")
