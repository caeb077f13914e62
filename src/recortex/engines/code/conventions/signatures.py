"""What heads of definitions say: what is returned, the first parameter, modifiers; and words of names."""

from __future__ import annotations

import re

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+|\d+")
_MODIFIERS = frozenset(
    [
        "public",
        "private",
        "protected",
        "internal",
        "static",
        "final",
        "abstract",
        "virtual",
        "override",
        "sealed",
        "async",
        "synchronized",
        "default",
        "readonly",
        "partial",
        "extern",
        "new",
        "unsafe",
        "required",
        "native",
        "strictfp",
        "transient",
        "volatile",
        "export",
    ]
)
_AWAITED = re.compile(
    r"^(?:Promise|Task|ValueTask|Awaitable|Coroutine|Observable|Mono|CompletableFuture)<(.+)>$"
)
_PLAIN = frozenset(
    [
        "void",
        "None",
        "null",
        "undefined",
        "never",
        "any",
        "unknown",
        "object",
        "Object",
        "string",
        "String",
        "str",
        "int",
        "Integer",
        "long",
        "Long",
        "bool",
        "boolean",
        "Boolean",
        "float",
        "double",
        "number",
        "dict",
        "list",
        "tuple",
        "set",
        "bytes",
        "List",
        "Dict",
        "Optional",
        "Iterable",
        "Iterator",
        "array",
        "self",
        "static",
        "Self",
        "mixed",
        "error",
        "Error",
        "Vec",
        "Option",
        "Box",
        "Promise",
        "Task",
        "i32",
        "i64",
        "u32",
        "u64",
        "usize",
        "f64",
        "char",
        "T",
        "Any",
        "Iterator",
        "Sequence",
        "Union",
        "IEnumerable",
        "ICollection",
        "IList",
        "Map",
        "Set",
        "Record",
        "Array",
        "ReadonlyArray",
        "Generator",
        "AsyncGenerator",
        "var",
        "auto",
        "Unit",
        "Type",
    ]
)
_TYPE_FIRST = frozenset({"java", "csharp"})
LONGEST = 200
"""Characters of a signature that facts keep: one of that length may be cut."""


def words(name: str) -> list[str]:
    """The words of a name: `getUserById` and `get_user_by_id` are alike."""
    return _WORDS.findall(name)


def returned(signature: str, name: str, language: str) -> str | None:
    """The type that a function returns, as far as it is a name worth telling: `Result<…>`.

    Returns None where it is not known, empty where it is a type of the language or nothing.
    """
    if len(signature) >= LONGEST and language not in _TYPE_FIRST:
        return None
    written = _written_return(signature, name, language)
    if written is None:
        return None
    written = written.strip()
    if found := _AWAITED.match(written):
        written = found[1].strip()
    outer = re.match(r"[&*]*(?:dyn |impl )?([A-Za-z_][\w.:\\]*)(\s*[<\[])?", written)
    if outer is None or re.split(r"[.:\\]+", outer[1])[-1] in _PLAIN or len(outer[1]) == 1:
        return ""
    return outer[1] + ("<…>" if outer[2] and outer[2].strip() == "<" else "[…]" if outer[2] else "")


def _written_return(signature: str, name: str, language: str) -> str | None:
    match language:
        case "python" | "rust":
            found = re.search(r"->\s*(.+?)(?:\s+where\b.*)?:?$", signature)
        case "typescript" | "php":
            found = re.search(r"\)\s*:\s*\??(.+?)(?:\s*=>)?$", signature)
        case "java" | "csharp":
            found = re.search(
                rf"([\w.]+(?:<.*>)?(?:\[\])?\??)\s+{re.escape(name)}\s*(?:<[^>]*>)?\(", signature
            )
            if found and found[1] in _MODIFIERS:
                return None
        case "go":
            found = re.search(r"\)\s*([*\w.\[\]]+)$", signature)
        case _:
            return None
    return found[1] if found else ("" if language in {"rust", "go"} else None)


def parameters(signature: str, name: str) -> list[str] | None:
    """The parameters as written, the instance left out; None where the signature is cut or has none."""
    start = signature.find("(", max(signature.find(name), 0))
    if start < 0:
        return None
    found, depth, begun = [], 0, start + 1
    for place in range(start, len(signature)):
        sign = signature[place]
        if sign in "([{<":
            depth += 1
        elif sign in ")]}" or (sign == ">" and signature[place - 1] not in "-="):
            depth -= 1
        if depth == 0 or (depth == 1 and sign == ","):
            found.append(signature[begun:place].strip())
            begun = place + 1
        if depth == 0:
            break
    else:
        if len(signature) >= LONGEST and not found:
            return None
    plain = [one for one in found if one and one not in {"*", "/"}]
    return [one for one in plain if not re.fullmatch(r"&?(?:'\w+ )?(?:mut )?(?:self|cls|this)\b.*", one)]


def parameter(written: str, language: str) -> str:
    """A parameter as it is told: with its type where that is written, without default and marks."""
    plain = re.sub(r"(?:@\w+(?:\([^)]*\))?|\[\w+(?:\([^)]*\))?\])\s*", "", written).partition("=")[0].strip()
    plain = re.sub(r"\s+", " ", plain)
    if language in {"java", "csharp", "go", "php"}:
        plain = re.sub(r"^(?:final|this|ref|in|out|readonly|private|public|protected) ", "", plain)
    if language == "java" and " " not in plain:  # what is left of an annotation that was cut
        return ""
    return plain[:60]


def modifiers(signature: str, name: str) -> set[str]:
    """Words before a name that say something about it: sealed, final, record, abstract, readonly."""
    before = signature[: max(signature.find(name), 0)].split()
    return {one for one in before if one in {"sealed", "final", "record", "readonly", "partial", "internal"}}
