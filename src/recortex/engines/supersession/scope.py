"""Whether a fact concerns this project or the person.

A fact about the person or about tools in general, with a confidence above 0.8, is global. Everything else,
and whatever is in doubt, belongs to the project, since a global memory is shown in every project.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.kinds import KINDS, kind_of
from recortex.domain.vocabulary import Scope
from recortex.engines.patterns import Patterns

if TYPE_CHECKING:
    from recortex.domain.candidate import Candidate

PATTERNS = Patterns(__file__)

CERTAIN = 0.8
"""The confidence that a global fact must exceed."""


def scope_of(candidate: Candidate) -> Scope:
    """Where a candidate belongs.

    Args:
        candidate: learned from a session; only an active one of high confidence can be global.
    """
    if candidate.confidence <= CERTAIN or not candidate.active or not KINDS[kind_of(candidate.kind)].personal:
        return Scope.PROJECT
    typed = candidate.speaker == "user"
    about_all = is_about_person(candidate.text) if typed else False
    return Scope.GLOBAL if about_all or is_about_tools(candidate.text) else Scope.PROJECT


def is_about_person(text: str) -> bool:
    """Whether a statement of the person is about themselves, or about how they want it in every project."""
    if PATTERNS.place.search(PATTERNS.names.sub("", text)):
        return False
    if PATTERNS.everywhere.search(text):
        return not re.search(r"\b(?:we|our|us)\b", text, re.IGNORECASE)
    return PATTERNS.person.match(text) is not None and PATTERNS.project.search(text) is None


def is_about_tools(text: str) -> bool:
    """Whether a statement says how a tool behaves that is the same in every project."""
    if PATTERNS.tool.match(text) is None or PATTERNS.flag_or_command.search(text) is None:
        return False
    return not (PATTERNS.project_in_tool.search(text) or PATTERNS.place.search(PATTERNS.names.sub("", text)))
