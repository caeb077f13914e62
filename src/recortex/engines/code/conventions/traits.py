"""What is looked at in a function, a class or a file. A trait has any number of values, or is not known."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from recortex.domain.code_facts import CALLABLE, NOWHERE
from recortex.engines.code.detection.evidence import plain

if TYPE_CHECKING:
    from recortex.domain.code_facts import Call, FileFacts
    from recortex.engines.code.sources import Member


# -- what heads of definitions say: what is returned, the first parameter, modifiers; and words of names


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


# -- what is looked at in a function, a class or a file. A trait has any number of values, or is not known


Traits = dict[str, "set[str]"]
_SHAPES = (
    ("kebab-case", re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")),
    ("snake_case", re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)+")),
    ("PascalCase", re.compile(r"(?:[A-Z][a-z0-9]+){2,}")),
    ("camelCase", re.compile(r"[a-z0-9]+(?:[A-Z][a-z0-9]*)+")),
)
ECMA = frozenset({"javascript", "typescript"})


def function_traits(member: Member, around: Around) -> Traits:
    """Of a function or method."""
    symbol, language = member.symbol, member.facts.language
    name, signature = symbol.plain, symbol.signature
    found: Traits = {
        "mark": around.marks.get(member.at, set()),
        "doc": {"doc"} if symbol.doc else set(),
        "calls": around.calls.get(member.at, set()),
    }
    written = returned(signature, name, language)
    if written is not None:
        found["return"] = {written} - {""}
    if language in {"python", "csharp", "rust", "javascript", "typescript"}:
        found["async"] = {"async"} if re.match(r"(?:\w+ |pub\([^)]*\) )*async\b", signature) else set()
    if language == "python" and len(signature) < LONGEST:
        found["typed"] = {"types"} if "->" in signature else set()
    wrapped = (
        re.search(r"=\s*([\w.]+)\(\s*(?:async\b|function\b|\()", signature) if language in ECMA else None
    )
    if language in ECMA and symbol.kind == "function":
        found["wrapper"] = {wrapped[1]} if wrapped else set()
    given = parameters(signature, name) if not wrapped else None
    if given is not None:
        found["given"] = {
            one for one in found["mark"] if any(re.search(rf"[@\[]{one}\b", text) for text in given)
        }
        found["mark"] = found["mark"] - found["given"]
        plain_names = [parameter(one, language) for one in given]
        found["first"] = set(plain_names[:1]) - {""}
        found["takes"] = {one for one in plain_names[1:] if one}
        if language == "python" and re.search(r"\(\s*(?:self,\s*|cls,\s*)?\*,", signature):
            found["keywords"] = {"keyword-only"}
        elif language == "python" and given:
            found["keywords"] = set()
    parts = words(name)
    found["prefix"] = set(parts[:1]) if len(parts) > 1 else set()
    found["ending"] = set(parts[-1:]) if len(parts) > 1 else set()
    if language in ECMA and symbol.kind == "function":
        found["form"] = (
            {"function declarations"} if re.search(r"\bfunction\b", signature) else {"arrow functions"}
        )
    return found


def class_traits(member: Member, around: Around) -> Traits:
    """Of a class, an interface, a struct."""
    symbol = member.symbol
    found: Traits = {
        "mark": around.marks.get(member.at, set()),
        "fieldmark": around.inner_marks.get(member.at, set()),
        "base": {plain(one) for one in symbol.bases},
        "doc": {"doc"} if symbol.doc else set(),
        "modifier": modifiers(symbol.signature, symbol.plain),
        "module": {member.path},
        "folder": {member.path.split("/")[-2]} if "/" in member.path else set(),
    }
    parts = words(symbol.plain)
    found["suffix"] = set(parts[-1:]) if len(parts) > 1 else set()
    if symbol.kind == "interface" and member.facts.language == "typescript":
        found["interface"] = {"I"} if re.match(r"I[A-Z][a-z]", symbol.plain) else set()
    return found


def file_traits(path: str, facts: FileFacts, roots: frozenset[str]) -> Traits:
    """Of a file of code: its name, and which modules of its own project it imports."""
    name = path.rpartition("/")[2]
    stem, _, ending = name.partition(".")
    found: Traits = {}
    if facts.language not in {"java", "csharp", "php"}:
        shape = next((said for said, form in _SHAPES if form.fullmatch(stem)), None)
        if shape:
            found["case"] = {shape}
        kind = ending.rpartition(".")[0]
        tail = re.search(r"[a-z0-9]([_-][a-z0-9]+)$", stem)
        head = re.match(r"(test_)", stem)
        found["filename"] = (
            {f"*.{kind}.{ending.rpartition('.')[2]}"}
            if kind
            else {f"*{tail[1]}.{ending}"}
            if tail
            else {f"{head[1]}*.{ending}"}
            if head
            else set()
        )
        if head:
            found["filename"].add(f"{head[1]}*.{ending}")
    if facts.language == "python":
        found["future"] = {"annotations"} & {one.name for one in facts.imports if one.module == "__future__"}
    if facts.language in ECMA | {"python"}:
        found["imports"] = {
            plain_module(one.module, one.name, path)
            for one in facts.imports
            if one.module.startswith(".")
            or (one.module not in roots and re.split(r"[./]", one.module)[0] in roots)
        } - {""}
    return found


def plain_module(module: str, name: str, path: str) -> str:
    """A module of the project as it is told; a relative one by the file's place."""
    if module.startswith(("./", "../")) or (module in {".", ".."} and not path.endswith(".py")):
        parts = path.split("/")[:-1]
        for part in module.split("/"):
            if part == "..":
                parts = parts[:-1]
            elif part != ".":
                parts.append(part)
        return "/".join(parts)
    return module if not module.startswith(".") else f"{module}{name if module.strip('.') == '' else ''}"


class Around:
    """What stands in and at the symbols of a file, by their index."""

    def __init__(self, facts: FileFacts) -> None:
        self.marks: dict[int, set[str]] = defaultdict(set)
        self.calls: dict[int, set[str]] = defaultdict(set)
        self.inner_marks: dict[int, set[str]] = defaultdict(set)
        for mark in facts.marks:
            symbol = facts.symbols[mark.symbol] if mark.symbol != NOWHERE else None
            inner = symbol is not None and symbol.kind not in CALLABLE and mark.line > symbol.line
            (self.inner_marks if inner else self.marks)[mark.symbol].add(mark.name.lstrip(":"))
        for call in facts.calls:
            said, index = _called(call), call.caller
            while said and index != NOWHERE:
                self.calls[index].add(said)
                index = facts.symbols[index].parent


def _called(call: Call) -> str:
    if not call.receiver:
        return call.name
    receiver = re.sub(r"^(?:this|self|\$this)(?:\.|->)_?", "", call.receiver)
    return f"{receiver}.{call.name}" if re.fullmatch(r"\w+", receiver) else ""
