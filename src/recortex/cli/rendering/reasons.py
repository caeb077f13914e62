"""Why a memory answers, in words: the parts of its score that say something."""

from __future__ import annotations

_MUCH, _SOME = 0.7, 0.3

# What is said of a part that is high, middling or low, in the order of the sentence; nothing where it tells
# nobody anything.
_WORDS: dict[str, tuple[str, str, str]] = {
    "keyword": ("the question's words", "some of the question's words", "few of the question's words"),
    "semantic": ("the same meaning", "a similar meaning", ""),
    "nearby": ("turns around it that fit", "", ""),
    "session": ("a session with these words", "", ""),
    "speaker": ("the speaker who is named", "", ""),
    "date": ("the date that is named", "a date near the one that is named", ""),
    "answer": ("what is asked for", "", ""),
    "person": ("said by the person", "", ""),
    "proximity": ("the file that is named", "a file beside the one that is named", ""),
    "patterns": ("a pattern that matters now", "", ""),
    "kind": ("the kind that is asked for", "", ""),
    "importance": ("important", "", "of little importance"),
    "recency": ("recent", "", "old"),
    "confidence": ("", "not sure", "doubtful"),
    "question": ("only a question itself", "", ""),
    "test": ("only a test", "", ""),
}


def reasons(signals: dict[str, float]) -> str:
    """The reasons with their parts of the score, as `the question's words (0.81), recent (0.95)`."""
    said = (
        (_degree(_WORDS[name], part), part)
        for name, part in sorted(signals.items(), key=_place)
        if name in _WORDS
    )
    return ", ".join(f"{words} ({part:.2f})" for words, part in said if words)


def _place(signal: tuple[str, float]) -> int:
    return list(_WORDS).index(signal[0]) if signal[0] in _WORDS else len(_WORDS)


def _degree(words: tuple[str, str, str], part: float) -> str:
    much, some, little = words
    if part >= _MUCH:
        return much
    return some if part >= _SOME else little
