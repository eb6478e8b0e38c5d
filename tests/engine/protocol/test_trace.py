"""Trace files: what is written is read back; whatever is no whole trace of this version is refused in clear words."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from backscope.protocol import trace
from backscope.protocol.events import PROTOCOL_VERSION

LINES = [b'{"kind":"program_finished","seq":%d,"line":null,"status":"ok"}' % i for i in range(2000)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a trace may lie."""
    return tmp_path / "run.backscope"


def refused(path: Path) -> str:
    """The text with which a file is refused."""
    with pytest.raises(trace.TraceError) as caught:
        list(trace.read(path))
    return str(caught.value)


def test_round_trip(path: Path) -> None:
    """Events come back as they were, in order."""
    trace.write(path, LINES)
    assert list(trace.read(path)) == LINES


def test_empty_run(path: Path) -> None:
    """A trace without events is one."""
    trace.write(path, [])
    assert list(trace.read(path)) == []


def test_same_events_same_bytes(path: Path, tmp_path: Path) -> None:
    """No time and no file name is in a trace."""
    other = tmp_path / "other.backscope"
    trace.write(path, LINES)
    trace.write(other, LINES)
    assert path.read_bytes() == other.read_bytes()


def test_header(path: Path) -> None:
    """The first line names the format and the protocol."""
    trace.write(path, LINES)
    with gzip.open(path) as file:
        assert json.loads(file.readline()) == {"backscope_trace": 1, "protocol": PROTOCOL_VERSION}


@pytest.mark.parametrize("kept", [0.5, 0.9, 0.999])
def test_cut_short(path: Path, kept: float) -> None:
    """A file that lost its end."""
    trace.write(path, LINES)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    assert refused(path).startswith("The trace is cut short")


def test_last_line_incomplete(path: Path) -> None:
    """A writer that was ended in the middle of an event."""
    with gzip.open(path, "wb") as file:
        file.write(trace.header() + b"\n" + LINES[0] + b"\n" + LINES[1][:10])
    assert "cut short after event 0" in refused(path)


@pytest.mark.parametrize(
    "content",
    [b"", b"hello\n", gzip.compress(b"hello\n"), gzip.compress(b"[1]\n"), gzip.compress(b"{}\n"), b"\x1f\x8b\x08junk"],
    ids=["empty", "text", "gzipped text", "list", "no header", "damaged"],
)
def test_not_a_trace(path: Path, content: bytes) -> None:
    """Any other file."""
    path.write_bytes(content)
    assert refused(path)


@pytest.mark.parametrize("header", [{"backscope_trace": 2, "protocol": 1}, {"backscope_trace": 1, "protocol": 99}])
def test_other_version(path: Path, header: dict[str, int]) -> None:
    """A newer trace names both versions and what to do."""
    path.write_bytes(gzip.compress(json.dumps(header).encode() + b"\n"))
    text = refused(path)
    assert f"of format {header['backscope_trace']}, protocol {header['protocol']}" in text
    assert "Open it with the version that wrote it" in text


def test_bomb(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What unpacks to more than the limit is refused before it fills the memory."""
    trace.write(path, LINES)
    monkeypatch.setattr(trace, "LARGEST_TRACE", 1000)
    assert "unpacks to more than" in refused(path)


def test_what_lies_before_a_cut_is_read(path: Path) -> None:
    """The events up to the cut come first, then the error that names the place."""
    trace.write(path, LINES)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    found: list[bytes] = []
    with pytest.raises(trace.CutShort, match=r"after event \d+") as caught:
        found.extend(trace.read(path))
    assert found == LINES[: len(found)]
    assert len(found) > 500
    assert f"after event {len(found) - 1}:" in str(caught.value)


@pytest.mark.parametrize("place", [0.3, 0.6, 0.99])
def test_altered(path: Path, place: float) -> None:
    """A changed byte is noticed, at the latest by the checksum at the end."""
    trace.write(path, LINES)
    content = bytearray(path.read_bytes())
    content[int(len(content) * place)] ^= 0x10
    path.write_bytes(content)
    with pytest.raises(trace.TraceError):
        list(trace.read(path))


def test_a_line_that_never_ends(path: Path) -> None:
    """A bomb of one line is refused once the line is longer than an event can be."""
    path.write_bytes(gzip.compress(trace.header() + b"\n" + LINES[0] + b"\n" + bytes(64 << 20)))
    assert "Event 1 of the trace is longer than 4 MB" in refused(path)


def test_deeply_nested_header(path: Path) -> None:
    """Nesting is no way to an error of another kind."""
    path.write_bytes(gzip.compress(b"[" * 4000 + b"\n"))
    assert "not a trace header" in refused(path)


def test_a_failed_writing_leaves_what_was_there(path: Path) -> None:
    """No half-written file, and nothing of the old one lost."""
    trace.write(path, LINES)

    def failing() -> Iterator[bytes]:
        yield LINES[0]
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        trace.write(path, failing())
    assert list(trace.read(path)) == LINES
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_device_is_written_to(path: Path) -> None:
    """What is no file is never replaced by one."""
    trace.write("/dev/null", LINES)
    assert not Path("/dev/null").is_file()
    path.symlink_to(path.with_name("target"))
    trace.write(path, LINES)
    assert path.is_symlink()
    assert list(trace.read(path.with_name("target"))) == LINES
