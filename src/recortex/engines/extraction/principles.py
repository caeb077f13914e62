"""What a correction teaches, as a sentence that stands alone.

A person corrects in few words, about what is on the screen: "no, use pnpm". The words are turned into a
statement or an order; where they still point to something outside of them, the sentence before comes in, and
then what the agent had done.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.kinds.base import shorten
from recortex.engines.extraction.self_contained import (
    MAX_LENGTH,
    MIN_TYPED,
    is_cut,
    is_specific,
    points_away,
)
from recortex.engines.extraction.sentences import plain, sentences, statement
from recortex.engines.patterns import Patterns
from recortex.engines.words import LETTERS, STOP_WORDS, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recortex.engines.corrections.acts import Act

PATTERNS = Patterns(__file__)
_FEWEST_WORDS, _SOME_WORDS, _FEW_WORDS = 3, 4, 5
_ABOUT = 160
"""Characters of what the agent said or ran that a principle may name."""
_READ = 40
"""Sentences of the agent's last message that are looked at, from its end back."""
_SHARED = 2
_INFINITIVES = dict(
    delet="delete", remov="remove", overwr="overwrite", wip="wipe", dropp="drop", los="lose", destroy="destroy",
    broke="break", revert="revert", renam="rename", chang="change", us="use", reus="reuse", mov="move", writ="write",
    mak="make", tak="take", nam="name", stor="store", shar="share", creat="create",
)  # fmt: skip


class Principle(NamedTuple):
    """What a correction teaches.

    Attributes:
        own: the part of it that the person said.
        alone: that is all of it; otherwise what the agent had done had to be added.
    """

    text: str
    own: str

    @property
    def alone(self) -> bool:
        """Whether the person's own words said it."""
        return self.text == self.own


def principle(parts: Sequence[str], place: int, act: Act) -> Principle | None:
    """The principle of the sentence at a place of a message; None where nothing can stand alone.

    Args:
        parts: the sentences of the message.
        place: of the one that corrects.
        act: what the agent had done before.
    """
    text = worded(parts[place])
    if not text:
        return None
    for several in (text, _with_next(text, parts, place), _with_previous(text, parts, place)):
        if several and stands(several):
            return Principle(several, several)
    about = done(act, parts[place]) if len(text.split()) >= _SOME_WORDS else ""
    whole = f"{text[:-1] if text.endswith('.') else text} ({about})." if about else ""
    return Principle(whole, text) if whole and len(whole) <= MAX_LENGTH else None


def stands(text: str) -> bool:
    """Whether a principle says by itself what it is about."""
    if not MIN_TYPED <= len(text) <= MAX_LENGTH or len(text.split()) < _FEWEST_WORDS:
        return False
    if text.endswith(("?", "(.")) or is_cut(text) or points_away(text):
        return False
    if len(text.split()) < _FEW_WORDS and not PATTERNS.verb_first.match(text):
        return False
    found = PATTERNS.pronoun.search(text)
    return found is None or PATTERNS.noun.search(text[: found.start()]) is not None or is_specific(text[: found.start()])


def worded(sentence: str) -> str:
    """A sentence of a person as a statement or an order; empty where nothing is left of it."""
    said = _bare(PATTERNS.stressed.sub(r"\1", plain(sentence)))
    if PATTERNS.denies_only.match(said):
        return ""
    for rule in (_fault, *((_asked,) if "?" in sentence or PATTERNS.asks_not.match(said) else ()), _wanted, _turned):
        if found := rule(said):
            said = found
            break
    said = PATTERNS.versus.sub(" instead of ", said, count=1) if PATTERNS.verb_first.match(said) else said
    said = PATTERNS.second_person.sub(r"We \g<verb>", said)
    text = statement(said.strip(" ,;:-–—"))
    if len(text.split()) < _FEWEST_WORDS:
        return ""
    return text[0].upper() + text[1:]


def _bare(said: str) -> str:
    """Without the words that only lead to what is meant, and without a request at the end."""
    for _ in range(4):
        shorter = said
        for expression in (PATTERNS.opening, PATTERNS.denial, PATTERNS.thinking):
            shorter = expression.sub("", shorter, count=1)
        if shorter == said or len(shorter.split()) < _FEWEST_WORDS:
            break
        said = shorter
    tagged = PATTERNS.tag.search(said)
    cut = said[: tagged.start()] + "." if tagged and tagged.start() else said
    trimmed = PATTERNS.trailing.sub("", cut, count=1)
    return trimmed if len(trimmed.split()) >= _FEWEST_WORDS else cut


def _fault(said: str) -> str:
    """What the agent did, as what is not to be done."""
    if found := PATTERNS.overstep.search(said):
        return f"Do not {PATTERNS.nothing_more.sub('', found['what'])} unless asked to"
    if found := PATTERNS.told.match(said):
        return f"{'Do not ' if found['not'] else ''}{found['what']}"
    if found := PATTERNS.undone.search(said):
        verb = found["verb"].lower()
        return f"Do not {_INFINITIVES.get(verb, verb)} {found['what']}"
    if found := PATTERNS.missed_not.search(said):
        return found["what"]
    if found := PATTERNS.missed.search(said):
        return f"Do not miss {found['what']}"
    return ""


