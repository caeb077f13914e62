"""Redacts a text: finds matches by rule, scores them by context, replaces them by placeholders."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from recortex.domain.text import lazy, suspicious
from recortex.engines.privacy.finders import Reader
from recortex.engines.privacy.table import (
    CROWDING,
    MARKER,
    THRESHOLD,
    Area,
    Place,
    Redaction,
    RedactionFinding,
    Rule,
    RuleTable,
    Scan,
    check_named,
    compiled,
    default_table,
    fold,
    is_filler,
    path_adjustment,
    place_adjustment,
)
from recortex.lean import NamedTuple, lazy_module

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import blake3

    from recortex.domain.code import FileFacts
else:
    blake3 = lazy_module("blake3")


# -- maps offsets in a partly redacted text to the original text, through several rounds of replacement


class Edit(NamedTuple):
    """A placeholder at `start:end` of the current text that covers `finding` in the original."""

    start: int
    end: int
    finding: RedactionFinding


class Origins:
    """The replacements made so far, in the order of their offsets."""

    def __init__(self, edits: list[Edit]) -> None:
        self.edits = edits
        self._ends = [edit.end for edit in edits]

    def original(self, place: int) -> int:
        """The offset in the original text of an offset that is not inside a placeholder."""
        before = bisect_right(self._ends, place) - 1
        return place if before < 0 else place + self.edits[before].finding.end - self._ends[before]

    def outside(self, spans: list[tuple[int, int]]) -> list[Edit]:
        """The replacements that none of the spans (sorted, not overlapping) overlaps."""
        ends = [end for _, end in spans]
        kept: list[Edit] = []
        for edit in self.edits:
            near = bisect_right(ends, edit.start)
            if near == len(spans) or spans[near][0] >= edit.end:
                kept.append(edit)
        return kept


def widened(start: int, end: int, markers: list[tuple[int, int]]) -> tuple[int, int]:
    """The span, widened so that it contains each marker (sorted spans) as a whole or not at all."""
    if not markers:
        return start, end
    first = bisect_right(markers, start, key=lambda span: span[1])
    if first < len(markers):
        start = min(start, markers[first][0])
    last = bisect_left(markers, end, key=lambda span: span[0]) - 1
    return start, max(end, markers[last][1]) if last >= 0 else end


# -- redacts a text: finds matches by rule, scores them by context, replaces them by placeholders


MOST_READ, LEAST_READ = 300_000, 4
"""Limits of repetition. A replacement may reveal what it hid (a token right behind another), so what stands
near replacements is searched until nothing is found, and then the whole text again. Hundreds of adjacent
tokens need a round for each: so many characters are read in all, or so many times the text if that is more,
and no more than `_MOST_ROUNDS` times the text."""

_MOST_ROUNDS = 256
_NEAR = 500
"""Characters around a replacement in which it may reveal something."""
_MARGIN = 150
"""Matches so close to the end of what is searched may have been cut."""
_COPYING = 20
"""Searching a text takes so many times as long as replacing in it."""

MIN_CUES, CHARACTERS_OF_A_CUE = 500, 50
"""What stands around a word is read for so many words, and one more for so many characters: text that says
`password` again and again must not take minutes."""

_SHORTEST = 4
"""Characters that a value must have, without Recortex's placeholders, to be checked."""

_ROUNDING = 1e-9
"""Sums of confidence may miss the threshold by so much."""

HIDDEN = "\x00"
"""Replaces each character of Recortex's placeholders while rules are run."""

_LONGEST_GLUED, _MOST_JOINED = 512, 16
_GLUED = rf"[_.\-][\w.\-]{{8,{_LONGEST_GLUED}}}+"
"""What may be the rest of a second token; so many characters are read at once, so many times."""

_BESIDE = ("secret", "token", "api_key", "credential", "login", "auth", "pin", "curl -u")
_CROWD, _SURE, _BLOCK, _LEAST_BLOCK = 24, 80, 4_096, 1_024
"""Where one of these words stands in every 24 characters of a block, in the mean, and one of the first kind
in every 80, the block goes as a whole: looking at each takes minutes for what says nothing but passwords.
The words of the second kind alone are as dense in the code of any lexer."""

_INSIDE = tuple("_.-$|:~")
"""Signs inside a token that end a run: what follows is then found once the first token is gone."""


_CROWDED = Rule("passwords", "secret", "", (), 1.0)
"""What a crowded block is reported and replaced by."""


