"""What a correction teaches, as a sentence that stands alone.

A person corrects in few words, about what is on the screen: "no, use pnpm". The words are turned into a
statement or an order; where they still point to something outside of them, what had been done comes in.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from recortex.domain.reports import Category, Difference
from recortex.domain.text import shorten
from recortex.engines.corrections import categorised, changed_words, difference, is_diff, of_diff
from recortex.engines.extraction.person_rules import spelled_out
from recortex.engines.extraction.sentences import (
    MAX_LENGTH,
    MIN_TYPED,
    hangs,
    is_cut,
    is_specific,
    keeps,
    passages,
    plain,
    points_away,
    sentences,
    statement,
    typed_sentences,
)
from recortex.engines.supersession import FAMILY_OF, SYNONYMS
from recortex.engines.tables import Patterns
from recortex.errors import InvalidInputError
from recortex.text.words import LETTERS, PRODUCT, STOP_WORDS, bag_of_words, sections, tokens, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recortex.domain.reports import Change


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
    (PATTERNS.wished_not, "Do not {what}"),
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
    # What has no sentence in it, such as a single word, is taken whole.
    parts = [part for one in passages(words) for part in typed_sentences(one)] or [words]
    said = [
        worded(part)
        for part in parts
        # A nod, thanks or a greeting says nothing; "no mocks in tests" is none.
        if not (PATTERNS.said_nothing.match(part) and keeps(part, ""))
    ]
    text = _contrasted(_fitting(filter(None, said)) or worded(words) or statement(plain(words)), did)
    if not text or stands(text):
        return Principle(text, text) if text else None
    about = _done(did, words)
    whole = f"{text.removesuffix('.')} ({about})." if about else text
    return Principle(whole if len(whole) <= MAX_LENGTH else text, text)


def _fitting(statements: Iterable[str]) -> str:
    text = ""
    for one in statements:
        # One that is too long is passed over, and a shorter one after it may still fit.
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
        # "It" is clear where a noun, or the name of something, stands before it.
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
    # In this order: a fault says most plainly what was wrong, and a question may be read as a wish as well.
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
    short = PATTERNS.uses.match(text) or PATTERNS.denies_things.match(text)
    if len(text.split()) < _FEWEST_WORDS - (short is not None):
        return ""
    return text if PATTERNS.named_first.match(text) else text[0].upper() + text[1:]


def _led(said: str) -> str:
    """Without the words that only lead to what is meant."""
    # Several may follow each other: "No, wait, I think …".
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
    # What was cut off may have been the condition under which the rest holds.
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
    return _rephrase(said, _FAULTS)


def _rephrase(said: str, forms: Iterable[tuple[re.Pattern[str], str]]) -> str:
    """The first form that a sentence has, in our words."""
    found = ((expression.search(said), told) for expression, told in forms)
    return next((told.format(**one.groupdict()) for one, told in found if one), "")


def _asked(said: str) -> str:
    """What a question objects to, as what is to be."""
    if told := _rephrase(said, _ASKED):
        return told
    if found := PATTERNS.asks_why_then.match(said):
        return f"{found['lead']}: {_infinitive(found['what'])}"
    if found := PATTERNS.asks_putting.match(said):
        return f"Do not {_infinitive(found['what'])}"
    if found := PATTERNS.asks_fact.match(said):
        # The fact that is in "doesn't git know it?": git knows it
        said = said.lower()
        subject, what = found["subject"], found["what"]
        if said.startswith(("isn", "aren")):
            return f"{subject} {'is' if said.startswith('isn') else 'are'} {what}"
        verb, _, rest = what.partition(" ")
        return f"{subject} {verb}s {rest}" if said.startswith("doesn") else f"{subject} {what}"
    found = PATTERNS.asks_why_not.match(said) or PATTERNS.asks_should.match(said)
    return _infinitive(found["what"]) if found else ""


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
    return _rephrase(said, _WANTED)


def _turned(said: str) -> str:
    """Turns "not as A, but as B" into "as B instead of as A", without what stands before."""
    found = PATTERNS.not_but.match(said)
    return f"{found['new'].rstrip(' .')} instead of {found['old']}" if found else ""


def _done(did: str, sentence: str) -> str:
    """What had been done that a sentence is about, in a few words; empty where nothing is known of it."""
    # The sentence of the agent that shares most words with the person's.
    words = _content(sentence)
    near = [(len(words & _content(one)), one) for line in did.splitlines() for one in sentences(line)][
        -_READ:
    ]
    best = max(near, default=(0, ""), key=lambda one: one[0])
    if said := (best[1] if best[0] >= _SHARED else ""):
        return f'the agent had said: "{_quotable(said)}"'
    last = sentences(did)[-1:]
    return f'the agent had said: "{_quotable(last[0])}"' if last and len(last[0].split()) > _NODS else ""


def _quotable(text: str) -> str:
    return shorten(plain(text).replace('"', "'").replace("`", ""), _ABOUT)


def _content(text: str) -> frozenset[str]:
    return frozenset(tokens(text, LETTERS)) - STOP_WORDS


# -- what a corrected text teaches where nobody said it in words: an order made of the difference


LONGEST = 110
"""Characters of a line that a principle quotes."""
_MOST_FILES, _DIFFERENCE_PRINCIPLES_FEWEST_WORDS = 2, 2
_WORD = re.compile(r"\S+")
_CODE = re.compile(r"[(){}\[\];=<>_`$/\\]|\b[a-z]+[A-Z]|::|->")


def from_difference(difference: Difference) -> str:
    """One sentence that says what is written instead of what; empty where the two are the same.

    Of several changes the one that says most comes first: a name that was replaced, a line that changed, what
    was added or taken out.
    """
    if difference.empty:
        return ""
    where = _where(difference.files)
    # One of them always applies: what is not empty has a line that changed, came or went.
    said = next(filter(None, (rule(difference) for rule in (_renamed, _modified, _moved))))
    return shorten(f"{where}{said[0].lower() if where else said[0]}{said[1:]}.", MAX_LENGTH)


def _where(files: Sequence[str]) -> str:
    named = ", ".join(f"`{file}`" for file in files[:_MOST_FILES])
    return f"In {named}{' and others' if len(files) > _MOST_FILES else ''}, " if named else ""


def _renamed(difference: Difference) -> str:
    pairs = [f"`{one.after}` instead of `{one.before}`" for one in difference.renamed[:3]]
    return f"Use {' and '.join(pairs)}" if pairs else ""


def _modified(difference: Difference) -> str:
    return _instead(difference.modifications[0]) if difference.modifications else ""


def _moved(difference: Difference) -> str:
    added, removed = (
        next((line.strip() for line in lines if line.strip()), "")
        for lines in (difference.additions, difference.removals)
    )
    if added and removed:
        return f"Write {_quoted(added)} instead of {_quoted(removed)}"
    return f"Write {_quoted(added)} too" if added else f"Do not write {_quoted(removed)}"


def _instead(change: Change) -> str:
    """The smallest part of a line that says what changed."""
    before, after = _smallest(change.before, change.after)
    if not after:
        return f"Do not write {_quoted(before)} in {_quoted(change.before)}"
    if not before:
        return f"Write {_quoted(change.after)} instead of {_quoted(change.before)}"
    return f"Write {_quoted(after)} instead of {_quoted(before)}"


def _smallest(before: str, after: str) -> tuple[str, str]:
    """What differs between two lines, in whole words; both lines where nearly all of them differ."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    codes = [
        one for one in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if one[0] != "equal"
    ]
    if not codes:
        return before.strip(), after.strip()
    first, last = codes[0], codes[-1]
    # Where one word on each side differs, it says nothing without its line.
    if last[2] - first[1] < _DIFFERENCE_PRINCIPLES_FEWEST_WORDS > last[4] - first[3]:
        return before.strip(), after.strip()
    return " ".join(old[first[1] : last[2]]), " ".join(new[first[3] : last[4]])


