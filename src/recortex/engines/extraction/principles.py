"""What a correction teaches, as a sentence that stands alone.

A person corrects in few words, about what is on the screen: "no, use pnpm". The words are turned into a
statement or an order; where they still point to something outside of them, what had been done comes in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds.base import shorten
from recortex.engines.extraction.passages import passages
from recortex.engines.extraction.polarity import hangs, keeps
from recortex.engines.extraction.self_contained import (
    MAX_LENGTH,
    MIN_TYPED,
    is_cut,
    is_specific,
    points_away,
)
from recortex.engines.extraction.sentences import plain, sentences, statement
from recortex.engines.extraction.spelling import spelled_out
from recortex.engines.extraction.typed_sentences import typed_sentences
from recortex.engines.patterns import Patterns
from recortex.engines.supersession.lexicon import FAMILY_OF, SYNONYMS
from recortex.engines.words import LETTERS, PRODUCT, STOP_WORDS, sections, tokens

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

PATTERNS = Patterns(__file__)
_FEWEST_WORDS, _FEW_WORDS = 3, 5
_NODS = 2
"""Words of a sentence that says nothing of what was done: "OK.", "Done!", "Got it."."""
_ABOUT = 160
"""Characters of what the agent said or ran that a principle may name."""
_READ = 40
"""Sentences of the agent's last message that are looked at, from its end back."""
_SHARED = 2
_INFINITIVES = dict(pair.split("=") for pair in sections(__file__)["INFINITIVES"].split())

_FAULTS = (
    (PATTERNS.told_not, "Do not {what}"),
    (PATTERNS.told, "{what}"),
    (PATTERNS.missed_not, "{what}"),
    (PATTERNS.missed, "Do not miss {what}"),
)
_ASKED = (
    (PATTERNS.asks_not, "Do not {what}"),
    (PATTERNS.asks_have, "We {what}"),
    (PATTERNS.asks_exists, "Use an existing {what} if there is one"),
    (PATTERNS.asks_thing, "{subject}should {what}"),
)
_WANTED = (
    (PATTERNS.wants_to, "The person wants to {what}"),
    (PATTERNS.wants_not, "The person does not want to {what}"),
    (PATTERNS.prefers, "The person prefers {what}"),
    (PATTERNS.dislikes, "The person does not like {what}"),
    (PATTERNS.expects, "{what}"),
    (PATTERNS.replaces, "{what}{rest}"),
)


class Principle(NamedTuple):
    """What a correction teaches.

    Attributes:
        own: the part of it that the person said.
    """

    text: str
    own: str


def of_words(words: str, did: str) -> Principle | None:
    """The principle of everything that a person says of one correction; None where that is nothing.

    Args:
        words: all of it is kept, as far as it fits into one statement.
        did: what had been done that was wrong.
    """
    parts = [part for one in passages(words) for part in typed_sentences(one.text)] or [words]
    said = [worded(part) for part in parts if not _says_nothing(part)]
    text = _contrasted(_fitting(filter(None, said)) or worded(words) or statement(plain(words)), did)
    if not text or stands(text):
        return Principle(text, text) if text else None
    about = _done(did, words)
    whole = f"{text.removesuffix('.')} ({about})." if about else text
    return Principle(whole if len(whole) <= MAX_LENGTH else text, text)


def _fitting(statements: Iterable[str]) -> str:
    text = ""
    for one in statements:
        if len(text) + len(one) < MAX_LENGTH:
            text = f"{text} {one}".strip()
    return text


def _contrasted(text: str, did: str) -> str:
    """Turns "use pnpm" after `npm install` into "use pnpm instead of npm": one of a family is in use."""
    if not text or not PATTERNS.uses.match(text) or " instead of " in text:
        return text
    named = [SYNONYMS.get(word, word) for word in tokens(text, PRODUCT)]
    families = {FAMILY_OF[name] for name in named if name in FAMILY_OF}
    others = [
        one
        for one in tokens(did, PRODUCT)
        if FAMILY_OF.get(SYNONYMS.get(one, one)) in families and one not in named
    ]
    return f"{text.removesuffix('.')} instead of {others[0]}." if families and others else text


def stands(text: str) -> bool:
    """Whether a principle says by itself what it is about."""
    if not MIN_TYPED <= len(text) <= MAX_LENGTH or len(text.split()) < _FEWEST_WORDS:
        return False
    if (
        text.endswith(("?", "(."))
        or is_cut(text)
        or points_away(text)
        or hangs(text)
        or PATTERNS.wrong_one.search(text)
    ):
        return False
    if len(text.split()) < _FEW_WORDS and not PATTERNS.verb_first.match(text):
        return False
    found = PATTERNS.pronoun.search(text)
    return (
        found is None
        or PATTERNS.noun.search(text[: found.start()]) is not None
        or is_specific(text[: found.start()])
    )


def worded(sentence: str) -> str:
    """A sentence of a person as a statement or an order; empty where nothing is left of it."""
    led = _led(PATTERNS.stressed.sub(r"\1", spelled_out(plain(sentence))))
    said = _ended(led)
    if PATTERNS.denies_only.match(said):
        return ""
    asks = "?" in sentence or any(
        one.match(said) for one in (PATTERNS.asks_not, PATTERNS.asks_use, PATTERNS.asks_why_not)
    )
    for rule in (_fault, *((_asked,) if asks else ()), _wanted, _turned):
        if found := rule(said):
            # A question or a fault is told the other way round: "why don't we use X?" wants X.
            if rule in {_wanted, _turned} and not keeps(said, found):
                continue
            said = found
            break
    said = PATTERNS.versus.sub(" instead of ", said, count=1) if PATTERNS.verb_first.match(said) else said
    said = PATTERNS.second_person.sub(r"We \g<verb>", said)
    text = statement(said.strip(" ,;:-–—"))
    if len(text.split()) < _FEWEST_WORDS - (PATTERNS.uses.match(text) is not None):
        return ""
    return text if PATTERNS.named_first.match(text) else text[0].upper() + text[1:]


