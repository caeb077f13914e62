"""What is kept of a file of code, ready to be written; and a process that makes it of the files it is sent.

The process is `python -m recortex.codebase.syntax.making`: it reads messages from standard input and answers
each on standard output, until the input ends. A message is its length in four bytes and msgpack.
"""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recortex.codebase.syntax.extraction import read_facts
from recortex.codebase.syntax.grammars import GrammarError
from recortex.codebase.syntax.kept_facts import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO

SHORT = 6
"""Bytes of a hash by which symbols are looked up; what is found is compared with the whole hash."""
MOST_MEMORY = 1024**3
"""Bytes of a process that reads files; a file of 1 MB takes at most a third."""
LENGTH = 4
encode = msgspec.msgpack.Encoder().encode


class Made(NamedTuple):
    """What is kept of a file.

    Attributes:
        skipped: why nothing is; empty where something is.
        facts: encoded.
        symbols: the plain name and the short hash of each.
    """

    skipped: str = ""
    facts: bytes = b""
    symbols: tuple[tuple[str, bytes], ...] = ()


class Request(NamedTuple):
    """A file that a process is to read."""

    path: str
    data: bytes


def made(path: str, data: bytes) -> Made:
    """What is kept of a file.

    Raises:
        GrammarError: its grammar cannot be used.
    """
    facts = read_facts(path, data)
    if facts is None or facts.skipped:
        return Made(facts.skipped if facts else "no code")
    return Made(facts=encode(facts), symbols=tuple((one.plain, short(one.hash)) for one in facts.symbols))


def at_once(path: str, data: bytes) -> Callable[[], Made]:
    """What is kept of a file, as those that read elsewhere give it: by what waits for it."""
    found = made(path, data)
    return lambda: found


def short(hash_: str) -> bytes:
    """The beginning of a hash, by which symbols are looked up."""
    return bytes.fromhex(hash_[: 2 * SHORT])


def send(stream: BinaryIO, message: object) -> None:
    """Write a message.

    Raises:
        OSError: nobody reads it.
    """
    data = encode(message)
    stream.write(len(data).to_bytes(LENGTH, "big") + data)
    stream.flush()


def receive(stream: BinaryIO) -> bytes:
    """Read a message.

    Raises:
        EOFError: the stream ended.
    """
    length = int.from_bytes(_exactly(stream, LENGTH), "big")
    return _exactly(stream, length)


def _exactly(stream: BinaryIO, length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Answer messages with what is kept of a file, or with nothing where its grammar is missing."""
    requests = msgspec.msgpack.Decoder(Request)
    send(target, VERSION)
    with suppress(EOFError, OSError):
        while True:
            request = requests.decode(receive(source))
            try:
                send(target, made(request.path, request.data))
            except GrammarError:
                send(target, None)


def _limit() -> None:
    """Leave interrupts to the process that asks; end, without a trace on disk, when memory runs out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(ImportError, OSError, ValueError):  # none on Windows; on macOS not all
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


if __name__ == "__main__":
    _limit()
    serve(sys.stdin.buffer, sys.stdout.buffer)
