"""Splits passages into sentences, without Markdown and words that only connect; makes candidates of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from recortex.domain.reports import Candidate
from recortex.domain.vocabulary import Domain, Origin
from recortex.engines.tables import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.exchange import Turn


PATTERNS = Patterns(__file__)

# Characters of a passage that are read; a longer one is pasted.
MAX_PASSAGE = 6_000
_TERMINATORS = ".!?:\u3002\uff01\uff1f"


# Rule after rule reads the same passage: so many last ones are kept. Over half of all calls ask again.
_KEPT = 512


@lru_cache(_KEPT)
def plain(text: str) -> str:
    """Remove the markup of links and emphasis, and leading symbols, but not code marks and words."""
    text = PATTERNS.link.sub(_unlinked, text) if "](" in text else text
    text = _unmarked(text)
    text = PATTERNS.symbols.sub("", text)
    return " ".join(text.split())


def _unlinked(found: re.Match[str]) -> str:
    """The words of a link; with the address, where the words do not say it."""
    words, target = found.groups()
    return f"{words} ({target})" if "://" in target and target not in words else words


def _unmarked(text: str) -> str:
    if "*" not in text:
        return text
    return PATTERNS.emphasis.sub(lambda found: found.group(1) or found.group(3) or found.group(4), text)


def sentences(text: str) -> list[str]:
    """Split a passage into sentences; code marks are never split."""
    return list(_split(text[:MAX_PASSAGE]))


@lru_cache(_KEPT)
def _split(text: str) -> tuple[str, ...]:
    codes: list[str] = []

    # Full stops within code are no ends of sentences: code is put aside, and put back afterwards.
    def hide(found: re.Match[str]) -> str:
        codes.append(found.group())
        return f"\x00{len(codes) - 1}\x01"

    hidden = PATTERNS.code.sub(hide, _unmarked(text.replace("\x00", "").replace("\x01", "")))
    whole: list[str] = []
    for part in PATTERNS.split.split(hidden):
        # "e.g. pnpm" and "v. 2" are split by their full stop, and joined again.
        if whole and PATTERNS.abbreviated.search(whole[-1]):
            whole[-1] = f"{whole[-1]} {part}"
        elif part and part.strip():
            whole.append(part.strip())
    return tuple(_show(part, codes) for part in whole)


def _show(part: str, codes: list[str]) -> str:
    """Put the hidden code marks back."""
    if not codes:
        return part
    return re.sub(r"\x00(\d+)\x01", lambda found: codes[int(found.group(1))], part)


@lru_cache(_KEPT)
def statement(sentence: str) -> str:
    """Make a sentence independent: no leading connective, a capital first letter, a full stop."""
    text = PATTERNS.enumerated.sub("", plain(sentence))
    # Several may follow each other: "So, also, please …".
    for _ in range(3):
        shorter = PATTERNS.opening.sub("", text, count=1) if PATTERNS.opening.match(text) else text
        if shorter == text or not shorter:
            break
        text = shorter
    text = text.strip().rstrip(";,").strip()
    if not text:
        return ""
    # What begins with a name in small letters, such as `pnpm-lock` or `useState`, keeps its spelling.
    if text[0].islower() and not re.match(r"[a-z]+[A-Z_./0-9(-]", text):
        text = text[0].upper() + text[1:]
    return text if text[-1] in _TERMINATORS else text + "."


# -- what turns the meaning of a sentence around: its negations, exceptions and conditions


POLARITY_PATTERNS = Patterns(__file__, "polarity")

_TURNS = (
    (POLARITY_PATTERNS.negation, POLARITY_PATTERNS.negated),
    (POLARITY_PATTERNS.exception, POLARITY_PATTERNS.exception),
    (POLARITY_PATTERNS.condition, POLARITY_PATTERNS.condition),
)


def keeps(said: str, text: str) -> bool:
    """Whether a text made of what was said still has each negation, exception and condition of it.

    A negation may be told in other words: "use pnpm, not npm" as "use pnpm instead of npm".
    """
    bare = POLARITY_PATTERNS.interjection.sub(" ", said)
    # More of them may be told than were said: a rewording can add "not", but must lose none.
    return all(len(told.findall(text)) >= len(asked.findall(bare)) for asked, told in _TURNS)


def goes_on(sentence: str) -> bool:
    """Whether a sentence only limits the one before it: "Unless I say so.", "Except in the docs."."""
    return POLARITY_PATTERNS.limits.match(sentence) is not None


def hangs(text: str) -> bool:
    """Whether a text is a condition without what it is a condition of: "If the schema changes."."""
    return (
        POLARITY_PATTERNS.conditional.match(text) is not None
        and POLARITY_PATTERNS.consequence.search(text) is None
    )


# -- splits sentences as people type them: also before small letters, without greeting and request


TYPED_SENTENCES_PATTERNS = Patterns(__file__, "typed_sentences")

_LEAST_WORDS = 3


def typed_sentences(text: str) -> list[str]:
    """The sentences of a typed passage, of which few begin with a capital.

    What only limits the one before belongs to it: "Never push to main. Unless I say so."
    """
    found: list[str] = []
    for part in (small for whole in sentences(text) for small in TYPED_SENTENCES_PATTERNS.small.split(whole)):
        # Alone, what limits a rule would be dropped, and the rule kept as if it held always.
        if found and (TYPED_SENTENCES_PATTERNS.abbreviated.search(found[-1]) or goes_on(part)):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found


def without_greeting(said: str) -> str:
    """A sentence without the words that only open the conversation."""
    for _ in range(3):
        shorter = (
            TYPED_SENTENCES_PATTERNS.greeting.sub("", said, count=1)
            if TYPED_SENTENCES_PATTERNS.greeting.match(said)
            else said
        )
        if shorter == said or not shorter:
            break
        said = shorter
    return said


def _turned(found: re.Match[str]) -> str:
    """Reword "instead of A we use B" as "we use B instead of A"."""
    return f"{found['rest']} instead of {found['old']}{found['end']}"


def readings(said: str) -> list[str]:
    """The readings of a sentence, the likeliest first: without a request, whole, without its consequence."""
    bare = TYPED_SENTENCES_PATTERNS.example.sub(
        "", TYPED_SENTENCES_PATTERNS.instead.sub(_turned, without_greeting(said))
    )
    shorter = _cut(TYPED_SENTENCES_PATTERNS.request, bare)
    # A sentence up to its first comma is often the rule, and the rest its explanation.
    head = bare.split(", ", 1)[0]
    found = [shorter, bare, _cut(TYPED_SENTENCES_PATTERNS.tail, bare)]
    if consequence := TYPED_SENTENCES_PATTERNS.so.search(shorter):
        found.append(consequence.group(1))
    if len(head.split()) > _LEAST_WORDS and not bare.endswith("?"):
        found.append(head)
    whole = [one for one in found if keeps(bare, one) and (one == bare or not hangs(one))]
    return list(dict.fromkeys(whole))


def _cut(tail: re.Pattern[str], said: str) -> str:
    shorter = tail.sub("", said, count=1).rstrip(" ,;")
    return shorter if len(shorter.split()) >= _LEAST_WORDS else said


# -- checks that a sentence is self-contained, as any statement must be before a rule takes it


SELF_CONTAINED_PATTERNS = Patterns(__file__, "self_contained")

MIN_LENGTH = 25
MIN_TYPED = 10
"""A person's explicit statement may be short: "we use uv"."""
MAX_LENGTH = 400
_MIN_WORDS = 5
_MIN_ORDER_WORDS = 3
_MAX_DIGIT_SHARE = 0.25