def _quoted(text: str) -> str:
    """Code between code marks, prose between quotation marks; one line."""
    # Backquotes within would end the quotation.
    line = shorten(text.strip(), LONGEST).replace("`", "'")
    return f"`{line}`" if _CODE.search(line) else f'"{line}"'


# -- what a correction teaches that somebody tells: difference, category and principle, all by rules


SAID, SHOWN = 0.9, 0.75
"""The confidence of what a person said in words, as of a note, and of what one changed text shows by itself:
a rule that was made of a single example."""
_FEWEST = 2
"""Words of a principle in a language that separates them."""
_FILLERS = word_set(
    """
    ah alright awesome but cool correct done enough exactly fair fine go good got great hello hey hi hm hmm
    hmmm idk i is it lol makes maybe nice no nope oh ok okay perfect please right see sense so sorry sounds
    sure thank thanks that then this too understood wait well yeah yep yes you
    """
)
"""Words that teach nothing by themselves, nor together."""
_TAUGHT_FEW_WORDS = 5
"""Words of a principle beside which what changed is told too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """A correction as it was understood.

    Attributes:
        words: the person's; empty where only the texts were given.
        did: what had been done that was wrong.
    """

    principle: str
    category: Category
    difference: Difference
    words: str
    did: str

    @property
    def confidence(self) -> float:
        """How sure it is before anything else is known of it."""
        return SAID if self.words else SHOWN


def taught(text: str, *, original: str = "", corrected: str = "", diff: str = "", did: str = "") -> Taught:
    """Understand a correction.

    Args:
        text: the person's words; a unified diff is recognised.
        original: what was written.
        corrected: what it became.
        diff: a unified diff instead of the two.
        did: what had been done that was wrong.

    Raises:
        InvalidInputError: there is nothing to learn from, or too much.
    """
    if not diff and is_diff(text):
        text, diff = "", text
    shown = of_diff(diff) if diff else difference(original, corrected)
    words = text.strip()
    principle = _principle(words, shown, did or original)
    if not principle or _teaches_nothing(principle):
        raise InvalidInputError(
            "There is nothing to learn from.",
            hint="Give the person's words, --original and --corrected, or --diff.",
        )
    usual = Category.TRIBAL_MISS if words else Category.OTHER
    category = categorised(words or changed_words(shown), difference=shown, usual=usual)
    return Taught(principle=principle, category=category, difference=shown, words=words, did=did)


def _teaches_nothing(principle: str) -> bool:
    """Whether it is a word, or only a sound of agreement such as "hmm okay"."""
    # What is written without spaces cannot be counted by words, and has none of the fillers.
    if not principle.isascii():
        return False
    return len(principle.split()) < _FEWEST or bag_of_words(principle) <= _FILLERS


def _principle(words: str, shown: Difference, did: str) -> str:
    """What the person said; with or without words what changed, where they say little."""
    said = of_words(words, did) if words else None
    if said is None:
        return from_difference(shown)
    # Where the words are few or needed the agent's, the difference tells what they were about.
    few = len(said.own.split()) < _TAUGHT_FEW_WORDS or said.text != said.own
    return f"{said.own} {from_difference(shown)}" if few and not shown.empty else said.text
