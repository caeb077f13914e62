"""Rows of a damaged SQLite file, read page by page: no schema, no tree and no header need be whole.

The format is SQLite's own (https://www.sqlite.org/fileformat2.html). A page that is not a leaf, or not one
any more, gives no rows; a cell that cannot be read is counted and passed over; the pages around it are
read all the same.
"""

from __future__ import annotations

import mmap
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = 4096
"""The size of our pages: SQLite's default, which no store of ours changes."""

_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR, _TABLE_INTERIOR = 0x0D, 0x0A, 0x02, 0x05
_TREE = frozenset({_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR, _TABLE_INTERIOR})
_FIRST_FREE = 32  # where the file's header names the first page of the free list
_POINTER_MAP, _POINTER_MAP_EVERY = 2, PAGE // 5 + 1
"""Where pages lie that only say which page points to which: a store of ours is made with `auto_vacuum`."""
_LOG_HEADER, _FRAME_HEADER = 32, 24
_BIG_ENDIAN_SUMS = 0x377F0683  # the log's magic number where its checksums are of big-endian words
_FIRST_HEADER = 100  # bytes of the file's header, before the first page's own
_MOST_PAYLOAD = 1 << 28  # a longer row is taken for damage
_SAID_COUNT, _MOST_PAGES = 28, 1 << 26
"""Where the header says how many pages there are, and how many are believed."""
_SIZES = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8, 8: 0, 9: 0}
"""Bytes of a value by its serial type; types 8 and 9 are the numbers 0 and 1."""
_FLOAT, _ZERO, _ONE = 7, 8, 9
_FIRST_BLOB = 12  # the first serial type of blobs (even) and texts (odd)
_SCHEMA_COLUMNS = 5


class Row(NamedTuple):
    """A row: its page, its rowid (None in an index or a table without), and its values in stored order."""

    page: int
    rowid: int | None
    values: tuple[Any, ...]


