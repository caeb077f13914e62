"""Whether a sentence stands alone: what must be true of any statement before a rule may take it.

Each test is linguistic and general. `objection` names the first one that fails, so that the bench can count
what is turned away and why.
"""

from __future__ import annotations

import re

MIN_LENGTH = 25
MIN_TYPED = 10
"""What a person says on purpose may be short: "we use uv"."""
MAX_LENGTH = 400
_MIN_WORDS = 5
_MIN_PLAIN_WORDS, _MIN_ORDER_WORDS = 5, 3
_PLAIN_WORD = re.compile(r"[^\W\d_]{2,}|\ba\b")
_MAX_DIGIT_SHARE = 0.25
_CODE = re.compile(r"`[^`]*`")
# Places in a file, moments and machines: true for a day.
_STALE = re.compile(
    r"\blines? \d|\bL\d{2,}\b|\b\d{1,2}:\d{2}:\d{2}\b|(?:/Users|/home|C:\\\\Users)[/\\\\]\w|\b(?:not|"
    r"NOT) yet\b|(?<![\w\])])`?:\d{2,}`?\)|\(`?:\d|~\d+-\d+|`:\d+`|/tmp/\w"
)

IDENTIFIER = re.compile(
    r"`[^`]+`|\b[a-z]\w*_\w+\b|\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|\b[A-Z][a-z0-9]+[A-Z]\w*|\b[a-z]+[A-Z]\w*|"
    r"\b[A-Z]{2,}[a-z]\w+|\b\w+\(\)|(?<![\w-])--?[a-z][\w-]+|(?<!\w)/?[\w.@-]+/[\w./@-]+|"
    r"\b[\w-]+\.(?:[a-z]{1,4}|json|jsonl|toml|yaml|lock)\b|(?<!\w)\.[a-z]{3,}\b"
)
_NAME_INSIDE = re.compile(r"(?<=[a-z,;:)] )[A-Z][A-Za-z0-9+#]+")
_QUESTION = re.compile(
    r"\?\s*$|^(?:what|why|how|where|when|who|which|can|could|would|should|shall|do|does|did|is|are|was|will|"
    r"have|has)\s+(?:you|we|i|it|this|that|there|the|they|a|an)\b",
    re.IGNORECASE,
)
# A statement that lost what came after: "Modified `f()` in `x.go` to", "which returns the".
_LOST_END = re.compile(
    r"(?:`\s(?:to|that|which|so|by|with|from|into|via|using|and|or)|\b(?:the|an?|its|our|their|and|or|"
    r"because|than))[.;]?$"
)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I'll|I've|I'd|me|[Mm]y|mine)\b|\b[Ll]et(?:'s| me| us)\b|\bus\b(?!-)")
_INTENTION = re.compile(
    r"^(?:now|next|first|then|time to|going to|identif\w+|explored|investigat\w+|analy[sz]ed|confirmed|"
    r"verified|discovered|need to|needs to|want to|trying|try|continuing|continue|starting|start|"
    r"checking|looking|reading|running|testing|waiting|moving|proceeding|adding|updating|fixing|creating|"
    r"implementing|writing|verifying|let)\b|\bwe(?:'ll| will| should| need to| can| could|'re going to)\b",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"\b(?:all (?:\w+ )?(?:tests?|checks|green|done|good|set|clean|passing)|(?:tests?|checks?|lint(?:ing|"
    r"er)?|build|compile|credo|compilation|suite|migration|everything)\b[^.]{0,40}\b(?:pass(?:es|ed|ing)?|"
    r"succeed(?:s|ed)?|clean(?:ly)?|green|successful(?:ly)?|works? (?:now|correctly|as expected))|"
    r"\d+ (?:tests?|specs?|failures?|passed|failed)\b|successfully|has been (?:\w+ )?(?:completed|fixed|"
    r"updated|added|pushed|committed|implemented|created)|(?:is|are) (?:now )?(?:done|complete|completed|"
    r"ready|fixed|pushed|committed|in place|finished)\b|good (?:progress|news)|as expected|no issues|"
    r"looks good|full (?:picture|context|understanding)|clear (?:picture|understanding)|"
    r"nothing (?:else )?to)",
    re.IGNORECASE,
)
_MARKS = re.compile("[\u2705\u274c\u2713\u2717\u2714\u2718]|\\bPASS(?:ED)?\\b|\\bFAIL(?:ED)?\\b")
_DANGLING_START = re.compile(
    r"(?:all|the|both|these) (?:\d+|two|three|four|five|six) |(?:it|its|it's|this|that|that's|these|those|"
    r"they|their|he|she|there|there's|here|here's|both(?! (?:the )?`)|same|such|one|another|either|neither|"
    r"also|which|and|but|or|expected|not|still|otherwise|instead|once|others?|some|each|similar|likewise|"
    r"alternatively|option|step|phase|task|yes|no|only|the (?:above|below|following|former|latter|rest|"
    r"other|same|remaining|second|first|third|last|next|previous|new|current|old|original|existing|actual|"
    r"generated|resulting|proposed|output|plan|(?:user|agent)(?= (?:is|was|has|wants?|asked|said|can|will|"
    r"did|does|needs?|confirmed|requested|then)\b)|change|changes|summary|result|results|goal|idea|approach|"
    r"difference|question|answer|reason|point|key))\b(?! (?:project|repo|repository|codebase|monorepo|"
    r"app)\b)",
    re.IGNORECASE,
)
_BARE_SUBJECT = re.compile(
    r"(?!the (?:tests?|build|server|migrations?|linter|compiler) (?:needs?|requires?|expects?|must|cannot|"
    r"only) (?!to be))(?:the|a|an|our|my|your) (?:tests?|files?|functions?|methods?|class|modules?|code|"
    r"errors?|warnings?|issues?|problems?|bugs?|fix(?:es)?|hooks?|scripts?|commands?|build|commits?|branch|"
    r"pages?|components?|buttons?|lines?|imports?|types?|fields?|values?|variables?|parameters?|arguments?|"
    r"config(?:uration)?|settings?|server|process|call|query|table|column|list|check|loop|case|cases|"
    r"failures?|logic|implementation|behaviou?r|feature|pattern|api|endpoint|request|response|handler|"
    r"package|library|dependency|template|layout|section|step|tool|option|flag|linter|compiler|modal|form|"
    r"view|route|schema|migration|data|session|directory|folder|path|string|object|array|map|struct|"
    r"interface|log|logs|message|messages) (?:is|are|was|were|has|have|had|does|do|did|doesn't|don't|didn't|"
    r"isn't|aren't|wasn't|can|can't|cannot|will|won't|should|must|may|might|needs?|requires?|uses?|expects?|"
    r"returns?|fails?|failed|shows?|comes?|happens?|looks?|works?|appears?|seems?|exists?|already|only|now|"
    r"just|also|still|itself|\w{4,}(?:s|ed))\b",
    re.IGNORECASE,
)
_SUBJECTLESS = re.compile(
    r"(?:contains?|uses?|returns?|reads?|writes?|handles?|calls?|stores?|implements?|supports?|provides?|"
    r"triggers?|includes?|has|have|shows?|checks?|runs?|gets?|sets?|takes?|accepts?|requires?|expects?|"
    r"needs?|works?|defaults?|should|must|can|cannot|is|are|was|were|does|doesn't|did|didn't|keeps?|makes?|"
    r"lets?|allows?|ensures?|sends?|template|component|handler|function|method|caused|because|due to|except|"
    r"where|when(?: it| that))\b",
    re.IGNORECASE,
)
# "Chosen because it scales": what was? And a gerund with no verb after it is a heading, not a statement.
_NO_OBJECT = re.compile(
    r"(?:rejected|chosen|chose|accepted|selected|preferred|considered|decided|required|needed|used|"
    r"avoided) (?:because|to|as|since|for|over|instead|against|in)\b",
    re.IGNORECASE,
)
_GERUND = re.compile(
    r"(?!nothing|everything|anything|something|string|during|using)[a-z]{2,}ing\b", re.IGNORECASE
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|cannot|must|will|would|should|does|do|did|\w+n't|makes?|"
    r"affects?|requires?|breaks?|causes?|prevents?|avoids?|means|needs?|allows?|leads?|gives?|keeps?|lets?|"
    r"works?|fails?|returns?|creates?)\b",
    re.IGNORECASE,
)
_DEICTIC = re.compile(
    r"\b(?:one\b.{0,30}\bthe other|the other one)\b|\b(?:this|these|those)\b(?! (?:project|repo|repository|"
    r"codebase|monorepo|app|application|workspace|team|machine|service|package|library)\b)|\b(?:(?:above|"
    r"below)(?! (?:\d|the\b|zero\b))|aforementioned|the former|the latter|as follows|the following|"
    r"previously|earlier|either (?:mode|case|way|one|of them)|(?:issue|problem|point|question|bug) here|"
    r"(?:for|in|on|at|from|to) that (?:branch|case|file|function|path|point|mode|state|one)|as before|"
    r"mentioned|just now|right now|at the moment|so far|(?:first|second|third|main|other|last) (?:bug|issue|"
    r"problem|error|fix)|the same (?:way|thing|issue|problem|pattern|approach|error))\b|\b(?:do|does|did|"
    r"fix|fixes|fixed|with|for|of|from|like|about|on|by|in|after|before|than|given) (?:that|it)[.,;:!]|"
    r"\b(?:that|the) (?:file|function|method|case|error|issue|problem|bug|way|one|part|line|approach|change|"
    r"test)[.,;:!]",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"\b(?:it|its|they|them|their|it's)\b", re.IGNORECASE)
