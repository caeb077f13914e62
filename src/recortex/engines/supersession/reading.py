"""Decides what a new statement does to a known one by how a model reads the two together.

The model was trained on such pairs (`scripts/build_change_model.py`); words tell what is worth reading, and
how sure it has to be. What somebody plainly says is given up ends without it, also where no model runs.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from itertools import product
from math import log
from typing import TYPE_CHECKING, Any, NamedTuple

from recortex.domain.memory import Chances
from recortex.engines.similarity import is_denied, is_denied_in_part, jaccard
from recortex.engines.supersession import FAMILY_OF, SYNONYMS, content, one_value_apart, other_value, stems
from recortex.engines.tables import Patterns, Regression
from recortex.text.words import (
    ENGLISH,
    bag_of_words,
    is_cjk,
    language_of,
    negations,
    sections,
    statement_units,
    word_set,
    words,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


# -- decides whether a statement in another language than English replaces a known one


OTHER_LANGUAGES_PATTERNS = Patterns(__file__, "other_languages")
_OLD, _UNSURE, _ADDS = (
    OTHER_LANGUAGES_PATTERNS.by_name("old_"),
    OTHER_LANGUAGES_PATTERNS.by_name("unsure_"),
    OTHER_LANGUAGES_PATTERNS.by_name("adds_"),
)

_ABOUT = 0.5
"""The share of the shorter subject that both must have where something is given up."""
_SAME = 0.8
"""The share of words that both must have where all but a denial, an amount or a tool is the same."""
_LEAST = 2
"""Words that tell what a statement is about: two that have fewer in common are not the same."""


class ForeignChange(NamedTuple):
    """How a new statement replaces a known one, and whether it says itself that things change."""

    evidence: str
    explicit: bool


def find_change(new: str, known: str, language: str) -> ForeignChange | None:
    """How a new statement replaces a known one; None where it does not.

    Args:
        new: of at most some hundred words.
        known: the statement that it may replace.
        language: of both, not English.
    """
    if any(_has(_UNSURE, language, text) for text in (new, known)):
        return None
    if not negations(known) and any(_ends(old, new, known, language) for old in _given_up(new, language)):
        return ForeignChange("announced change", explicit=True)
    evidence = "" if _has(_ADDS, language, new) else _same_but(new, known, language)
    return ForeignChange(evidence, OTHER_LANGUAGES_PATTERNS.now.search(new) is not None) if evidence else None


def _has(patterns: Mapping[str, re.Pattern[str]], language: str, text: str) -> bool:
    return any(pattern.search(text) for name, pattern in patterns.items() if name.endswith(f"_{language}"))


# -- announced


def _given_up(new: str, language: str) -> Iterator[str]:
    """What a statement gives up."""
    for pattern in (one for name, one in _OLD.items() if name.startswith(f"old_{language}_")):
        for found in pattern.finditer(new):
            if not OTHER_LANGUAGES_PATTERNS.negated.search(new[: found.start()]):
                yield found["old"]


def _ends(old: str, new: str, known: str, language: str) -> bool:
    """Whether what is given up is what a known statement says, of the same matter."""
    said, told = _units(new, language), _units(known, language)
    gone = frozenset(OTHER_LANGUAGES_PATTERNS.number.findall(old)) or _units(old, language)
    if not gone or not gone <= told:
        return False
    about, about_known = said - gone, told - gone
    shared = len(about & about_known)
    if about and about_known:
        return shared >= _ABOUT * min(len(about), len(about_known)) and shared > 0
    return len(gone) >= _ABOUT * len(told)


def _units(text: str, language: str) -> frozenset[str]:
    return frozenset(SYNONYMS.get(word, word) for word in statement_units(text, language))


# -- the same but for one thing


def _same_but(new: str, known: str, language: str) -> str:
    """In what two statements differ that are the same otherwise; empty where they are not."""
    said, told = _units(new, language), _units(known, language)
    if bool(negations(new)) != bool(negations(known)):
        return "the same, denied" if _alike(said, told) else ""
    if negations(new):
        return ""
    if _other_amount(new, known):
        numbers = frozenset(OTHER_LANGUAGES_PATTERNS.number.findall(f"{new} {known}"))
        return "another number" if _alike(said - numbers, told - numbers) else ""
    mine, theirs = said - told, told - said
    families = [{FAMILY_OF[word] for word in words if word in FAMILY_OF} for words in (mine, theirs)]
    tools = frozenset(word for word in mine | theirs if word in FAMILY_OF)
    kin = families[0] & families[1] and _alike(said - tools, told - tools)
    return "another value" if kin else ""


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two statements have nearly the same units, but for pairs across what stands in only one."""
    shared = one & other
    one, other = shared | _own(one - other, other), shared | _own(other - one, one)
    return len(shared) >= min(_LEAST, max(len(one), len(other))) and jaccard(one, other) >= _SAME