IDENTIFIER = SELF_CONTAINED_PATTERNS.identifier
_PLURAL_PRONOUNS = {"they", "them", "their"}


def identifiers(text: str) -> list[str]:
    """Names of code, files, commands and products in a sentence, in order, without code marks."""
    return [found.group().strip("`") for found in IDENTIFIER.finditer(text)]


def is_specific(text: str) -> bool:
    """Whether a sentence names something: a piece of code, a file, or a product inside the sentence."""
    return IDENTIFIER.search(text) is not None or SELF_CONTAINED_PATTERNS.name_inside.search(text) is not None


def is_cut(text: str) -> bool:
    """Whether a statement ends in a word that needs another one after it."""
    return SELF_CONTAINED_PATTERNS.lost_end.search(text) is not None


def objection(text: str, *, meant: bool = False) -> str:
    """The first reason why a cleaned statement cannot be a memory; empty if there is none.

    Args:
        text: one statement, cleaned by `sentences.statement`.
        meant: whether the person wants it to be kept, or it names something: then it may be short, and "the
            server" need not be explained.
    """
    if shape := _misshapen(text, meant=meant):
        return shape
    if SELF_CONTAINED_PATTERNS.question.search(text):
        return "question"
    if SELF_CONTAINED_PATTERNS.labelled.match(text):
        return "label"
    if SELF_CONTAINED_PATTERNS.chatter.search(text) or SELF_CONTAINED_PATTERNS.marks.search(text):
        return "chatter"
    dangles = points_away(text) if meant else _dangles(text)
    return "dangling" if dangles else ""


