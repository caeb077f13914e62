"""Which memories an agent used after they were given: quoted, its file touched, its command run.

A use shows in what the agent says or does after the memory was given, and must have no other explanation:
what the person terms, what tools printed, or what the agent itself said or did before. In doubt a memory was
not used.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from recortex.engines.extraction.agent_rules import is_customary
from recortex.engines.words import QUOTABLE, bag_of_words, tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from recortex.domain.memory import Memory
    from recortex.domain.session import Receipt, Use
    from recortex.domain.transcript import ToolCall, Turn


RUN = 6
"""Words in a row that are no coincidence, if `LONG_WORDS` of them are long."""
LONG_WORDS = 3
_LONG = 5
"""Characters of a long word, or of a name with separators."""
NAMES = 2
"""A memory is quoted by its names if one message has at least this many, and more than half, of them."""
READ = 20_000
"""Characters of a memory, a message, an argument or an output that are read."""
ID = 8
"""Characters of an id as it is shown with a memory."""

_TICKED = re.compile(r"`([^`\n]{3,200})`")
_SCRIPT_RUN = re.compile(r"^((?:pnpm|yarn) |npm (?=run (?:test|start)\b))run (?=[^-])")
"""Words before a script's name that may as well be left out."""
_SEPARATOR = re.compile(r"&&|\|\||[;\n|]")
_EARLIEST = datetime.min.replace(tzinfo=UTC)


class Used(NamedTuple):
    """The first use of a memory that was given, by its receipt."""

    receipt: Receipt
    use: Use
    at: datetime


def uses(
    receipts: Iterable[Receipt],
    memories: Mapping[str, Memory],
    turns: Iterable[Turn],
    *,
    unexplained: bool = True,
) -> list[Used]:
    """The first use of each memory that was given, as far as it can be recognised; in order of time.

    - `command`: a command that the memory names (metadata `commands`, or between backticks) was run, and is
      not the usual one for its purpose, such as `npm test`. - `quoted`: one message's prose or the arguments
      of its tool calls have six words in a row of the memory, its id, or more than half of its names
      (identifiers and paths, at least two). - `file`: a file that the memory is linked to was read or
      written. A memory that was given because its file was touched is not used by touching that file again;
      another linked file counts when it is written.

    Args:
        receipts: of one session; those that are marked as used are ignored.
        memories: by id; a receipt without its memory is ignored.
        turns: the session's, in order, from any point on. Turns without a time are no use, nor are those of
            sub-agents, which do not see what the session was given.
        unexplained: nothing else may explain a use. False finds also what the agent came to by itself.
    """
    unused = {
        id(one): (one, _marks(memories[one.memory]))
        for one in receipts
        if not one.used_as and one.memory in memories
    }
    sources = _OtherSources()
    found: list[Used] = []
    for turn in turns:
        terms = _TurnTerms.of(turn)
        if turn.role == "assistant" and turn.at is not None and not turn.sidechain:
            for key, (receipt, marks) in list(_current(unused, turn.at)):
                use = _use(receipt, marks, terms, sources)
                if use:
                    found.append(Used(receipt, use, turn.at))
                    del unused[key]
        if unexplained:
            sources.add(turn, terms)
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
class _TurnTerms:
    """What one turn says and does; each set has single words and runs of words."""

    prose: frozenset[str]
    arguments: frozenset[str]
    printed: frozenset[str]
    commands: tuple[str, ...] = ()
    touched: tuple[tuple[str, bool], ...] = ()

    @classmethod
    def of(cls, turn: Turn) -> _TurnTerms:
        calls = [call for call in turn.tools if not call.injected]
        return cls(
            prose=_terms(turn.text),
            arguments=_all_terms(text for call in calls for text in (*call.arguments.values(), call.command)),
            printed=_all_terms(call.output for call in calls),
            commands=tuple(one for call in calls for one in _commands(call)),
            touched=tuple((path.replace("\\", "/"), call.writes) for call in calls for path in call.files),
        )


