"""Sentences of a passage, cleaned of Markdown and of the words that only tie them to their neighbours."""

from __future__ import annotations

import re

# A longer passage is a paste; its head is read.
MAX_PASSAGE = 6_000
_TERMINATORS = ".!?:\u3002\uff01\uff1f"

_CODE = re.compile(r"`[^`\n]{1,300}`")
_LINK = re.compile(r"\[([^\]\[]{1,200})\]\([^()\s]{1,500}\)")
# Code is matched first and kept: `**kwargs` is not emphasis.
_EMPHASIS = re.compile(r"(`[^`\n]{1,300}`)|\*\*|(?<![\w*`/])\*(?=\w)|(?<=[\w:.])\*(?![\w*`/])")
_NEXT = r"(?=[\"'(\[`]?[A-Z0-9\x00])"
_SPLIT = re.compile(rf"(?<=[.!?])\s+{_NEXT}|(?<=[.!?][\"')\]])\s+{_NEXT}|(?<=[\u3002\uff01\uff1f])")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|vs|etc|cf|approx|resp|incl|no|Dr|Mr|Mrs|St)|^\d{1,2})\.$", re.IGNORECASE
)
_LINE_NUMBER = re.compile(r"(?<=[\w)])(\.[A-Za-z]{1,5}):\d+(?:[-–:,]\d+)*\b")
_SYMBOLS = re.compile(
    "^[\\s\u2022\u2190-\u21ff\u2300-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff>#*~-]+(?=[\\w`\"'(\\[.])"
)
_CONNECTIVE = (
    r"(?:so|also|then|and|but|actually|however|basically|essentially|interestingly|additionally|furthermore|moreover|"
    r"therefore|thus|hence|unfortunately|importantly|similarly|meanwhile|finally|indeed|great|good|ok|okay|perfect|"
    r"excellent|interesting|hmm+|ah+|oh|wait|yes|no|right|exactly|found it|got it|aha|note|nb|fyi|important|remember|"
    r"key (?:insight|finding|point)|good (?:question|point|news|catch)|in short|in summary|to be clear|in other words|"
    r"that said|clearly|of course|as expected|you(?:'re| are) (?:right|correct))(?:[,:;!.]+\s*|\s+[-–—]+\s*)"
)
_DISCOVERY = (
    r"(?:now i (?:see|understand|know)|i (?:can )?(?:now )?(?:see|understand|know|notice|found|confirmed|learned|discovered|"
    r"realized|realised)|(?:it |as it )?turns out|this means|which means|that means|note|(?:the )?key (?:insight|finding) is|"
    r"established|it is worth noting)(?:[,:;]\s*|\s+[-–—]+\s*|\s+)(?:that\s+(?:the fact that\s+)?|(?=the\b|`))"
)
_OPENING = re.compile(rf"{_CONNECTIVE}|{_DISCOVERY}", re.IGNORECASE)


def plain(text: str) -> str:
    """Take away links, emphasis, leading symbols and line numbers of source files; keep code marks."""
    text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub(lambda found: found.group(1) or "", text)
    text = _LINE_NUMBER.sub(r"\1", text)
    text = _SYMBOLS.sub("", text)
    return " ".join(text.split())


def sentences(text: str) -> list[str]:
    """Split a passage into sentences; code marks are never split."""
    codes: list[str] = []

    def hide(found: re.Match[str]) -> str:
        codes.append(found.group())
        return f"\x00{len(codes) - 1}\x01"

    hidden = _CODE.sub(hide, text[:MAX_PASSAGE].replace("\x00", "").replace("\x01", ""))
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
    r"(?:I|We)(?:'ve| have)? (?:also |then |deliberately |intentionally )?(?=(?:chose|chosen|used|opted|went with|decided|kept|"
    r"avoided|switched|added|replaced|moved|extracted|wrapped|disabled|set|made|changed)\b)"
)


def impersonal(text: str) -> str:
    """Take the agent out of what it did: "I chose X because Y" says "Chose X because Y"."""
    shorter = _I_DID.sub("", text, count=1) if _I_DID.match(text) else text
    return shorter[:1].upper() + shorter[1:] if shorter is not text else text


def statement(sentence: str) -> str:
    """Make a sentence stand on its own feet: no leading connective, first letter large, a full stop."""
    text = plain(sentence)
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
