"""Plain statements of the person about the project: what holds in it, and what has changed.

"We release every Friday", "timestamps are stored in UTC", "the docs are built with sphinx now": the verb is
one of how a project is run, and the value is a name, a number or a place. What tells of a failure, of
another's words or of one occasion is none. Rows were written on the development half of
bench/fresh_prompts.txt.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from recortex.engines.supersession.claim_values import is_name, is_quality
from recortex.engines.supersession.claims import Claim, claims, core, is_number
from recortex.engines.supersession.lexicon import FAMILY_OF, SLOTS


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A way to state something: its name, the kind and confidence it gives."""

    name: str
    kind: str
    confidence: float


_PRACTICE = (
    r"(?:use|build|run|send|push|publish|deploy|host|store|cache|keep|raise|throw|return|log|monitor|format|"
    r"lint|type-?check|test|bundle|style|write|manage|release|ship|merge|squash|rebase|branch|tag|name|"
    r"document|mock|generate|validate|hash|encrypt|sign|schedule|track|review|pin|lock|target|support|"
    r"follow|prefer|commit|require|allow|indent|serve|cover|version|measure|authenticate|authori[sz]e|"
    r"serialize|back up|compile|install|package|model|do|make|rely on|work with|bill|charge|expire|retry|"
    r"rotate|render|take|translate|design|configure|provision|orchestrate|queue|round|count|save|persist|"
    r"query|call|pull|fetch|mirror|scan|seed|stub|roll out|handle|process)"
)
_PARTICIPLE = (
    r"(?:used|reported|tracked|collected|recorded|encoded|decoded|built|run|sent|pushed|published|deployed|"
    r"hosted|stored|cached|kept|raised|logged|monitored|formatted|linted|checked|tested|bundled|styled|"
    r"written|managed|released|shipped|merged|squashed|rebased|tagged|named|documented|mocked|generated|"
    r"validated|hashed|encrypted|signed|scheduled|tracked|reviewed|pinned|locked|supported|indented|served|"
    r"versioned|measured|authenticated|serialized|backed up|compiled|installed|packaged|described|defined|"
    r"retried|rotated|delivered|handled|processed|reachable|available|made|created|cut|done|billed|charged|"
    r"rendered|translated|provisioned|queued|rounded|saved|exported|imported|seeded|based|configured|"
    r"declared|paid|translated|exposed|required)"
)
_RESTING = (
    r"(?:runs?|lives?|listens?|go|goes|comes?|talks?|sits?|points?|defaults?|connects?|speaks?|lands?|"
    r"expires?|happens?|starts?|stays?|belongs?|resides?|times? out)"
)
_TO = (
    r"(?:with|in|on|at|by|via|through|from|to|as|over|under|against|for|into|after|before|every|using|"
    r"behind|per|within)"
)
_ADV = (
    r"(?:(?:now|currently|always|only|all|usually|generally|normally|mostly|still|no longer|not|all now|"
    r"now all|just|simply|already) )*"
)
_SUBJECT = (
    r"(?!(?:it|this(?! (?:project|repo\w*|app|codebase|service))|that|these|those|they|there|he|she|i|you|"
    r"we|what|why|how|when|where|who|which|if|here|one|some\w*|nothing|my|his|her|your|their|somehow|"
    r"apparently|once|since|because|while|after|before|make|let|please|can|could|do|don't|"
    r"to)\b)(?:(?!(?:say|says|said|wrote|writes|claims?|thinks?|shows?|told|reports?|reported|seems?|"
    r"suggests?|wants?|asked|i|you|it|he|she|they|that|which)\b)[\w'/.@#+-]+ ){1,7}?"
)
_WE = (
    rf"(?:(?:in|for|on|at) [\w' -]{{2,40}}?,? )?(?:we|the team|this (?:project|repo\w*|app)|"
    rf"i want(?: to)?) {_ADV}"
)
_END = r"(?: .{2,}|[^\w]*$)"

_CHANGED = (
    r"(?:moved|switched|migrated|changed|renamed|upgraded|went|ported|converted|transitioned|downgraded|"
    r"gone|moving|switching|migrating|changing|upgrading|going)"
)
_ENDED = (
    r"(?:drop(?:ped|ping)|ditch(?:ed|ing)|abandon(?:ed|ing)|scrapp(?:ed|ing)|retir(?:ed|ing)|replac(?:ed|"
    r"ing)|swapp(?:ed|ing)|stopped|left|leaving|cancel+(?:ed|ing)|remov(?:ed|ing)|kicked out|kicked|"
    r"threw out|thrown out|threw|gave up(?: on)?|given up(?: on)?|got rid of|getting rid of|gotten rid of|"
    r"are done with|'re done with|decided against|went back on|turned off|shut down|phased out|outgrew|"
    r"sunset|relicensed|lowered|raised|increased|decreased|reduced|bumped|shortened|extended|doubled|halved)"
)
_HAVE = r"(?:'ve| have|'re| are)?(?: (?:now|just|finally|also|all|recently|already|completely|officially))*"