def _led(said: str) -> str:
    """Without the words that only lead to what is meant."""
    for _ in range(4):
        shorter = said
        for expression in (PATTERNS.opening, PATTERNS.denial, PATTERNS.thinking):
            shorter = expression.sub("", shorter, count=1)
        if shorter == said or len(shorter.split()) < _FEWEST_WORDS:
            break
        said = shorter
    return said


def _ended(led: str) -> str:
    """Without a request or question at the end; with it, where that limits what is said."""
    said = without_question(led)
    tagged = PATTERNS.tag.search(said)
    cut = said[: tagged.start()] + "." if tagged and tagged.start() else said
    trimmed = PATTERNS.trailing.sub("", cut, count=1)
    kept = trimmed if len(trimmed.split()) >= _FEWEST_WORDS else cut
    return kept if keeps(PATTERNS.tag.sub("", led), kept) else led


def without_question(said: str) -> str:
    """A statement without the question that follows it."""
    return PATTERNS.asks_then.sub(".", said, count=1)


def _fault(said: str) -> str:
    """What the agent did, as what is not to be done."""
    if found := PATTERNS.overstep.search(said):
        return f"Do not {PATTERNS.nothing_more.sub('', found['what'])} unless asked to"
    for expression in (PATTERNS.stops, PATTERNS.undone):
        found = expression.search(said)
        if found and (verb := _INFINITIVES.get(found["verb"].lower())):
            return f"Do not {verb} {found['what']}"
    return _told(said, _FAULTS)


def _told(said: str, forms: Iterable[tuple[re.Pattern[str], str]]) -> str:
    """The first form that a sentence has, in our words."""
    found = ((expression.search(said), told) for expression, told in forms)
    return next((told.format(**one.groupdict()) for one, told in found if one), "")


def _asked(said: str) -> str:
    """What a question objects to, as what is to be."""
    if told := _told(said, _ASKED):
        return told
    if found := PATTERNS.asks_why_then.match(said):
        return f"{found['lead']}: {_infinitive(found['what'])}"
    if found := PATTERNS.asks_putting.match(said):
        return f"Do not {_infinitive(found['what'])}"
    if found := PATTERNS.asks_fact.match(said):
        return _as_fact(said.lower(), found)
    found = PATTERNS.asks_why_not.match(said) or PATTERNS.asks_should.match(said)
    return _infinitive(found["what"]) if found else ""


def _as_fact(said: str, found: re.Match[str]) -> str:
    """The fact that is in "doesn't git know it?": git knows it."""
    subject, what = found["subject"], found["what"]
    if said.startswith(("isn", "aren")):
        return f"{subject} {'is' if said.startswith('isn') else 'are'} {what}"
    verb, _, rest = what.partition(" ")
    return f"{subject} {verb}s {rest}" if said.startswith("doesn") else f"{subject} {what}"


def _infinitive(what: str) -> str:
    """The order that is in "using the helper": "use the helper"."""
    verb, _, rest = what.partition(" ")
    known = _INFINITIVES.get(verb.lower(), "") if verb.lower().endswith("ing") else ""
    return f"{known} {rest}" if known else what


def _wanted(said: str) -> str:
    """What the person wants, prefers or dislikes, in the third person."""
    if found := PATTERNS.wants.match(said):
        passive = PATTERNS.passive_be.match(found["what"])
        should = f"{passive['thing']} should be {passive['what']}" if passive else ""
        return should or f"The person wants {found['what']}"
    return _told(said, _WANTED)


def _turned(said: str) -> str:
    """Turns "not as A, but as B" into "as B instead of as A", without what stands before."""
    found = PATTERNS.not_but.match(said)
    return f"{found['new'].rstrip(' .')} instead of {found['old']}" if found else ""


def _says_nothing(sentence: str) -> bool:
    """Whether a sentence is a nod, thanks or a greeting; "no mocks in tests" is none."""
    return PATTERNS.said_nothing.match(sentence) is not None and keeps(sentence, "")


def _done(did: str, sentence: str) -> str:
    """What had been done that a sentence is about, in a few words; empty where nothing is known of it."""
    if said := _nearest(did, sentence):
        return f'the agent had said: "{_quotable(said)}"'
    last = sentences(did)[-1:]
    return f'the agent had said: "{_quotable(last[0])}"' if last and len(last[0].split()) > _NODS else ""


def _quotable(text: str) -> str:
    return shorten(plain(text).replace('"', "'").replace("`", ""), _ABOUT)


def _nearest(said: str, sentence: str) -> str:
    """The sentence of the agent that shares most words with the person's."""
    words = _content(sentence)
    near = [(len(words & _content(one)), one) for line in said.splitlines() for one in sentences(line)][
        -_READ:
    ]
    best = max(near, default=(0, ""), key=lambda one: one[0])
    return best[1] if best[0] >= _SHARED else ""


def _content(text: str) -> frozenset[str]:
    return frozenset(tokens(text, LETTERS)) - STOP_WORDS
