"""Decides whether a new statement replaces a known one, by their wording alone.

There are three kinds of evidence: words that announce a change and name the old thing; the same claim,
denied; and the same claim with another value, where only one value can hold. In doubt the two at most
contradict each other.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from recortex.engines.languages import ENGLISH, language_of
from recortex.engines.supersession.change_cues import (
    AnnouncedChange,
    adds,
    changed_mind,
    changes,
    is_past,
    is_unsure,
    may_change,
    used_to,
)
from recortex.engines.supersession.claim_values import is_name, is_quality, shape
from recortex.engines.supersession.claims import (
    MAX_TEXT,
    Claim,
    claims,
    clause_words,
    core,
    is_number,
    named,
    names_of,
    stem,
)
from recortex.engines.supersession.identifiers import about_two_things
from recortex.engines.supersession.lexicon import FAMILIES, FAMILY_OF, SEVERAL_ENDS, SLOTS
from recortex.engines.supersession.named_changes import gives_up_by_name
from recortex.engines.supersession.other_languages import find_change
from recortex.engines.supersession.partial_end import ends_a_part
from recortex.engines.words import CLAIM_WORDS, PREPOSITIONS, bag_of_words, word_set

LEAST_CHANCE = 0.6
"""The chance below which two statements are not kept, shown or asked about as a contradiction."""
MAX_VALUE = 6
"""The most words of a value: a longer phrase is an explanation."""


class Outcome(StrEnum):
    """What a new statement does to a known one."""

    NOTHING = "nothing"
    CONTRADICTS = "contradicts"
    REPLACES = "replaces"


class SupersessionVerdict(NamedTuple):
    """What a new statement does to a known one.

    Attributes:
        explicit: whether the new statement announces the change itself.
        chance: that it is so, as read together; where nothing but rules judged, the least with which a
            contradiction is kept.
    """

    outcome: Outcome
    evidence: str = ""
    explicit: bool = False
    chance: float = LEAST_CHANCE


NOTHING = SupersessionVerdict(Outcome.NOTHING)
_PARTLY = SupersessionVerdict(Outcome.CONTRADICTS, "ends a part of it", explicit=True)


_NEAR, _NEAR_ANNOUNCED = 0.45, 0.25
"""The least share of the words of the shorter statement that the other one has too, without and with an
announced change: below it, no pair of bench/reversals.py is a reversal."""


def is_near(new: frozenset[str], known: frozenset[str]) -> bool:
    """The cheap test before `find_supersession`: whether two bags of words may be about the same thing."""
    one, other = new - CLAIM_WORDS, known - CLAIM_WORDS
    least = min(len(one), len(other))
    shared = len(one & other)
    if not shared:
        return False
    if shared < _NEAR_ANNOUNCED * least:
        return not FAMILY_OF.keys().isdisjoint(one & other) and may_change(new)
    return shared >= _NEAR * least or may_change(new)


def find_supersession(new: str, known: str) -> SupersessionVerdict:
    """Judge whether `new` replaces `known`."""
    language = language_of(f"{known}\n{new}")  # of both together: a short one may not show it
    if language != ENGLISH:
        change = find_change(new[:MAX_TEXT], known[:MAX_TEXT], language)
        return SupersessionVerdict(Outcome.REPLACES, *change) if change else NOTHING
    return _in_english(new, known)


def _in_english(new: str, known: str) -> SupersessionVerdict:
    if is_unsure(new) or is_past(new) or is_unsure(known) or new.split() == known.split():
        return NOTHING
    said = claims(new)
    known_claims = tuple(one for one in claims(known) if not _of_another(one, known, said, new))
    if not known_claims:
        return NOTHING
    explicit = changed_mind(new)
    if _announced(new, known_claims, said):
        return SupersessionVerdict(Outcome.REPLACES, "announced change", explicit=True)
    if adds(new):
        return NOTHING
    if gives_up_by_name(new, known):
        return SupersessionVerdict(Outcome.REPLACES, "announced change of a name", explicit=True)
    return _PARTLY if ends_a_part(new, known) else _compared(known_claims, said, explicit=explicit)


def _of_another(claim: Claim, known: str, said: tuple[Claim, ...], new: str) -> bool:
    """Whether a known claim is about another thing, such as issue 41 and not 42, or Go and not Python."""
    scenes = (one.names for one in claims(known) if not one.verb and PREPOSITIONS.intersection(one.words[:1]))
    theirs = claim.names.union(*scenes)
    if not theirs:
        return False
    values = frozenset[str]().union(*(named(one.value) for one in said))
    exchanged = (change.new | (change.old if change.old & claim.stems else set()) for change in changes(new))
    names = names_of(new).difference(values, *exchanged)
    return about_two_things(names, _words(new), theirs, _words(known))


def _words(text: str) -> frozenset[str]:
    return named(clause_words(core(text)))


def _compared(known: tuple[Claim, ...], said: tuple[Claim, ...], *, explicit: bool) -> SupersessionVerdict:
    """The verdict on two statements by their claims."""
    found = (_against(other, one, explicit=explicit) for one in known for other in said)
    if evidence := next(filter(None, found), ""):
        return SupersessionVerdict(Outcome.REPLACES, evidence, explicit)
    if any(_conflict(other, one) for one in known for other in said):
        return SupersessionVerdict(Outcome.CONTRADICTS, "same matter, other value", explicit)
    return NOTHING


# -- announced


def _announced(new: str, known: tuple[Claim, ...], said: tuple[Claim, ...]) -> bool:
    """Whether the new statement says that something known is given up, or was done only before."""
    if not may_change(bag_of_words(new)):
        return False
    if any(_given_up(change, one, said) for change in changes(new) for one in known):
        return True
    return any(_same_words(one, other) for one in claims(used_to(new)) for other in known)


def _given_up(change: AnnouncedChange, known: Claim, said: tuple[Claim, ...]) -> bool:
    """Whether a change gives up what a known claim says."""
    if known.denied or not known.verb or known.verb in {"need", "require"}:
        return False
    if change.old:
        return _names(change.old, known) and _same_matter(change, known, said)
    return _moved_on(change, known)


def _names(old: frozenset[str], known: Claim) -> bool:
    """Whether the known value is what is given up; a list that contains it is more than that."""
    value = known.stems
    if not value or known.several or len(known.value) > MAX_VALUE:
        return False
    if value == old and len(value) > 1:
        return True
    if known.verb == "be" and not known.subject & SLOTS and not is_name(known.value):
        return False
    if value & old and all(is_number(word) for word in value & old) and old - value <= SLOTS | {"limit"}:
        return True
    return value <= old or (old <= value and (len(value - old) <= 1 or bool(value & old & FAMILY_OF.keys())))


def _same_matter(change: AnnouncedChange, known: Claim, said: tuple[Claim, ...]) -> bool:
    """Whether both have the same subject; one of them may leave it open."""
    about = change.what
    if not about:
        told = (one.subject for one in said if one.verb and not one.stems & change.old)
        about = frozenset().union(*told) - change.old - change.new
        return not (about and known.subject - _GENERAL and not _meet(about, known.subject))
    rest = about - change.old - change.new
    if not rest or _meet(rest, known.subject) or rest <= known.stems:
        return True
    return not known.subject - _GENERAL and (not rest - _GENERAL - SLOTS or _has_one_purpose(known))


def _meet(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two subjects share a word, also in another form: "format", "formatting"."""
    return bool(one & other) or any(
        (len(b) >= _ROOT and a.startswith(b)) or (len(a) >= _ROOT and b.startswith(a))
        for a in one
        for b in other
    )