class Reader:
    """A damaged file with its write-ahead log.

    Attributes:
        cut: pages that the file once had beyond its end.
    """

    def __init__(self, path: Path) -> None:
        self._data = _bytes_of(path)
        self.count = -(-len(self._data) // PAGE)
        self._newer = _committed(path.with_name(f"{path.name}-wal"))
        # The log may hold pages beyond the file's end: a commit that grew the file and was never
        # checkpointed.
        self.count = max([self.count, *self._newer])
        head = self.page(1)
        # The header is damaged as easily as the rest: a number of pages that no store reaches is not
        # believed, or the report would speak of millions of pages that were cut off.
        said = _number(head, _SAID_COUNT, 4) if head[:16] == b"SQLite format 3\0" else 0
        self.cut = max(0, said - self.count) if said < _MOST_PAGES else 0
        self._following: set[int] = set()

    def page(self, number: int) -> bytes:
        """A page by its number, from 1; shorter at the file's end."""
        if number in self._newer:
            return self._newer[number]
        return self._data[(number - 1) * PAGE : number * PAGE]

    def _tree_page(self, number: int) -> tuple[bytes, int]:
        """A whole page, and where the header of a tree's page begins on it."""
        return self.page(number).ljust(PAGE, b"\0"), _FIRST_HEADER if number == 1 else 0

    def rows(self) -> Iterator[Row]:
        """Every row of every page that still holds rows."""
        for number in range(1, self.count + 1):
            data, start = self._tree_page(number)
            # Inner pages of a table hold only rowids; those of an index hold rows of their own, which are
            # on no leaf.
            if data[start] in {_TABLE_LEAF, _INDEX_LEAF, _INDEX_INTERIOR}:
                yield from self._cells(number, data, start)

    def holes(self) -> list[int]:
        """Pages whose content is lost: no whole page of a tree, not free, nor the rest of a row.

        Only known after `rows`.
        """
        # The pages of the free list
        found: set[int] = set()
        trunk = _number(self.page(1), _FIRST_FREE, 4)
        # A damaged list may lead back into itself.
        while 1 < trunk <= self.count and trunk not in found:
            data = self.page(trunk).ljust(PAGE, b"\0")
            count = min(_number(data, 4, 4), PAGE // 4 - 2)
            found |= {trunk, *(_number(data, 8 + 4 * place, 4) for place in range(count))}
            trunk = _number(data, 0, 4)
        # Pages of SQLite's pointer map and pages that only continue a long row look like no tree, and
        # rightly.
        passed = found | self._following | set(range(_POINTER_MAP, self.count + 1, _POINTER_MAP_EVERY))
        others = (number for number in range(1, self.count + 1) if number not in passed)
        return [number for number in others if not self._is_whole(number)]

    def _is_whole(self, number: int) -> bool:
        """Whether each byte of a page of a tree is accounted for, as SQLite's own check has it.

        A lost cell leaves a gap.
        """
        data, start = self._tree_page(number)
        if data[start] not in _TREE:
            return False
        try:
            used = sum(self._size(data, cell, data[start]) for cell in _pointers(data, start))
            return used + _free_bytes(data, start) == PAGE - _number(data, start + 5, 2)
        except (IndexError, ValueError, struct.error):
            return False

    def _size(self, data: bytes, at: int, type_: int) -> int:
        """How many bytes a cell takes on its page."""
        begun = at + (4 if type_ in {_TABLE_INTERIOR, _INDEX_INTERIOR} else 0)
        length, end = _varint(data, begun)
        if type_ == _TABLE_INTERIOR:
            return end - at
        if type_ == _TABLE_LEAF:
            _, end = _varint(data, end)
        here = _here(length, table=type_ == _TABLE_LEAF)
        # SQLite gives a cell at least four bytes, so that a free block's header fits where it was deleted.
        return max(4, end - at + here + (4 if here < length else 0))

    def owners(self) -> dict[int, str]:
        """Which table or index each page belongs to, as far as the schema and the trees can be read."""
        found: dict[int, str] = {}
        for row in self._schema():
            _, name, _, root, _ = row.values
            if isinstance(root, int) and isinstance(name, str):
                self._claim(root, name, found)
        return found

    def _schema(self) -> Iterator[Row]:
        pages: dict[int, str] = {}
        self._claim(1, "sqlite_schema", pages)
        for number in pages:
            data, start = self._tree_page(number)
            if data[start] == _TABLE_LEAF:
                cells = self._cells(number, data, start)
                yield from (row for row in cells if len(row.values) == _SCHEMA_COLUMNS)

    def _claim(self, root: int, name: str, found: dict[int, str]) -> None:
        waiting = [root]
        while waiting:
            number = waiting.pop()
            # What was claimed first keeps a page: with damaged pointers two trees may seem to share one.
            if not 1 <= number <= self.count or number in found:
                continue
            found[number] = name
            data, start = self._tree_page(number)
            if data[start] in {_TABLE_INTERIOR, _INDEX_INTERIOR}:
                waiting.append(_number(data, start + 8, 4))
                waiting += [_number(data, cell, 4) for cell in _pointers(data, start) if cell <= PAGE - 4]

    def _cells(self, number: int, data: bytes, start: int) -> Iterator[Row]:
        table = data[start] == _TABLE_LEAF
        skipped = 4 if data[start] == _INDEX_INTERIOR else 0
        for cell in _pointers(data, start):
            try:
                length, at = _varint(data, cell + skipped)
                rowid = None
                if table:
                    rowid, at = _varint(data, at)
                yield Row(number, _signed(rowid), _record(self._payload(data, at, length, table=table)))
            # Of a damaged page the other cells may still be whole: each is read on its own.
            except (IndexError, ValueError, struct.error):
                continue

    def _payload(self, data: bytes, at: int, length: int, *, table: bool) -> bytes:
        # A damaged length would otherwise be followed through the whole file.
        if length > _MOST_PAYLOAD:
            raise ValueError
        here = _here(length, table=table)
        parts, left = [_piece(data, at, here)], length - here
        following = _number(data, at + here, 4)
        while left > 0:
            self._following.add(following)
            more = self.page(following) if 1 <= following <= self.count else b""
            size = min(left, PAGE - 4)
            parts.append(_piece(more, 4, size))
            left -= size
            following = _number(more, 0, 4)
        return b"".join(parts)


def _bytes_of(path: Path) -> bytes | mmap.mmap:
    """A file's bytes, which are not all read at once."""
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""


def _pointers(data: bytes, start: int) -> list[int]:
    count = _number(data, start + 3, 2)
    first = start + (12 if data[start] in {_TABLE_INTERIOR, _INDEX_INTERIOR} else 8)
    if first + 2 * count > PAGE:
        return []
    return [cell for place in range(count) if (cell := _number(data, first + 2 * place, 2)) >= first]


def _here(length: int, *, table: bool) -> int:
    """How much of a payload lies on the page of its cell; the rest is on pages of its own."""
    # The formulas are those of SQLite's file format, section 1.6, with no reserved bytes: X, then M and K.
    most = PAGE - 35 if table else (PAGE - 12) * 64 // 255 - 23
    if length <= most:
        return length
    least = (PAGE - 12) * 32 // 255 - 23
    here = least + (length - least) % (PAGE - 4)
    return here if here <= most else least


def _free_bytes(data: bytes, start: int) -> int:
    """What the free blocks and the fragments of a page take."""
    total, block, last = data[start + 7], _number(data, start + 1, 2), 0
    while block:
        # Free blocks are chained in ascending order; anything else is damage, and could be a circle.
        if block <= last or block > PAGE - 4:
            raise ValueError
        total += _number(data, block + 2, 2)
        last, block = block, _number(data, block, 2)
    return total


def _piece(data: bytes, at: int, length: int) -> bytes:
    if at + length > len(data):
        raise ValueError
    return data[at : at + length]


def _number(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "big")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for place in range(8):
        byte = data[at + place]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:  # noqa: PLR2004  the last byte of a varint has its high bit clear
            return value, at + place + 1
    return value << 8 | data[at + 8], at + 9


def _signed(value: int | None) -> int | None:
    return value - (1 << 64) if value is not None and value >> 63 else value


def _record(payload: bytes) -> tuple[Any, ...]:
    end, at = _varint(payload, 0)
    kinds: list[int] = []
    while at < end:
        kind, at = _varint(payload, at)
        kinds.append(kind)
    # The header of a record says its own length. Strictness here is what tells a row from bytes that
    # happen to look like one; there is no checksum in the file itself.
    if at != end:
        raise ValueError
    values: list[Any] = []
    for kind in kinds:
        size = _SIZES[kind] if kind in _SIZES else (kind - _FIRST_BLOB) // 2
        if size < 0:
            raise ValueError
        values.append(_value(kind, _piece(payload, at, size)))
        at += size
    if at != len(payload) or not values:
        raise ValueError
    return tuple(values)


def _value(kind: int, data: bytes) -> Any:
    if kind == 0:
        return None
    if kind in {_ZERO, _ONE}:
        return kind - _ZERO
    if kind == _FLOAT:
        return struct.unpack(">d", data)[0]
    if kind < _FLOAT:
        return int.from_bytes(data, "big", signed=True)
    return data.decode("utf-8") if kind % 2 else data


def _committed(log: Path) -> dict[int, bytes]:
    """The newest pages of a write-ahead log, up to the last commit whose sums agree."""
    data = log.read_bytes() if log.is_file() else b""
    order = {_BIG_ENDIAN_SUMS: ">", _BIG_ENDIAN_SUMS - 1: "<"}.get(_number(data, 0, 4))
    if order is None or len(data) < _LOG_HEADER or _number(data, 8, 4) != PAGE:
        return {}
    salts = data[16:24]
    sums = _sums((0, 0), data[:24], order)
    found: dict[int, bytes] = {}
    pending: dict[int, bytes] = {}
    size = _FRAME_HEADER + PAGE
    for at in range(_LOG_HEADER, len(data) - size + 1, size):
        head, page = data[at : at + _FRAME_HEADER], data[at + _FRAME_HEADER : at + size]
        sums = _sums(_sums(sums, head[:8], order), page, order)
        # Frames of an earlier round of the log follow the current ones, with other salts: the log ends there.
        # The sums run on from frame to frame, so after one that does not fit none can be trusted.
        if head[8:16] != salts or struct.unpack(">II", head[16:24]) != sums:
            break
        pending[_number(head, 0, 4)] = page
        # Only a commit's last frame names the size of the database; what comes after it was never committed.
        if _number(head, 4, 4):
            found |= pending
            pending = {}
    return found


def _sums(sums: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for one, other in zip(words[::2], words[1::2], strict=True):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + other + first) & 0xFFFFFFFF
    return first, second
