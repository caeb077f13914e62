"""Words that announce a change: what is given up, what comes in its place, and for what.

Each cue is one row: a pattern whose groups `old`, `new` and `what` hold phrases. The rows come from how
decisions are reversed in writing and in what people type to an agent; bench/reversals.py measures them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from recortex.engines.supersession.claims import clause_words, core, cut, stems
from recortex.engines.words import word_set

_OLD, _NEW, _WHAT = r"(?P<old>[^,;:]{2,60}?)", r"(?P<new>[^,;:]{2,60}?)", r"(?P<what>[^,;:]{2,60}?)"
_END = (
    r"(?=\s*(?:[,;:!?]|\.(?:\s|$)|$|\s(?:and|but|now|anymore|any more|after all|instead|since|because|"
    r"everywhere)\b))"
)
_IS = r"(?:is|are|was|were|has been|have been|has|have|got|gets)"

_ROWS = (
    rf"\b(?:instead of|rather than|in place of) {_OLD}(?={_END}| we (?:now )?\w+ )",
    rf"\bprefer\w* [^,;]+? over {_OLD}{_END}",
    rf"\b(?:said|told you) {_OLD},? but{_END[:0]}",
    (rf",\s*(?:and |but )?(?:not|no) (?:(?:with|in|on|at|to|as|by|via|from|under|through) )?(?!just\b|"
     rf"only\b|yet\b|longer\b|more\b){_OLD}{_END}"),
    r"\b(?:over|not) (?P<old>[\w.+#-]{2,30})$",
    (rf"\b(?:switch|mov|migrat|chang|port|convert|transition|renam|upgrad|went|"
     rf"go)\w*(?: {_WHAT})? (?:over )?from {_OLD} (?:over )?to {_NEW}{_END}"),
    rf"^{_WHAT} {_IS} (?:switched|moved|migrated|changed|ported|converted) from {_OLD} to {_NEW}{_END}",
    rf"\b(?:replac|swap|trad)\w* {_OLD} (?:with|by|for) {_NEW}{_END}",
    rf"^{_OLD} {_IS} (?:being )?(?:replaced|superseded|swapped)(?: out)? (?:by|with|for) {_NEW}{_END}",
    rf"^{_NEW} (?:replaces|replaced|supersedes|superseded) (?!by\b){_OLD}{_END}",
    rf"\b(?:decided|decision|vote[ds]?) against (?:using )?{_OLD}{_END}",
    (
            rf"\b(?:drop(?:s|ped|ping)?|stop(?:ped)? \w+ing|cancel+ed|left|gave up on|went back on|"
            rf"turned off|forget(?: about)?|ditch(?:ed|ing)?|abandon(?:ed|ing)?|scrap(?:ped|ping)?|"
            rf"retir(?:e|ed|ing)|gave up(?: on)?|given up(?: on)?|give up(?: on)?|(?:get|got|"
            rf"getting) rid of|mov(?:e|ed|ing) (?:away from|off(?: of)?)|done with|quit using|phas(?:e|ed|"
            rf"ing) out|removed|kick(?:ed)? out|threw out|say goodbye to|no more|don't use|do not use|"
            rf"never use|not using|avoid using|away from) (?:the )?(?:support (?:for|of) )?{_OLD}{_END}"),
    rf"\b(?:turn|kick|thr|rul|phas)\w* {_OLD} (?:out|off|away)\b",
    (
            rf"(?:^|[,;:.] ?)(?:and )?(?P<old>[^,;:]{{2,40}}?) (?:is|are|got|became|has become) (?:gone|out|"
            rf"history|too \w+|dead|deprecated|retired|history|obsolete|no longer used|not used any\s?more|"
     rf"switched off|decommissioned|banned|off the table){_END}"),
    (rf"(?:^|[,;:.] ?)(?P<old>[^,;:]{{2,40}}?) (?:was|were|has been|have been) (?:removed|dropped|retired|"
     rf"abandoned|switched off|decommissioned|shut down|ditched){_END}"),
    (rf"\bno longer (?:be|on|in|at|with|to|from|via|by|through|as|against|using|support(?:s|ing)?|"
     rf"uses?) {_OLD}{_END}"),
    rf"^not {_OLD} any\s?more{_END}",
    (rf"\b(?:switch|mov|migrat|chang|convert|port|set|lower|rais|increas|decreas|reduc|bump|shorten|"
     rf"extend)(?:e|ed|es|ing|s|ted|ting)? {_WHAT} (?:over |back )?to {_NEW}{_END}"),
    (rf"^{_WHAT} (?:{_IS} )?(?:switched|moved|migrated|changed|converted|ported) (?:over |"
     rf"back )?to {_NEW}{_END}"),
    rf"\b(?:revert|return|go|going|gone|went|back)\w*(?: back)? to {_NEW}{_END}",
    rf"\b(?:switch|mov|migrat|convert)\w* (?:over )?to {_NEW}{_END}",
)  # fmt: skip
_CHANGES = tuple(re.compile(row, re.IGNORECASE) for row in _ROWS)
_TELLTALE = word_set(
    """
    actually instead rather place not no over switch switched switches switching move moved moves moving
    migrate migrated migrates migrating migration change changed changes changing port ported convert
    converted transition transitioned went replace replaced replaces replacing swap swapped swapping trade
    traded supersedes superseded against drop dropped drops dropping stop stopped ditch ditched ditching
    abandon abandoned scrap scrapped retire retired retiring gave give get got getting rid done quit phase
    phased removed kick kicked threw goodbye never dont away gone out dead deprecated history obsolete
    anymore off banned decommissioned shut avoid stopped said used cancelled canceled left turned forget
    threw prefer lowered raised increased decreased reduced bumped shortened extended renamed rename
    upgraded upgrade taking revert reverted reverting return returning back go going set
    """
)
_MIND = re.compile(
    r"\b(?:changed (?:our|my) minds?|actually|scratch that|on second thoughts?|after all|from now on|"
    r"going forward|as of (?:now|today)|no longer|any\s?more|any longer|instead|stopped|gave up|gone back|"
    r"gave up the|scrap|forget|dropped|replaced|as of (?:today|now)|from today|these days|"
    r"now|new (?:decision|rule)|correction|reconsidered|switch(?:ed|ing)?|revert\w*)\b",
    re.IGNORECASE,
)  # fmt: skip
_UNSURE = re.compile(
    r"\?\s*$|\b(?:wiki|docs?|documentation|readme|logs?|ticket|article|blog|post|manual|someone|customers?|"
    r"users?|colleague|intern) (?:says?|said|claims?|wrote|writes?|tells?|thinks?|suggests?)\b|\b(?:might|"
    r"maybe|perhaps|could|would|possibly|consider(?:ed|ing|s)?|try|trying|tried|experiment\w*|whether|if|"
    r"propos\w+|suggest\w*|evaluat\w+|think(?:ing)? (?:of|about)|plan(?:s|ned|ning)? to|"
    r"(?<!nobody )(?<!no one )want(?:s|ed)? to|going to|one day|some day|someday|later|eventually|wonder\w*|"
    r"should we|can we|could we|shall we|let me|discuss\w*|compar\w+|for now|temporar\w+|for testing|"
    r"as a test|until|for (?:this (?:session|test|experiment|demo)|the (?:moment|time being|demo)))\b|"
    r"^\W*(?:why|what|how|when|who|which|where|is|are|do|does|did|can|could|should|would)\b(?!n't)",
    re.IGNORECASE,
)  # fmt: skip
_PAST = re.compile(
    r"\b(?:in (?:19|20)\d\d|last (?:year|month|week|spring|summer|autumn|winter|quarter)|years? ago|"
    r"months? ago|originally|at first|back then|historically|used to(?= \w)(?!\s+\w+ing\b)|previous(?:ly)?|"
    r"formerly|once upon|in the past|at the time|before that|and back(?: again)?)\b",
    re.IGNORECASE,
)  # fmt: skip
_ADDS = re.compile(
    r"\b(?:also|as well|in addition|additionally|alongside|besides|both|on top of|together with|"
    r"too(?=[.!]?$)|another|extra|(?<!live )(?<!lives )(?<!are )next to|except|unless|only in|only for|"
    r"optionally)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AnnouncedChange:
    """An announced change.

    Attributes:
        old, new: stems of what is given up and of what comes in its place; one of them may be empty.
        what: stems of what it is about; empty where it is about the whole project or does not say.
    """

    old: frozenset[str]
    new: frozenset[str]
    what: frozenset[str]


_NEGATED = re.compile(
    r"(?:\b(?:not|never|without|no need)|n't)(?: to| be| have| been)?(?: \w+)?\s*$", re.IGNORECASE
)
"""Before the words of a change: that it was not made."""


def may_change(words: frozenset[str]) -> bool:
    """The cheap test: whether among the lower-case words of a text is one that announces a change."""
    return not _TELLTALE.isdisjoint(words)


def changes(text: str) -> list[AnnouncedChange]:
    """The changes that a statement announces."""
    said = core(text)
    found = (pattern.search(said) for pattern in _CHANGES)
    return [
        _change(one, said) for one in found if one is not None and not _NEGATED.search(said[: one.start()])
    ]


def changed_mind(text: str) -> bool:
    """Whether the statement says of itself that things were otherwise before."""
    return _MIND.search(text) is not None


def is_unsure(text: str) -> bool:
    """Whether it asks, supposes or holds for a while only: it replaces nothing."""
    return _UNSURE.search(core(text)) is not None or text.rstrip().endswith("?")


_BUT_NOW = re.compile(r"\bused to\b.*\bnow\b", re.IGNORECASE)


def is_past(text: str) -> bool:
    """Whether it tells what once was."""
    return _PAST.search(core(text)) is not None and _BUT_NOW.search(text) is None


_USED_TO = re.compile(r"\bused to (?P<what>.{4,80}?),? (?:but|and) (?:now|these days|today)\b", re.IGNORECASE)


def used_to(text: str) -> str:
    """What was done before, where it is said along with what is done now; else nothing."""
    found = _USED_TO.search(core(text))
    return f"we {found['what']}" if found else ""


def adds(text: str) -> bool:
    """Whether it says that something holds beside what holds already, or by way of exception."""
    return _ADDS.search(text) is not None


def _change(found: re.Match[str], said: str) -> AnnouncedChange:
    groups = found.groupdict()
    old, of_old = _split(groups.get("old") or "")
    new, of_new = _split(groups.get("new") or "")
    what = stems(clause_words(groups.get("what") or ""))
    rest = _around(said, found) if not (new or what or of_old) else frozenset()
    return AnnouncedChange(old - _PRONOUNS, new, what | of_old | of_new | rest)


_PRONOUNS = frozenset({"one", "ones"})


def _split(phrase: str) -> tuple[frozenset[str], frozenset[str]]:
    """The thing itself, and what it is used for."""
    thing, scope = cut(clause_words(phrase))
    return stems(thing), stems(scope)


_SCOPE = re.compile(
    r"\b(?:for|in|us(?:e|ing) \S+ as)\s+(?:the |our |all |new )?([^,;:]+?)(?=\s(?:instead|rather)|[,;:]|$)",
    re.IGNORECASE,
)


def _around(said: str, found: re.Match[str]) -> frozenset[str]:
    """What the rest of the sentence names as the matter: `use Y for S instead of X`."""
    before = said[: found.start()]
    scope = _SCOPE.search(before) or _SCOPE.search(said[found.end() :])
    return stems(clause_words(scope.group(1))) if scope else frozenset()