def _asked(said: str) -> str:
    """What a question objects to, as what is to be."""
    if found := PATTERNS.asks_not.match(said):
        return f"Do not {found['what']}"
    if found := PATTERNS.asks_have.match(said):
        return f"We {found['what']}"
    if found := PATTERNS.asks_exists.match(said):
        return f"Use an existing {found['what']} if there is one"
    if found := PATTERNS.asks_thing.match(said):
        return f"{found['subject']}should {found['what']}"
    if found := PATTERNS.asks_fact.match(said):
        return _as_fact(said.lower(), found)
    if found := PATTERNS.asks_why_not.match(said) or PATTERNS.asks_should.match(said):
        return _infinitive(found["what"])
    return ""


def _as_fact(said: str, found: re.Match[str]) -> str:
    """ "Doesn't git know it?" as "git knows it"."""
    subject, what = found["subject"], found["what"]
    if said.startswith(("isn", "aren")):
        return f"{subject} {'is' if said.startswith('isn') else 'are'} {what}"
    verb, _, rest = what.partition(" ")
    return f"{subject} {verb}s {rest}" if said.startswith("doesn") else f"{subject} {what}"


def _infinitive(what: str) -> str:
    """ "using the helper" as "use the helper"."""
    for expression in (PATTERNS.what_ing, PATTERNS.what_ing_2):
        if found := expression.match(what):
            verb = found["verb"].lower()
            return _INFINITIVES.get(verb, verb) + what[found.end() :]
    return what


def _wanted(said: str) -> str:
    """What the person wants, prefers or dislikes, in the third person."""
    if found := PATTERNS.wants.match(said):
        passive = PATTERNS.passive_be.match(found["what"])
        return f"{passive['thing']} should be {passive['what']}" if passive else f"The person wants {found['what']}"
    for expression, begins in (
        (PATTERNS.wants_to, "The person wants to"),
        (PATTERNS.wants_not, "The person does not want to"),
        (PATTERNS.prefers, "The person prefers"),
        (PATTERNS.dislikes, "The person does not like"),
    ):
        if found := expression.match(said):
            return f"{begins} {found['what']}"
    if found := PATTERNS.expects.match(said):
        return found["what"]
    found = PATTERNS.replaces.match(said)
    return f"{found['what']}{found['rest']}" if found else ""


def _turned(said: str) -> str:
    """ "Not as A, but as B" as "as B instead of as A"."""
    found = PATTERNS.not_but.match(said)
    return f"{found['new'].rstrip(' .')} instead of {found['old']}" if found else ""


def _with_next(text: str, parts: Sequence[str], place: int) -> str:
    """With the next sentence, where that says what must be or why."""
    following = parts[place + 1] if place + 1 < len(parts) else ""
    if not following or not PATTERNS.goes_on.match(following):
        return ""
    more = worded(following)
    return f"{text} {more}" if more and not more.endswith("?") else ""


def _with_previous(text: str, parts: Sequence[str], place: int) -> str:
    """With the sentence before, where that is a statement of its own."""
    before = parts[place - 1] if place else ""
    if not before or before.rstrip().endswith("?") or PATTERNS.said_nothing.match(before):
        return ""
    lead = worded(before)
    return f"{lead} {text}" if lead and stands(lead) else ""


def done(act: Act, sentence: str) -> str:
    """What the agent had done that a sentence is about, in a few words; empty where it did nothing."""
    if act.refused:
        return f"on refusing: {_quotable(act.refused)}"
    if said := _nearest(act.said, sentence):
        return f'the agent had said: "{_quotable(said)}"'
    if act.written:
        names = list(dict.fromkeys(path.replace("\\", "/").rpartition("/")[2] for path in act.written[-3:]))
        return f"the agent had changed {', '.join(f'`{name}`' for name in names)}"
    if act.commands:
        return f"the agent had run `{_quotable(act.commands[-1])}`"
    last = sentences(act.said)[-1:]
    return f'the agent had said: "{_quotable(last[0])}"' if last else ""


def _quotable(text: str) -> str:
    return shorten(plain(text).replace('"', "'").replace("`", ""), _ABOUT)


def _nearest(said: str, sentence: str) -> str:
    """The sentence of the agent that shares most words with the person's."""
    words = _content(sentence)
    near = [(len(words & _content(one)), one) for line in said.splitlines() for one in sentences(line)][-_READ:]
    best = max(near, default=(0, ""), key=lambda one: one[0])
    return best[1] if best[0] >= _SHARED else ""


def _content(text: str) -> frozenset[str]:
    return frozenset(tokens(text, LETTERS)) - STOP_WORDS
