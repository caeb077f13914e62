"""The episodic tier: exchanges out of the turns of a session, read at once or in passes.

What is kept between two passes is the exchange that may still grow, as it is stored, so that both ways of
reading give the same.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from itertools import groupby, pairwise
from math import fsum
from typing import TYPE_CHECKING

from recortex.domain.exchange import (
    MOST_ASKED,
    MOST_CONCLUSION,
    MOST_MESSAGE,
    MOST_WORK,
    Exchange,
    SessionInfo,
    chosen,
)
from recortex.domain.text import lazy
from recortex.engines.tables import Patterns
from recortex.lean import NamedTuple, blake2b, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ahocorasick_rs import AhoCorasick

    from recortex.domain.exchange import Ending, Opener, ToolCall, Turn


# -- texts of a session cut to what an exchange keeps of them


LEFT_OUT = " […] "
_FENCE = lazy(r"^[^\S\n]*(`{3,9}|~{3,9})[^\n]*\n", re.MULTILINE)
_FENCE_ENDS = {
    f"{mark * size}": lazy(rf"^[^\S\n]*{mark * size}[^\S\n]*$", re.MULTILINE)
    for mark in "`~"
    for size in range(3, 10)
}
_RULE = lazy(r"^[^\S\n]*[-*_=]{3,}\s*$\n?", re.MULTILINE)
_BETWEEN = lazy(r"(?<=[.!?])[\"'”’)\]*_`]{0,3}\s+|(?<=[。！？])|\n+")  # noqa: RUF001
_ENDING = lazy(r"[.!?][\"'”’)\]*_`]{0,3}\s+|\n+")
"""The same with the mark that ends a sentence, without those of Chinese and Japanese: it looks at few
characters, which takes a third of the time."""
_SHORTEST = 15


def prose(text: str) -> str:
    """A message without blocks of code, horizontal rules, empty lines, and spaces behind spaces."""
    text = _RULE.sub("", _without_code(text) if "```" in text or "~~~" in text else text)
    return "\n".join(_single_spaced(line) for line in text.split("\n") if line and not line.isspace()).strip()


def _single_spaced(line: str) -> str:
    """A line with one space for several, and for other blanks: a list that is indented stays so by one."""
    before, after = " " * line[0].isspace(), " " * line[-1].isspace()
    return f"{before}{' '.join(line.split())}{after}"


def _without_code(text: str) -> str:
    """The text with an empty line for each block of code; one expression takes three times as long.

    A block that nobody ended goes to the end.
    """
    kept, begin = list[str](), 0
    while opened := _FENCE.search(text, begin):
        kept.append(text[begin : opened.start()])
        closed = _FENCE_ENDS[opened[1]].search(text, opened.end())
        begin = closed.end() if closed else len(text)
    return "\n".join([*kept, text[begin:]])


def sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a text; a very short one goes with the next."""
    held = ""
    for part in _parts(text):
        held = f"{held} {part.strip()}".strip()
        if len(held) >= _SHORTEST:
            yield held
            held = ""
    if held:
        yield held


def _parts(text: str) -> Iterator[str]:
    """What `_BETWEEN` splits a text into."""
    if not text.isascii() and any(mark in text for mark in "。！？"):  # noqa: RUF001
        yield from _BETWEEN.split(text)
        return
    begin = 0
    for found in _ENDING.finditer(text):
        yield text[begin : found.start() + (text[found.start()] != "\n")]
        begin = found.end()
    yield text[begin:]


def first_sentence(text: str) -> str:
    """The sentence that a text begins with."""
    return shortened(next(sentences(text), ""), 240, 0)


def shortened(text: str, head: int, tail: int) -> str:
    """The beginning and the end of a text, cut between words where there are some."""
    if len(text) <= head + tail + len(LEFT_OUT):
        return text
    kept, end = text[:head], text[len(text) - tail :] if tail else ""
    space, after = kept.rfind(" "), end.find(" ")
    kept = kept[:space] if space > head // 2 else kept
    end = end[after + 1 :] if 0 <= after < tail // 2 else end
    return f"{kept.rstrip()}{LEFT_OUT}{end.lstrip()}".rstrip()


