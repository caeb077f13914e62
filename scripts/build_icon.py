"""Draw the plug-in's icon: rings around a point, as a growing thing keeps its years.

Standard library only.
"""

from __future__ import annotations

import math
import struct
import zlib
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "plugin" / ".claude-plugin" / "icon.png"
SIZE = 512
GROUND, RING, POINT = (22, 48, 58), (226, 236, 230), (242, 178, 76)
CORNER = 112.0
RINGS = ((84.0, 20.0, 0.6), (140.0, 18.0, 2.4), (192.0, 16.0, 4.4))
"""Radius and width in pixels, and where each ring is open, in radians."""
GAP = 0.42


def main() -> None:
    """Write the icon."""
    rows = b"".join(b"\0" + b"".join(_pixel(x, y) for x in range(SIZE)) for y in range(SIZE))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
    TARGET.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _pixel(x: int, y: int) -> bytes:
    across, down = x + 0.5 - SIZE / 2, y + 0.5 - SIZE / 2
    colour = _blend(GROUND, RING, max(_ring(across, down, *ring) for ring in RINGS))
    colour = _blend(colour, POINT, _cover(math.hypot(across, down) - 34))
    return bytes((*colour, round(255 * _cover(_square(across, down)))))


def _ring(across: float, down: float, radius: float, width: float, open_at: float) -> float:
    """How much of a pixel a ring covers; its ends are round."""
    angle = (math.atan2(down, across) - open_at + math.pi) % math.tau - math.pi
    if abs(angle) > GAP:
        return _cover(abs(math.hypot(across, down) - radius) - width / 2)
    end = open_at + math.copysign(GAP, angle)
    return _cover(math.hypot(across - radius * math.cos(end), down - radius * math.sin(end)) - width / 2)


def _square(across: float, down: float) -> float:
    """The distance from a square with round corners; negative inside."""
    inner = SIZE / 2 - CORNER
    right, below = abs(across) - inner, abs(down) - inner
    return math.hypot(max(right, 0), max(below, 0)) + min(max(right, below), 0) - CORNER


def _cover(distance: float) -> float:
    return min(1.0, max(0.0, 0.5 - distance))


def _blend(under: tuple[int, int, int], over: tuple[int, int, int], share: float) -> tuple[int, int, int]:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(under, over, strict=True))
    return red, green, blue


if __name__ == "__main__":
    main()
