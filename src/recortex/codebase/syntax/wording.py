"""Small texts of code brought into one form: names, types, heads of definitions, first lines of comments."""

from __future__ import annotations

import re

LONGEST = 200
"""Characters of a signature or of a line of documentation that are kept."""
LONGEST_RECEIVER = 60
_PARTS = re.compile(r"::|->|\?\.|[.\\]")
_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_TYPE = re.compile(r"[A-Za-z_$\\][\w$.:\\]*")
_MODIFIERS = re.compile(
    r"\b(?:const|mut|dyn|impl|final|readonly|static|struct|volatile|typename|unsigned|signed"
    r"|ref|out|in|Optional)\b"
    r"|'\w+\b(?!')"
)
_ONE_OF = re.compile(r"Optional\[(.+)\]|(.{1,400}?)\s*\|\s*(?:None|null|undefined)")
_XML = re.compile(r"</?(?:summary|remarks|para|inheritdoc|param|returns)[^>]*>")
_COMMENT_SIGNS = re.compile(r"^\s*(?:/\*+!?|//+[/!]?|\*+/?|#+|--)\s?|\*+/\s*$")
_PUNCTUATION = re.compile(
    r"(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')|(=>|->|>=|<=)|([(\[{<])|([)\]}>])|(,)"
)
_THE_INSTANCE = re.compile(r"(?:&\s*(?:'\w+\s+)?)?(?:mut\s+)?(?:self|cls|this)\b(?!\s*,?\s*\w)")
_QUOTED = re.compile(r"""["'`]([^"'`\n]{0,200})["'`]""")
_SENSITIVE = re.compile(
    r"(?:pass|pwd|secret|token|credential|api_?key)\w{0,20}[\"']?\s{0,8}(?:=>?|:)\s{0,8}\Z", re.IGNORECASE
)
"""A name before an argument that may be a secret: it is not kept."""
_MARK = re.compile(r"[@#!\[\s]*(?:\w+\s*:\s*)?([\w.:\\]+)")


def one_line(text: str, most: int = LONGEST) -> str:
    """A text without line breaks and doubled spaces, cut."""
    return " ".join(text[: 3 * most].split())[:most]


def without_generics(text: str) -> str:
    """`Map<K, V[]>` as `Map`; what is nested is taken out from the inside."""
    for _ in range(5):
        shorter = _GENERIC.sub("", text)
        if shorter == text:
            break
        text = shorter
    return text.partition("<")[0] if "operator" not in text else text


def dotted(text: str) -> str:
    """A name with dots in place of `::` and backslashes, without type arguments."""
    if text.isidentifier():
        return text
    plain = without_generics("".join(text.split())) if not text.startswith("operator") else text
    return plain.replace("::", ".").replace("\\", ".").strip(".").removeprefix("#")


def parted(text: str) -> tuple[str, str]:
    """A called name as receiver and name: `a::b` as `a` and `b`."""
    if text.isidentifier():
        return "", text
    plain = without_generics("".join(text.split()))
    ends = [found.span() for found in _PARTS.finditer(plain)]
    return (plain[: ends[-1][0]], plain[ends[-1][1] :]) if ends else ("", plain)


def receiver(text: str) -> str:
    """What a method is called on, on one line; `…` where it is long."""
    if len(text) > LONGEST_RECEIVER:
        return "…"
    if text.isidentifier():
        return text
    plain = "".join(text.split())
    return f"new {plain[3:]}" if text.startswith("new ") else plain


def plain_type(text: str) -> str:
    """A written type as the name that can be looked up; empty for arrays, functions and unions."""
    if text.isidentifier():
        return text
    found = _ONE_OF.fullmatch(text.strip())
    inner = (found[1] or found[2]) if found else text
    bare = _MODIFIERS.sub("", inner).strip(" ?*&\"'")
    if bare.startswith(("[", "(", "{")) or "|" in bare:
        return ""
    bare = without_generics(bare).strip(" ?*&")
    return bare if len(bare) <= LONGEST_RECEIVER and _TYPE.fullmatch(bare) else ""


def arity(parameters: str) -> int:
    """How many parameters are listed, the instance and bare separators not counted."""
    inner = parameters.strip()
    if inner[:1] in {"(", "[", "|"}:
        inner = inner[1:-1]
    return sum(
        1
        for one in map(str.strip, _top_level(inner))
        if one not in {"", "*", "/", "void"} and not _THE_INSTANCE.match(one)
    )


def _top_level(text: str) -> list[str]:
    """The parts between commas that stand in no bracket."""
    parts, depth, begun = [], 0, 0
    for found in _PUNCTUATION.finditer(text):
        if found[3]:
            depth += 1
        elif found[4]:
            depth -= 1
        elif found[5] and depth <= 0:
            parts.append(text[begun : found.start()])
            begun = found.end()
    return [*parts, text[begun:]]


def first_line(comment: str) -> str:
    """The first line of a comment or docstring that says something."""
    for line in comment[:2000].strip().strip("\"'").splitlines():
        said = one_line(_XML.sub("", _COMMENT_SIGNS.sub("", line.strip())))
        if said:
            return said
    return ""


def docstring(literal: str) -> str:
    """The first line of a Python docstring."""
    return first_line(literal.lstrip("rRuUbBfF"))


def mark(text: str) -> tuple[str, str]:
    """The name of a decorator, attribute or annotation, and its first quoted argument."""
    found, argument = _MARK.match(text), _QUOTED.search(text[:2000])
    if argument and _SENSITIVE.search(text, max(0, argument.start() - 60), argument.start()):
        argument = None
    return (dotted(found[1]) if found else "", argument[1] if argument else "")


def variable(text: str) -> str:
    """The name of a variable; of a field of the instance with `self.` in every language."""
    plain = "".join(text.split())
    for instance in ("self.", "this.", "$this->", "cls."):
        if plain.startswith(instance):
            return "self." + plain.removeprefix(instance)
    return plain
