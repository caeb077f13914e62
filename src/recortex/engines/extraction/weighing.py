"""What a rule is not sure of, the judge that was learned from labelled sessions may be sure of.

Of what the person typed and a rule only proposes, what the judge expects to be worth keeping with `LIKELY` or
more was worth keeping, true and self-contained in 11 of 13 statements of projects that the weights were not
trained on; rules alone make 23 active, and 11 of those are (bench/judge.py; docs/learning.md).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from recortex.engines.extraction.drafting import ACTIVE
from recortex.engines.judging import Message, Statement, judged

if TYPE_CHECKING:
    from recortex.engines.extraction.drafting import RuleFinding

LIKELY = 0.4
"""The probability from which a proposal is active."""
_BEGINNING = 40
"""Characters of a quote that are looked for in its message."""


def weighed(finding: RuleFinding, text: str, before: str) -> RuleFinding:
    """A finding in what the person typed, with the confidence of what is active where the judge is sure.

    Args:
        finding: by a rule.
        text: of the message.
        before: what the agent had said.
    """
    start = text.find(finding.quote[:_BEGINNING])
    if finding.hold or finding.confidence >= ACTIVE or start < 0:
        return finding
    statement = Statement(start, start + len(finding.quote), rule=finding.confidence)
    (found,) = judged([(statement, Message("person", text, before=before))])
    return replace(finding, confidence=ACTIVE) if found.active >= LIKELY else finding
