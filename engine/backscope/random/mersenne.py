"""The stream of 32-bit numbers under every generator: mt19937, with PyTorch's way of reading and storing it."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Seed, numbers left before the next twist, seeded, position, 624 words, three doubles of an old normal cache of which
# the second holds the kept normal, whether it is valid, a float cache that the CPU never fills, whether that is valid.
_STATE = struct.Struct("<Qii Q 624Q 3d i4x f?3x")
_WORDS = 624
_MASK_24, _MASK_53 = np.uint64(2**24 - 1), np.uint64(2**53 - 1)

_seeding = np.random.RandomState(0)
"""Computes a stream's first state from a seed; creating a RandomState each time would first read system entropy."""


class Mersenne:
    """An mt19937 stream, seeded by the low 32 bits of a 64-bit seed, with the normal number saved for the next call."""

    __slots__ = ("_bits", "kept_normal", "seed")

    def __init__(self, seed: int) -> None:
        self._bits = np.random.MT19937(0)
        self.restart(seed)

    def restart(self, seed: int) -> None:
        """Start the stream of `seed` from its beginning and drop the saved normal."""
        _seeding.seed(seed & 0xFFFFFFFF)
        words: Any = _seeding.get_state(legacy=False)
        self._bits.state = words
        self.seed = seed
        self.kept_normal: float | None = None

    def raw32(self, count: int) -> NDArray[np.uint64]:
        """The next `count` 32-bit numbers."""
        return np.asarray(self._bits.random_raw(count), dtype=np.uint64)

    def raw64(self, count: int) -> NDArray[np.uint64]:
        """`count` 64-bit numbers, each of two of the stream, the high half first."""
        pairs = self.raw32(2 * count)
        return (pairs[0::2] << np.uint64(32)) | pairs[1::2]

    def real24(self, count: int) -> NDArray[np.float32]:
        """`count` float32 numbers in [0, 1) of 24 random bits, one of the stream each."""
        return ((self.raw32(count) & _MASK_24) * 2.0**-24).astype(np.float32)

    def real53(self, count: int) -> NDArray[np.float64]:
        """`count` float64 numbers in [0, 1) of 53 random bits, two of the stream each."""
        return (self.raw64(count) & _MASK_53).astype(np.float64) * 2.0**-53

    def pack(self) -> NDArray[np.uint8]:
        """The 5056 bytes that torch.get_rng_state() shows for this stream."""
        state: Any = self._bits.state["state"]
        words, position = state["key"].tolist(), int(state["pos"])
        # A new stream is "all used" to NumPy and "at the start" to PyTorch; the first word distinguishes the two.
        fresh = position == _WORDS and words[0] == self.seed & 0xFFFFFFFF
        kept = self.kept_normal
        packed = _STATE.pack(
            *(self.seed, _WORDS + 1 - position, 1, 0 if fresh else position),
            *words,
            *(0.0, 0.0 if kept is None else kept, 0.0, int(kept is not None)),
            *(0.0, False),
        )
        return np.frombuffer(packed, dtype=np.uint8).copy()

    def unpack(self, packed: NDArray[np.uint8]) -> None:
        """Continue from bytes of `pack` or of torch.get_rng_state().

        Raises RuntimeError for bytes of another size or that are no mt19937 state.
        """
        if packed.size != _STATE.size:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {_STATE.size} but found the input RNG state size to be "
                f"{packed.size}"
            )
        seed, left, seeded, position, *rest = _STATE.unpack(packed.tobytes())
        words, (_, normal, _, normal_is_kept, _, _) = rest[:_WORDS], rest[_WORDS:]
        if not (seeded and 0 < left <= _WORDS and 0 <= position <= _WORDS):
            raise RuntimeError("Invalid mt19937 state")
        key = np.array(words, dtype=np.uint64).astype(np.uint32)
        self._bits.state = {
            "bit_generator": "MT19937",
            "state": {"key": key, "pos": _WORDS if left == 1 else position},
        }
        self.seed = seed
        self.kept_normal = normal if normal_is_kept else None
