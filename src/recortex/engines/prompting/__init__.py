"""What a language model is asked of sessions and pairs of memories, and how its answers are checked."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from recortex.codec import convert
from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.maintenance import Request
from recortex.domain.reports import Candidate
from recortex.domain.text import strip_injected
from recortex.domain.vocabulary import (
    CONFIDENCE_WORDS,
    RELATION_ALIASES,
    Origin,
    RelationStatus,
    RelationType,
)
from recortex.engines.extraction.authorship import DOUBT, doubtful, typed
from recortex.engines.extraction.extractor import PERSON
from recortex.engines.extraction.sentences import (
    commands_in,
    domain_of,
    files_in,
    identifiers,
    objection,
    tags_of,
)
from recortex.engines.indexing import is_code, is_outline
from recortex.engines.judging import Message, Statement, assess
from recortex.engines.privacy import redact
from recortex.engines.tables import Patterns
from recortex.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from recortex.domain.exchange import SessionInfo, Turn
    from recortex.domain.memory import Memory

    Pair = tuple[Memory, Memory]


# -- the part of a message that may leave this machine: prose, without code, injected text and secrets


PATTERNS = Patterns(__file__, "prose")

CODE = "[code]"
"""Replaces code."""
MAX_MESSAGE = 200_000
"""Characters of a message that are read, as the rules do; longer ones are pasted."""

_TAB = 4
_CODE_INDENT = 4
_SHORT = 80
_MARKS = 2
_LINE = 2_000


def prose(text: str, *, person: bool) -> str:
    """A message as it may be sent: code becomes `[code]`, secrets and personal data become placeholders.

    In doubt a line counts as code: losing a sentence is better than sending code.

    Args:
        text: the message as the transcript's reader returns it.
        person: whether a person wrote it; then wrapped text of other programs is removed too.
    """
    # What was given to the agent must not come back as something that it said.
    clean, _ = strip_injected(text[:MAX_MESSAGE], wrappers=person)
    return redact(without_code(clean)).text.strip()


def without_code(text: str) -> str:
    """The text with each fenced, indented, marked-up or plainly pasted piece of code replaced by `[code]`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(_TAB)
    text = "\n".join(_unfenced(text.split("\n")))
    text = PATTERNS.inline.sub(_inline, PATTERNS.html.sub(CODE, text))
    lines = _unpasted("\n".join(_unindented(text.split("\n"))))
    return re.sub(rf"{re.escape(CODE)}(?:\s*\n\s*{re.escape(CODE)})+", CODE, lines)


def _unfenced(lines: list[str]) -> Iterator[str]:
    """Replace fenced blocks, also in lists and quotations; one that is not closed goes to the end."""
    close: re.Match[str] | None = None
    for line in lines:
        if close is not None:
            close = None if _closes(line, close) else close
            continue
        close = _opens(line)
        yield line if close is None else CODE


def _opens(line: str) -> re.Match[str] | None:
    opening = PATTERNS.opening.match(line)
    # CommonMark: what follows a fence of backquotes on its line has none, else it is code within the line.
    if opening is None or (opening["fence"][0] == "`" and "`" in opening["info"]):
        return None
    return opening


def _closes(line: str, opening: re.Match[str]) -> bool:
    """Whether a line ends the block: only its fence, no deeper than its start, in the same quotation."""
    quoted = opening["lead"].count(">")
    body = re.sub(rf"^(?:\s{{0,3}}>){{{quoted}}}", "", line) if quoted else line
    bare = body.strip()
    indent = len(body) - len(body.lstrip())
    fence = opening["fence"]
    # A fence in an item of a list is as deep as the item's text.
    deepest = len(opening["lead"]) + _CODE_INDENT - 1
    return len(bare) >= len(fence) and set(bare) == {fence[0]} and indent <= deepest


def _inline(span: re.Match[str]) -> str:
    """Keep a name, a call or a command in code marks, since lessons are about them; a statement is code."""
    inside = span[2]
    kept = len(span[1]) <= _MARKS and len(inside) <= _SHORT and PATTERNS.statement.search(inside) is None
    return span[0] if kept else CODE


def _unindented(lines: list[str]) -> Iterator[str]:
    for line in lines:
        deep = line.startswith(" " * _CODE_INDENT) and line.strip()
        yield CODE if deep and not PATTERNS.item.match(line) else line


def _unpasted(text: str) -> str:
    """Replace code without marks: paragraphs that read as code, and runs of lines of code."""
    paragraphs = re.split(r"\n[ ]*\n", text)
    # Paragraph by paragraph, since whether something reads as code is told by most of its lines.
    return "\n\n".join(
        CODE if is_code(part) or is_outline(part) else "\n".join(_without_runs(part.split("\n")))
        for part in paragraphs
    )


