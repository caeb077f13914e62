"""Checks that a sentence is self-contained, as any statement must be before a rule takes it.

Each check is linguistic and general. `objection` names the first one that fails, so that the bench can count
them.
"""

from __future__ import annotations

from recortex.engines.patterns import Patterns

PATTERNS = Patterns(__file__)

MIN_LENGTH = 25
MIN_TYPED = 10
"""A person's explicit statement may be short: "we use uv"."""
MAX_LENGTH = 400
_MIN_WORDS = 5
_MIN_PLAIN_WORDS, _MIN_ORDER_WORDS = 5, 3
_MAX_DIGIT_SHARE = 0.25

IDENTIFIER = PATTERNS.identifier
_PLURAL_PRONOUNS = {"they", "them", "their"}


def identifiers(text: str) -> list[str]:
    """Names of code, files, commands and products in a sentence, in order, without code marks."""
    return [found.group().strip("`") for found in IDENTIFIER.finditer(text)]


def is_specific(text: str) -> bool:
    """Whether a sentence names something: a piece of code, a file, or a product inside the sentence."""
    return IDENTIFIER.search(text) is not None or PATTERNS.name_inside.search(text) is not None


def is_cut(text: str) -> bool:
    """Whether a statement ends in a word that needs another one after it."""
    return PATTERNS.lost_end.search(text) is not None


def objection(text: str, *, addressed: bool = False, meant: bool = False) -> str:
    """The first reason why a cleaned statement cannot be a memory; empty if there is none.

    Args:
        text: one statement, cleaned by `sentences.statement`.
        addressed: whether words to a listener ("you", "we should") are allowed, as in the person's own rules.
        meant: whether the person wants it to be kept, or it names something: then it may be short, and "the
            server" need not be explained.
    """
    if shape := _misshapen(text, _MIN_ORDER_WORDS if addressed else _MIN_PLAIN_WORDS, meant=meant):
        return shape
    if PATTERNS.question.search(text):
        return "question"
    if PATTERNS.labelled.match(text):
        return "label"
    if not addressed and (
        PATTERNS.first_person.search(text) or PATTERNS.intention.search(text) or PATTERNS.you.search(text)
    ):
        return "narration"
    if PATTERNS.chatter.search(text) or PATTERNS.marks.search(text):
        return "chatter"
    dangles = points_away(text) if meant else _dangles(text, addressed=addressed)
    return "dangling" if dangles else ""


def _misshapen(text: str, fewest: int, *, meant: bool) -> str:
    """The objection to the form of a text: its length, its numbers, or that it is half of something."""
    if not (MIN_TYPED if meant else MIN_LENGTH) <= len(text) <= MAX_LENGTH:
        return "length"
    if len(text.split()) < (_MIN_ORDER_WORDS if meant else _MIN_WORDS) and not PATTERNS.foreign.search(text):
        return "length"
    if (
        text.endswith((":", "...", "…", ","))
        or text.count("`") % 2
        or text.count("(") != text.count(")")
        or is_cut(text)
    ):
        return "half"
    if len(
        PATTERNS.plain_word.findall(PATTERNS.code.sub(" ", text))
    ) < fewest - meant and not PATTERNS.foreign.search(text):
        return "half"
    if PATTERNS.stale.search(text) or sum(char.isdigit() for char in text) > _MAX_DIGIT_SHARE * len(text):
        return "passing"
    return ""


def points_away(text: str) -> bool:
    """Whether a sentence begins with or has a word that refers to something outside of it."""
    return bool(PATTERNS.dangling_start.match(text) or PATTERNS.deictic.search(text))


def _dangles(text: str, *, addressed: bool) -> bool:
    """Whether a sentence refers to something outside of it; an order needs no subject."""
    if (
        PATTERNS.dangling_start.match(text)
        or (not addressed and PATTERNS.subjectless.match(text))
        or PATTERNS.deictic.search(text)
        or PATTERNS.bare_subject.match(text)
    ):
        return True
    if PATTERNS.no_object.match(text) or (PATTERNS.gerund.match(text) and not PATTERNS.finite.search(text)):
        return True
    pronoun = PATTERNS.pronoun.search(text)
    if pronoun is None:
        return False
    before = text[: pronoun.start()]
    if addressed and PATTERNS.noun_before.search(before):
        return False
    if pronoun.group().lower() in _PLURAL_PRONOUNS and not PATTERNS.plural.search(
        PATTERNS.code.sub(" ", before)
    ):
        return True
    return not is_specific(before)