class _Match(NamedTuple):
    """A span that a rule matched."""

    start: int
    end: int
    confidence: float
    rule: Rule


def redact(text: str, *, path: str | None = None, table: RuleTable | None = None) -> Redaction:
    """Replace personal data and secrets by placeholders.

    Args:
        text: anything.
        path: name of the file that the text comes from, if any: it changes the confidence.
        table: rules instead of the built-in ones.

    Returns:
        The clean text, equal to itself when redacted again; the findings with offsets into `text`; skipped
            rules.
    """
    rules = table or default_table()
    change = path_adjustment(path)
    skipped: set[str] = set()
    clean, origins = text, Origins([])
    hidden, markers = _without_markers(text)
    scan = Scan(rules, hidden, fold(hidden), [])
    if crowded := _crowded(scan):
        clean, origins = _replaced(text, crowded, origins)
        hidden, markers = _without_markers(clean)
        scan = Scan(rules, hidden, fold(hidden), [])
    size = len(clean) + 1
    left = max(LEAST_READ * size, min(_MOST_ROUNDS * size, MOST_READ))
    near: list[Area] = []
    while True:
        found = _merged(_candidates(scan, rules, change, skipped, near), markers)
        left -= sum(area.end - area.start for area in near) + size // _COPYING if near else size
        if found:
            clean, origins = _replaced(clean, found, origins)
            near = _around(found, clean)
        # Nothing more near the replacements: they may have joined what was apart, so all is read again.
        elif near:
            near = []
        else:
            break
        if left <= 0:
            break
        hidden, markers = _without_markers(clean)
        scan = Scan(rules, hidden, fold(hidden), near)
    return Redaction(clean, tuple(edit.finding for edit in origins.edits), tuple(sorted(skipped)))


def _crowded(scan: Scan) -> list[_Match]:
    """The stretches of a text that hardly consist of more than words for a password."""
    folded = scan.folded
    if len(folded) < _LEAST_BLOCK or scan.count(CROWDING) * _SURE < min(_BLOCK, len(folded)):
        return []
    found: list[_Match] = []
    for at in range(0, len(folded) - _LEAST_BLOCK, _BLOCK):
        stop = min(at + _BLOCK, len(folded))
        sure = sum(folded.count(word, at, stop) for word in CROWDING)
        beside = sum(folded.count(word, at, stop) for word in _BESIDE)
        if sure * _SURE < stop - at or (sure + beside) * _CROWD < stop - at:
            continue
        rest = compiled(r"[^\n]{0,512}").match(folded, stop)  # what the last word is followed by
        end = rest.end() if rest else stop
        start = found.pop().start if found and found[-1].end >= at else at
        found.append(_Match(start, end, _CROWDED.confidence, _CROWDED))
    return found


