"""Sessions as plain text: saved from a terminal, or written with the speakers' names."""

from __future__ import annotations

import re
from typing import Literal

from recortex.formats.transcripts.pieces import Parsed, Piece

_PERSON = r"(?P<person>user|human)"
_AGENT = (
    r"(?P<agent>assistant|agent|ai|claude(?: code)?|codex|gemini(?: cli)?|qwen(?: code)?"
    r"|opencode|copilot|chatgpt)"
)
# `User: …`, `## Assistant`, `**Human:** …`, `**Claude**`
_SPEAKER = re.compile(
    rf"^(?P<marked>#{{1,4}}[ \t]+|\*\*)?(?:{_PERSON}|{_AGENT})(?P<end>\*\*:?|:\*\*|:)?(?:[ \t]+|$)",
    re.IGNORECASE,
)
_PROMPT = re.compile(r"^[>\u276f][ \t]+")  # terminal: the person's prompt
_SPOKEN = re.compile(r"^[\u23fa\u25cf][ \t]+")  # terminal: the agent's bullet
_TOOL = re.compile(r"^[\u23fa\u25cf][ \t]+[A-Z][A-Za-z]{1,30}\(")  # … before a tool's name
_OUTPUT = re.compile(r"^[ \t]*\u23bf")  # terminal: a tool's output

Speaker = Literal["user", "assistant", ""]


class ProseParser:
    """Reads line by line; a line with no speaker belongs to the last one who spoke."""

    def __init__(self) -> None:
        self._role: Speaker = ""
        self._number = 0
        self._output = False  # within what a tool printed
        self._named = False  # speakers are named here, so `>` begins a quotation, not a prompt

    def parse(self, raw: bytes) -> Parsed:
        """Read a line."""
        line = raw.decode("utf-8", "replace").replace("\0", "").rstrip("\r\n")
        if (self._output and line.startswith((" ", "\t"))) or _OUTPUT.match(line) or _TOOL.match(line):
            self._output = True
            return Parsed(skipped="tool-output")
        self._output = False
        role, text = self._speaker(line)
        if role:
            self._number += 1
            self._role = role
        if not self._role:
            return Parsed(skipped="preamble" if line.strip() else "blank")
        return Parsed((Piece(self._role, text, group=str(self._number), joint="\n", raw=True),))

    def _speaker(self, line: str) -> tuple[Speaker, str]:
        named, rest = speaker(line)
        if named:
            self._named = True
            return named, rest
        prompt, spoken = _PROMPT.match(line), _SPOKEN.match(line)
        if prompt and not self._named:
            return "user", line[prompt.end() :]
        return ("assistant", line[spoken.end() :]) if spoken else ("", line)


def speaker(line: str) -> tuple[Speaker, str]:
    """Who a line names as its speaker, and the rest of the line; a bare name counts only as a heading."""
    named = _SPEAKER.match(line)
    if named is None or not (named["end"] or (named["marked"] and named.end() == len(line))):
        return "", line
    return ("user" if named["person"] else "assistant"), line[named.end() :]


def is_session(text: str) -> bool:
    """Whether a text is a session: a person and an agent speak, by name or by the marks of a terminal."""
    lines = text.splitlines()
    speakers = {speaker(line)[0] for line in lines}
    return {"user", "assistant"} <= speakers or (
        any(map(_PROMPT.match, lines)) and any(map(_SPOKEN.match, lines))
    )