_ROOT = 5
"""Characters from which a word that begins another one is its root."""


def _has_one_purpose(known: Claim) -> bool:
    """Whether a project uses such a thing for one purpose, so that naming the purpose does not narrow it."""
    families = _families(known)
    return bool(families) and not any(FAMILIES[place] & SEVERAL_ENDS for place in families)


_GENERAL = word_set("project repository repo codebase everything team code app thing idea rule all everyone")


def _moved_on(change: AnnouncedChange, known: Claim) -> bool:
    """Whether "S moved to Y" ends a known value of S, or of Y's family where no S is named."""
    value = known.stems
    if not change.new or change.new <= value or value <= change.new or known.several or not value:
        return False
    family = {FAMILY_OF[word] for word in change.new & FAMILY_OF.keys()}
    same_family = bool(family & {FAMILY_OF[word] for word in value & FAMILY_OF.keys()})
    about = change.what - change.new
    if about:
        return (
            bool(known.subject)
            and (about <= known.subject or known.subject <= about)
            and len(known.value) <= MAX_VALUE
        )
    return same_family


# -- denied, or given another value


def _against(new: Claim, known: Claim, *, explicit: bool) -> str:
    if new.denied != known.denied and _same_words(new, known):
        return "the same, denied"
    if new.denied != known.denied and not known.denied and _denies(new, known):
        return "denied"
    if new.denied and not known.denied and explicit and _takes_back(new, known):
        return "denied from now on"
    if new.denied or known.denied:
        return ""
    if _only_numbers_differ(new, known):
        return "another number"
    return "another value" if _other_value(new, known, explicit=explicit) else ""


_LEAST_WORDS = 2


def _same_words(new: Claim, known: Claim) -> bool:
    one, other = frozenset(new.words) - _WEAK, frozenset(known.words) - _WEAK
    return one == other and len(one) >= _LEAST_WORDS