def _without_markers(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with Recortex's own placeholders masked, so that no rule matches them, and their places."""
    markers = [match.span() for match in compiled(MARKER).finditer(text)] if "[" in text else []
    if not markers:
        return text, markers
    return compiled(MARKER).sub(lambda match: HIDDEN * len(match[0]), text), markers


def _around(found: list[_Match], clean: str) -> list[Area]:
    """What is near the placeholders that replaced matches; empty if that is most of the text."""
    areas: list[Area] = []
    moved = total = 0
    for start, end, _, rule in found:
        place = start + moved
        moved += len(rule.placeholder) - (end - start)
        area = Area(max(0, place - _NEAR), min(len(clean), place + len(rule.placeholder) + _NEAR))
        if areas and area.start <= areas[-1].end:
            total -= areas[-1].end - areas[-1].start
            area = Area(areas.pop().start, area.end)
        areas.append(area)
        total += area.end - area.start
    return areas if total < len(clean) // 2 else []


def _candidates(
    scan: Scan, table: RuleTable, change: float, skipped: set[str], near: list[Area]
) -> list[_Match]:
    found: list[_Match] = []
    size = len(scan.text)
    for rule, area, matches in scan.matches():
        try:
            named = _named(scan, rule, matches, change, area)
            # One at the border of what is searched may have been cut.
            found.extend(
                match
                for match in named
                if not near
                or (
                    (match.start >= area.start + _MARGIN or area.start == 0)
                    and (match.end <= area.end - _MARGIN or area.end == size)
                )
            )
        except (ValueError, LookupError, TypeError, RecursionError, MemoryError):
            # A rule that cannot run is a gap in one kind of data, not a reason to stop.
            skipped.add(rule.name)
    skipped.update(table.broken)
    return found


def _named(
    scan: Scan, rule: Rule, matches: Iterable[re.Match[str]], change: float, area: Area
) -> Iterator[_Match]:
    """What a rule's expression matched, where it is what the rule looks for and confidence suffices."""
    text, folded = scan.text, scan.folded
    plain = not rule.check and rule.category != "pii"
    reader = (
        Reader(rule.finder, MIN_CUES + (area.end - area.start) // CHARACTERS_OF_A_CUE)
        if rule.finder
        else None
    )
    for match in matches:
        if reader:
            if reader.left <= 0:
                return
            yield from _cued(rule, reader.read(match, text), text, folded, change)
            continue
        start, end = match.span("v" if "v" in match.re.groupindex else 0)
        if start < 0:
            start, end = match.span()
        if plain:
            end = _joined_end(scan, rule, start, end)
        value = text[start:end]
        if HIDDEN in value:
            value = value.replace(HIDDEN, "")
        if len(value) < _SHORTEST or (plain and is_filler(value)):
            continue
        if rule.check and not check_named(rule.check)(Place(value, match, text)):
            continue
        confidence = min(1.0, rule.confidence + change + place_adjustment(text, folded, start))
        if confidence >= THRESHOLD - _ROUNDING:
            yield _Match(start, end, confidence, rule)


def _cued(
    rule: Rule, spans: Iterable[tuple[int, int]], text: str, folded: str, change: float
) -> Iterator[_Match]:
    """The secrets that a word says are there."""
    for start, end in spans:
        confidence = min(1.0, rule.confidence + change + place_adjustment(text, folded, start))
        if end - start >= _SHORTEST and HIDDEN not in text[start:end] and confidence >= THRESHOLD - _ROUNDING:
            yield _Match(start, end, confidence, rule)


def _run_end(text: str, place: int) -> int:
    """The end of the run of letters and digits at an offset: a token is replaced as a whole."""
    match = compiled(r"[A-Za-z0-9]*+").match(text, place)
    return match.end() if match else place


def _joined_end(scan: Scan, rule: Rule, start: int, end: int) -> int:
    """The end of tokens that stand directly after each other: the first swallows the next one's beginning."""
    text, folded = scan.text, scan.folded
    run = _run_end(text, end)
    follows = first = run > end and folded.startswith(scan.openings, end)
    for _ in range(_MOST_JOINED):
        glued = compiled(_GLUED).match(text, run)
        if glued is None or not (
            follows
            or any(
                folded.find(one, start + len(one), glued.end()) >= 0 and scan.has(one)
                for one in rule.keywords
            )
        ):
            break
        follows = glued.end() - run > _LONGEST_GLUED
        first, start, run = False, run, _run_end(text, glued.end())
    return end if first and text[run : run + 1] in _INSIDE else run


def _merged(candidates: list[_Match], markers: list[tuple[int, int]]) -> list[_Match]:
    """Join overlapping matches under the rule with the highest confidence; markers stay whole."""
    candidates.sort(key=lambda c: c.start)
    apart: list[_Match] = []
    for candidate in candidates:
        wide = candidate
        if markers:
            start, end = widened(candidate.start, candidate.end, markers)
            wide = _Match(start, end, candidate.confidence, candidate.rule)
        last = apart[-1] if apart else None
        if last is None or wide.start >= last.end:
            apart.append(wide)
        else:
            # The surer rule names the place, but nothing of either match may be left in the text.
            best = wide if wide.confidence > last.confidence else last
            apart[-1] = best._replace(start=min(wide.start, last.start), end=max(last.end, wide.end))
    return apart


def _replaced(text: str, found: list[_Match], origins: Origins) -> tuple[str, Origins]:
    """The text with placeholders, and where every placeholder now is."""
    # In the first round nothing has moved: each offset is its own original.
    original = origins.original if origins.edits else int
    steps: list[tuple[int, int, RedactionFinding, str]] = [
        (
            start,
            end,
            RedactionFinding(rule.name, rule.category, original(start), original(end), round(confidence, 2)),
            rule.placeholder,
        )
        for start, end, confidence, rule in found
    ]
    kept = origins.outside([(start, end) for start, end, _, _ in found])
    steps += [(edit.start, edit.end, edit.finding, text[edit.start : edit.end]) for edit in kept]
    steps.sort(key=lambda step: step[0])
    pieces: list[str] = []
    edits: list[Edit] = []
    read = written = 0
    for start, end, finding, placeholder in steps:
        pieces += (text[read:start], placeholder)
        written += start - read + len(placeholder)
        edits.append(Edit(written - len(placeholder), written, finding))
        read = end
    return "".join((*pieces, text[read:])), Origins(edits)


# -- redacts parsed JSON, such as contents and metadata, where a key may say that its value is a secret


MAX_DEPTH = 64
"""Deeper than any typed content; what is below is replaced as a whole instead of being kept unchecked."""

_TOO_DEEP = "[TOO_DEEP]"
_ASSIGNMENTS = frozenset({"password", "secret", "password_value"})
"""Rules that recognise a secret by the name before it."""


def redact_json(value: Any, *, path: str | None = None) -> tuple[Any, tuple[RedactionFinding, ...]]:
    """Redact every string of a value made of dict, list, tuple and scalars, keys included.

    Args:
        value: parsed JSON; other objects are returned as they are.
        path: as for `redact`.

    Returns:
        A new value of the same shape (two keys that become equal are kept apart by a number), and the
            findings, each with offsets into its own string.
    """
    findings: list[RedactionFinding] = []
    return _walk(value, "", path, findings, 0), tuple(findings)


def _walk(value: Any, name: str, path: str | None, findings: list[RedactionFinding], depth: int) -> Any:
    if isinstance(value, str):
        return _string(value, name, path, findings)
    if depth >= MAX_DEPTH and isinstance(value, dict | list | tuple):
        return _TOO_DEEP
    if isinstance(value, dict):
        clean: dict[Any, Any] = {}
        seen: dict[Any, int] = {}
        for key, item in value.items():
            name = _string(key, "", path, findings) if isinstance(key, str) else key
            # Two keys with a secret each become one placeholder, and neither value may be lost.
            while name in clean:
                seen[name] = seen.get(name, 1) + 1
                name = f"{name} {seen[name]}"
            clean[name] = _walk(item, key if isinstance(key, str) else "", path, findings, depth + 1)
        return clean
    if isinstance(value, list | tuple):
        return [_walk(item, name, path, findings, depth + 1) for item in value]
    return value


def _string(text: str, name: str, path: str | None, findings: list[RedactionFinding]) -> str:
    done = redact(text, path=path)
    findings.extend(done.findings)
    rule = _assigned_rule(name, done.text) if name else None
    if rule is None:
        return done.text
    findings.append(RedactionFinding(rule.name, rule.category, 0, len(text), rule.confidence))
    return rule.placeholder


def _assigned_rule(name: str, value: str) -> Rule | None:
    """The rule by which a value is a secret because of its key, or None."""
    text = f'{name}: "{value}"'
    folded = text.lower()
    if len(folded) != len(text):  # offsets of matches would not fit
        return None
    for rule in _assignment_rules():
        expression = default_table().compiled(rule)
        match = expression and expression.search(folded)
        # Only where the rule takes the whole value: a sentence that begins like a secret is prose.
        if match and match["v"] == value.lower() and check_named(rule.check)(Place(value, match, text)):
            return rule
    return None


@cache
def _assignment_rules() -> tuple[Rule, ...]:
    return tuple(rule for rule in default_table().rules if rule.name in _ASSIGNMENTS)


# -- replaces secrets in names that are looked up exactly: ids of sessions, paths, branches, folders


_SEPARATORS = lazy(r"([/\\])")
_SECRET = frozenset({"secret", "connection"})
_SETTING = lazy(r"(pass(?:word|wd)?|pwd|secret|token|key)-", re.IGNORECASE)
_CUE = lazy(
    r"(?<![a-z])(?:(?P<password>pass(?:word|wd|phrase|code|wort)?|pwd|pw|kennwort|contrase[nñ]a|senha|mdp|"
    r"mot[_ -]de[_ -]passe)"
    r"|(?P<key>(?:api[_-]?)?key|secret|token)|(?P<pin>pin))[-_ =.]{1,3}(?:(?:is|ist|est|"
    r"es)[-_ =.]{1,3})?(?P<v>[^\s/\\]+)",
    re.IGNORECASE,
)
"""A word that says what the rest of a name may be, as in `vpn-password-….txt`."""
_END = lazy(r"(?:\.[A-Za-z][A-Za-z0-9]{0,5}){1,2}\Z")
_WRITTEN_BY = lazy(
    r"\.(?:py|pyi|[cm]?[jt]sx?|go|rs|java|kt|rb|php|cs|cpp|cc|c|h|hpp|swift|vue|svelte|scala|dart|ex|exs|"
    r"sql|css|html)\Z"
)
_LONGEST_RULE = 30
_DIGITS = 8


def without_secrets(name: str) -> str:
    """The name with a stand-in such as `[GITHUB_TOKEN_1A2B3C4D]` for each part that holds a secret."""
    if not suspicious(name):
        return name
    if "://" in name and (rule := _rule(name)):
        return _pseudonym(rule, name)
    return "".join(
        _pseudonym(rule, part) if (rule := _rule_of_part(part)) else part for part in _SEPARATORS.split(name)
    )


@lru_cache(maxsize=1024)  # paths have most of their parts in common
def _rule_of_part(part: str) -> str:
    """The name of the rule that finds a secret in a part of a path; empty if none does.

    Clients name the folder for the transcripts of /a/b_c `-a-b-c`, so `-` may have been `_` or `=`.
    """
    found = _rule(part) or _rule(_END.sub("", part))
    if found or "-" not in part:
        return found or _rule_of_words(part)
    return (
        _rule(part.replace("-", "_"))
        or (_rule(_SETTING.sub(r"\1=", part)) if part[0] == "-" else "")
        or _rule_of_words(part)
    )


def _rule_of_words(part: str) -> str:
    """The name of a rule if a word in a name says that the rest of it is a secret; empty if not.

    Names of code are made of words and say what they do: there only what is evidently random counts.
    """
    from recortex.engines.privacy.finders.judging import is_clear, is_key, is_unknown, is_word

    found = _CUE.search(part)
    if found is None:
        return ""
    value = _END.sub("", found["v"])
    if found["pin"]:
        return "pin_spoken" if value.isdigit() and 4 <= len(value) <= 8 else ""  # noqa: PLR2004
    if found["key"]:
        return "key_spoken" if is_key(value) else ""
    pieces = [piece for piece in re.split(r"[-_. ]", value) if piece]
    if _WRITTEN_BY.search(part) or len(pieces) == 0 or (len(pieces) > 1 and any(map(is_word, pieces[:1]))):
        return "password_spoken" if is_clear(value) and any(map(str.isdigit, pieces[0])) else ""
    return "password_spoken" if is_unknown(value) or is_clear(pieces[0]) else ""


def _rule(text: str) -> str:
    return next((one.rule for one in redact(text).findings if one.category in _SECRET), "")


def _pseudonym(rule: str, secret: str) -> str:
    mark = blake3.blake3(secret.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS].upper()
    return f"[{rule.upper()[:_LONGEST_RULE]}_{mark}]"


# -- takes secrets out of facts of code: of documentation, heads of definitions and arguments


def code_facts_without_secrets(facts: FileFacts) -> FileFacts:
    """The facts as they may be kept.

    An argument is read as a value of what it is given to: `login("…")` may be a password by its name alone.
    All texts are looked at together first, since most files have nothing.
    """
    if not redact("\n".join(_texts(facts))).findings:
        return facts
    return facts._replace(
        symbols=tuple(
            one._replace(doc=redact(one.doc).text, signature=redact(one.signature).text)
            for one in facts.symbols
        ),
        calls=tuple(_given(one, redact(one.receiver).text) for one in facts.calls),
        marks=tuple(_given(one, None) for one in facts.marks),
    )


def _texts(facts: FileFacts) -> list[str]:
    texts = [text for one in facts.symbols for text in (one.doc, one.signature) if text]
    texts += [text for one in facts.calls if one.argument for text in (_assigned(one), one.argument)]
    texts += [one.receiver for one in facts.calls if '"' in one.receiver or "'" in one.receiver]
    return texts + [text for one in facts.marks if one.argument for text in (_assigned(one), one.argument)]


def _assigned(one: Any) -> str:
    return f'{one.name} = "{one.argument}"'


def _given(one: Any, receiver: str | None) -> Any:
    """A call or mark whose argument is no secret."""
    changed = {} if receiver is None else {"receiver": receiver}
    if not one.argument:
        return one._replace(**changed) if changed else one
    found = redact(_assigned(one))
    alone = redact(one.argument).text
    if found.findings and alone == one.argument:
        alone = found.text.partition(" = ")[2].strip('"')
    return one._replace(argument=alone, **changed)