@dataclass(slots=True)
class _OtherSources:
    """Terms that the agent had from the person and tools, and those that it said itself, with the time."""

    elsewhere: set[str] = field(default_factory=set)
    own: dict[str, datetime] = field(default_factory=dict)
    last: datetime = _EARLIEST

    def add(self, turn: Turn, terms: _TurnTerms) -> None:
        """Add the terms of a turn."""
        self.last = max(self.last, turn.at or self.last)
        self.elsewhere |= terms.printed
        if turn.role == "assistant" and not turn.sidechain:
            done = (*(f"$ {one}" for one in terms.commands), *(_base(path) for path, _ in terms.touched))
            for term in (*terms.prose, *terms.arguments, *done):
                self.own.setdefault(term, self.last)
        else:
            self.elsewhere |= terms.prose

    def explains(self, term: str, given: datetime) -> bool:
        """Whether the agent had a term from elsewhere, or said it before it was given."""
        return term in self.elsewhere or (term in self.own and self.own[term] <= given)


def _current(
    unused: Mapping[int, tuple[Receipt, _Marks]], at: datetime
) -> Iterator[tuple[int, tuple[Receipt, _Marks]]]:
    """What was given before a time; of a memory that was given several times, the last one."""
    last: dict[str, tuple[int, tuple[Receipt, _Marks]]] = {}
    for key, entry in unused.items():
        receipt = entry[0]
        if receipt.at < at and (receipt.memory not in last or last[receipt.memory][1][0].at <= receipt.at):
            last[receipt.memory] = (key, entry)
    yield from last.values()


def _use(receipt: Receipt, marks: _Marks, terms: _TurnTerms, sources: _OtherSources) -> Use:
    if _ran(receipt, marks, terms, sources):
        return "command"
    if _quoted(receipt, marks, terms, sources):
        return "quoted"
    return "file" if _touched(receipt, marks, terms, sources) else ""


def _ran(receipt: Receipt, marks: _Marks, terms: _TurnTerms, sources: _OtherSources) -> bool:
    return any(
        (done == named or done.startswith(f"{named} "))
        # At least one word of the command came from the memory alone.
        and not all(sources.explains(word, receipt.at) for word in _words(named))
        and not sources.explains(f"$ {done}", receipt.at)
        for named in marks.commands
        for done in terms.commands
    )


def _quoted(receipt: Receipt, marks: _Marks, terms: _TurnTerms, sources: _OtherSources) -> bool:
    # Prose may repeat what the tools of the same message printed.
    told = terms.arguments | (terms.prose - terms.printed)
    if marks.id in told and not sources.explains(marks.id, receipt.at):
        return True
    if any(not sources.explains(run, receipt.at) for run in marks.runs & told):
        return True
    names = {name for name in marks.names & told if not sources.explains(name, receipt.at)}
    return len(names) >= NAMES and 2 * len(names) > len(marks.names)


def _touched(receipt: Receipt, marks: _Marks, terms: _TurnTerms, sources: _OtherSources) -> bool:
    for path, writes in terms.touched:
        for linked in marks.files:
            if path != linked and not path.endswith(f"/{linked}"):
                continue
            if receipt.channel == "file" and (linked == receipt.subject or not writes):
                continue
            if not sources.explains(_base(linked), receipt.at):
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
    """Whether a word names something in code: with separators, with a digit, or with a capital inside."""
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
    """The single commands of a line, in a form that can be compared."""
    for part in _SEPARATOR.split(call.command[:READ]):
        if part.strip():
            yield _plain(part)


def _plain(command: str) -> str:
    """A command by which others that do the same can be told: `pnpm run lint` is `pnpm lint`."""
    return _SCRIPT_RUN.sub(r"\1", " ".join(command.removeprefix("$ ").split()))


# -- recognises statements that only repeat a memory that the agent was given: they are no evidence for it


ECHO = 0.8
"""The share of a statement's words that are in a given memory; the same share as for near-duplicates."""


class GivenTexts:
    """The texts that an agent was given in a session."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words = [bag_of_words(text) for text in texts]

    def echoed_by(self, statement: str) -> bool:
        """Whether a statement only repeats one of the texts."""
        words = bag_of_words(statement)
        return bool(words) and any(len(words & known) >= ECHO * len(words) for known in self._words)


NOTHING = GivenTexts(())