def _without_runs(lines: list[str]) -> Iterator[str]:
    within = False
    for line in lines:
        code = len(line) > _LINE or (
            bool(line.strip()) and line.strip() != CODE and PATTERNS.code_line.fullmatch(line) is not None
        )
        if not (code and within):
            yield CODE if code else line
        within = code


# -- selects the part of a transcript that is sent to a language model at once


MAX_BYTES = 100 * 1024
"""Bytes of a transcript that are sent at once."""
HARMLESS = "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}"
_MARK = re.compile(r"<(?=/?turn\b)", re.IGNORECASE)
_FRAME = 60
"""The most bytes of the tags around a turn."""


class SentTurn(NamedTuple):
    """A turn, and the text of it that is sent."""

    turn: Turn
    text: str


class TranscriptPart(NamedTuple):
    """The turns that are sent at once.

    Attributes:
        sent: those with text.
        turns: how many of the given turns are done; the others are left for another pass.
    """

    sent: tuple[SentTurn, ...]
    turns: int

    def transcript(self) -> str:
        """The turns between tags that no turn can forge."""
        return "\n".join(
            f'<turn n="{number}" role="{one.turn.role}">\n{_MARK.sub(HARMLESS, one.text)}\n</turn>'
            for number, one in enumerate(self.sent, 1)
        )


def part_of(turns: Sequence[Turn], limit: int = MAX_BYTES) -> TranscriptPart:
    """The first turns that fit into a pass; at least one, cut if it alone is too long.

    The instructions of sub-agents, which no person wrote, and turns without prose are left out.
    """
    sent: list[SentTurn] = []
    size = 0
    for done, turn in enumerate(turns):
        theirs = turn.by_person or turn.role != "user"
        text = prose(turn.text, person=turn.by_person) if theirs else ""
        if not text.replace(CODE, "").strip():
            continue
        room = limit - size - _FRAME
        if (needed := len(text.encode("utf-8", "replace"))) > room:
            if sent:
                return TranscriptPart(tuple(sent), done)
            # Cut at a byte, the last character may be incomplete, and is dropped.
            text = text.encode("utf-8", "replace")[:room].decode("utf-8", "ignore")
            needed = room
        sent.append(SentTurn(turn, text))
        size += needed + _FRAME
    return TranscriptPart(tuple(sent), len(turns))


# -- the prompts, which are files in `prompts/`, and the schema of the answers


_FOLDER = Path(__file__).parent / "prompts"


@cache
def template(name: str) -> Template:
    """The prompt of `prompts/NAME.md`; `$words` in it are filled in by the caller."""
    return Template((_FOLDER / f"{name}.md").read_text(encoding="utf-8"))


