"""Protects the packed form of a log: its blocks are a trace file, whole or cut anywhere between them."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import pytest

from backscope.protocol import trace
from backscope_server.session import lines as lines_module, packed
from backscope_server.session.lines import Lines

MANY = [b'{"seq":%d,"text":"%b"}' % (seq, b"again and " * (seq % 40)) for seq in range(2000)]


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> list[packed.PackedBlock]:
    """The blocks of a log that was packed while it grew."""
    monkeypatch.setattr(lines_module, "_BLOCK", 1 << 14)
    lines = Lines()
    for start in range(0, len(MANY), 300):
        lines.append(MANY[start : start + 300])
        while lines.pack():
            pass
    return lines.packed_blocks(0)


def test_the_blocks_are_a_trace_file(blocks: list[packed.PackedBlock], tmp_path: Path) -> None:
    """Between the first and the last bytes of a file they are a trace, with its checksum and its length."""
    assert len(blocks) > 5
    content = packed.BEGINNING + b"".join(block.data for block in blocks) + packed.end(blocks[-1])
    path = tmp_path / "run.backscope"
    path.write_bytes(content)
    assert list(trace.read(path)) == MANY
    assert gzip.decompress(content) == b"\n".join([trace.header(), *MANY, b""])
    reader = zlib.decompressobj(wbits=31)
    reader.decompress(content)
    assert reader.eof, "A browser's reader of gzip refuses bytes after the end."
    assert not reader.unused_data


def test_a_file_without_its_end_reads_up_to_a_block(blocks: list[packed.PackedBlock], tmp_path: Path) -> None:
    """After a killed server the file has all blocks that were written."""
    path = tmp_path / "run.backscope"
    path.write_bytes(packed.BEGINNING + b"".join(block.data for block in blocks[:3]))
    found: list[bytes] = []
    with pytest.raises(trace.CutShort):
        found.extend(trace.read(path))
    assert found == MANY[: blocks[2].end]


def test_each_block_reads_alone(blocks: list[packed.PackedBlock]) -> None:
    """Resuming a run at an event unpacks the block of that event only."""
    start = 0
    for block in blocks:
        assert packed.unpack(block).split(b"\n") == MANY[start : block.end]
        start = block.end
    assert start == len(MANY)


def test_an_empty_log_is_a_trace_without_events() -> None:
    """No block is needed."""
    assert gzip.decompress(packed.BEGINNING + packed.end(packed.NONE)) == trace.header() + b"\n"
