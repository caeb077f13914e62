"""What a person typed, without what they pasted: mails, issues, reviews, diffs, logs and documents.

A paste is told by its form. Where it begins is seen more surely than where it ends, so one that has no end of
its own reaches to the end of the message: what is lost is asked for again, what is taken wrongly speaks with
the person's word.
"""

from __future__ import annotations

import re

# To the end of the message.
_HEADER = (
    r"(?:from|to|cc|sent|date|subject|reply-to|author|reporter|reported by|assignee|reviewer|reviewed by|"
    r"commenter|title|issue|labels|von|an|betreff|gesendet|de|para|asunto|objet)"
)
_BEGINS = re.compile(
    rf"^\s{{0,8}}(?:\**{_HEADER}\**\s?:\**\s+\S.{{0,300}}$"
    r"|#{1,6}\s+\S"  # a document with headings
    r"|diff --git |index [0-9a-f]{7,}\.\.|@@ -\d|\+\+\+ |--- [ab]/|commit [0-9a-f]{7,40}$|"
    r"-{2,}\s?(?:original message|forwarded message|begin|ursprüngliche nachricht)|(?:on|am|el|"
    r"le) .{4,120} (?:wrote|schrieb|escribió|a écrit)\s?:|@?[\w.-]{2,40} (?:commented|opened this issue|"
    r"left a comment|reviewed|requested changes|approved these changes)\b.{0,60}[:.]?$)",
    re.IGNORECASE,
)
# The person says what follows: from the next line on it is somebody else's.
_ANNOUNCES = re.compile(
    r"\b(?:issue|ticket|e-?mail|mail|review|comment|feedback|message|log|logs|output|error|trace|readme|"
    r"docs?|article|page|plan|report|spec|slack|thread|diff|patch|snippet|quote|pr|description|text|"
    r"transcript|answer|response|says?|said|wrote|reads|writes)\b[^.!?]{0,60}:\s*$",
    re.IGNORECASE,
)
# One paragraph.
_MACHINE = re.compile(
    r"^\s{0,40}(?:\[?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}|\[?\d{2}:\d{2}:\d{2}\b|(?:\[)?(?:DEBUG|INFO|"
    r"WARN(?:ING)?|ERROR|FATAL|TRACE|CRITICAL)\b[\]: ]|Traceback \(most recent|File \"[^\"]+\", line \d|"
    r"at [\w$.<>]+\s?\(|(?:Caused by|Exception in thread)\b|[\w.]{1,80}(?:Error|Exception):\s|"
    r"[$%\u276f\u279c]\s\S|\w+@[\w-]+[:~])"
)
_LINES = 12  # so many list items or lines in one message were not typed into a prompt
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")


def typed(text: str) -> str:
    """The text without what was pasted into it."""
    kept: list[str] = []
    for paragraph in re.split(r"\n[^\S\n]*\n", text):
        lines = paragraph.split("\n")
        cut = next((place for place, line in enumerate(lines) if _BEGINS.match(line)), None)
        told = next((place for place, line in enumerate(lines) if _ANNOUNCES.search(line[-200:])), None)
        end = min((place for place in (cut, told) if place is not None), default=None)
        said = lines if end is None else lines[:end]
        if not any(_MACHINE.match(line) for line in said) and sum(map(bool, map(_ITEM.match, said))) < _LINES:
            kept.append("\n".join(said))
        if end is not None:
            break
    return "\n\n".join(kept).strip()