def _misshapen(text: str, *, meant: bool) -> str:
    """The objection to the form of a text: its length, its numbers, or that it is half of something."""
    if not (MIN_TYPED if meant else MIN_LENGTH) <= len(text) <= MAX_LENGTH:
        return "length"
    # Languages without spaces have few words by this count.
    if len(text.split()) < (
        _MIN_ORDER_WORDS if meant else _MIN_WORDS
    ) and not SELF_CONTAINED_PATTERNS.foreign.search(text):
        return "length"
    if (
        text.endswith((":", "...", "…", ","))
        # An odd number of marks shows that a sentence was split in the middle of code.
        or text.count("`") % 2
        or text.count("(") != text.count(")")
        or is_cut(text)
    ):
        return "half"
    if len(
        SELF_CONTAINED_PATTERNS.plain_word.findall(SELF_CONTAINED_PATTERNS.code.sub(" ", text))
    ) < _MIN_ORDER_WORDS - meant and not SELF_CONTAINED_PATTERNS.foreign.search(text):
        return "half"
    # Of what is mostly figures, a date or a measurement, little holds for long.
    if SELF_CONTAINED_PATTERNS.stale.search(text) or sum(
        char.isdigit() for char in text
    ) > _MAX_DIGIT_SHARE * len(text):
        return "passing"
    return ""


def points_away(text: str) -> bool:
    """Whether a sentence begins with or has a word that refers to something outside of it."""
    return bool(
        SELF_CONTAINED_PATTERNS.dangling_start.match(text) or SELF_CONTAINED_PATTERNS.deictic.search(text)
    )


def _dangles(text: str) -> bool:
    """Whether a sentence refers to something outside of it; an order needs no subject."""
    if (
        SELF_CONTAINED_PATTERNS.dangling_start.match(text)
        or SELF_CONTAINED_PATTERNS.deictic.search(text)
        or SELF_CONTAINED_PATTERNS.bare_subject.match(text)
    ):
        return True
    if SELF_CONTAINED_PATTERNS.no_object.match(text) or (
        SELF_CONTAINED_PATTERNS.gerund.match(text) and not SELF_CONTAINED_PATTERNS.finite.search(text)
    ):
        return True
    pronoun = SELF_CONTAINED_PATTERNS.pronoun.search(text)
    if pronoun is None:
        return False
    before = text[: pronoun.start()]
    if SELF_CONTAINED_PATTERNS.noun_before.search(before):
        return False
    # A plural pronoun needs something plural before it, else it means what stands elsewhere.
    if pronoun.group().lower() in _PLURAL_PRONOUNS and not SELF_CONTAINED_PATTERNS.plural.search(
        SELF_CONTAINED_PATTERNS.code.sub(" ", before)
    ):
        return True
    return not is_specific(before)


# -- finds what a statement is about: its subject area, files, commands and tags


SUBJECT_PATTERNS = Patterns(__file__, "subject")

_DOMAINS = (
    (Domain.AUTH, SUBJECT_PATTERNS.area_auth),
    (Domain.DB, SUBJECT_PATTERNS.area_db),
    (Domain.TEST, SUBJECT_PATTERNS.area_test),
    (Domain.UI, SUBJECT_PATTERNS.area_ui),
    (Domain.API, SUBJECT_PATTERNS.area_api),
    (Domain.DEV, SUBJECT_PATTERNS.area_dev),
)
_MAX_TAGS = 6
_MIN_TAG, _MAX_TAG = 3, 40
_MAX_FILES = 8


def domain_of(text: str) -> Domain:
    """The subject area whose words occur most; of equals the first in the table."""
    # By the place in the table where two have as many words, so that the answer is always the same.
    counts = [(len(words.findall(text)), -rank, area) for rank, (area, words) in enumerate(_DOMAINS)]
    best = max(counts)
    return best[2] if best[0] else Domain.GENERAL


def files_in(text: str) -> tuple[str, ...]:
    """The paths in a text, each once."""
    names = (SUBJECT_PATTERNS.place.sub("", name) for name in identifiers(text))
    found = (
        name
        for name in names
        if SUBJECT_PATTERNS.file.match(name) and not SUBJECT_PATTERNS.not_a_file.search(name)
    )
    return tuple(dict.fromkeys(found))[:_MAX_FILES]


def commands_in(text: str) -> tuple[str, ...]:
    """Shell commands between code marks."""
    marked = re.findall(r"`([^`]{3,200})`", text)
    return tuple(dict.fromkeys(code for code in marked if SUBJECT_PATTERNS.programs.match(code)))


