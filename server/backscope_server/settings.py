"""The settings of the server, from environment variables that begin with BACKSCOPE_ or from the command line.

Every setting has two defaults: one for one person on a laptop, one for a public server that runs untrusted programs.
"""

from __future__ import annotations

import ipaddress
import re
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import Field, PrivateAttr, TypeAdapter, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from backscope_server.sandbox.limits import Limits
from backscope_server.session.machine_memory import machine_memory
from backscope_server.session.timing import Timing
from backscope_server.storage.secret import kept_secret

_MB = 1 << 20
_GB = 1 << 30

ANCESTOR = re.compile(
    r"\*|(?P<scheme>[a-z][a-z0-9+.-]*):(?://(?P<host>(?:\*\.)?[A-Za-z0-9._-]+)(?::(?P<port>\d{1,5}|\*))?)?", re.ASCII
)
"""The sources that a policy may name as ancestors: any, an origin, one with any subdomain or port, a scheme."""

PREFIX = "BACKSCOPE_"
"""The beginning of the names of all settings in the environment."""
NO_TOKEN = "off"
"""The value of the token for a server that requires none."""


def is_loopback(host: str) -> bool:
    """Return whether a host is localhost or an address that no other machine can reach."""
    if host.lower().removesuffix(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def why_not(host: str) -> str:
    """Return why the server does not listen on this host."""
    return (
        f"Backscope does not listen on {host}: it runs whatever program it is sent, so it serves this machine only. "
        "Use 127.0.0.1, localhost or ::1, and from another machine forward the port over SSH. To let others in, add "
        "--public, which needs the sandbox and keeps programs within narrow limits."
    )


def _setting(default: Any, public: Any, description: str, **rules: Any) -> Any:
    """Return a field with its default and that of a public server."""
    return Field(default=default, description=description, json_schema_extra={"public": public}, **rules)


class Settings(BaseSettings):
    """All settings with their defaults."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    public: bool = _setting(False, True, "Serve anyone: narrow limits by default, no token, any address to listen on.")
    host: str = _setting("127.0.0.1", "127.0.0.1", "Address to listen on; loopback only unless public.")
    port: int = _setting(8000, 8000, "Port to listen on; 0 lets the system choose.", ge=0, le=65535)
    public_host: str = _setting(
        "", "", "Host names that this server answers to, separated by commas; IP addresses always work when public."
    )
    embed_from: str = _setting(
        "",
        "*",
        "Pages that may show /embed in a frame: origins separated by spaces, * for any, empty for none.",
    )
    proxy_hops: int = _setting(
        0, 0, "Number of proxies in front, whose X-Forwarded-For and X-Forwarded-Proto are trusted.", ge=0, le=10
    )
    token: str = _setting(
        "",
        NO_TOKEN,
        "Secret that API requests must carry; empty: one is made and kept beside the runs; off: none is required.",
    )

    wall_seconds: float = _setting(
        600, 20, "Time that a program may run, seconds; pauses in the debugger do not count.", gt=0
    )
    pause_seconds: float = _setting(3600, 180, "Time that a paused program waits for the next command, seconds.", gt=0)
    place_seconds: float = _setting(
        0, 1800, "Time that a run may take in all, pauses included, seconds; 0 for no limit.", ge=0
    )
    unwatched_seconds: float = _setting(
        30, 10, "Time that a program goes on running while no page watches it, seconds.", gt=0
    )
    notice_seconds: float = _setting(
        30, 10, "How long before a time limit the page shows a warning, seconds; at most half of the limit.", gt=0
    )
    cpu_seconds: int = _setting(300, 8, "Processor time that a program may use, whole seconds.", gt=0)
    memory_bytes: int = _setting(
        2 * _GB, _GB // 2, "Memory that a program may use beyond the engine's own, bytes.", gt=0
    )
    output_bytes: int = _setting(10 * _MB, _MB, "Text that a program may print, bytes of UTF-8.", gt=0)
    events: int = _setting(3_000_000, 100_000, "Events that a run may record.", gt=0)
    log_bytes: int = _setting(_GB, 32 * _MB, "Largest size of all events of one run, bytes.", gt=0)
    event_bytes: int = _setting(4 * _MB, _MB, "Largest size of a single event, bytes.", gt=0)
    source_bytes: int = _setting(_MB, 64 << 10, "Largest size of a program's source, bytes of UTF-8.", gt=0)
    trace_bytes: int = _setting(256 * _MB, 4 * _MB, "Largest size of an uploaded trace file, bytes.", gt=0)
    why_bytes: int = _setting(
        128 * _MB,
        8 * _MB,
        "Largest size of the events indexed to answer questions, of one run and of all together, bytes.",
        gt=0,
    )
    why_seconds: float = _setting(20, 3, "Time that the answer to a question about a run may take, seconds.", gt=0)

    running: int = _setting(8, 0, "Programs that may run at once; 0 for as many as fit into memory.", ge=0, le=400)
    waiting: int = _setting(
        100,
        100,
        "Programs that may wait to be started; further ones are refused because the server is busy.",
        ge=0,
        le=10_000,
    )
    kept: int = _setting(100, 400, "Sessions to keep in memory; the oldest finished ones are removed first.", gt=0)
    kept_bytes: int = _setting(
        2 * _GB, 48 * _MB, "Memory for the events of all runs, running and finished, bytes.", gt=0
    )
    arriving_bytes: int = _setting(
        _GB, 16 * _MB, "Memory for requests that are being received, bytes; at most a quarter for one address.", gt=0
    )
    unread_bytes: int = _setting(
        256 * _MB,
        24 * _MB,
        "Memory for data that clients have not read yet, bytes; at most a quarter for one address.",
        gt=0,
    )

    address_programs: int = _setting(200, 4, "Programs of one address that may run at once; further ones wait.", gt=0)
    address_waiting: int = _setting(100, 40, "Programs of one address that may wait to be started.", ge=0)
    address_starts: int = _setting(600, 30, "Programs that one address may start in a minute.", gt=0)
    address_requests: int = _setting(6000, 1200, "Requests that one address may make in a minute.", gt=0)
    address_sockets: int = _setting(200, 64, "WebSockets that one address may have open at once.", gt=0)
    address_connections: int = _setting(500, 200, "Connections that one address may have open at once.", gt=0)
    connections: int = _setting(4000, 2000, "Connections that all addresses together may have open at once.", gt=0)
    socket_messages: int = _setting(200, 20, "Messages that one WebSocket may send in a second.", gt=0)
    socket_bytes: int = _setting(64 * _MB, _MB, "Bytes that one WebSocket may send in a second.", gt=0)
    request_seconds: float = _setting(
        30,
        10,
        "Time for the headers of a request, its body, or the first message on a WebSocket to arrive, seconds.",
        gt=0,
    )

    cache: bool = _setting(
        False,
        True,
        "Answer the start of a program that ran before, with the same seed and limits, and ended by itself, from "
        "that run.",
    )

    replays: int = _setting(
        4,
        8,
        "Programs run again for questions about their past that are kept for further ones; 0 for none.",
        ge=0,
        le=400,
    )
    replay_seconds: float = _setting(60, 20, "How long such a program is kept, seconds.", gt=0)

    sandbox: Literal["auto", "limited"] = _setting(
        "auto", "auto", "auto: every layer that this system has; limited: processes with limits only."
    )
    zygote_seconds: float = _setting(
        3600, 3600, "Age at which the process that programs are forked from is replaced, seconds.", gt=0
    )
    zygote_programs: int = _setting(500, 500, "Number of programs after which that process is replaced.", gt=0)

    storage: str = _setting(
        "auto", "off", "Folder for finished runs; auto: the user's data folder; off: runs are not kept."
    )
    storage_kept: int = _setting(500, 500, "Runs to keep on disk; the oldest are removed first.", gt=0)
    storage_bytes: int = _setting(4 * _GB, 4 * _GB, "Disk space for the kept runs, bytes.", gt=0)
    stalled_seconds: float = _setting(
        30, 30, "Time after which a connection is closed whose client reads nothing, seconds.", gt=0
    )

    shares: str = _setting(
        "auto",
        "off",
        "Where runs are kept that are shared by short links: a folder, or s3://BUCKET/PREFIX; auto: the folder of "
        "stored runs; off: none are kept.",
    )
    share_endpoint: str = _setting(
        "", "", "Address of the store that speaks S3, https://HOST:PORT; empty: AWS_ENDPOINT_URL, or Amazon's."
    )
    share_region: str = _setting("", "", "Region of its bucket; empty: AWS_REGION.")
    share_kept: int = _setting(1000, 10_000, "Shared runs to keep; the oldest are removed first.", gt=0)
    share_bytes: int = _setting(16 * _MB, 2 * _MB, "Largest size of a shared run, as a trace file, bytes.", gt=0)
    share_seconds: float = _setting(
        7_776_000, 7_776_000, "How long a shared run is kept after it was shared last, seconds.", gt=0
    )

    address_shares: int = _setting(1000, 300, "Shared runs to keep of one address.", gt=0)
    address_share_bytes: int = _setting(_GB, 64 * _MB, "Bytes of shared runs to keep of one address.", gt=0)

    closed_file: str = _setting(
        "", "", "File while which is there no program starts, and recordings can be opened; its text says why."
    )
    deny_file: str = _setting(
        "", "", "File of addresses and networks, one a line, whose requests are refused; read again when it changes."
    )
    pages_folder: str = _setting(
        "", "", "Folder with privacy.html and terms.html to serve instead of Backscope's own texts."
    )
    metrics_port: int = _setting(
        0, 0, "Port for /metrics, /live and /ready, apart from what clients reach; 0 for none.", ge=0, le=65535
    )
    metrics_host: str = _setting("127.0.0.1", "127.0.0.1", "Address to listen on for these.")
    log_format: Literal["text", "json"] = _setting(
        "text", "text", "json: the log as lines of JSON, with an entry for each run; neither programs nor addresses."
    )

    fleet: str = _setting(
        "",
        "",
        "Redis of a fleet, redis://HOST:PORT/DB or rediss:// for TLS: programs run on workers; empty: they run here.",
    )
    fleet_prefix: str = _setting(
        "backscope:", "backscope:", "Beginning of all names in Redis, so that several fleets can share one."
    )
    fleet_name: str = _setting(
        "", "", "Name of this gateway or worker, another for each; empty: made of host, process and chance."
    )
    fleet_username: str = _setting("", "", "User to log in to Redis as, if it is not in the address.")
    fleet_password: str = _setting("", "", "Password for Redis, if it is not in the address.")
    fleet_ca: str = _setting("", "", "File of the authorities that sign Redis's certificate; empty: the system's.")
    fleet_certificate: str = _setting("", "", "File of the certificate to show to Redis, if it requires one.")
    fleet_key: str = _setting("", "", "File of the key of this certificate.")
    fleet_bytes: int = _setting(
        0, 0, "Memory of Redis to use, bytes; 0 for its maxmemory. At 80 % new runs are refused.", ge=0
    )
    fleet_kept_seconds: float = _setting(
        86_400,
        86_400,
        "How long a fleet keeps a finished run, seconds; the oldest go earlier when Redis fills up.",
        gt=0,
    )
    fleet_lease_seconds: float = _setting(
        5, 5, "Time after which another worker takes over the runs of one that is silent, seconds.", ge=0.5, le=600
    )
    fleet_drain_seconds: float = _setting(
        20, 20, "Time that a worker which is stopped lets its runs end before others take them, seconds.", ge=0
    )

    frame_seconds: float = _setting(0.016, 0.016, "Shortest time between two messages to a page, seconds.", ge=0)
    frame_events: int = _setting(8192, 8192, "Largest number of events in one message.", gt=0)
    frame_bytes: int = _setting(4 * _MB, _MB, "Largest size of one message, approximately, bytes.", gt=0)

    _made_token: str | None = PrivateAttr(default=None)

    @model_validator(mode="before")
    @classmethod
    def _choose_defaults(cls, given: dict[str, Any]) -> dict[str, Any]:
        try:
            public = TypeAdapter(bool).validate_python(given.get("public", False))
        except ValidationError:
            return given  # Refused by name further on.
        if not public:
            return given
        return {**{name: cls.default(name, public=True) for name in cls.model_fields}, **given}

    @field_validator("token")
    @classmethod
    def _usable_token(cls, token: str) -> str:
        if token not in ("", NO_TOKEN) and not (8 <= len(token) <= 200 and token.isascii() and token.isprintable()):
            raise ValueError("A token has 8 to 200 ASCII characters; leave it empty to have one made.")
        return token

    @field_validator("embed_from")
    @classmethod
    def _usable_ancestors(cls, origins: str) -> str:
        for origin in origins.split():
            if not ANCESTOR.fullmatch(origin):
                raise ValueError(f"{origin!r} is no origin: write https://docs.example.org, or * for any page.")
        return " ".join(origins.split())

    @field_validator("fleet")
    @classmethod
    def _usable_fleet(cls, address: str) -> str:
        if address and not address.startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("The address of a fleet's Redis begins with redis://, rediss:// or unix://.")
        return address

    @field_validator("host")
    @classmethod
    def _loopback_unless_public(cls, host: str, info: ValidationInfo) -> str:
        if not info.data.get("public") and not is_loopback(host):
            raise ValueError(why_not(host))
        return host

    @classmethod
    def default(cls, name: str, *, public: bool) -> Any:
        """Return the default of a setting, on one's own machine or on a public server."""
        field = cls.model_fields[name]
        if not public:
            return field.default
        assert isinstance(field.json_schema_extra, dict)
        return field.json_schema_extra["public"]

    @property
    def fleet_kept_milliseconds(self) -> int:
        """How long a fleet keeps a finished run."""
        return int(self.fleet_kept_seconds * 1000)

    @property
    def fleet_lease_milliseconds(self) -> int:
        """How long a worker's lease of a run lasts unless it is renewed."""
        return int(self.fleet_lease_seconds * 1000)

    @property
    def secret(self) -> str | None:
        """The token that requests must carry, None if none is required."""
        if self.token == NO_TOKEN:
            return None
        if not self.token and self._made_token is None:
            self._made_token = kept_secret(self.storage_folder())
        return self.token or self._made_token

    @property
    def limited(self) -> bool | None:
        """True for processes with limits only, None if the system decides."""
        return True if self.sandbox == "limited" else None

    @property
    def hosts(self) -> frozenset[str]:
        """The names that the server answers to, beside addresses and localhost."""
        return frozenset(name for part in self.public_host.lower().split(",") if (name := part.strip().rstrip(".")))

    @property
    def places(self) -> int:
        """The number of programs that may run at once."""
        return self.running or max(1, min(400, (machine_memory() - _GB) // (self.memory_bytes + self.log_bytes)))

    @property
    def program_body_bytes(self) -> int:
        """The largest JSON body of a program, bytes: a character takes up to six bytes there."""
        return 6 * self.source_bytes + 4096

    def storage_folder(self) -> Path | None:
        """Return the folder that finished runs are stored in, None if they are not stored."""
        if self.storage == "off" or (self.public and self.storage == "auto"):
            return None
        if self.storage == "auto":
            return platformdirs.user_data_path("backscope", appauthor=False)
        return Path(self.storage).expanduser()

    def shares_place(self) -> Path | str | None:
        """Return the folder that shared runs are kept under, or their address; None if they are not kept."""
        if self.shares == "off":
            return None
        if self.shares.startswith("s3://"):
            return self.shares
        return self.storage_folder() if self.shares == "auto" else Path(self.shares).expanduser()

    def launching(self) -> dict[str, Any]:
        """Return the options of a launcher."""
        return {
            "limited": self.limited,
            "public": self.public,
            "zygote_seconds": self.zygote_seconds,
            "zygote_programs": self.zygote_programs,
        }

    def timing(self) -> Timing:
        """Return the time limits of a run."""
        return Timing(
            unwatched_seconds=self.unwatched_seconds,
            pause_seconds=self.pause_seconds,
            place_seconds=self.place_seconds or None,
            notice_seconds=self.notice_seconds,
        )

    def limits(self) -> Limits:
        """Return the limits of one run."""
        return Limits(
            wall_seconds=self.wall_seconds,
            cpu_seconds=self.cpu_seconds,
            memory_bytes=self.memory_bytes,
            output_bytes=self.output_bytes,
            events=self.events,
            log_bytes=self.log_bytes,
            event_bytes=self.event_bytes,
        )
