"""Long runs of code that nothing ends: the parser may take the square of their length in time and memory.

Where a run has an error at each step, the parser keeps all ways to read it until a bracket that closes, a
comma or a semicolon decides. At the end of the file it copies them all, in one step that cannot be stopped:
`x => ` 5,000 times in C takes 4 GB. Runs of real code are long too: constants, markup, texts. So the
beginning of a long run is parsed alone, and the file is left out where it is full of errors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

LONGEST = 1_500
"""Tokens of a run that is parsed as it is: at worst 0.2 s and 150 MB."""
BEGINNING = 500
"""Tokens of a longer one that are parsed first."""
MOST_ERRORS = 75
"""In these. Of 37,000 real files one that is code has more than 8, in a text: 52; hostile ones have over 100
(bench/code_fuzz.py)."""
CLOSINGS = (b"", b'\n"""', b"\n'''", b"`", b"*/", b'"', b"'", b'"#')
"""What a beginning may need behind it, where it is cut in a text."""
_TOKEN = re.compile(rb"\"[^\"\n]*\"|'[^'\n]*'|\w+|[^\w\s]")
_END = re.compile(rb"(?<=[\w\x80-\xff\"'`(\[{])\s*[,;)\]}]")
"""A sign that ends something: behind an operator it is an error like others."""
_SPACE = b" \t\r\n"
_KINDS = bytes(
    ord(";")
    if one in b",;)]}"
    else ord("a")
    if re.match(rb"[\w\x80-\xff\"'`(\[{]", bytes([one]))
    else ord("-")
    for one in range(256)
)


def long_runs(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each long run begins, and where its beginning ends: behind a line, if there is one."""
    if max(map(len, data.translate(_KINDS, _SPACE).split(b"a;"))) < LONGEST:
        return
    start = 0
    for end in (*(found.end() for found in _END.finditer(data)), len(data)):
        if end - start > LONGEST and (cut := _cut(data, start, end)):
            yield start, cut
        start = end


def _cut(data: bytes, start: int, end: int) -> int:
    """Where the beginning of a run ends; 0 where the run is not long."""
    kept = 0
    for count, token in enumerate(_TOKEN.finditer(data, start, end), 1):
        if count == BEGINNING:
            kept = token.end()
        if count > LONGEST:
            line = data.find(b"\n", kept, min(kept + LONGEST, end))
            return line if line >= 0 else kept
    return 0


def errors(root: Node, start: int) -> int:
    """How many errors there are from a place on."""
    count, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        count += (node.is_error or node.is_missing) and node.start_byte >= start
        waiting += [child for child in node.children if child.has_error and child.end_byte > start]
    return count