_ROWS: tuple[tuple[StatedFact, re.Pattern[str]], ...] = tuple(
    (StatedFact(name, kind, confidence), re.compile(pattern, re.IGNORECASE))
    for name, kind, confidence, pattern in (
        ("changed", "decision", 0.74, rf"^(?:so )?we{_HAVE} {_CHANGED}\b.* (?:from|to|over|back)\b .+"),
        ("changed", "decision", 0.74, rf"^(?:so )?we(?:{_HAVE}) ?{_ENDED}\b .+"),
        ("changed", "decision", 0.74,
         (rf"^{_SUBJECT}(?:has |have |was |were |got |is |are )?(?:been )?(?:moved|switched|migrated|"
          rf"changed|replaced|swapped|superseded|ported|converted|renamed|raised|lowered|reduced|"
          rf"increased)(?: over)? (?:to|from|by|with) .+")),
        ("changed", "decision", 0.74, (
                r"^(?:no more (?!questions?\b)|(?:scrap|forget(?: about)?|drop|"
                r"ditch) (?!the (?!.*\b(?:thing|idea|rule|plan|convention|limit|requirement|decision)\b)|"
                r"it\b|that\b|this\b|about it\b|everything\b)|stop \w+ing |goodbye |bye(?: bye)? |"
                r"enough of ).+")),
        ("changed", "decision", 0.74, (
                r"^(?:we|i)(?:'ve| have)? changed (?:our|my) minds?\b.+|^(?:we|"
                r"i) (?:used to .+? (?:but )?now\b|no longer \w+|(?:don't|do not) .+ (?:any ?more|"
                r"any longer))\b.*")),
        ("changed", "decision", 0.74, (
                rf"^{_SUBJECT}(?:is|are) (?:gone|out|done|history|dead|deprecated|retired|obsolete|"
                rf"no longer \w+|not .+ any ?more)\b.*")),
        ("changed", "decision", 0.74, (
                rf"^{_SUBJECT}(?:(?:(?:is|are|will) )?no longer|don't|doesn't|do not|does not|(?:is|"
                rf"are)(?: not|n't)) (?:{_PRACTICE}|{_PARTICIPLE}|{_RESTING}|need|be|on|in|at) .+")),
        ("turned", "decision", 0.74, (
                rf"^{_SUBJECT}.+ (?:from now on|from today(?: on)?|these days|now|instead of .+|"
                rf"rather than .+|no longer .+|not .+ any ?more)[.!]?$")),
        ("changed", "decision", 0.74,
         r"^(?:instead of|rather than) .+ we (?:now )?(?:use|do|go|run|write|have|build)\b.+"),
        ("practice", "preference", 0.72, (
                rf"^{_WE}(?:don't |do not )?{_PRACTICE}s?\b(?! (?:it|this|that|them|into|out|so|two|three|"
                rf"several|different|many|both|the old)\b){_END}")),
        ("place", "preference", 0.72, (
                r"\bwe(?:'re| are) (?:now |still |all |only |already )*(?:on|using|building|running|writing|"
                r"deploying|hosting|sending|storing) .+")),
        ("built", "semantic", 0.72, (
                rf"^{_SUBJECT}(?:is|are|gets?) {_ADV}{_PARTICIPLE} (?:up )?(?:{_TO} .+|(?:\d+|once|twice|"
                rf"three|four|five) times.*)")),
        ("built", "semantic", 0.72, (
                rf"^(?!(?:the|an?)\b){_SUBJECT}(?:is|are|must be|should be) {_ADV}[a-z]{{3,}}ed (?:up "
                rf")?{_TO} .+")),
        ("rests", "semantic", 0.72, (
                rf"^{_SUBJECT}(?:is|are) {_ADV}(?:on|in|at|under|behind|from|with) .*\b(?:mon|tues|wednes|"
                rf"thurs|fri|satur|sun)days?\b.*")),
        ("rests", "semantic", 0.72, rf"^{_SUBJECT}{_ADV}{_RESTING} {_ADV}(?:out |only )?{_TO} .+"),
        ("uses", "semantic", 0.72,
         rf"^{_SUBJECT}{_ADV}(?:uses|needs|requires|(?<=s )(?:use|need|require)) (?!to\b).+"),
        ("bound", "semantic", 0.72, (
                rf"^{_SUBJECT}(?:must|may|should|has to|have to|can)(?: not| never| only| now)? (?:be|stay|"
                rf"have|call|use|run|go|take)\b.*(?:\d|\bv\d).*")),
        ("wanted", "preference", 0.72,
         r"^i want (?:all|every|each|our) .+ (?:in|as|with|on|to|under|by|from|without) .+"),
        ("order", "preference", 0.72,
         (r"^(?:use|prefer) (?!.* for the [\w-]+[.!]?$)(?!(?:it|this|that|these|those|them|an?|my|your|"
          r"the)\b).+? (?:for|in|with|as|instead of|rather than|not|now)\b.*")),
        ("order", "preference", 0.72,
         (
                 r"^(?:write|run|lint|format|test|keep|store|indent|build|log|name|hash|put|deploy|"
                 r"type-?check|bundle|document|send|start|merge|rebase|squash|save|host|publish|ship|"
                 r"release|answer|reply) (?!(?:it|this|that|these|those|them|an?|my|your|to)\b)(?:(?!(?:to|"
                 r"or|for|of|and)\b|(?:the|an?)\b(?!.*\bfrom now on\b))[\w'-]+ ){0,4}?(?:with|in|as|on|via|"
                 r"using|against|under|at|by|before|through)\b (?!(?:the|this|that) \w+[.!]?$).+")),
        ("order", "preference", 0.72,
         r"^for (?:[\w-]+ ){0,3}[\w-]+,? (?:please |just |always |only |we )*(?:use|take) .+"),
        ("value", "semantic", 0.72, rf"^{_SUBJECT}(?:is|are) .+"),
    )
)  # fmt: skip
_FAILING = re.compile(
    r"\b(?:fail(?:s|ing|ure)?|failed(?! \w+s\b)|(?<!for )(?<!raise )(?<!throw )(?<!return )errors?(?! "
    r"(?:(?:are|aren't|must be) (?:\w+ )?\w+ed|go|codes?|messages?|handling|tracking|reports?)\b)|"
    r"is running|are running|takes? (?!on\b)|i (?:see|get|got|have|had|saw|notice\w*)|broken|bug\w*|"
    r"wrong\w*|twice|crash\w*|flaky|missing|hangs?|stuck|weird|strange|unexpected\w*|by mistake|"
    r"accidentally|for some reason|apparently|somehow|supposed to|(?:is|are|runs?|comes?) too (?:often|many|"
    r"much|early|late|long|small|big|slow)(?!.*\bnow\b)|even (?:though|when|if)|although|why|seems?|"
    r"looks? like|not (?:working|loading|found)|doesn't work|undefined|null|404|500|exception (?:in|at)|"
    r"traceback|(?:wiki|docs?|documentation|readme|logs?|ticket|article|blog|post|manual|someone|customers?|"
    r"users?|colleague|intern) (?:says?|said|claims?|wrote|writes?|tells?|thinks?|suggests?)|rumou?r|"
    r"customer|wiki says|no idea|not sure|maybe|perhaps|might|could|would|wonder\w*|think(?:ing)? (?:about|"
    r"of|that|we)|consider\w*|plan(?:ning|s)? to|one day|next (?:year|month|week|quarter|sprint)|some ?day|"
    r"eventually|later|if|until|unless|for now|for today|just this once|temporar\w+|compare|did not|didn't|"
    r"not to|once|yet|on my (?:laptop|machine|box)|locally)\b|\?\s*$",
    re.IGNORECASE,
)  # fmt: skip
_REPORTING = re.compile(
    r"\b(?:bugs?|why|investigat\w+|find out|broken|what is going on|expected|debug|stack ?trace|reproduc\w+|"
    r"(?:fix|solve|explain) (?:it|this|that))\b|```",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:this|these|those)\b(?! (?:project|repo\w*|codebase|monorepo|app|month|week|year|days|team|"
    r"service|package|library))|\bhere\b|\b(?:it|that) (?:to|in|on|with|for)\b|\b(?:(?:above|below)(?! \d)|"
    r"following)\b|^(?:use|run|write|put|keep|start|save|name|test) (?:the|that) ",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:i want you|you\b|we should|i need|i(?:'d| would) like|can|could|would|please|let|learn|try|tell|"
    r"explain|show)\b",
    re.IGNORECASE,
)
_LASTS = re.compile(
    r"\b(?:from (?:now|today) on|from now on|as of (?:now|today)|from today|these days|now|always|no longer|"
    r"any ?more|any longer|instead|going forward|rather than|not)\b",
    re.IGNORECASE,
)
_SCOPED = re.compile(
    r" (?:for|in|with|as|via|to|on|every|before|under|through|by|against|using) (?!(?:the|this|that) \w+$).+",
    re.IGNORECASE,
)
_PAST_WORK = re.compile(
    r"^we\b.*\b(?:the|that|this) (?:(?:next|last|first|new|old|other) )?(?:file|table|column|test|function|"
    r"method|class|commit|line|button|import|variable|folder|field|docs?|flag|index|parameter|argument|call|"
    r"check|helper|header|page|footer|link|icon|option|snapshot)s?\b",
    re.IGNORECASE,
)


# "use bcrypt for passwords", "run database migrations with alembic": of all of them, not of the one at hand.
_GENERIC = re.compile(
    r"^(?:use [\w.+-]+ for (?:all |every |each |any )?(?!(?:the|a|an|my|your)\b)(?:[\w-]+ )?\w+s[.!]?$|"
    r"use [\w.+ -]+ for .+ in (?:all |the |our )?(?:tests?|code|docs|repo\w*|project)[.!]?$|\w+ (?!(?:the|a|"
    r"an|my|your)\b)(?:[\w-]+ ){0,2}\w+s (?:with|in|as|on|via|using) [\w.+-]+(?: \w+)?[.!]?$)",
    re.IGNORECASE,
)
_BRIEF = 5
_DAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)


_FROM_NOW = re.compile(
    r"\b(?:from (?:now|today) on|as of (?:now|today)|these days|always|going forward)\b", re.IGNORECASE
)


def is_report(message: str) -> bool:
    """Whether a message tells of something that goes wrong: then what it says is so is not what shall be."""
    return _REPORTING.search(message) is not None


def stated(text: str, *, named: bool, reporting: bool) -> StatedFact | None:
    """What a cleaned sentence of the person states about the project; None if nothing that lasts.

    Args:
        text: one sentence, without greeting and request.
        named: whether it names a product, a piece of code or a number.
        reporting: whether the message as a whole tells of a failure.
    """
    if _FAILING.search(core(text)) or text.endswith("?") or _ASKS.match(text):
        return None
    for part in (text, *_CLAUSES.split(text)):
        found = next((row for row, pattern in _ROWS if pattern.search(part)), None)
        if found is None or _POINTING.search(part) or not _carries(found, part, named=named):
            continue
        return None if reporting and found.name not in {"changed", "turned", "practice"} else found
    return None


_WE_SAY = re.compile(
    r"(?:so )?(?:we|i|no more|stop|[\w-]+s|all|every)\b|(?!(?:the|an?|my|your|some)\b)\w|.*\b(?:from now on|"
    r"from today)\b",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[,;:] (?:and |so |but )?|(?: and| but|) so (?=we\b|the\b|our\b)", re.IGNORECASE)


def _carries(row: StatedFact, text: str, *, named: bool) -> bool:
    """Whether a sentence of a form says enough to be one of how the project is run."""
    if row.name in {"changed", "turned"} and (row.name == "changed" or _is_claim(text)):
        return (named or bool(_WE_SAY.match(text))) and not _PAST_WORK.search(text)
    if row.name in {"turned", "place"}:
        return named and row.name == "place"
    if row.name == "order":
        return named or bool(_FROM_NOW.search(text)) or bool(_GENERIC.match(text))
    if row.name == "practice":
        return named or bool(_SCOPED.search(text)) or len(text.split()) <= _BRIEF
    if row.name == "value":
        return _is_value(text)
    return (
        named
        or row.name == "built"
        or bool(_DAY.search(text))
        or bool(_LASTS.search(text))
        or _is_claim(text)
    )


def _is_claim(text: str) -> bool:
    """Whether it is read as a value of something that is named."""
    return any(one.verb and one.subject and one.value for one in claims(text))


_PLURALS = re.compile(
    r"(?!(?:the|an?|my|these|those|some)\b)(?:[\w-]+ ){0,2}[\w-]+s (?:in [\w ]{2,20} )?are ", re.IGNORECASE
)
_SHORT_VALUE = 4
"""Words: a longer one explains."""


def _fills_slot(claim: Claim) -> bool:
    """Whether a thing that has one value is given a name: "the default branch is trunk"."""
    known = bool(claim.subject & SLOTS) and len(claim.value) <= _SHORT_VALUE
    return known and is_name(claim.value) and not is_quality(claim.value)


def _is_value(text: str) -> bool:
    """Whether "S is V" gives a name or number: "the default page size is 50", not "the page is empty"."""
    for one in claims(text):
        if one.verb != "be" or not one.subject or not one.value:
            continue
        if one.stems & FAMILY_OF.keys() or _fills_slot(one):
            return True
        if _PLURALS.match(text) and one.value[-1].endswith("s") and len(one.value) <= _SHORT_VALUE:
            return True
        if any(is_number(word) or _IS_FORM.match(word) for word in one.value[:3]):
            return True
    return False


_IS_FORM = re.compile(
    r"[A-Z]{2,}[a-z]?$|[a-z]+[A-Z]\w*$|[A-Z][a-z]+[A-Z]\w*$|\w+_\w+$|[a-z]+-case$|\w+[./]\w+"
)
