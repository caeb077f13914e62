"""Whether an exchange left work, by the form of how it ended; mostly it did not.

Of 586 sessions of twelve projects by seven clients, 89 are taken for sessions that left work. Read one by
one, 83 of them (93 %) did: 29 ended with a message that nobody answered, the others as their last
sentences say. The six others offered more than was asked for, or their transcript leaves out how they
went on.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from recortex.engines.exchanges.shortening import LEFT_OUT, sentences
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recortex.domain.exchange import Exchange

PATTERNS = Patterns(__file__)
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
        return UNANSWERED if unanswered and not PATTERNS.farewell.match(last.message) else ""
    said = list(sentences(last.conclusion.replace(LEFT_OUT, "\n")))
    return next((found for found in _open_ends(said)), "") or _failure(last)


def relays(last: Exchange, told: str) -> bool:
    """Whether what the agent said may be somebody else's words: of an issue, a page, a mail or a file.

    Such a sentence is not repeated unasked: whoever wrote that text would speak in every brief.
    """
    if PATTERNS.elsewhere.search(f"{last.message} {last.asked}"):
        return True
    return bool(PATTERNS.relays.search(last.outcome) or PATTERNS.addressed.search(told))


def _open_ends(said: list[str]) -> Iterator[str]:
    """The sentences that tell of something open, the surest form first."""
    if PATTERNS.working.search(said[-1]) and not PATTERNS.shown.search(said[-1]):
        yield said[-1]
    for one, following in pairwise([*said, ""]):
        whole = f"{one} {following}".strip()
        if PATTERNS.label.match(one) and not _excused(whole):
            yield whole if len(one) < _BARE_LABEL else one
    yield from (one for one in reversed(said) if PATTERNS.open.search(one) and not _excused(one))
    asked = next((one for one in said[-_NEAR_THE_END:] if _asks(one)), "")
    if asked and PATTERNS.item.match(asked):
        yield next((one for one in reversed(said) if not PATTERNS.item.match(one)), asked)
    elif asked:
        yield asked


def _asks(sentence: str) -> bool:
    return PATTERNS.question.search(sentence) is not None and not PATTERNS.offer.search(sentence)


def _excused(text: str) -> bool:
    return bool(PATTERNS.nothing.search(text) or PATTERNS.advice.search(text))


def _failure(last: Exchange) -> str:
    failed = [command for command in last.failed if PATTERNS.check.search(command)]
    return f"`{failed[-1]}` failed" if failed and not PATTERNS.passed.search(last.conclusion) else ""
