"""Which memories an agent used after they were given: quoted, its file touched, its command run.

A use must be seen in what the agent says or does after the memory was given, and nothing else may explain it:
not what the person said, what tools printed, or what the agent itself had said or done before. In doubt the
memory was not used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.extraction.shell import is_customary
from recortex.engines.words import QUOTABLE, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.session import Receipt, Use
    from recortex.domain.transcript import ToolCall, Turn

RUN = 6
"""So many words in a row, three of them long, are no coincidence."""
LONG_WORDS = 3
_LONG = 5
NAMES = 2
"""A memory is known by its names when at least two of them, and more than half, turn up in one message."""
READ = 20_000
"""Characters of a memory, a message, an argument or an output that are looked at."""
ID = 8
"""Characters of an id as it is shown beside a memory."""

_TICKED = re.compile(r"`([^`\n]{3,200})`")
_SEPARATOR = re.compile(r"&&|\|\||[;\n|]")
_EARLIEST = datetime.min.replace(tzinfo=UTC)


class Used(NamedTuple):
    """The first use of what a receipt says was given."""

    receipt: Receipt
    use: Use
    at: datetime


def uses(receipts: Iterable[Receipt], memories: Mapping[str, Memory], turns: Iterable[Turn]) -> list[Used]:
    """The first use of each memory that was given, as far as it can be told; in order of time.

    - `command`: a command that the memory names (metadata `commands`, or between backticks) was run, and is
      not one that everybody types for its purpose, such as `npm test`.
    - `quoted`: six words in a row of the memory, or its id, or more than half of its names (identifiers,
      paths, at least two), stand in one message's prose or in the arguments of its tool calls.
    - `file`: a file that the memory is linked to was read or written. A memory that was given because its
      file was touched is not used by touching that file again; another linked file counts when it is written.

    Args:
        receipts: of one session; those that are marked as used are left out.
        memories: by id; a receipt without its memory is left out.
        turns: the session's, in order, from any point on. Without a time a turn can be no use, and
            sub-agents' turns are none: they were not given what the session was.
    """
    open_ = {
        id(one): (one, _marks(memories[one.memory]))
        for one in receipts
        if not one.used_as and one.memory in memories
    }
    heard = _Heard()
    found: list[Used] = []
    for turn in turns:
        said = _Said.of(turn)
        if turn.role == "assistant" and turn.at is not None and not turn.sidechain:
            for key, (receipt, marks) in list(_current(open_, turn.at)):
                use = _use(receipt, marks, said, heard)
                if use:
                    found.append(Used(receipt, use, turn.at))
                    del open_[key]
        heard.add(turn, said)
    return found


@dataclass(frozen=True, slots=True)
class _Marks:
    """The parts of a memory by which its use is recognised."""

    id: str
    runs: frozenset[str]
    names: frozenset[str]
    files: tuple[str, ...]
    commands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """What one turn says and does; words and runs of words in one set each."""

    prose: frozenset[str]
    arguments: frozenset[str]
    printed: frozenset[str]
    commands: tuple[str, ...] = ()
    touched: tuple[tuple[str, bool], ...] = ()

    @classmethod
    def of(cls, turn: Turn) -> _Said:
        calls = [call for call in turn.tools if not call.injected]
        return cls(
            prose=_terms(turn.text),
            arguments=_all_terms(text for call in calls for text in (*call.arguments.values(), call.command)),
            printed=_all_terms(call.output for call in calls),
            commands=tuple(one for call in calls for one in _commands(call)),
            touched=tuple((path.replace("\\", "/"), call.writes) for call in calls for path in call.files),
        )


@dataclass(slots=True)
class _Heard:
    """What the agent had from other sources (the person, tools), and what it said itself, since when."""

    elsewhere: set[str] = field(default_factory=set)
    own: dict[str, datetime] = field(default_factory=dict)
    last: datetime = _EARLIEST

    def add(self, turn: Turn, said: _Said) -> None:
        """Take in a turn that is over."""
        self.last = max(self.last, turn.at or self.last)
        self.elsewhere |= said.printed
        if turn.role == "assistant" and not turn.sidechain:
            done = (*(f"$ {one}" for one in said.commands), *(_base(path) for path, _ in said.touched))
            for term in (*said.prose, *said.arguments, *done):
                self.own.setdefault(term, self.last)
        else:
            self.elsewhere |= said.prose

    def explains(self, term: str, given: datetime) -> bool:
        """Whether the agent had it from elsewhere, or had said it before it was given."""
        return term in self.elsewhere or (term in self.own and self.own[term] <= given)


def _current(
    open_: Mapping[int, tuple[Receipt, _Marks]], at: datetime
) -> Iterator[tuple[int, tuple[Receipt, _Marks]]]:
    """What was given before that time; of a memory that was given again, the last time."""
    last: dict[str, tuple[int, tuple[Receipt, _Marks]]] = {}
    for key, entry in open_.items():
        receipt = entry[0]
        if receipt.at < at and (receipt.memory not in last or last[receipt.memory][1][0].at <= receipt.at):
            last[receipt.memory] = (key, entry)
    yield from last.values()


def _use(receipt: Receipt, marks: _Marks, said: _Said, heard: _Heard) -> Use:
    if _ran(receipt, marks, said, heard):
        return "command"
    if _quoted(receipt, marks, said, heard):
        return "quoted"
    return "file" if _touched(receipt, marks, said, heard) else ""


def _ran(receipt: Receipt, marks: _Marks, said: _Said, heard: _Heard) -> bool:
    return any(
        (done == named or done.startswith(f"{named} "))
        # Something of the command came from the memory alone.
        and not all(heard.explains(word, receipt.at) for word in _words(named))
        and not heard.explains(f"$ {done}", receipt.at)
        for named in marks.commands
        for done in said.commands
    )


def _quoted(receipt: Receipt, marks: _Marks, said: _Said, heard: _Heard) -> bool:
    # Prose may repeat what the tools of the same message printed.
    told = said.arguments | (said.prose - said.printed)
    if marks.id in told and not heard.explains(marks.id, receipt.at):
        return True
    if any(not heard.explains(run, receipt.at) for run in marks.runs & told):
        return True
    names = {name for name in marks.names & told if not heard.explains(name, receipt.at)}
    return len(names) >= NAMES and 2 * len(names) > len(marks.names)


def _touched(receipt: Receipt, marks: _Marks, said: _Said, heard: _Heard) -> bool:
    for path, writes in said.touched:
        for linked in marks.files:
            if path != linked and not path.endswith(f"/{linked}"):
                continue
            if receipt.channel == "file" and (linked == receipt.subject or not writes):
                continue
            if not heard.explains(_base(linked), receipt.at):
                return True
    return False


def _marks(memory: Memory) -> _Marks:
    text = memory.text[:READ]
    named = memory.metadata.get("commands")
    listed = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
    commands = [_plain(one) for one in (*listed, *_TICKED.findall(text))]
    return _Marks(
        id=memory.id[:ID],
        runs=frozenset(
            run
            for run in _runs(_words(text))
            if sum(len(word) >= _LONG for word in run.split()) >= LONG_WORDS
        ),
        names=frozenset(word.casefold() for word in _cased_words(text) if _is_name(word)),
        files=tuple(link.path for link in memory.files),
        commands=tuple(one for one in commands if " " in one and not is_customary(one)),
    )


def _is_name(word: str) -> bool:
    """Whether a word names something in code: joined by signs, with a digit, or with a capital inside."""
    inner = word[1:]
    joined = any(sign in word[1:-1] for sign in "_./:@#") and len(word) >= _LONG
    numbered = word[:1].isalpha() and any(map(str.isdigit, inner))
    return joined or numbered or (any(map(str.isupper, inner)) and any(map(str.islower, word)))


def _terms(text: str) -> frozenset[str]:
    """The words of a text, the last parts of its paths, and its runs of six words."""
    words = _words(text[:READ])
    return frozenset((*words, *map(_base, words), *_runs(words)))


def _all_terms(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(term for text in texts for term in _terms(text))


def _cased_words(text: str) -> list[str]:
    """The words of a text as they are written, without punctuation at the end."""
    return [one.rstrip("./@:#-") for one in tokens(text, QUOTABLE, lower=False)]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _cased_words(text) if word]


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2].casefold()


def _runs(words: Sequence[str]) -> Iterator[str]:
    for start in range(len(words) - RUN + 1):
        yield " ".join(words[start : start + RUN])


def _commands(call: ToolCall) -> Iterator[str]:
    """The single commands of a line, as they may be compared."""
    for part in _SEPARATOR.split(call.command[:READ]):
        if part.strip():
            yield _plain(part)


def _plain(command: str) -> str:
    return " ".join(command.removeprefix("$ ").split())