def _own(units: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    signs = set("".join(other))
    return frozenset(unit for unit in units if not (is_cjk(unit) and signs.issuperset(unit)))


def _other_amount(new: str, known: str) -> bool:
    """Whether each states one amount, and not the same."""
    amounts = [OTHER_LANGUAGES_PATTERNS.amount.findall(text) for text in (new, known)]
    numbers = [OTHER_LANGUAGES_PATTERNS.number.findall(text) for text in (new, known)]
    return all(len(one) == 1 for one in (*amounts, *numbers)) and numbers[0] != numbers[1]


# -- words by which a statement announces a change, adds something, or is not sure of itself


CHANGE_CUES_PATTERNS = Patterns(__file__, "change_cues")

MAX_TEXT = 1_000
"""Characters that are read: a memory begins with its claim, and reasons follow."""
_TELLTALE = word_set(sections(__file__, "change_cues")["TELLTALE"])
"""Words of which every announcement has at least one."""
_MARKS = re.compile(r"[`*\"“”()\[\]]")
_QUOTED = re.compile(r"(?<=\s)[\"“][^\"“”\n]+[\"”]")
_RULE_OF = re.compile(r" (?:rule|thing|stuff|idea|policy|decision)s?$", re.IGNORECASE)
"""What somebody calls a rule that is given up: "that tabs thing", "the no-tabs rule"."""
_NAME = re.compile(r"[A-Z]|\d|\w[-_./@+#]\w|^[@/.~]\w")
"""A word with a capital, a digit or a sign within."""


class Change(NamedTuple):
    """A change that a statement announces.

    Attributes:
        old: what is given up, as it is written; empty where only what takes its place is named.
        what: for what, as it is written; empty for everything, or if it does not say.
        plain: whether the words leave no doubt: they name what took its place, or say that we gave it up or
            no longer use it; and what is given up is not just a word such as "code" or "tests".
    """

    old: str
    what: str = ""
    plain: bool = False


@lru_cache(maxsize=256)  # one statement is compared with many
def announced_changes(text: str) -> tuple[Change, ...]:
    """The changes that a statement announces."""
    if _TELLTALE.isdisjoint(bag_of_words(text)):
        return ()
    said = _change_cues_plain(text)
    found = (pattern.search(said) for pattern in CHANGE_CUES_PATTERNS.starting("change_"))
    return tuple(
        _change(one, said[: one.start()])
        for one in found
        if one is not None and not CHANGE_CUES_PATTERNS.negated.search(said[: one.start()])
    )


def _change(found: re.Match[str], before: str) -> Change:
    groups = found.groupdict()
    old, what = _RULE_OF.sub("", groups.get("old") or ""), groups.get("what") or ""
    # "A job that moves data from A to B", or a ticket quoted: these tell of no change.
    told = bool(groups.get("new")) and (
        CHANGE_CUES_PATTERNS.subject.fullmatch(before) is not None
        and CHANGE_CUES_PATTERNS.going_on.match(found[0]) is None
    )
    plain = told or CHANGE_CUES_PATTERNS.by_us.search(before) is not None
    used = CHANGE_CUES_PATTERNS.used.search(found[0]) is not None
    return Change(old, what, plain and (used or _is_particular(old, first=found.start() == 0)))


def _is_particular(old: str, *, first: bool) -> bool:
    """Whether what is given up is a name or several words; too much is about a common word alone.

    Args:
        old: what is given up.
        first: whether its first letter opens a sentence, so that a capital tells nothing.
    """
    if len(content(old)) > 1:
        return True
    said = old[:1].lower() + old[1:] if first else old
    return any(word.lower() in FAMILY_OF or _NAME.search(word) for word in (*words(old), *said.split()))


def changed_mind(text: str) -> bool:
    """Whether the statement says that things were different before."""
    return CHANGE_CUES_PATTERNS.mind.search(text) is not None


def from_now_on(text: str) -> bool:
    """Whether a statement says that it holds from now on, and so was different before."""
    return CHANGE_CUES_PATTERNS.from_now.search(text) is not None


def is_unsure(text: str) -> bool:
    """Whether a statement is a question, a guess or temporary: then it replaces nothing."""
    said = _change_cues_plain(_QUOTED.sub("", text))
    return CHANGE_CUES_PATTERNS.unsure.search(said) is not None or text.rstrip().endswith("?")


def adds(text: str) -> bool:
    """Whether a statement adds something to what holds already, or is an exception."""
    return CHANGE_CUES_PATTERNS.adds.search(text) is not None


def _change_cues_plain(text: str) -> str:
    """A statement without code marks and the words that open it."""
    said = _MARKS.sub("", text[:MAX_TEXT]).replace("’", "'").strip()
    while (found := CHANGE_CUES_PATTERNS.opening.match(said)) and found.end() < len(said):
        said = said[found.end() :]
    return said.strip(" .")


# -- words that tell things of one sort apart: Go files and Python files, issue 41 and issue 42, mx1 and mx2


_NAMES = word_set(
    """
    python javascript typescript java kotlin rust ruby php swift scala elixir haskell golang perl lua dart
    c++ c# linux macos windows ios android chrome firefox safari staging production prod preview first
    second third fourth fifth sixth seventh eighth ninth tenth
    """
)
"""Languages, systems, environments and ordinals, in lower case as people type them."""

_SORT = re.compile(
    r"([\w+#]+) (?:files?|code|modules?|scripts?|packages?|services?|tests?|clients?|clusters?|servers?|"
    r"pods?|builds?|databases?|environments?|machines?|runners?|users?)\b",
    re.IGNORECASE,
)
_ALSO_SORTS = word_set("go sql css html dev qa local ci unit integration")


_NUMBERED = re.compile(
    r"\W*(?:(?:the|in|on|our) )?(?:([A-Za-z]+[-_]?\d[\w.]*)|([A-Za-z]+) #?(\d[\w.]*))(?= )"
)
"""A numbered thing that a statement begins with; a number further on may be the value that changed."""


def about_two_things(one: str, other: str) -> bool:
    """Whether two statements are about different things of one sort, so that neither ends the other.

    Args:
        one: the earlier statement.
        other: the later one.
    """
    sorts, others = _sorts(one), _sorts(other)
    if sorts and others and not sorts & others:
        return True
    numbered, another = _NUMBERED.match(one), _NUMBERED.match(other)
    if numbered and another and _identifiers_plain(numbered) != _identifiers_plain(another):
        return True
    # What holds from now on may be a new rule. Other wordings keep "build target" and "make target" together.
    if not from_now_on(other):
        return False
    old, new = PATTERNS.rule_about.match(one), PATTERNS.rule_about.match(other)
    if not (old and new) or stems([old["noun"]]) != stems([new["noun"]]):
        return False
    known, which = content(old["which"]), content(new["which"])
    return bool(known - which and which - known)


def _identifiers_plain(found: re.Match[str] | None) -> list[str]:
    return [part.lower() for part in found.groups() if part] if found else []


def _sorts(text: str) -> frozenset[str]:
    return frozenset(found.lower() for found in _SORT.findall(text)) & (_NAMES | _ALSO_SORTS)


# -- decides what a new statement does to a known one by how a model reads the two together


PATTERNS = Patterns(__file__)

LEAST_CHANCE = 0.6
"""The chance below which two statements are not kept, shown or asked about as a contradiction."""
ENDS, ANNOUNCED, REWORDED = 0.98, 0.95, 0.9
"""The least chance that the known one ends, to end it: alone; where the new one announces a change; and where
it is otherwise worded as the known one, too (bench/changes.py)."""
NAMED, ALONE = 0.5, 0.93
"""The same where it names what is given up, and the known one is about that: with another word in common, and
without one."""
PLAIN = 0.95
"""The chance of what is said plainly."""
AS_WORDED, HALF, LIKE = 0.66, 0.5, 0.5
"""The share of the words of the shorter one, and the cosine, from which two are worded alike; the share from
which what holds from now on is on the same matter."""
SHARED = 2
"""Word stems in common without which nothing is ended by the model alone: the name of a library is the word
of another statement too."""
EXCLUDED = Regression(-5.63, {"read": 0.86, "alike": 2.4, "told": 0.53})
"""By the log-odds that something of the known one ends, the cosine of both statements, and whether the new
one announces a change. The model learned from pairs of which half contradict; of the pairs that a store has
to compare, hardly one in a thousand does, and most of what it is sure of there speaks of two matters. Fitted
on both halves of bench/changes.py and 4,245 pairs of five projects' sessions, weighted so that contradictions
are as rare as there."""
EXCLUDING = 0.8
"""The chance that two cannot both hold that are the same word for word but for a value, or of which one
denies what the other begins with, whatever the model reads: it takes many of them for strangers."""
_SUREST = 0.005
"""The least doubt that counts: the model is hardly ever surer, and not more often right where it is."""
DOUBTED, OTHER_VALUE = 0.3, 0.9
"""Where both give the same thing different values: the most chance that both hold, to mark them, and the
least that the known one ends, to end it. There the model is as often right as it is sure
(bench/changes.py)."""
LONGEST = 600
"""Characters of a statement that are read: what is longer is more than one statement."""


SUREST = Chances(stays=0.0, part=0.0, ends=1.0)
"""What the model reads where it is as sure as can be that the known one ends: where nothing comes of that,
nothing comes of anything that it may read."""


class Outcome(StrEnum):
    """What a new statement does to a known one."""

    NOTHING = "nothing"
    CONTRADICTS = "contradicts"
    REPLACES = "replaces"


class Reading(NamedTuple):
    """What a new statement does to a known one.

    Attributes:
        explicit: whether the new statement announces the change itself.
        chance: that both cannot hold; 0 without vectors, where it is not known.
    """

    outcome: Outcome
    evidence: str = ""
    explicit: bool = False
    chance: float = LEAST_CHANCE


NOTHING = Reading(Outcome.NOTHING)


def readable(text: str) -> bool:
    """Whether a text may end another one, or be ended: one or two statements, and no question."""
    return len(text) <= LONGEST and not PATTERNS.question.search(text)


def announces(text: str) -> bool:
    """Whether a text says that something changes, or was different before; of other languages, any may."""
    if language_of(text) != ENGLISH:
        return True
    return changed_mind(text) or bool(announced_changes(text))


def in_other_language(known: str, new: str) -> str:
    """The language of two statements that the model does not read; empty where both are English."""
    language = language_of(f"{known}\n{new}")  # of both together: a short one may not show it
    return "" if language == ENGLISH else language


def read_words(known: str, new: str) -> Reading | None:
    """What a new statement does to a known one, where words decide; None where the two are to be read.

    They decide in a language that the model does not read, and where the new one says plainly that what the
    known one is about was given up: for it the model is not asked, and need not run.
    """
    if language := in_other_language(known, new):
        change = find_change(new, known, language)
        return Reading(Outcome.REPLACES, *change) if change else NOTHING
    if adds(new) or is_unsure(new) or PATTERNS.undone.search(new) or about_two_things(known, new):
        return None
    about = content(known)
    for one in announced_changes(new):
        given = content(one.old)
        if one.plain and given and given <= about and (not one.what or content(one.what) <= about):
            outcome = Outcome.CONTRADICTS if PATTERNS.several.search(known) else Outcome.REPLACES
            return Reading(outcome, f"says that «{one.old}» is given up", explicit=True, chance=PLAIN)
    return None


def may_end(known: str, new: str) -> bool:
    """The cheap test before the model: whether two texts have enough in common for one to end the other."""
    if not (readable(known) and readable(new)):
        return False
    if in_other_language(known, new):
        return len(bag_of_words(known) & bag_of_words(new)) >= SHARED
    if other_value(known, new):
        return True
    told = announced_changes(new) or from_now_on(new)
    return len(content(known) & content(new)) >= (1 if told else SHARED)


def chance_of(touched: float, likeness: float, *, announced: bool) -> float:
    """The probability that two statements cannot both hold, among the pairs that a store compares.

    Args:
        touched: the chance that something of the known one ends, as a model reads them.
        likeness: the cosine of their embeddings.
        announced: whether the new one announces a change.
    """
    sure = min(max(touched, _SUREST), 1 - _SUREST)
    found = {"read": log(sure / (1 - sure)), "alike": likeness, "told": float(announced)}
    return EXCLUDED.probability(found)


def read_together(
    known: str, new: str, chances: Chances, likeness: float | None, valued: Chances | None = None
) -> Reading:
    """What a new statement does to a known one.

    Args:
        known: the known statement.
        new: the new one.
        chances: as a model reads them.
        likeness: the cosine of their embeddings; without it only what names what it gives up, or denies the
            known one, ends it.
        valued: as the model reads the clauses that give the same thing different values, where they do.
    """
    if about_two_things(known, new) or adds(new) or is_unsure(new):
        return NOTHING
    announced, about, said = announced_changes(new), content(known), content(new)
    explicit = bool(announced) or changed_mind(new)
    chance = 0.0 if likeness is None else chance_of(1 - chances.stays, likeness, announced=explicit)
    shared = len(about & said)
    differs = valued is not None and _differs(chances, valued)
    if valued and differs:
        chance = max(chance, 1 - min(valued.stays, chances.stays))
    if one_value_apart(known, new) or is_denied_in_part(known, new):
        chance = max(chance, EXCLUDING)
    alike = (
        likeness is not None
        and likeness >= LIKE
        and shared >= max(SHARED, AS_WORDED * min(len(about), len(said)))
    )
    named = any(given and given <= about for given in (content(one.old) for one in announced))
    least = ANNOUNCED if explicit else ENDS
    surely = any(
        (
            chance >= LEAST_CHANCE and chances.ends >= least and shared >= SHARED,
            chances.ends >= REWORDED and explicit and alike,
            valued is not None and differs and _surely_differs(chances, valued),
            named and chances.ends >= (NAMED if shared >= SHARED else ALONE),
            from_now_on(new)
            and 1 - chances.stays >= REWORDED
            and shared >= HALF * min(len(about), len(said)) > 0,
            _denies(known, new),
        )
    )
    if surely:
        return Reading(
            Outcome.REPLACES,
            f"the two, read together, say that the earlier one ended (probability {chances.ends:.2f})",
            explicit,
            chance,
        )
    if chance < LEAST_CHANCE or shared < (1 if announced else 0 if valued else SHARED):
        return NOTHING
    return Reading(
        Outcome.CONTRADICTS,
        f"the two, read together, exclude each other (probability {chance:.2f})",
        explicit,
        chance,
    )


def _denies(known: str, new: str) -> bool:
    """Whether a new statement, or its first clause, says that the known one is not so."""
    first = PATTERNS.first_clause.search(new)
    return is_denied(known, new) or (first is not None and is_denied(known, first["said"]))


def _differs(whole: Chances, valued: Chances) -> bool:
    """Whether another value probably ends the known one, rather than a part of it, as for one customer."""
    return min(whole.stays, valued.stays) <= DOUBTED and valued.ends >= valued.part


def _surely_differs(whole: Chances, valued: Chances) -> bool:
    return max(valued.ends, (whole.ends + valued.ends) / 2) >= OTHER_VALUE


# -- recognises that a thing has another name now: a branch, folder, file, command, host or package


RENAMES_PATTERNS = Patterns(__file__, "renames")
NOTE = "renamed"
"""What the metadata of a memory calls the two names for which it waits."""
_CUES = (
    "renam", "replac", "supersed", "move", "moving", "migrat", "switch", "chang", "formerly", "previously",
    "swap", "used to be", "is now", "are now", "instead of", "rather than", "no longer",
)  # fmt: skip
"""A line without any of them, in lower case, tells of no change: it is passed over at little cost."""
_SHORTEST = 3
_LONGEST = 500
"""Characters of a line that are looked at."""
_QUOTES = "`\"'“”"
_PLAIN = re.compile(r"[a-z]+|[A-Z][a-z]+")
_SYMBOL = re.compile(r"[A-Za-z_]\w*")
_NUMBER = re.compile(r"v?[\d.,]+\w{0,2}")


class Renaming(NamedTuple):
    """An old name and the one that took its place."""

    old: str
    new: str


def renamings(text: str) -> Iterator[Renaming]:
    """The changes of names that a text tells or orders, by their forms; the same one may come again.

    What is moved, replaced or used instead must be a place, such as a path, a file or a command: in code, one
    name is replaced by another every day, and both go on to exist.
    """
    lines = [line[:_LONGEST] for line in text.splitlines()]
    cued = [line for line in lines if any(map(line.lower().__contains__, _CUES))]
    if not cued:
        return
    forms = {**RENAMES_PATTERNS.by_name("rename_"), **RENAMES_PATTERNS.by_name("place_")}
    for line, (form, pattern) in product(cued, forms.items()):
        for found in pattern.finditer(line):
            before = line[max(0, found.start() - 60) : found.start()]
            old, new = found["old"].strip(_QUOTES).strip(), found["new"].strip(_QUOTES).strip()
            if RENAMES_PATTERNS.unsaid.search(before) or not _names(old, new):
                continue
            if form.startswith("rename_") or (_is_place(old) and _is_place(new)):
                yield Renaming(old, new)


def describe_rename(metadata: Mapping[str, Any]) -> str:
    """Why a memory waits for review since a name changed, in a sentence; empty where it does not."""
    names = metadata.get(NOTE)
    if not (isinstance(names, list) and len(names) == len(Renaming._fields)):
        return ""
    return "It names `{}`, which is `{}` now.".format(*names)


def names_old_alone(text: str, renaming: Renaming) -> bool:
    """Whether a text has the old name and not the new one; a plain word counts only where it is marked."""
    return mentions(text, renaming.old) and not mentions(text, renaming.new)


def mentions(text: str, name: str) -> bool:
    """Whether a text has a name as a whole; a plain word counts only in code marks or quotes."""
    if name not in text:
        return False
    if _PLAIN.fullmatch(name):
        return re.search(rf"([`\"'])(?:\w+(?:\.|::|->|#))*{name}(?:\(\))?\1", text) is not None
    # A name of code may be a member, or have one; `store.py` is not `store`.
    before, after = (r"[\w/-]", r"\.[a-z]{1,4}\b") if _SYMBOL.fullmatch(name) else (r"[\w./-]", r"\.\w")
    option = rf"|(?<![\w-])--{re.escape(name)}" if "." not in name else ""
    whole = rf"(?:(?<!{before}){re.escape(name)}{option})(?![\w-]|{after}|/\w*[\w.-]*\.\w)"
    return re.search(whole, text) is not None


def _names(old: str, new: str) -> bool:
    """Whether both are names, and neither is part of the other's meaning, such as a number or a value."""
    if min(len(old), len(new)) < _SHORTEST or old.lower() == new.lower():
        return False
    return not (_NUMBER.fullmatch(old) or _NUMBER.fullmatch(new) or (" " in old) != (" " in new))


def _is_place(name: str) -> bool:
    """Whether a name has the form of a path, a file, a host, a package or a command."""
    if any(sign in name for sign in "(){}[]=;<>,"):
        return False
    return (
        "/" in name or " " in name or re.search(r"\w\.[a-z]{2,5}$|^[a-z]+(?:-[a-z0-9]+)+$", name) is not None
    )