# The person names a thing once and goes on with "it": "the full suite takes hours, so run it at night".
_NOUN_BEFORE = re.compile(r"\b(?:the|our|all|every|an?|no) (?!one\b|other\b|same\b)[\w-]{3,}", re.IGNORECASE)
_PLURAL_PRONOUNS = {"they", "them", "their"}
_PLURAL = re.compile(r"\b\w{3,}s\b|\band\b|\bboth\b")
_YOU = re.compile(
    r"(?<!when )(?<!if )(?<!once )(?<!after )(?<!before )(?<!until )\b(?:you|your|yours|you'll|you're|"
    r"you've|want me to)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:\w+ ){0,2}(?:fix|fixes|suggestion|bug|issue|cause|reason|problem|symptom|solution|test|expected|"
    r"actual|got|before|after|option|example|summary|todo|step|file|location|result|output|status|impact|"
    r"severity|effort|risk|action|changes?|input|usage)s?(?: \d+)?:|P\d\b|#\d|.{0,400}\b(?:P\d |issue |bug |"
    r"PR |task |step |phase |option )#?\d",
    re.IGNORECASE,
)
_FOREIGN = re.compile(r"[^\x00-\u024f\u2000-\u2bff]")


def identifiers(text: str) -> list[str]:
    """Names of code, files, commands and products in a sentence, in order, without code marks."""
    return [found.group().strip("`") for found in IDENTIFIER.finditer(text)]


