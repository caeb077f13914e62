"""Which memories an agent used after they were given, and many sessions in figures.

A use shows in what the agent says or does after the memory was given, and must have no other explanation:
what the person terms, what tools printed, or what the agent itself said or did before. In doubt a memory was
not used.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from math import ceil
from random import Random
from typing import TYPE_CHECKING, TypeVar

from recortex.domain.reports import Given, GivenOften, ReplayedSession, ReplayFigures
from recortex.engines.extraction.extractor import is_customary
from recortex.lean import NamedTuple
from recortex.text.words import QUOTABLE, bag_of_words, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from recortex.domain.exchange import ToolCall, Turn
    from recortex.domain.memory import Memory
    from recortex.domain.session import GivenMemory, Receipt, Session, Signal, Use


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
        terms = _TurnTerms.from_turn(turn)
        if turn.role == "assistant" and turn.at is not None and not turn.sidechain:
            for key, (receipt, marks) in list(_current(unused, turn.at)):
                use = _use(receipt, marks, terms, sources)
                if use:
                    found.append(Used(receipt, use, turn.at))
                    del unused[key]
        # Only after the turn was looked at: what it says itself explains nothing in it.
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
    def from_turn(cls, turn: Turn) -> _TurnTerms:
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
    # Common words prove nothing, and a single name may be chance: so two, and most of them.
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
    # Paths are written with and without their folders, so that the file's name counts as well.
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


# -- many sessions in figures: what was given and used, what was asked, and how long answers took


MOST_LISTED = 5
OFTEN = 3
"""A memory that was given so often and never used is listed among the least useful."""
_MIDDLE, _SLOW = 0.5, 0.95
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What was given in one way: with the brief, for a prompt, with a file, or because the agent asked."""

    times: int = 0
    used: int = 0
    tokens: int = 0
    tokens_used: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFor:
    """How often agents asked with an intent, and the milliseconds of their answers: median, and 95 in 100."""

    intent: str
    times: int
    ms: int
    slow_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A memory: how often it was given, in how many contexts of sessions, how often used, its tokens in all.

    Attributes:
        summary: empty where the memory is gone.
    """

    id: str
    given: int
    used: int
    tokens: int
    kind: str = ""
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Analytics:
    """Many sessions in figures.

    Attributes:
        sessions: how many were seen; `running` of them are not over.
        hours: median time from the start of a session to its last sign.
        tokens_given: cl100k_base tokens of all that was given; `tokens_used` of what was used.
        ratio: tokens used / tokens given, 0 to 1; 0 where nothing was given.
        tokens_saved: of what was not given again: warnings at later accesses to their file, and what
            `context` left out since the session had it.
        ways: by channel.
        questions: how often agents asked; `intents` says for what, the most frequent first.
        ms: median milliseconds of an answer; 95 in 100 take `slow_ms` at most.
        most_given, most_used: memories, by how often.
        least_useful: memories that were given three times at least and never used, by their tokens.
    """

    sessions: int = 0
    running: int = 0
    hours: float = 0.0
    tokens_given: int = 0
    tokens_used: int = 0
    ratio: float = 0.0
    tokens_saved: int = 0
    ways: dict[str, Way]
    questions: int = 0
    intents: tuple[AskedFor, ...] = ()
    ms: int = 0
    slow_ms: int = 0
    most_given: tuple[Standing, ...] = ()
    most_used: tuple[Standing, ...] = ()
    least_useful: tuple[Standing, ...] = ()


class Question(NamedTuple):
    """A question of an agent as its signal notes it: the milliseconds and tokens are in the digest."""

    intent: str
    ms: int
    tokens_saved: int


def noted(ms: int, tokens_saved: int) -> str:
    """The digest of a question's signal."""
    return f"{ms} {tokens_saved}"


def question(subject: str, digest: str) -> Question:
    """A question by its signal; what cannot be read counts as 0."""
    ms, _, saved = digest.partition(" ")
    return Question(subject, int(ms) if ms.isdecimal() else 0, int(saved) if saved.isdecimal() else 0)


