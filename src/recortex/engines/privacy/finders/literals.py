"""Finds what is assigned to a name such as `password`, in code, configuration and the columns of tables.

The syntaxes are read as one: after the name come what closes it, a type, a sign or word that assigns, and
what wraps the value. That is a literal in quotes, perhaps in parts; a block below; or the rest of a line.
Columns are those of tables of Markdown, of CSV, and of rows that SQL inserts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recortex.engines.privacy.credentials import is_harmless
from recortex.engines.privacy.finders.judging import is_clear, is_key, is_phrase, is_unknown, refuses
from recortex.engines.privacy.table import compiled
from recortex.engines.tables import Patterns

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterator

    from recortex.engines.privacy.finders import Cue

    Judge = Callable[[str, bool], bool]


PATTERNS = Patterns(__file__)
SURE, UNSURE = True, False
"""Whether the syntax says that a value is meant: then it may be a mere unknown word."""
_WINDOW = 700
_PARTS = 8
_OF_SENTENCES = ("", "(", ",", "{", ":")
"""What may follow the verb `pass` in a sentence, or the word in a line of test results."""


def password(cue: Cue) -> Iterator[tuple[int, int]]:
    """What is assigned to the name of a password."""
    yield from _assigned(cue, lambda value, sure: is_unknown(value) if sure else is_clear(value))


def key(cue: Cue) -> Iterator[tuple[int, int]]:
    """What is assigned to the name of a token or key."""
    begin = cue.start
    before = compiled(r"[\w.-]*\Z").search(cue.folded, max(0, begin - 24), begin)
    if not is_harmless((before[0] if before else "") + cue.word):
        yield from _assigned(cue, lambda value, _: is_key(value))


def _assigned(cue: Cue, judge: Judge) -> Iterator[tuple[int, int]]:
    text, at = cue.text, cue.end
    end = min(len(text), at + _WINDOW)
    # `${DB_PASSWORD:-…}`, and elements of XML such as `<name>password</name><value>…</value>`.
    found = PATTERNS.default.match(text, at, end) or PATTERNS.element.match(text, at, end)
    if found:
        if judge(found["v"], SURE):
            yield found.span("v")
        return
    # In lists of variables, as Kubernetes has them, the value may stand on the line above the name.
    before = PATTERNS.value_first.search(text[max(0, cue.start - 240) : cue.start])
    if before and judge(before["v"], SURE):
        start = max(0, cue.start - 240)
        yield start + before.start("v"), start + before.end("v")
        return
    head = PATTERNS.assigned.match(cue.folded, at, end)
    if head is None:
        # A space alone assigns where the name is in capitals or begins its line, as in the files of netrc,
        # Redis and routers.
        settings = text[at - 1].isupper() or cue.word in ("requirepass", "masterauth", "rootpw")
        settings = settings or _starts_line(cue) or cue.word.endswith("_key")
        environment = PATTERNS.environment.match(text, at, end) if settings else None
        if environment and judge(environment["v"], cue.word != "pass"):
            yield environment.span("v")
        return
    operator = head["op"].strip()
    beside = cue.text[max(0, cue.start - 1) : cue.start] or " "
    # Test results say `--- PASS: TestLogin` and "all checks pass: vet".
    if cue.word == "pass" and operator in _OF_SENTENCES and not (beside.isalnum() or beside in "_."):
        return
    if operator == "," and not _may_be_listed(cue, head.start("op")):
        return
    yield from _value(cue, head.end(), end, operator, judge)


def _starts_line(cue: Cue) -> bool:
    """Whether a name begins its line, after at most a word, as in the files of routers, netrc and Redis."""
    begin = cue.text.rfind("\n", max(0, cue.start - 60), cue.start) + 1
    return (
        compiled(r"[ \t]{0,8}(?:set[ ]|enable[ ]|remote_|username[ ]\S{1,40}[ ])?\Z").match(
            cue.text[begin : cue.start]
        )
        is not None
    )


def _may_be_listed(cue: Cue, comma: int) -> bool:
    """Whether a comma after a name assigns: the name is quoted, or is the first of a tuple."""
    if cue.text[comma - 1] in "\"'`" or (cue.text[comma - 1] == ")" and cue.text[comma - 2] in "\"'`"):
        return True
    before = cue.text[max(0, cue.start - 40) : cue.start]
    return compiled(r"(?:\{|str(?:n?cpy|n?cmp|cat)\()[\w.>:-]{0,24}\Z").search(before) is not None


def _value(cue: Cue, at: int, end: int, operator: str, judge: Judge) -> Iterator[tuple[int, int]]:
    text = cue.text
    # Quotations of Ruby and Perl: `%q(…)`, `q{…}`, `%w[…]`.
    for shape in (PATTERNS.bracketed, PATTERNS.perl_q, PATTERNS.words_q):
        found = shape.match(text, at, end)
        if found:
            if judge(found["v"], SURE):
                yield found.span("v")
            return
    # Below the name: a block of YAML, a here document, a line that goes on after a backslash.
    block = PATTERNS.block.match(cue.folded, at, end)
    if block:
        name = next(name for name, value in block.groupdict().items() if value and name not in ("in", "end"))
        start, stop = block.span(name)
        if name != "below" or _is_deeper(cue, block["in"]):
            value = text[start:stop].rstrip()
            if judge(value.rstrip("\\"), name != "below" or _is_alone(cue, stop, block["in"])) or is_phrase(
                value, quoted=False
            ):
                yield start, start + len(value)
        return
    wrap = PATTERNS.wrap.match(text, at, end)
    if wrap and PATTERNS.quotes.match(text, wrap.end(), end):
        sure = not wrap["wrap"] or PATTERNS.safe_wrap.match(wrap["wrap"]) is not None
        yield from _literal(cue, wrap.end(), end, judge, sure=sure and operator != "->")
    elif operator in ("=", ":", ":=") or operator.endswith((":", "=")):
        yield from _bare(cue, at, end, operator, judge)


def _is_deeper(cue: Cue, indent: str) -> bool:
    """Whether a value on the next line is deeper than the line of its name, as in YAML."""
    start = cue.text.rfind("\n", max(0, cue.start - 200), cue.start) + 1
    own = cue.text[start : cue.start]
    return len(indent) > len(own) - len(own.lstrip()) and compiled(r"[\s\w.\"'+-]*\Z").match(own) is not None


def _is_alone(cue: Cue, at: int, indent: str) -> bool:
    """Whether no line as deep follows a value: then it is no mapping or list."""
    following = compiled(r"[ \t]{0,4}\r?\n(?P<in>[ \t]{0,60})(?=\S)").match(cue.text, at)
    return following is None or len(following["in"]) < len(indent)


def _literal(cue: Cue, at: int, end: int, judge: Judge, *, sure: bool) -> Iterator[tuple[int, int]]:
    """A text in quotes, perhaps in parts that are joined."""
    text, parts, start = cue.text, list[str](), -1
    stop = at
    for _ in range(_PARTS):
        opening = PATTERNS.quotes.match(text, at, end)
        if opening is None:
            break
        closing = _closing(text, opening.end(), end, opening[0])
        if closing < 0:
            break
        content = text[opening.end() : closing]
        inner = content.strip() if len(opening[0].lstrip("\\")) == 3 else content  # noqa: PLR2004
        if start < 0:
            start = opening.end() + (len(content) - len(content.lstrip()) if inner != content else 0)
        parts.append(inner)
        stop = opening.end() + len(content.rstrip() if inner != content else content)
        joined = PATTERNS.join.match(text, closing + len(opening[0]), end)
        if joined is None or ("\n" in joined[0] and not _joins(text, joined, opening.start())):
            break
        if "," in joined[0] and not _is_list(text, opening.start()):
            break
        at = joined.end()
    if start < 0 or "\x00" in text[start:stop]:
        return
    value = compiled(r"\\\r?\n[ \t]*").sub("", "".join(parts))
    if (" " not in value and judge(value, sure)) or (" " in value and is_phrase(value, quoted=True)):
        yield start, stop


def _closing(text: str, at: int, end: int, quote: str) -> int:
    """Where a text ends that a quote began; -1 where it does not end."""
    while True:
        found = text.find(quote, at, end)
        if found < 0 or (len(quote) == 1 and "\n" in text[at:found].replace("\\\n", "")):
            return -1
        # An escaped quote does not close a text; of two backslashes the first escapes the second.
        if quote[0] == "\\" or text[found - 1] != "\\" or text[found - 2 : found] == "\\\\":
            return found
        at = found + 1


def _joins(text: str, joined: re.Match[str], opening: int) -> bool:
    """Whether a text on the next line belongs to the one above: a sign or a bracket says so."""
    between = joined[0]
    return (
        bool(compiled(r"[+.&\\]|<>|\|\|").search(between))
        or text[:opening].rstrip("fbru").rstrip()[-1:] in "([="
        or (text[text.rfind("\n", 0, opening) + 1 : opening].strip() == "")
    )


def _is_list(text: str, opening: int) -> bool:
    before = text[max(0, opening - 40) : opening].rstrip()
    return before.endswith(("[", "concat!(", "paste0(", "paste(", '",'[:2], "',"[:2], '",'))


def _bare(cue: Cue, at: int, end: int, operator: str, judge: Judge) -> Iterator[tuple[int, int]]:
    """The rest of a line, or a word, after `=` or `: `."""
    found = PATTERNS.line.match(cue.text, at, end)
    if found is None:
        return
    start = found.start("v")
    value = found["v"].rstrip(",;.\\").rstrip(")]")
    after = cue.text[start + len(value) : start + len(value) + 2]
    if found["more"]:
        joined = value + found["more"].strip("\\\r\n ")
        if judge(joined, UNSURE):
            yield start, found.end("more")
        return
    # With a space after `=` a bare value is mostly code, while settings are written without.
    whole = after[:1] in ("", "\n", "\r") and (operator != "=" or cue.text[at - 1] == "=")
    if value and not after.startswith(("(", "[")) and judge(value, whole) and not refuses(value):
        yield start, start + len(value)


COLUMN_PATTERNS = Patterns(__file__, "columns")
_LONGEST_LINE, _MOST_ROWS, _MOST_COLUMNS = 400, 20, 30


def column(cue: Cue) -> Iterator[tuple[int, int]]:
    """The values below, or in the place of, a column's name."""
    text, at = cue.text, cue.start
    begin = text.rfind("\n", max(0, at - _LONGEST_LINE), at) + 1
    before = text[begin:at]
    after = text[cue.end : cue.end + 2].lstrip("\"'` *_")
    if after[:1] not in ("|", ",", ";", "\t", "\r", "\n", ")", ""):
        return
    if "(" in before and (found := COLUMN_PATTERNS.insert.match(cue.folded, cue.end)):
        yield from _cell(
            text, found.start("row"), found.end("row"), ",", before.rpartition("(")[2].count(",")
        )
        return
    sign = next((one for one in "|\t;," if one in before or after.startswith(one)), "")
    if not sign or len(before) > _LONGEST_LINE or compiled(r"[(){}=:]").search(before):
        return
    yield from _below(text, text.find("\n", cue.end), sign, before.count(sign))


def _below(text: str, at: int, sign: str, column: int) -> Iterator[tuple[int, int]]:
    for _ in range(_MOST_ROWS):
        if at < 0 or column > _MOST_COLUMNS:
            return
        end = text.find("\n", at + 1)
        end = len(text) if end < 0 else end
        if end - at > _LONGEST_LINE or sign not in text[at + 1 : end]:
            return
        yield from _cell(text, at + 1, end, sign, column)
        at = end if end < len(text) else -1


def _cell(text: str, start: int, end: int, sign: str, column: int) -> Iterator[tuple[int, int]]:
    for _ in range(column):
        start = text.find(sign, start, end) + 1
        if not start:
            return
    stop = text.find(sign, start, end)
    raw = text[start : end if stop < 0 else stop]
    value = raw.strip(" \t\r\"'`*")
    if value and " " not in value and "\x00" not in value and is_unknown(value):
        begin = start + raw.index(value)
        yield begin, begin + len(value)