def tags_of(text: str, domain: Domain) -> tuple[str, ...]:
    """The subject area and the names in a text, in lower case, at most six."""
    # Of a path only the file's name: as a tag it finds memories whatever folder it is moved to.
    names = (re.sub(r"^\W+|\W+$", "", name.split("/")[-1]).lower() for name in identifiers(text))
    short = [name for name in names if _MIN_TAG <= len(name) <= _MAX_TAG and " " not in name]
    own = [domain.value.lower()] if domain is not Domain.GENERAL else []
    return tuple(dict.fromkeys(own + short))[:_MAX_TAGS]


# -- splits the prose of a message into passages: paragraphs and list items


PASSAGES_PATTERNS = Patterns(__file__, "passages")

MAX_TEXT = 200_000
"""Characters of a message that are read: a longer one is pasted."""
MAX_LINE = 2_000
"""A longer line is data, not prose."""


def _is_prose(line: str) -> bool:
    """Whether a line is none of a table, a quotation or data, no rule, and no heading in Markdown or bold."""
    said = line.strip()
    if not said or len(said) > MAX_LINE or said.startswith(("|", ">", "---", "===", "***")):
        return False
    if PASSAGES_PATTERNS.heading.match(said) or PASSAGES_PATTERNS.tag.match(said):
        return False
    # An indented or bold line may be the beginning of an item; only a whole bold line is a heading.
    return line[0].isspace() or not PASSAGES_PATTERNS.bold_line.match(said)


def passages(text: str) -> Iterator[str]:
    """Yield the paragraphs and list items of a Markdown message in order, without code and headings.

    Args:
        text: the message; what follows the first 200,000 characters is not read.
    """
    lines: list[str] = []
    fenced = False
    for line in text[:MAX_TEXT].splitlines():
        mark = PASSAGES_PATTERNS.fence.match(line) is not None
        fenced ^= mark
        if fenced and not mark:
            continue
        prose = line if not mark and _is_prose(line) else ""
        item = PASSAGES_PATTERNS.item.match(prose)
        said = item.group(1).strip() if item else prose.strip()
        if lines and (item or not said):
            yield " ".join(lines)
            lines.clear()
        if said:
            lines.append(said)
    if lines:
        yield " ".join(lines)


# -- makes a candidate of what a rule found; only here does the confidence decide on the status


ACTIVE = 0.7
"""The confidence from which a candidate is active; chosen on the development transcripts
(bench/extraction.py)."""
DURABLE = "person_durable"
"""The rule for what a person typed that is expected to last, by a learned chance (durable.py)."""
COMMAND = "command_habit"
"""The rule that finds commands which worked again and again."""
REPEATED = "person_repeated"
"""The rule of former versions for what a person asked for in several sessions; stores still hold such."""
ON_PURPOSE = frozenset(("person_note", "person_decision", "person_scoped"))
"""Rules for what the person declared to be a note, a decision or a fact of this project."""
MAX_QUOTE = 240
_CERTAIN = 0.95
"""The highest confidence of anything that a rule found."""


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """What a rule found in a turn.

    Attributes:
        text: the finished statement.
        hold: a reason why it must not be active whatever its confidence; empty if there is none.
    """

    text: str
    kind: str
    confidence: float
    rule: str
    quote: str
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    hold: str = ""


def candidate(finding: RuleFinding, turn: Turn, origin: Origin = Origin.USER) -> Candidate:
    """The candidate of a finding, with its turn, subject, files, commands, tags and status."""
    confidence = round(min(max(finding.confidence, 0.0), _CERTAIN), 2)
    domain = domain_of(finding.text)
    quote = " ".join(finding.quote.split())
    return Candidate(
        text=finding.text,
        kind=finding.kind,
        confidence=confidence,
        rule=finding.rule,
        quote=quote if len(quote) <= MAX_QUOTE else quote[: MAX_QUOTE - 1] + "…",
        turn_index=turn.index,
        speaker=turn.role,
        origin=origin,
        active=confidence >= ACTIVE and not finding.hold and turn.certain,
        turn_uuid=turn.uuid,
        at=turn.at,
        domain=domain,
        tags=tags_of(finding.text, domain),
        files=tuple(dict.fromkeys(files_in(finding.text) + finding.files)),
        commands=tuple(dict.fromkeys(commands_in(finding.text) + finding.commands)),
    )


def doubted(known: Candidate) -> Candidate:
    """The candidate after the session took it back: proposed, with a confidence of 0.6 at most."""
    return replace(known, active=False, confidence=min(known.confidence, 0.6))
