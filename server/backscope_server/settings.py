"""What can be set about the server, by environment variables that begin with BACKSCOPE_ or by the command line."""

from __future__ import annotations

import ipaddress

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from backscope_server.sandbox.limits import Limits

_MB = 1 << 20
_GB = 1 << 30


def is_loopback(host: str) -> bool:
    """True for localhost and for addresses that no other machine can reach."""
    if host.lower().removesuffix(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def why_not(host: str) -> str:
    """Why the server does not listen on this host."""
    return (
        f"Backscope does not listen on {host}: it runs whatever program it is sent, so it serves this machine only. "
        "Use 127.0.0.1, localhost or ::1; from another machine, forward the port over SSH."
    )


class Settings(BaseSettings):
    """Every setting with its default; the defaults suit one person on a laptop."""

    model_config = SettingsConfigDict(env_prefix="BACKSCOPE_", extra="ignore")

    host: str = Field(default="127.0.0.1", description="Address to listen on; loopback only.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port to listen on; 0 lets the system choose.")

    wall_seconds: float = Field(default=600, gt=0, description="Real time that a program may run, seconds.")
    unwatched_seconds: float = Field(
        default=30, gt=0, description="Time that a program may run on while no page watches it, seconds."
    )
    cpu_seconds: int = Field(default=300, gt=0, description="Processor time that a program may use, whole seconds.")
    memory_bytes: int = Field(
        default=2 * _GB, gt=0, description="Memory that a program may use beside the engine, bytes."
    )
    output_bytes: int = Field(default=10 * _MB, gt=0, description="Text that a program may print, bytes of UTF-8.")
    events: int = Field(default=3_000_000, gt=0, description="Events that a run may record.")
    log_bytes: int = Field(default=_GB, gt=0, description="Size that the events of one run may have together, bytes.")
    event_bytes: int = Field(default=4 * _MB, gt=0, description="Size that a single event may have, bytes.")
    source_bytes: int = Field(default=_MB, gt=0, description="Size that a program's source may have, bytes of UTF-8.")
    trace_bytes: int = Field(default=256 * _MB, gt=0, description="Size that an uploaded trace file may have, bytes.")

    running: int = Field(default=8, gt=0, le=400, description="Programs that may run at once.")
    kept: int = Field(default=100, gt=0, description="Sessions to keep; the oldest finished ones go first.")
    kept_bytes: int = Field(default=2 * _GB, gt=0, description="Memory for the events of the kept sessions, bytes.")

    frame_seconds: float = Field(
        default=0.016, ge=0, description="Shortest time between two messages to a page, seconds."
    )
    frame_events: int = Field(default=8192, gt=0, description="Events in one message, at most.")
    frame_bytes: int = Field(default=4 * _MB, gt=0, description="Size of one message, about, at most, bytes.")

    @field_validator("host")
    @classmethod
    def _loopback(cls, host: str) -> str:
        if not is_loopback(host):
            raise ValueError(why_not(host))
        return host

    def limits(self) -> Limits:
        """The limits of one run."""
        return Limits(
            wall_seconds=self.wall_seconds,
            cpu_seconds=self.cpu_seconds,
            memory_bytes=self.memory_bytes,
            output_bytes=self.output_bytes,
            events=self.events,
            log_bytes=self.log_bytes,
            event_bytes=self.event_bytes,
        )