def ending(text: str, most: int) -> str:
    """The end of a text, from where a sentence or line begins if one does in its first half."""
    if len(text) <= most:
        return text
    cut = text[-most:]
    starts = [found.end() for found in _BETWEEN.finditer(cut)]
    return cut[next((start for start in starts if start < most // 2), 0) :].lstrip()


def pieces(text: str, most: int) -> Iterator[str]:
    """A text in pieces of at most that many characters, of whole sentences where these are shorter."""
    held = ""
    for sentence in sentences(text):
        for part in (sentence[at : at + most] for at in range(0, len(sentence), most)):
            if held and len(held) + len(part) + 1 > most:
                yield held
                held = ""
            held = f"{held}\n{part}" if held else part
    if held:
        yield held


# -- what is shown of a place in a session: the sentences that answer, with what they answer


_LONGEST = 200
"""Characters of a sentence; a longer one is cut in pieces, each of which may be shown alone."""
_SAID_AGAIN = 0.25
"""What a word counts where a chosen sentence has it already: others of the question get their turn."""
_NEARBY = 0.3
"""What the question's words in the sentence before or after count: an answer often stands beside them."""
_PARTS = (-0.1, 0.1, 0.0)
_LEADS = (0.0, 0.15, 0.05)
"""What being of each part counts, and being its first sentence."""
_QUOTED = 0.1
"""What a name or value in code marks counts: answers give them, and remarks about them do not."""
_ANNOUNCED = -0.2
_INTRODUCES = -0.1
"""What it counts that the agent only says what it does next, and that a sentence ends with a colon: what it
introduces may not be shown. All these were chosen with bench/exchanges.py (bench/RESULTS.md)."""
_TRIED = 12
"""Sentences that did not fit, after which no more are tried."""
_LEAST = 8
"""Tokens that are worth being filled."""


class Passage(NamedTuple):
    """Parts of a place, shortened to what was asked for; empty where there is nothing to show.

    Attributes:
        asked: of what the agent had said before.
        message: of what the person said.
        outcome: of what came of it.
    """

    asked: str = ""
    message: str = ""
    outcome: str = ""

    @property
    def text(self) -> str:
        """All parts, a line each."""
        return "\n".join(filter(None, self))


_MESSAGE = Passage._fields.index("message")


class _Sentence(NamedTuple):
    part: int
    place: int
    text: str
    words: frozenset[str]


def passage(
    parts: Sequence[str], rarity: Mapping[str, float], budget: int, count: Callable[[str], int]
) -> Passage:
    """The sentences that answer best, in their order, within a budget.

    Args:
        parts: what was asked, the message, and what came of it.
        rarity: of the question's words in lower case and without their endings; more for rarer ones.
        budget: tokens.
        count: tokens of a text.
    """
    from ahocorasick_rs import AhoCorasick, MatchKind

    # Finds the question's words in a text, also as parts of identifiers; of two at one place the longer.
    holding = AhoCorasick(rarity, MatchKind.LeftmostLongest)
    every = (one for part, text in enumerate(parts) for one in _sentences(part, text, holding))
    # The agent's first sentence is often that of a stretch of its work, too.
    found = list({(one.part, one.text): one for one in every}.values())
    chosen = _chosen(found, rarity, budget, count)
    return Passage(*(_passages_joined([one for one in chosen if one.part == part]) for part in range(3)))


def _chosen(
    found: Sequence[_Sentence], rarity: Mapping[str, float], budget: int, count: Callable[[str], int]
) -> list[_Sentence]:
    """One sentence after the other, each the best beside those that are chosen already."""
    total = fsum(rarity.values()) or 1.0
    # Summed exactly: the order of a set's words is another in every process, and near-ties would turn on it.
    held = {one[:2]: fsum(rarity[word] for word in one.words) for one in found}

    def fixed(one: _Sentence) -> float:
        around = max(held.get((one.part, one.place + step), 0.0) for step in (-1, 1))
        worth = _NEARBY * around / total + _PARTS[one.part] + _LEADS[one.part] * (one.place == 0)
        worth += _QUOTED * ("`" in one.text)
        if one.part == _MESSAGE:
            return worth
        announced = LEAVING_PATTERNS.working.match(one.text) is not None
        return worth + _ANNOUNCED * announced + _INTRODUCES * one.text.endswith(":")

    worth, said = [fixed(one) for one in found], Counter[str]()

    def gain(at: int) -> float:
        return worth[at] + fsum(rarity[word] * _SAID_AGAIN ** said[word] for word in found[at].words) / total

    # What a sentence gains only falls as others are chosen: whichever is still the best when it is looked at
    # again is the best of all.
    # (The accelerated greedy algorithm of Minoux, 1978.)
    waiting = [(-gain(at), at) for at in range(len(found))]
    heapify(waiting)
    chosen: list[_Sentence] = []
    too_long = 0
    while waiting and budget >= _LEAST and too_long < _TRIED:
        now = (-gain(waiting[0][1]), waiting[0][1])
        if now > waiting[0]:
            heapreplace(waiting, now)
            continue
        best = found[heappop(waiting)[1]]
        tokens = count(best.text) + 1  # counted only now: counting takes as long as all else
        if tokens <= budget:
            budget -= tokens
            said.update(best.words)
            chosen.append(best)
        else:
            too_long += 1
    return sorted(chosen)


def _sentences(part: int, text: str, holding: AhoCorasick) -> Iterator[_Sentence]:
    pieces = (piece for sentence in sentences(text) for piece in _cut(sentence))
    for place, piece in enumerate(pieces):
        yield _Sentence(part, place, piece, frozenset(holding.find_matches_as_strings(piece.lower())))


def _cut(sentence: str) -> Iterator[str]:
    """A long sentence in pieces, cut between words where there are some."""
    while len(sentence) > _LONGEST:
        at = sentence.rfind(" ", _LONGEST // 2, _LONGEST)
        at = at if at > 0 else _LONGEST
        yield sentence[:at]
        sentence = sentence[at:].lstrip()
    yield sentence


def _passages_joined(chosen: Sequence[_Sentence]) -> str:
    """The chosen sentences in their order, with a sign where some between them were left out."""
    if not chosen:
        return ""
    text = chosen[0].text
    for before, one in itertools.pairwise(chosen):
        text += (" " if one.place == before.place + 1 else LEFT_OUT) + one.text
    return text


# -- A message of the person: what was typed whole, what was pasted by its kind, size and first line


MESSAGES_PATTERNS = Patterns(__file__, "messages")
_KINDS = dict(
    zip(("diff", "log", "markup", "data", "table", "code"), MESSAGES_PATTERNS.starting("kind_"), strict=True)
)
"""What a line of each kind of paste looks like, in the order in which they are tried."""
_MESSAGES_LEAST = 300
"""Characters of a paste that is worth shortening."""
_FIRST_LINE = 120
_KB = 1024
_DOCUMENT_LEAST = 800
_MAJORITY = 0.5


PLAN = "plan"
"""The kind of what the agent wrote and the person accepted with a key."""


class Part(NamedTuple):
    """A part of a message; `kind` is empty where it was typed."""

    kind: str
    text: str


def message_of(found: Iterable[Part]) -> str:
    """A message as an exchange keeps it."""
    shown = [_label(part) if part.kind else part.text for part in found]
    return "\n".join(filter(None, shown)).strip()


def parts(text: str) -> list[Part]:
    """The typed and pasted parts of a message, in order; short pastes count as typed."""
    # Blanked, not cut out, so that places found here are places of the text.
    outside = MESSAGES_PATTERNS.block.sub(lambda block: " " * len(block[0]), text)
    begins = MESSAGES_PATTERNS.document.search(outside)
    at = begins.start() if begins and len(text) - begins.start() >= _DOCUMENT_LEAST else len(text)
    found = [
        part if len(part.text) >= _MESSAGES_LEAST else Part("", part.text)
        for part in _joined(_paragraphs(text[:at]))
    ]
    return [*found, Part("document", text[at:].strip())] if at < len(text) else found


def _paragraphs(text: str) -> Iterator[Part]:
    end = 0
    for block in MESSAGES_PATTERNS.block.finditer(text):
        yield from _plain(text[end : block.start()])
        yield Part(block["language"].lower() or "code", block[0].strip())
        end = block.end()
    yield from _plain(text[end:])


def _plain(text: str) -> Iterator[Part]:
    for paragraph in MESSAGES_PATTERNS.gap.split(text):
        if paragraph.strip():
            yield Part(_kind(paragraph.strip("\n").splitlines()), paragraph.strip())


def _joined(found: Iterator[Part]) -> Iterator[Part]:
    """Neighbours of one kind as one part."""
    for kind, group in groupby(found, key=lambda part: part.kind):
        yield Part(kind, "\n".join(part.text for part in group))


def _kind(lines: list[str]) -> str:
    """What most lines of a paragraph look like."""
    for kind, pattern in _KINDS.items():
        if sum(map(bool, map(pattern.match, lines))) > _MAJORITY * len(lines):
            return kind
    return ""


def _label(part: Part) -> str:
    lines = [line.strip() for line in part.text.splitlines() if line.strip("`~ \t")]
    first = next((line for line in lines if not line.startswith(("```", "~~~"))), "")
    size = f"{len(part.text)} characters" if len(part.text) < _KB else f"{len(part.text) / _KB:.1f} KB"
    if part.kind == PLAN:  # its title stands below the client's order to follow it
        title = next((line for line in lines if line.startswith("#")), first)
        return f"[accepted plan, {size}: {title.lstrip('# ')[:_FIRST_LINE]}]"
    return f"[pasted {part.kind}, {size}: {first[:_FIRST_LINE]}]"


# -- what sub-agents report to the agent that asked them: the only results of tools that are kept as said


_ASKING = frozenset(("task", "agent", "taskoutput", "read_agent"))
"""Tools of Claude Code and Copilot that give a sub-agent's report, in lower case."""
_REPORTS_LEAST = 200
"""Characters of a report; a shorter result says that it was begun."""
_BEGUN = ("Async agent launched", "Agent started in background")
_NOTES = lazy(
    r"^(?:agentId: |--- RESULT|\[Tool: |</?(?:retrieval_status|task_[a-z]{1,9}|status|output|usage)>)[^\n]*$|"
    r"^(?:tool_uses|duration_ms): [\d.]+(?:</usage>)?$",
    re.MULTILINE,
)
"""What clients write around a report."""
_NOTIFIED = lazy(
    r"<task-notification>(?:(?!</?task-notification>).){0,4000}?<result>(.*?)</result>", re.DOTALL
)
"""The report of a sub-agent that the agent did not wait for, as Claude Code puts it in."""


def reports(turn: Turn, redact: Callable[[str], str]) -> Iterator[str]:
    """The reports that came back in a turn, each by its beginning and end."""
    for report in (*_NOTIFIED.findall(turn.injected), *_returned(turn.tools)):
        said = prose(_NOTES.sub("", redact(report)))
        if len(said) >= _REPORTS_LEAST:
            yield shortened(said, MOST_WORK // 2, MOST_WORK // 2)


def _returned(tools: Iterable[ToolCall]) -> Iterator[str]:
    for tool in tools:
        begun = tool.ok is False or tool.injected or tool.output.startswith(_BEGUN)
        if tool.name.lower() in _ASKING and not begun:
            yield tool.output


# -- exchanges out of the turns of a session, read at once or in passes


_ID_BYTES = 16
_LEAST_WORK = 80
"""Characters of what the agent says between two uses of tools; shorter ones say "Let me look"."""
_MOST_FILES, _MOST_COMMANDS, _LONGEST_COMMAND = 12, 4, 160
_COMMITTED = lazy(
    r"^\[(?:[^\s\[\]]{1,200}|detached HEAD)(?: \(root-commit\))? ([0-9a-f]{7,12})[0-9a-f]*\] ", re.MULTILINE
)
"""What `git commit` prints of the commit that it made."""


@dataclass(slots=True)
class SessionBuilder:
    """Takes the turns of one session in order.

    Attributes:
        info: of the session.
        redact: takes secrets out of a text; it is given whole messages, before anything is cut.
        current: the exchange that the last turn belongs to; None before the first.
        work: the last stretch of work within it.
        changed: by id what has come or grown since the builder was made, oldest first.
    """

    info: SessionInfo
    redact: Callable[[str], str]
    current: Exchange | None = None
    work: Exchange | None = None
    changed: dict[str, Exchange] = field(default_factory=dict)

    def take(self, turn: Turn) -> None:
        """Go on with a turn."""
        # What a sub-agent says is no part of the conversation; its report comes back with the tool that asked
        # it.
        if turn.sidechain:
            return
        if turn.role == "assistant":
            self._agent(turn)
        elif turn.role == "user" and not turn.by_person:
            self._program(turn)
        elif turn.role == "user":
            self._person(turn, parts(self.redact(turn.text)))
        elif turn.role == "plan":
            self._person(turn, [Part(PLAN, self.redact(turn.text))])
        elif self.current is None:
            # A session that begins with what a client kept of one that was not read.
            self._open(turn, "summary", "", "")
            self._add_pieces(self.redact(turn.text), turn, "summary")

    def ends(self, how: Ending) -> None:
        """Say how the person ended what the agent was doing."""
        if self.current:
            self._keep(replace(self.current, ending=how))

    def _person(self, turn: Turn, found: list[Part]) -> None:
        if turn.form == "refusal" or turn.interrupts:
            self.ends("refused" if turn.form == "refusal" else "interrupted")
        said, before = message_of(found), self.current
        if not said:
            return
        answers = prose(self.redact(turn.asked)) if turn.asked else before.conclusion if before else ""
        option = chosen(said, answers)
        message = f"{said} → {option}" if option else said
        message = shortened(message, MOST_MESSAGE * 3 // 4, MOST_MESSAGE // 4)
        self._open(turn, "person", ending(answers, MOST_ASKED), message)
        for document in (part.text for part in found if part.kind in {"document", PLAN}):
            self._add_pieces(document, turn, "document")

    def _program(self, turn: Turn) -> None:
        """What was sent to the agent in the person's place."""
        before = self.current.conclusion if self.current else ""
        message = shortened(
            message_of(parts(self.redact(turn.text))), MOST_MESSAGE * 3 // 4, MOST_MESSAGE // 4
        )
        if message:
            self._open(turn, "program", ending(before, MOST_ASKED), message)

    def _agent(self, turn: Turn) -> None:
        current = self.current or self._open(turn, "agent", "", "")
        if said := prose(self.redact(turn.text)):
            # One that was shortened has been kept in pieces already.
            if len(current.conclusion) >= _LEAST_WORK and LEFT_OUT not in current.conclusion:
                self._add_work(current.conclusion, turn, "agent")
            if len(said) > MOST_CONCLUSION:
                self._add_pieces(said, turn, "agent")
            current = replace(
                current,
                opening=current.opening or first_sentence(current.conclusion),
                conclusion=shortened(said, MOST_CONCLUSION // 2, MOST_CONCLUSION // 2),
            )
        for report in reports(turn, self.redact):
            self._add_work(report, turn, "agent")
        files = dict.fromkeys(current.files)
        failed, passed = dict.fromkeys(current.failed), dict.fromkeys(current.passed)
        commit = current.commit
        for tool in turn.tools:
            if tool.writes:
                files |= dict.fromkeys(map(self.redact, tool.files))
            if tool.command and tool.ok is not None and not tool.injected:
                command = shortened(self.redact(" ".join(tool.command.split())), _LONGEST_COMMAND, 0)
                # The last run of a command decides, and stands last, since only the last few are kept.
                failed.pop(command, None)
                passed.pop(command, None)
                (passed if tool.ok else failed)[command] = None
            if "commit" in tool.command and (made := _COMMITTED.findall(tool.output)):
                commit = made[-1]
        current = replace(
            current,
            files=tuple(files)[:_MOST_FILES],
            failed=tuple(failed)[-_MOST_COMMANDS:],
            passed=tuple(passed)[-_MOST_COMMANDS:],
            commit=commit,
        )
        self._keep(replace(current, last_turn=turn.index, ended_at=turn.at or current.ended_at))

    def _open(self, turn: Turn, opener: Opener, asked: str, message: str) -> Exchange:
        self.work = None
        opened = Exchange(
            id="",
            session=self.info.session_id,
            client=self.info.client,
            opener=opener,
            first_turn=turn.index,
            last_turn=turn.index,
            root_turn=turn.index,
            started_at=turn.at,
            ended_at=turn.at,
            asked=asked,
            message=message,
            branch=turn.branch or self.info.branch,
            folder=turn.cwd or self.info.cwd,
        )
        return self._keep(replace(opened, id=_identity(opened, turn.uuid)))

    def _keep(self, exchange: Exchange) -> Exchange:
        self.current = self.changed[exchange.id] = exchange
        return exchange

    def _add_pieces(self, text: str, turn: Turn, opener: Opener) -> None:
        for piece in pieces(prose(text), MOST_WORK):
            self._add_work(piece, turn, opener)

    def _add_work(self, said: str, turn: Turn, opener: Opener) -> None:
        """Add what was said to the stretch of work, or begin the next one."""
        work, current = self.work, self.current
        if current is None:
            return
        if work and work.opener == opener and len(work.conclusion) + len(said) < MOST_WORK:
            grown = replace(work, conclusion=f"{work.conclusion}\n{said}")
        else:
            part = work.part + 1 if work else 1
            grown = Exchange(
                id=_digest(current.id, str(part)),
                session=current.session,
                client=current.client,
                opener=opener,
                part=part,
                first_turn=turn.index,
                last_turn=turn.index,
                root_turn=current.first_turn,
                started_at=turn.at,
                asked=shortened(current.message or current.asked, MOST_ASKED // 3, 0),
                conclusion=said,
                branch=current.branch,
                folder=current.folder,
            )
        self.work = self.changed[grown.id] = replace(grown, last_turn=turn.index, ended_at=turn.at)


def _identity(opened: Exchange, turn: str) -> str:
    """What copies of a session share: the turn's id, and what was said in it, since a turn may answer twice.

    A turn without an id is known by when it was said, or by its place.
    """
    at = opened.started_at.isoformat() if opened.started_at else f"{opened.session} {opened.first_turn}"
    return _digest(turn or at, opened.asked if not turn else "", opened.message)


def _digest(*parts: str) -> str:
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=_ID_BYTES).hexdigest()


# -- whether an exchange left work, by the form of how it ended; mostly it did not


LEAVING_PATTERNS = Patterns(__file__, "leaving")
UNANSWERED, REFUSED, INTERRUPTED = "no answer", "refused by the person", "interrupted by the person"
RELAYED = "something that came from an issue, a page or another text: open the record"
FORMS = frozenset((UNANSWERED, REFUSED, INTERRUPTED, RELAYED))
"""What is our own words; everything else was said in the session."""
_BARE_LABEL = 40
"""Characters of a heading that says nothing without the line below."""
_NEAR_THE_END = 2
"""Sentences at the end in which a question waits for an answer."""


def left_open(last: Exchange) -> str:
    """What the last exchange of a session left open, in words; empty where nothing shows that it did.

    It was interrupted or refused, or not answered; the agent was about to do something, named what is left,
    or asked a question; a check failed, and nothing says that it passed later.
    """
    if last.opener != "person":
        return ""
    if last.ending:
        return REFUSED if last.ending == "refused" else INTERRUPTED
    if not last.conclusion:
        unanswered = last.last_turn == last.first_turn and last.message
        return UNANSWERED if unanswered and not LEAVING_PATTERNS.farewell.match(last.message) else ""
    said = list(sentences(last.conclusion.replace(LEFT_OUT, "\n")))
    return next((found for found in _open_ends(said)), "") or _failure(last)


def relays(last: Exchange, told: str) -> bool:
    """Whether what the agent said may be somebody else's words: of an issue, a page, a mail or a file.

    Such a sentence is not repeated unasked: whoever wrote that text would speak in every brief.
    """
    if LEAVING_PATTERNS.elsewhere.search(f"{last.message} {last.asked}"):
        return True
    return bool(LEAVING_PATTERNS.relays.search(last.outcome) or LEAVING_PATTERNS.addressed.search(told))


def _open_ends(said: list[str]) -> Iterator[str]:
    """The sentences that tell of something open, the surest form first."""
    if LEAVING_PATTERNS.working.search(said[-1]) and not LEAVING_PATTERNS.shown.search(said[-1]):
        yield said[-1]
    for one, following in pairwise([*said, ""]):
        whole = f"{one} {following}".strip()
        if LEAVING_PATTERNS.label.match(one) and not _excused(whole):
            yield whole if len(one) < _BARE_LABEL else one
    yield from (one for one in reversed(said) if LEAVING_PATTERNS.open.search(one) and not _excused(one))
    asked = next((one for one in said[-_NEAR_THE_END:] if _asks(one)), "")
    if asked and LEAVING_PATTERNS.item.match(asked):
        yield next((one for one in reversed(said) if not LEAVING_PATTERNS.item.match(one)), asked)
    elif asked:
        yield asked


def _asks(sentence: str) -> bool:
    return LEAVING_PATTERNS.question.search(sentence) is not None and not LEAVING_PATTERNS.offer.search(
        sentence
    )


def _excused(text: str) -> bool:
    return bool(LEAVING_PATTERNS.nothing.search(text) or LEAVING_PATTERNS.advice.search(text))


def _failure(last: Exchange) -> str:
    failed = [command for command in last.failed if LEAVING_PATTERNS.check.search(command)]
    return f"`{failed[-1]}` failed" if failed and not LEAVING_PATTERNS.passed.search(last.conclusion) else ""
