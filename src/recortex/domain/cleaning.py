"""Text as it goes to an agent: what a reader sees of it, and no tag that could pass for a client's.

Text of memories is hostile: it may hold tags, terminal sequences, and signs that a person does not see but a
model reads. Everything that leaves for an agent goes through `clean`, whichever way it leaves.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from recortex.domain.expressions import lazy

# -- the tags between which programs put text into a conversation: ours, and those of the clients


OWN = "recortex-memory"

# What clients wrap around text that nobody typed (seen in transcripts of the clients named on the right).
WRAPPERS = (
    "system-reminder",  # Claude Code
    "persisted-output",
    "command-name",
    "command-message",
    "command-args",
    "command-contents",
    "local-command-stdout",
    "local-command-stderr",
    "local-command-caveat",
    "bash-input",
    "bash-stdout",
    "bash-stderr",
    "user-prompt-submit-hook",
    "task-notification",
    "agent-notification",
    "teammate-message",
    "agent-message",
    "cross-session-message",
    "coordinator-relay",
    "slack-ping",
    "slack-tag-message",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "post-tool-use-hook",
    "untrusted_context",  # Gemini CLI
    "session_context",
    "hook_context",
    "loaded_context",
    "environment_context",  # Codex
    "user_instructions",
    "INSTRUCTIONS",
    "permissions instructions",
    "skills_instructions",
    "apps_instructions",
    "collaboration_mode",
    "subagent_notification",
    "turn_aborted",
    "user_shell_command",
)


# -- text as it goes to an agent: what a reader sees of it, and no tag that could pass for a client's


_TERMINAL = lazy(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]"  # colours, cursor
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]{0,2000}(?:\x07|\x1b\\|\x9c)?"  # titles, links
    r"|\x1b[ -/]{0,16}[0-~]?"
)
_BREAK = lazy("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_OTHER = lazy(r"[^\x20-\x7e\n\t]")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})  # Unicode categories: controls, formats, unassigned
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
)  # letters and marks by name
_JOINERS = frozenset("\u200c\u200d")  # parts of words and emoji
_STYLES = frozenset("\ufe0e\ufe0f")  # as text, as emoji
_STYLED = frozenset({"So", "Sm", "Sk", "Po"})

# Roles and calls as the templates of models write them.
_ROLES = (
    "system|user|human|assistant|developer|tool|function|tool_use|tool_result|tool_call|function_calls?"
    "|function_results?|invoke|parameter|instructions?|context|thinking|antml:[a-z_]+|result|important|prompt"
)
_NAMED = "|".join(map(re.escape, (OWN, *WRAPPERS)))
_PROGRAMS = (
    "(?:reminder|context|stdout|stderr|input|output|hook|notification|message|caveat|instructions?|prompt)"
)
_TAG = lazy(
    rf"<(?=!--|\||\s{{0,9}}/?\s{{0,9}}(?:(?:{_NAMED})\b|[a-z]+(?:-[a-z]+)*-{_PROGRAMS}\b)|</?SYS>>)"
    rf"|<(?=(?-i:/?(?:{_ROLES}))(?:\s[^<>]{{0,300}})?/?>)"
    # After a word it is a type: `Promise<Result>`.
    rf"|(?<!\w)<(?=\s{{0,9}}/?\s{{0,9}}(?:{_ROLES})(?:\s[^<>]{{0,300}})?/?>)",
    re.IGNORECASE,
)
_BRACKETED = lazy(r"\[(?=/?INST\])")
_CLOSING = lazy(r"--!?>|\|>")
_LEFT, _RIGHT = (
    "\N{SINGLE LEFT-POINTING ANGLE QUOTATION MARK}",
    "\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}",
)
_BRACKET = "\N{LEFT WHITE SQUARE BRACKET}"


def clean(text: str) -> str:
    """A text without what is not seen, and with its tags made harmless.

    A reader still sees what stood there.
    """
    return without_tags(visible(text))


def cleaned(value: Any) -> Any:
    """`clean` applied to each text in a JSON value, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(key): cleaned(item) for key, item in value.items()}
    return value


def visible(text: str) -> str:
    """A text without terminal sequences, controls, and signs that take no place.

    Line breaks and tabs stay.
    """
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return text
    plain = _BREAK.sub("\n", _TERMINAL.sub("", text))
    return plain if plain.isascii() and not _OTHER.search(plain) else _OTHER.sub(_replacement_of, plain)


def without_tags(text: str) -> str:
    """A text in which nothing is a tag of ours, of a client's or of a model's template any more."""
    # Compiling an expression is most of the time that a hook is here: each only where it may match.
    if "<" in text:
        text = _TAG.sub(_LEFT, text)
    if "[" in text:
        text = _BRACKETED.sub(_BRACKET, text)
    return _CLOSING.sub(lambda end: end[0][:-1] + _RIGHT, text) if ">" in text else text


def _replacement_of(found: re.Match[str]) -> str:
    """What a character is replaced by: itself, a space, or nothing."""
    sign, text = found[0], found.string
    before = text[found.start() - 1 : found.start()]
    if sign in _JOINERS:
        return sign if _joinable(before) and _joinable(text[found.end() : found.end() + 1]) else ""
    if sign in _STYLES:
        return sign if before and (unicodedata.category(before) in _STYLED or before.isdecimal()) else ""
    if sign in _BLANK or "\ufe00" <= sign <= "\ufe0f" or "\U000e0100" <= sign <= "\U000e01ef":
        return ""
    category = unicodedata.category(sign)
    return "" if category in _UNSEEN else " " if category == "Zs" else sign


def _joinable(sign: str) -> bool:
    return bool(sign) and not sign.isascii() and (sign in _STYLES or unicodedata.category(sign)[0] in "LMS")
