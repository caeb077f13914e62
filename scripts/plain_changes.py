"""Pairs in plain words for `build_change_model.py`: each fact of `bench/changes/plain.tsv` in many forms.

The written pairs say changes as people say them when they are asked to say them differently each time. Plain
forms, "S was migrated from X to Y", are rare among them; and a model that has read a form in one meaning only
takes it for that meaning. So each fact is said in forms that end a known statement, and in forms with the
same words that end nothing: of another thing, from before, proposed, as an exception, the same again.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

SEED = 11
ENDING = (
    "{S} {was} migrated from {O} to {N}",
    "{S} {was} moved from {O} to {N}",
    "{S} {was} switched over from {O} to {N}",
    "{R} was changed from {O} to {N}",
    "{R} was changed to {N}",
    "{R} is {N} now",
    "{R} is now {N}, {O} is history",
    "{R} changed from {O} to {N}",
    "we moved {S} from {O} to {N}",
    "we switched {S} to {N}",
    "{O} was replaced by {N} for {S}",
    "{O} is gone, {known}",
    "{known}, {O} was shut down",
    "{O} is cancelled, {known}",
    "{known} now",
    "{known} as of today",
    "{known} from now on",
    "{known} instead of {O}",
    "{known}, no longer {O}",
    "no more {O}, {known}",
    "forget {O}, {known}",
    "stop using {O}, {known}",
    "{R} went from {O} to {N}",
    "{R} has been {N} since last week",
    "turns out {O} did not work out, {known}",
    "{S}: {O} -> {N}",
)
NUMBERED = ("{R} was raised to {N}", "{R} was lowered to {N}", "we set {R} to {N}", "bumped {R} to {N}")
STAYING = (
    "{T} {was2} migrated from {O} to {N}",
    "{T} {was2} moved from {O} to {N}",
    "{R2} was changed from {O} to {N}",
    "{R2} is {N} now",
    "{other}",
    "{other} now",
    "{other} instead of {O}",
    "{S} {was} migrated from {M} to {O} last year",
    "{S} {was} moved from {M} to {O}",
    "{R} was changed from {M} to {O}",
    "{R} is {O}",
    "{same}, as decided",
    "{same}, not in {M}",
    "{M} was replaced by {O} for {S}",
    "we talked about moving {S} from {O} to {N}, nothing is decided",
    "somebody proposed {N} for {S}",
    "we did not move {S} from {O} to {N}",
    "{R} stays {O}, {N} was rejected",
    "in the tests only, {known}",
    "a bug in {N} broke {T}",
    "{T} and {S} are reviewed together",
    "{O} had an outage last night",
    "read the manual of {O} before you touch {S}",
    "{S} {was} documented",
)
LEADS, CAREFUL = ("ok ", "btw ", "fyi ", "so ", "update: "), 0.5


class Fact(NamedTuple):
    """A thing, another such thing, what its value is called, how it is said, and values."""

    thing: str
    other: str
    role: str
    said: str
    values: tuple[str, ...]


def facts(path: Path) -> list[Fact]:
    """The facts of a file."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    return [
        Fact(thing, other, role, said, tuple(values.split("; "))) for thing, other, role, said, values in rows
    ]


def plain_pairs(path: Path, each: int = 14) -> list[tuple[str, str, str]]:
    """Meaning (`R` or `N`), known and new statement: for each fact so many of either meaning."""
    chance, found = random.Random(SEED), []  # noqa: S311  the same pairs each time
    for fact in facts(path):
        number = fact.values[0][:1].isdigit()
        for meaning, forms in (("R", ENDING + NUMBERED * number), ("N", STAYING)):
            for form in chance.sample(forms, min(each, len(forms))):
                known, words = _said(fact, chance)
                found.append((meaning, known, _worded(form.format(**words), chance)))
    return found


def _said(fact: Fact, chance: random.Random) -> tuple[str, dict[str, str]]:
    """The known statement of one value, and what forms need to tell of it and of two others."""
    old, new, former = chance.sample(fact.values, 3)
    of = {name: fact.said.replace("{}", thing) for name, thing in (("S", fact.thing), ("T", fact.other))}
    known = of["S"].replace("{v}", old)
    words = {
        "S": fact.thing,
        "T": fact.other,
        "O": old,
        "N": new,
        "M": former,
        "R": fact.role.replace("{}", fact.thing),
        "R2": fact.role.replace("{}", fact.other),
        "was": _was(fact.thing),
        "was2": _was(fact.other),
        "known": of["S"].replace("{v}", new),
        "other": of["T"].replace("{v}", new),
        "same": known,
    }
    return known[0].upper() + known[1:] + ".", words


def _was(thing: str) -> str:
    return "were" if thing.endswith("s") and not thing.endswith(("ss", "bus")) else "was"


def _worded(text: str, chance: random.Random) -> str:
    """As somebody careful or careless writes it."""
    if chance.random() < CAREFUL:
        return text[0].upper() + text[1:] + "."
    return chance.choice(("", "", *LEADS)) + (text.lower() if chance.random() < CAREFUL else text)
