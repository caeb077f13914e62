"""Sentences of a passage, cleaned of Markdown and of the words that only tie them to their neighbours."""

from __future__ import annotations

import re

# A longer passage is a paste; its head is read.
MAX_PASSAGE = 6_000
_TERMINATORS = ".!?:\u3002\uff01\uff1f"

_CODE = re.compile(r"`[^`\n]{1,300}`")
# Text before the bracket makes it an index and a call: `handlers[name](event)`.
_LINK = re.compile(r"(?<![\w)\]])\[([^\]\[]{1,200})\]\(([^()\s]{1,500})\)")
# Emphasis comes in pairs around words; a single star belongs to a glob, a power or `**kwargs`.
_EMPHASIS = re.compile(
    r"(`[^`\n]{1,300}`)|(?<![^\s\"'(\[{>:;,—–-])(\*\*\*?)(?=[^\s*/.])((?:`[^`\n]{1,300}`|[^*\n`]|"
    r"\*(?!\*)){1,600}?)(?<!\s)\2(?![\w/*])|(?<![\w*`/\\])\*(?=[\w`\"'(])([^*\n]{1,300})(?<![\s/(,])"
    r"\*(?![\w*`/.])"
)
_NEXT = r"(?=[\"'(\[`]?[A-Z0-9\x00])"
_SPLIT = re.compile(rf"(?<=[.!?])\s+{_NEXT}|(?<=[.!?][\"')\]])\s+{_NEXT}|(?<=[\u3002\uff01\uff1f])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|resp|incl|no|Dr|Mr|Mrs|St)|^\d{1,2})\.$", re.IGNORECASE
)
# A sign of Markdown has a space behind it: `--force`, `*.py`, `#42` and `~/x` are words.
_SYMBOLS = re.compile(
    "^(?:[\\s\u2022\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff]|"
    "[>#*~-]{1,6}(?=\\s))+(?=\\S)"
)
_ENUMERATED = re.compile(r"^\(?\d{1,2}[.)]\s+(?=[A-Z`\"'])")
_CONNECTIVE = (
    r"(?:so|also|then|and|but|actually|however|basically|essentially|interestingly|additionally|furthermore|"
    r"moreover|therefore|thus|hence|unfortunately|importantly|similarly|meanwhile|finally|indeed|great|good|"
    r"ok|okay|perfect|excellent|interesting|hmm+|ah+|oh|wait|yes|no|right|exactly|found it|got it|aha|note|"
    r"nb|fyi|important|remember|key (?:insight|finding|point)|good (?:question|point|news|catch)|in short|"
    r"in summary|to be clear|in other words|that said|clearly|of course|as expected|you(?:'re|"
    r" are) (?:right|correct))(?:[,:;!.]+\s*|\s+[-–—]+\s*)"
)
_DISCOVERY = (
    r"(?:now i (?:see|understand|know)|i (?:can )?(?:now )?(?:see|understand|know|notice|found|confirmed|"
    r"learned|discovered|realized|realised)|(?:it |as it )?turns out|this means|which means|that means|note|"
    r"(?:the )?key (?:insight|finding) is|established|it is worth noting)(?:[,:;]\s*|\s+[-–—]+\s*|"
    r"\s+)(?:that\s+(?:the fact that\s+)?|(?=the\b|`))"
)
_OPENING = re.compile(rf"{_CONNECTIVE}|{_DISCOVERY}", re.IGNORECASE)


def plain(text: str) -> str:
    """Remove the markup of links and emphasis, and leading symbols; code marks and all words stay."""
    text = _LINK.sub(_unlinked, text)
    text = _unmarked(text)
    text = _SYMBOLS.sub("", text)
    return " ".join(text.split())


def _unlinked(found: re.Match[str]) -> str:
    """The words of a link; with the address, where the words do not say it."""
    words, target = found.groups()
    return f"{words} ({target})" if "://" in target and target not in words else words


def _unmarked(text: str) -> str:
    return _EMPHASIS.sub(lambda found: found.group(1) or found.group(3) or found.group(4), text)


def sentences(text: str) -> list[str]:
    """Split a passage into sentences; code marks are never split."""
    codes: list[str] = []

    def hide(found: re.Match[str]) -> str:
        codes.append(found.group())
        return f"\x00{len(codes) - 1}\x01"

    whole_text = text[:MAX_PASSAGE].replace("\x00", "").replace("\x01", "")
    hidden = _CODE.sub(hide, _unmarked(whole_text))
    whole: list[str] = []
    for part in _SPLIT.split(hidden):
        if whole and _ABBREVIATED.search(whole[-1]):
            whole[-1] = f"{whole[-1]} {part}"
        elif part and part.strip():
            whole.append(part.strip())
    return [_show(part, codes) for part in whole]


def _show(part: str, codes: list[str]) -> str:
    """Put the hidden code marks back."""
    return re.sub(r"\x00(\d+)\x01", lambda found: codes[int(found.group(1))], part)


_I_DID = re.compile(
    r"(?:I|We)(?:'ve| have)? (?:also |then |deliberately |intentionally )?(?=(?:chose|chosen|used|opted|"
    r"went with|decided|kept|"
    r"avoided|switched|added|replaced|moved|extracted|wrapped|disabled|set|made|changed)\b)"
)


def impersonal(text: str) -> str:
    """Take the agent out of what it did: "I chose X because Y" says "Chose X because Y"."""
    shorter = _I_DID.sub("", text, count=1) if _I_DID.match(text) else text
    return shorter[:1].upper() + shorter[1:] if shorter is not text else text


def statement(sentence: str) -> str:
    """Make a sentence stand on its own feet: no leading connective, first letter large, a full stop."""
    text = _ENUMERATED.sub("", plain(sentence))
    for _ in range(3):
        shorter = _OPENING.sub("", text, count=1) if _OPENING.match(text) else text
        if shorter == text or not shorter:
            break
        text = shorter
    text = text.strip().rstrip(";,").strip()
    if not text:
        return ""
    if text[0].islower() and not re.match(r"[a-z]+[A-Z_./0-9(-]", text):
        text = text[0].upper() + text[1:]
    return text if text[-1] in _TERMINATORS else text + "."