def analytics(
    sessions: Sequence[Session],
    running: int,
    given: Sequence[GivenMemory],
    asked: Sequence[tuple[str, str]],
    repeats_saved: int,
) -> Analytics:
    """The figures.

    Args:
        sessions: that were seen.
        running: how many of them are not over.
        given: what they were given, by memory and channel.
        asked: subject and digest of each question's signal.
        repeats_saved: tokens of warnings that were not repeated.
    """
    questions = [question(*one) for one in asked]
    times = [one.ms for one in questions]
    tokens, used = sum(one.tokens for one in given), sum(one.tokens_used for one in given)
    memories = _memories(given)
    unused = [one for one in memories if one.given >= OFTEN and not one.used]
    hours = [(one.seen_at - one.started_at).total_seconds() / 3_600 for one in sessions]
    return Analytics(
        sessions=len(sessions),
        running=running,
        hours=round(_at(hours, _MIDDLE), 2),
        tokens_given=tokens,
        tokens_used=used,
        ratio=round(used / tokens, 4) if tokens else 0.0,
        tokens_saved=repeats_saved + sum(one.tokens_saved for one in questions),
        ways=_ways(given),
        questions=len(questions),
        intents=_intents(questions),
        ms=_at(times, _MIDDLE),
        slow_ms=_at(times, _SLOW),
        most_given=_first(memories, lambda one: (one.given, one.used)),
        most_used=_first([one for one in memories if one.used], lambda one: (one.used, one.given)),
        least_useful=_first(unused, lambda one: (one.tokens, one.given)),
    )


def _ways(given: Sequence[GivenMemory]) -> dict[str, Way]:
    by_channel: defaultdict[str, list[GivenMemory]] = defaultdict(list)
    for one in given:
        by_channel[one.channel].append(one)
    return {
        channel: Way(
            times=sum(one.times for one in some),
            used=sum(one.times_used for one in some),
            tokens=sum(one.tokens for one in some),
            tokens_used=sum(one.tokens_used for one in some),
        )
        for channel, some in sorted(by_channel.items())
    }


def _memories(given: Sequence[GivenMemory]) -> list[Standing]:
    """Each memory, over all channels."""
    found: dict[str, Standing] = {}
    for one in given:
        known = found.get(one.memory, Standing(id=one.memory, given=0, used=0, tokens=0))
        found[one.memory] = Standing(
            id=one.memory,
            given=known.given + one.times,
            used=known.used + one.times_used,
            tokens=known.tokens + one.tokens,
        )
    return list(found.values())


def _intents(questions: Sequence[Question]) -> tuple[AskedFor, ...]:
    by_intent: defaultdict[str, list[int]] = defaultdict(list)
    for one in questions:
        by_intent[one.intent].append(one.ms)
    found = (
        AskedFor(intent=intent, times=len(ms), ms=_at(ms, _MIDDLE), slow_ms=_at(ms, _SLOW))
        for intent, ms in by_intent.items()
    )
    return tuple(sorted(found, key=lambda one: (-one.times, one.intent)))


def _at(values: Sequence[Number], share: float) -> Number | int:
    """The value that so large a share of them do not exceed; 0 where there are none."""
    # By nearest rank, so that what is told is a value that was measured.
    return sorted(values)[ceil(share * len(values)) - 1] if values else 0


def _first(memories: Sequence[Standing], by: Callable[[Standing], tuple[int, int]]) -> tuple[Standing, ...]:
    return tuple(sorted(memories, key=lambda one: (*(-value for value in by(one)), one.id))[:MOST_LISTED])


# -- tokens of the memories given in a session, and the share that was used