def is_specific(text: str) -> bool:
    """Whether a sentence names something: a piece of code, a file, or a product inside the sentence."""
    return IDENTIFIER.search(text) is not None or _NAME_INSIDE.search(text) is not None


def is_cut(text: str) -> bool:
    """Whether a statement ends in a word that wants another one after it."""
    return _LOST_END.search(text) is not None


def objection(text: str, *, addressed: bool = False, meant: bool = False) -> str:
    """Name the first reason why a cleaned statement cannot be a memory; empty when there is none.

    Args:
        text: one statement, cleaned by `sentences.statement`.
        addressed: whether words to a listener ("you", "we should") are allowed, as in the person's own rules.
        meant: whether the person says that it is to be kept, or names what it is about: then it may be short,
            and "the server" is the one that everybody knows.
    """
    if shape := _misshapen(text, _MIN_ORDER_WORDS if addressed else _MIN_PLAIN_WORDS, meant=meant):
        return shape
    if _QUESTION.search(text):
        return "question"
    if _LABELLED.match(text):
        return "label"
    if not addressed and (_FIRST_PERSON.search(text) or _INTENTION.search(text) or _YOU.search(text)):
        return "narration"
    if _CHATTER.search(text) or _MARKS.search(text):
        return "chatter"
    dangles = _points_away(text) if meant else _dangles(text, addressed=addressed)
    return "dangling" if dangles else ""


def _misshapen(text: str, fewest: int, *, meant: bool) -> str:
    """Object to length, to numbers, to a lead-in and to an unbalanced half of something."""
    if not (MIN_TYPED if meant else MIN_LENGTH) <= len(text) <= MAX_LENGTH:
        return "length"
    if len(text.split()) < (_MIN_ORDER_WORDS if meant else _MIN_WORDS) and not _FOREIGN.search(text):
        return "length"
    if (
        text.endswith((":", "...", "…", ","))
        or text.count("`") % 2
        or text.count("(") != text.count(")")
        or is_cut(text)
    ):
        return "half"
    if len(_PLAIN_WORD.findall(_CODE.sub(" ", text))) < fewest - meant and not _FOREIGN.search(text):
        return "half"
    if _STALE.search(text) or sum(char.isdigit() for char in text) > _MAX_DIGIT_SHARE * len(text):
        return "passing"
    return ""


def _points_away(text: str) -> bool:
    """Whether the sentence begins with, or rests on, a word for something outside of itself."""
    return bool(_DANGLING_START.match(text) or _DEICTIC.search(text))


def _dangles(text: str, *, addressed: bool) -> bool:
    """Whether the sentence points at something outside of itself; an order needs no subject."""
    if (
        _DANGLING_START.match(text)
        or (not addressed and _SUBJECTLESS.match(text))
        or _DEICTIC.search(text)
        or _BARE_SUBJECT.match(text)
    ):
        return True
    if _NO_OBJECT.match(text) or (_GERUND.match(text) and not _FINITE.search(text)):
        return True
    pronoun = _PRONOUN.search(text)
    if pronoun is None:
        return False
    before = text[: pronoun.start()]
    if addressed and _NOUN_BEFORE.search(before):
        return False
    if pronoun.group().lower() in _PLURAL_PRONOUNS and not _PLURAL.search(_CODE.sub(" ", before)):
        return True
    return not is_specific(before)