_WEAK = frozenset({"now", "allow", "allowed", "today", "use", "uses"})


def _denies(new: Claim, known: Claim) -> bool:
    """Whether "we do not use X (for S)" denies "use X for S"."""
    value, denied = known.stems, new.stems
    if not new.verb or not value or (value != denied and not (denied < value and denied & FAMILY_OF.keys())):
        return False
    if new.verb != known.verb and "use" not in {new.verb, known.verb}:
        return False
    return (
        not new.subject
        or new.subject == known.subject
        or (bool(known.subject) and new.subject < known.subject)
    )


def _takes_back(new: Claim, known: Claim) -> bool:
    """Whether "we don't do X any more" ends "do X before Y": the known claim has all of its words."""
    said = frozenset(new.words) - _WEAK
    return len(said) >= _LEAST_WORDS and said < frozenset(known.words) and new.words[0] in known.words[:2]


def _only_numbers_differ(new: Claim, known: Claim) -> bool:
    """Whether two claims are equal except for one number in the same place."""
    if len(new.words) != len(known.words) or not new.verb:
        return False
    differ = [(a, b) for a, b in zip(new.words, known.words, strict=True) if a != b]
    rest = [a for a, b in zip(new.words, known.words, strict=True) if a == b and not is_number(a)]
    return (
        len(differ) == 1
        and all(is_number(a) and is_number(b) for a, b in differ)
        and len(rest) >= _LEAST_WORDS
    )


def _other_value(new: Claim, known: Claim, *, explicit: bool) -> bool:
    if not _comparable(new, known) or not _same_subject(new, known, explicit=explicit):
        return False
    if new.verb == "be" or known.verb == "be":
        form = shape(new.value)
        if form != shape(known.value):
            return False
        plain = not (is_quality(new.value) or is_quality(known.value))
        named = is_name(new.value) and is_name(known.value)
        kin = bool(_families(new) & _families(known))
        return form != "word" or kin or (named and plain and bool(new.subject & known.subject & SLOTS))
    kin = bool(_families(new) & _families(known)) or (
        explicit and new.subject == known.subject and new.verb not in _OPEN_VERBS and _told_apart(new, known)
    )
    return (
        kin
        or (is_name(new.value) and is_name(known.value) and _told_apart(new, known))
        or (explicit and _told_apart_by_one(new, known))
    )


_OPEN_VERBS = frozenset({"use", "need", "require", "has", "have", "support", "call"})
"""Verbs whose objects may be several at once."""


def _told_apart(new: Claim, known: Claim) -> bool:
    """Whether two values differ by a name: "the REST client" and "the gRPC client", not two helpers."""
    common = new.stems & known.stems
    if not common:
        return True
    differ = [word for word in (*new.value, *known.value) if stem(word) not in common]
    return all(is_number(word) or not word.isalpha() or not word.islower() for word in differ)


def _told_apart_by_one(new: Claim, known: Claim) -> bool:
    """Whether two values are variants of one thing: "rolling deployments", "blue-green deployments"."""
    one, other = new.stems, known.stems
    return len(one - other) == len(other - one) == 1 and stem(new.value[-1]) == stem(known.value[-1])


def _comparable(new: Claim, known: Claim) -> bool:
    """Whether both give one value, and different ones, neither a more precise word for the other."""
    if not new.verb or new.verb != known.verb or new.several or known.several:
        return False
    if not (0 < len(new.value) <= MAX_VALUE and 0 < len(known.value) <= MAX_VALUE):
        return False
    one, other = new.stems, known.stems
    return bool(one and other) and not one <= other and not other <= one and not _extends(one, other)


def _extends(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a name of one extends a name of the other: `pytest-xdist` is used with `pytest`."""
    return any(
        len(short) > 2 and long.startswith(tuple(f"{short}{sign}" for sign in "-.:/"))  # noqa: PLR2004
        for a in one - other
        for b in other - one
        for short, long in ((a, b), (b, a))
    )


def _same_subject(new: Claim, known: Claim, *, explicit: bool) -> bool:
    if not new.subject or not known.subject:
        return False
    if new.subject == known.subject:
        return True
    return explicit and (new.subject < known.subject or known.subject < new.subject)


def _families(claim: Claim) -> set[int]:
    return {FAMILY_OF[word] for word in claim.stems & FAMILY_OF.keys()}


def _conflict(new: Claim, known: Claim) -> bool:
    """Whether a person should decide: the same subject with another value, where both might hold."""
    if new.denied or known.denied or new.verb in {"be", "need", "require", "has", "have"}:
        return False
    if not _comparable(new, known) or not _same_subject(new, known, explicit=True):
        return False
    return is_name(new.value) == is_name(known.value)