TOUCHES = frozenset({"read", "written"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Efficiency:
    """The tokens of what was given in a session, and of what was used.

    Attributes:
        memories: how many different ones were given; `used` of them were used.
        tokens_given: of all that was given, in cl100k_base; what was given again counts again.
        tokens_used: of what was used.
        ratio: tokens used / tokens given, 0 to 1; 0 where nothing was given.
        tokens_saved: what the warnings about files would have cost in addition if they had been given with
            each later access to their file.
    """

    memories: int = 0
    used: int = 0
    tokens_given: int = 0
    tokens_used: int = 0
    ratio: float = 0.0
    tokens_saved: int = 0


def efficiency(receipts: Sequence[Receipt], signals: Sequence[Signal]) -> Efficiency:
    """The efficiency of one session."""
    given = sum(one.tokens for one in receipts)
    used = [one for one in receipts if one.used_as]
    worth = sum(one.tokens for one in used)
    return Efficiency(
        memories=len({one.memory for one in receipts}),
        used=len({one.memory for one in used}),
        tokens_given=given,
        tokens_used=worth,
        ratio=round(worth / given, 4) if given else 0.0,
        tokens_saved=sum(one.tokens * _later_touches(one, signals) for one in receipts),
    )


def _later_touches(receipt: Receipt, signals: Sequence[Signal]) -> int:
    """How often a warning's file was accessed again, after the access that caused the warning."""
    if receipt.channel != "file":
        return 0
    touches = sum(
        one.name in TOUCHES and one.subject == receipt.subject and one.at >= receipt.at for one in signals
    )
    return max(0, touches - 1)


def counts(signals: Sequence[Signal]) -> dict[str, int]:
    """How many signals of each name."""
    return dict(sorted(Counter(one.name for one in signals).items()))


# -- counts what replayed sessions were given, and draws examples of it


def figures(sessions: Iterable[ReplayedSession]) -> ReplayFigures:
    """The counts of some sessions together."""
    # A session without a prompt had nothing that could be answered, and would only lower the shares.
    lived = [one for one in sessions if one.prompts]
    prompts, answered = sum(one.prompts for one in lived), sum(one.answered for one in lived)
    by_channel: dict[str, list[Given]] = defaultdict(list)
    for one in _all_given(lived):
        by_channel[one.channel].append(one)
    asked, shown, touched = by_channel["prompt"], by_channel["surface"], by_channel["file"]
    briefs = {one.session for one in shown}
    briefs_used = {one.session for one in shown if one.used}
    tokens = sum(one.tokens for one in lived)
    again = [said for one in lived for said in one.again]
    return ReplayFigures(
        sessions=len(lived),
        prompts=prompts,
        answered=answered,
        answered_percent=percent(answered, prompts),
        given=len(asked),
        different=len({one.memory for one in asked}),
        own=sum(one.learned_in == one.session for one in asked),
        used=_used(asked),
        used_percent=percent(_used(asked), len(asked)),
        came_up=_came_up(asked),
        came_up_percent=percent(_came_up(asked), len(asked)),
        brief_lines=len(shown),
        brief_used=_used(shown),
        brief_came_up=_came_up(shown),
        briefs=len(briefs),
        briefs_used=len(briefs_used),
        briefs_used_percent=percent(len(briefs_used), len(briefs)),
        briefs_told=len({one.session for one in shown if one.used not in {"", "command"}}),
        file_lines=len(touched),
        file_used=_used(touched),
        file_came_up=_came_up(touched),
        tokens=tokens,
        tokens_per_session=round(tokens / len(lived), 1) if lived else 0.0,
        learned=sum(one.learned for one in lived),
        again=len(again),
        again_known=sum(bool(one.memory) for one in again),
        again_given=sum(one.given for one in again),
    )


def thirds(sessions: Sequence[ReplayedSession]) -> tuple[ReplayFigures, ...]:
    """The counts of the first, second and last third of a history; empty for fewer than three sessions."""
    lived = [one for one in sessions if one.prompts]
    borders = [round(part * len(lived) / 3) for part in range(4)]
    if len(lived) < len(borders) - 1:
        return ()
    return tuple(figures(lived[first:end]) for first, end in pairwise(borders))


def most_given(sessions: Iterable[ReplayedSession], limit: int) -> tuple[GivenOften, ...]:
    """The memories that came most often, by whichever way."""
    times: dict[str, list[Given]] = defaultdict(list)
    for one in _all_given(sessions):
        times[one.memory].append(one)
    ranked = sorted(times.values(), key=lambda each: (-len(each), each[0].at, each[0].text))
    return tuple(
        GivenOften(
            memory=each[0].memory,
            kind=each[0].kind,
            text=each[0].text,
            times=len(each),
            used=_used(each),
            came_up=_came_up(each),
        )
        for each in ranked[:limit]
    )


def sample(sessions: Iterable[ReplayedSession], size: int, seed: int) -> tuple[Given, ...]:
    """Some of what was given, drawn at random but the same for a seed, in order of time.

    Half of it are lines of briefs, as far as there are enough.
    """
    found = sorted(_all_given(sessions), key=lambda one: (one.at, one.channel, one.text))
    shown = [one for one in found if one.channel == "surface"]
    others = [one for one in found if one.channel != "surface"]
    lines = min(len(shown), max(size // 2, size - len(others)))
    # The same seed has to draw the same ones: nothing depends on nobody's guessing it.
    draw = Random(seed).sample  # noqa: S311
    drawn = [*draw(shown, lines), *draw(others, min(size - lines, len(others)))]
    return tuple(sorted(drawn, key=lambda one: (one.at, one.channel, one.text)))


def percent(part: int, whole: int) -> float:
    """A share from 0 to 100 with one decimal; 0 of nothing."""
    return round(100 * part / whole, 1) if whole else 0.0


def _all_given(sessions: Iterable[ReplayedSession]) -> Iterable[Given]:
    return (given for one in sessions for given in one.given)


def _used(given: Iterable[Given]) -> int:
    return sum(bool(one.used) for one in given)


def _came_up(given: Iterable[Given]) -> int:
    return sum(one.came_up for one in given)