def list_schema(name: str, **properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with one list, of objects with these properties, all of them required."""
    item = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {name: {"type": "array", "items": item}},
        "required": [name],
        "additionalProperties": False,
    }


# -- asks a model what a session taught, and checks the answer against the session


RULE = "llm_extract"
MOST = 40
"""Candidates of one answer that are checked; the others count as dropped."""
SHORTEST, LONGEST = 25, 400
MAX_QUOTE = 240
_LEAST_QUOTE = 12
"""A shorter quote would be found anywhere and prove nothing."""
_CERTAIN = 0.95
_END = re.compile(r"[.!?](?:\s+|$)|[\u3002\uff01\uff1f]|\n\s*")
_LOOKED_BACK = 20
"""Messages before one in which what it answers is looked for."""
_STOPS = ".,;:!?()'\""
_SURE = CONFIDENCE_WORDS["high"]
OFFERED = tuple(sorted(name for name, content in KINDS.items() if content.offered and not content.event))
SCHEMA = list_schema(
    "candidates",
    text={"type": "string"},
    kind={"type": "string", "enum": list(OFFERED)},
    confidence={"type": "number"},
    quote={"type": "string"},
)


@dataclass(frozen=True, slots=True)
class _Item:
    """One entry of the answer, its types checked and nothing else."""

    text: str
    kind: str
    confidence: float
    quote: str


class Checked(NamedTuple):
    """The candidates of an answer that passed the checks, and the number of dropped entries by reason."""

    candidates: tuple[Candidate, ...]
    dropped: Mapping[str, int]


def request(part: TranscriptPart, info: SessionInfo) -> Request:
    """The question about a part of a session."""
    kinds = "\n".join(f"- {name}: {_described(name)}" for name in OFFERED)
    system = template("extract").substitute(shortest=SHORTEST, longest=LONGEST, most=MOST, kinds=kinds)
    return Request(
        purpose="extract",
        system=system,
        prompt=part.transcript(),
        schema=SCHEMA,
        items="candidates",
        session=info.session_id,
    )


def checked(items: Sequence[Any], part: TranscriptPart) -> Checked:
    """Check each entry of an answer against what was sent.

    An entry is dropped if its form or kind is wrong, its text is too short, too long, code, or has our
    markers, its quote is not in one of the turns as sent or is of a text that the person pasted, or it
    repeats another entry. What the person may have pasted waits.
    """
    dropped: Counter[str] = Counter()
    found: dict[str, Candidate] = {}
    for item in items[:MOST]:
        one = _candidate(item, part)
        if isinstance(one, str):
            dropped[one] += 1
        elif one.text.casefold() in found:
            dropped["repeated"] += 1
        else:
            found[one.text.casefold()] = one
    if len(items) > MOST:
        dropped["too_many"] += len(items) - MOST
    return Checked(tuple(found.values()), dict(dropped))


def _candidate(data: Any, part: TranscriptPart) -> Candidate | str:
    """The candidate, or the reason why there is none."""
    try:
        item = convert(data, _Item)
        kind = kind_of(item.kind)
    except InvalidInputError:
        return "form"
    # Redacted again: a model may repeat what it was sent, or make up what looks like a key.
    text = redact(" ".join(item.text.split())).text
    if why := _objection(text, kind):
        return why
    source = _source(item.quote, part)
    if source is None:
        return "ungrounded"
    # A quote from what the person pasted is somebody else's word, although the turn is theirs.
    if source.turn.role == "user" and _flat(item.quote) not in _flat(typed(source.text)):
        return "pasted"
    # JSON as Python reads it may have NaN, which `min` and `max` do not bound.
    confidence = 0.0 if math.isnan(item.confidence) else round(min(max(item.confidence, 0.0), _CERTAIN), 2)
    domain = domain_of(text)
    return Candidate(
        text=text,
        kind=kind,
        confidence=confidence,
        rule=RULE,
        quote=_shortened(_flat(item.quote)),
        turn_index=source.turn.index,
        speaker=source.turn.role,
        origin=Origin.EXTRACTION,
        active=source.turn.role == "user"  # nobody else's words are active by themselves
        and confidence >= _SURE
        and _named(text, part)
        and not objection(text, meant=True)
        and doubtful(source.text)(item.quote) < DOUBT
        and _likely(item.quote, confidence, source, part),
        turn_uuid=source.turn.uuid,
        at=source.turn.at,
        domain=domain,
        tags=tags_of(text, domain),
        files=files_in(text.rstrip(_STOPS)),
        commands=commands_in(text),
    )


def _objection(text: str, kind: str) -> str:
    if kind == "code" or CODE in text or without_code(text) != text:
        return "code"
    if not SHORTEST <= len(text) <= LONGEST:
        return "length"
    if strip_injected(text) != (text, "") or not text.isprintable():
        return "marked"
    return ""


def _source(quote: str, part: TranscriptPart) -> SentTurn | None:
    """The first turn that has the quote, ignoring differences of white space."""
    wanted = _flat(quote)
    if len(wanted) < _LEAST_QUOTE or wanted == CODE:
        return None
    return next((one for one in part.sent if wanted in _flat(one.text)), None)


def _named(text: str, part: TranscriptPart) -> bool:
    """Whether every name of code, file or product in a statement was sent."""
    names = [name.casefold().strip(_STOPS) for name in identifiers(text)]
    sent = "\n".join(one.text for one in part.sent).casefold() if names else ""
    return all(name in sent for name in names)


def _likely(quote: str, confidence: float, source: SentTurn, part: TranscriptPart) -> bool:
    """Whether the judge expects the person's sentence that was quoted to be worth keeping."""
    place = part.sent.index(source)
    earlier = part.sent[max(0, place - _LOOKED_BACK) : place]
    before = next((one.text for one in reversed(earlier) if one.turn.role != source.turn.role), "")
    message = Message(source.text, before=before, first=place == 0)
    return assess(Statement(*_sentence(quote, source.text), rule=confidence), message).active >= PERSON.active


def _sentence(quote: str, text: str) -> tuple[int, int]:
    """Where the sentences that a quote lies in begin and end."""
    found = re.search(r"\s+".join(map(re.escape, quote.split())), text)
    assert found is not None  # noqa: S101  the quote was found in it
    # Whole sentences are judged, since the weights were learned from these; a quote may be a part of one.
    start = max((one.end() for one in _END.finditer(text, 0, found.start())), default=0)
    end = _END.search(text, max(found.start(), found.end() - 1))
    return start, end.end() if end else len(text)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _shortened(quote: str) -> str:
    return quote if len(quote) <= MAX_QUOTE else quote[: MAX_QUOTE - 1] + "…"


def _described(name: str) -> str:
    return (KINDS[kind_of(name)].__doc__ or "").partition("\n")[0]


# -- asks a model how pairs of memories are related, and checks the answer


MOST_PAIRS = 20
"""Pairs of one question: their answers need a fraction of the tokens that an answer may have."""
MAX_TEXT = 600
MAX_REASON = 240
RELATIONS = ("relates_to", "derived_from", "contradicts", "exemplifies", "refines", "supersedes")
"""What a model may propose. Not `source_of`, which only indexing sets."""
_GRAVE = frozenset({RelationType.CONTRADICTS, RelationType.SUPERSEDES})
"""These change what is recalled, so a model's answer is only a suggestion."""
_EDGES_SURE = CONFIDENCE_WORDS["high"]
EDGES_SCHEMA = list_schema(
    "edges",
    pair={"type": "integer"},
    relation={"type": "string", "enum": [*RELATIONS, "none"]},
    direction={"type": "string", "enum": ["forward", "backward"]},
    strength={"type": "number"},
    reason={"type": "string"},
)


class Edge(NamedTuple):
    """A relation that a model sees between two memories: `source_id` is `type` of `target_id`.

    Attributes:
        strength: 0 to 1.
        reason: a sentence, redacted.
        status: active only if the model is sure and the relation changes nothing in recall.
    """

    source_id: str
    target_id: str
    type: RelationType
    strength: float
    reason: str
    status: RelationStatus


class EdgesChecked(NamedTuple):
    """The relations in an answer, the number of unrelated pairs, and that of dropped entries by reason."""

    edges: tuple[Edge, ...]
    unrelated: int
    dropped: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _EdgesItem:
    pair: int
    relation: str
    direction: Literal["forward", "backward"]
    strength: float
    reason: str = ""


def sendable(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs of which neither is code and both have text."""
    return [pair for pair in pairs if all(one.kind != "code" and _text(one) for one in pair)]


def edges_request(pairs: Sequence[Pair], session: str = "") -> Request:
    """The question about at most `MOST_PAIRS` pairs."""
    prompt = "\n".join(
        f'<pair n="{number}">\n<first kind="{first.kind}">{_text(first)}</first>\n'
        f'<second kind="{second.kind}">{_text(second)}</second>\n</pair>'
        for number, (first, second) in enumerate(pairs, 1)
    )
    return Request(
        purpose="edges",
        system=template("edges").substitute(),
        prompt=prompt,
        schema=EDGES_SCHEMA,
        items="edges",
        session=session,
        max_output=4_096,
    )


def edges_checked(items: Sequence[Any], pairs: Sequence[Pair]) -> EdgesChecked:
    """Check each entry of an answer; of several about a pair the first counts."""
    dropped: Counter[str] = Counter()
    seen: set[int] = set()
    edges: list[Edge] = []
    # Twice as many as pairs: one that repeats itself is cut off instead of being read to the end.
    for data in items[: 2 * MOST_PAIRS]:
        item = _item(data)
        if item is None or not 1 <= item.pair <= len(pairs):
            dropped["form"] += 1
        elif item.pair in seen:
            dropped["repeated"] += 1
        else:
            seen.add(item.pair)
            edges.extend(_edge(item, pairs[item.pair - 1]))
    if len(items) > 2 * MOST_PAIRS:
        dropped["too_many"] += len(items) - 2 * MOST_PAIRS
    return EdgesChecked(tuple(edges), len(seen) - len(edges), dict(dropped))


def _item(data: Any) -> _EdgesItem | None:
    try:
        item = convert(data, _EdgesItem)
    except InvalidInputError:
        return None
    return item if item.relation in {*RELATIONS, "none"} and math.isfinite(item.strength) else None


def _edge(item: _EdgesItem, pair: Pair) -> list[Edge]:
    if item.relation == "none":
        return []
    source, target = pair if item.direction == "forward" else (pair[1], pair[0])
    type_ = RELATION_ALIASES.get(item.relation) or RelationType(item.relation)
    strength = round(min(max(item.strength, 0.0), 1.0), 2)
    sure = strength >= _EDGES_SURE and type_ not in _GRAVE
    return [
        Edge(
            source.id, target.id, type_, strength,
            # A reason is shown to people and stored, so that it is cleaned like any other text.
            reason=redact(" ".join(item.reason.split())).text[:MAX_REASON],
            status=RelationStatus.ACTIVE if sure else RelationStatus.SUGGESTED,
        )
    ]  # fmt: skip


def _text(memory: Memory) -> str:
    """The text of a memory that is sent: prose on one line, without anything that looks like a tag."""
    text = " ".join(prose(memory.text, person=True).split())
    return text.replace("<", HARMLESS)[:MAX_TEXT].strip()
