"""Who is counted: handlers, tests, exceptions, classes, functions, files … and what is known of each."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from recortex.code.detecting import plain
from recortex.domain.code import CALLABLE, NOWHERE, Place
from recortex.engines.code.project import Member, is_test, product

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from recortex.code.detecting import Detection
    from recortex.domain.code import Call, FileFacts
    from recortex.engines.code.project import Sources


# -- what heads of definitions say: what is returned, the first parameter, modifiers; and words of names


_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+|\d+")
_MODIFIERS = frozenset(
    """
    public private protected internal static final abstract virtual override sealed async synchronized
    default readonly partial extern new unsafe required native strictfp transient volatile export
    """.split()
)
_AWAITED = re.compile(
    r"^(?:Promise|Task|ValueTask|Awaitable|Coroutine|Observable|Mono|CompletableFuture)<(.+)>$"
)
_PLAIN = frozenset(
    """
    void None null undefined never any unknown object Object string String str int Integer long Long
    bool boolean Boolean float double number dict list tuple set bytes List Dict Optional Iterable
    Iterator array self static Self mixed error Error Vec Option Box Promise Task i32 i64 u32 u64 usize
    f64 char T Any Iterator Sequence Union IEnumerable ICollection IList Map Set Record Array
    ReadonlyArray Generator AsyncGenerator var auto Unit Type
    """.split()
)
_TYPE_FIRST = frozenset({"java", "csharp"})
LONGEST = 200
"""Characters of a signature that facts keep: one of that length may be cut."""


def returned(signature: str, name: str, language: str) -> str | None:
    """The type that a function returns, as far as it is a name worth telling: `Result<…>`.

    Returns None where it is not known, empty where it is a type of the language or nothing.
    """
    # A signature that was cut lacks what stands at its end.
    if len(signature) >= LONGEST and language not in _TYPE_FIRST:
        return None
    written = _written_return(signature, name, language)
    if written is None:
        return None
    written = written.strip()
    # Functions that are awaited are counted with the others, by what they give in the end.
    if found := _AWAITED.match(written):
        written = found[1].strip()
    outer = re.match(r"[&*]*(?:dyn |impl )?([A-Za-z_][\w.:\\]*)(\s*[<\[])?", written)
    # A single letter is the parameter of a generic type.
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
        "calls": around.calls.get(member.at, set()),
    }
    written = returned(signature, name, language)
    if written is not None:
        found["return"] = {written} - {""}
    if language == "python" and len(signature) < LONGEST:
        found["typed"] = {"types"} if "->" in signature else set()
    # A mark of a parameter stands within the brackets, and says nothing of the function.
    given = signature[signature.find("(", max(signature.find(name), 0)) :]
    found["mark"] = {one for one in found["mark"] if not re.search(rf"[@\[]{re.escape(one)}\b", given)}
    if language in ECMA and symbol.kind == "function":
        found["form"] = (
            {"function declarations"} if re.search(r"\bfunction\b", signature) else {"arrow functions"}
        )
    return found


def class_traits(member: Member, around: Around) -> Traits:
    """Of a class, an interface, a struct."""
    symbol = member.symbol
    return {
        "mark": around.marks.get(member.at, set()),
        "base": {plain(one) for one in symbol.bases},
        "modifier": modifiers(symbol.signature, symbol.plain),
    }


def file_traits(path: str, facts: FileFacts, roots: frozenset[str]) -> Traits:
    """Of a file of code: its name, and which modules of its own project it imports."""
    name = path.rpartition("/")[2]
    stem, _, ending = name.partition(".")
    found: Traits = {}
    # In these a file mostly has the name of its class, whatever the project.
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
        for mark in facts.marks:
            symbol = facts.symbols[mark.symbol] if mark.symbol != NOWHERE else None
            of_a_field = symbol is not None and symbol.kind not in CALLABLE and mark.line > symbol.line
            if not of_a_field:
                self.marks[mark.symbol].add(mark.name.lstrip(":"))
        for call in facts.calls:
            said, index = _called(call), call.caller
            # What a nested function calls, the function around it does as well.
            while said and index != NOWHERE:
                self.calls[index].add(said)
                index = facts.symbols[index].parent


def _called(call: Call) -> str:
    if not call.receiver:
        return call.name
    receiver = re.sub(r"^(?:this|self|\$this)(?:\.|->)_?", "", call.receiver)
    return f"{receiver}.{call.name}" if re.fullmatch(r"\w+", receiver) else ""


# -- who is counted: handlers, tests, exceptions, classes, functions, files … and what is known of each


_TYPES = frozenset({"class", "interface", "struct", "enum", "trait"})
_LOG_METHODS = frozenset(
    """
    debug info warn warning error exception critical fatal trace log LogInformation LogError LogWarning
    LogDebug LogTrace LogCritical Info Infof Debug Debugf Warn Warnf Error Errorf Infow Errorw Print
    Printf Println Msg println! eprintln! info! warn! error! debug! trace! Information Warning
    """.split()
)
_LOGGER = re.compile(
    r"(?i)^(?:this\.|self\.|self::|\$this->|s\.|h\.|c\.|app\.)*_?(?:log|logger|slog|console|logging|zap)$"
)
_CASES = frozenset({"it", "test"})
_ALIAS = re.compile(r"^(?:@/|~/|#/|@app/|@src/|src/|@lib/|@components/)")
_ERRORS = re.compile(r"(?:Error|Exception|Failure)$")
_ENTRY = re.compile(r"(?:^|/)(?:index|main|mod|lib|__init__|__main__|setup|conftest|manage)\.\w+$")
_MIGRATIONS = re.compile(r"(?:^|/)[Mm]igrations?[^/]*/")
LEAST_WORD = 3
"""Letters of a last word that says what a class is for."""
LEAST_SUFFIX = 5
"""Classes of one last word that make a population of their own: the least support of a convention."""


@dataclass(slots=True)
class Item:
    """One that is counted.

    Attributes:
        place: where it stands.
        traits: what it has by trait; a trait that is missing is not known of it and it is not counted there.
    """

    place: Place
    traits: Traits


@dataclass(slots=True)
class Population:
    """Those that are counted together.

    Attributes:
        name: in the plural: `FastAPI handlers`.
        kind: function, class, file, test, import, log …: outside of it the same kind is compared.
        language: of the facts.
        items: in the order of their places.
        whole: whether it makes sense over the whole project, not only in a folder.
        guessed: whether a rule decides who belongs to it.
    """

    name: str
    kind: str
    language: str
    items: list[Item] = field(default_factory=list)
    whole: bool = True
    guessed: bool = False


class Counting:
    """The populations of one project."""

    def __init__(self, sources: Sources, detection: Detection) -> None:
        self.detection = detection
        self.inside = product(sources.code)
        self.files = dict(sorted(sources.code.items()))
        self._around: dict[str, Around] = {}
        self.defined = {one.plain for path in self.inside for one in self.files[path].symbols}

    def all(self) -> Iterator[Population]:
        """All populations, those of a role first."""
        for (library, role), members in self.detection.members.items():
            found: dict[tuple[str, str], list[Item]] = defaultdict(list)
            for one in members:
                if one.path in self.inside or role == "test cases":
                    kind = "function" if one.symbol.kind in CALLABLE else "class"
                    found[one.facts.language, kind].append(self._item(*one))
            for (language, kind), items in found.items():
                yield Population(f"{library} {role}", kind, language, items)
        for language in sorted({facts.language for facts in self.files.values()}):
            files = [(path, facts) for path, facts in self.files.items() if facts.language == language]
            own = [one for one in files if one[0] in self.inside]
            tests = [one for one in files if is_test(one[0])]
            yield from self._symbols(language, own)
            yield from self._tests(language, tests)
            yield from _files(language, own, tests)
            logs = Population("log calls", "log", language)
            for path, facts in own:
                for call in facts.calls:
                    if _is_log(call, language):
                        logs.items.append(
                            Item(Place(path, call.line, call.name), {"logger": {_logger(call)}})
                        )
            yield logs

    def _item(self, path: str, facts: FileFacts, index: int) -> Item:
        if path not in self._around:
            self._around[path] = Around(facts)
        symbol = facts.symbols[index]
        look = function_traits if symbol.kind in CALLABLE else class_traits
        traits = look(Member(path, facts, index), self._around[path])
        return Item(Place(path, symbol.line, symbol.name), traits)

    def _symbols(self, language: str, files: Iterable[tuple[str, FileFacts]]) -> Iterator[Population]:
        functions = Population("functions", "function", language, whole=False)
        methods = Population("public methods", "function", language, whole=False)
        name = "types" if language in {"go", "rust", "c"} else "classes"
        classes = Population(name, "class", language, whole=False)
        errors = Population("exception classes", "class", language, guessed=True)
        for path, facts in files:
            if _MIGRATIONS.search(path):
                continue
            for index, symbol in enumerate(facts.symbols):
                if symbol.kind in CALLABLE and symbol.exported and _outer(facts, index):
                    kind = functions if symbol.kind == "function" else methods
                    kind.items.append(self._item(path, facts, index))
                elif symbol.kind in _TYPES and symbol.parent == NOWHERE:
                    item = self._item(path, facts, index)
                    classes.items.append(item)
                    if _ERRORS.search(symbol.plain) or any(_ERRORS.search(base) for base in symbol.bases):
                        errors.items.append(item)
        yield from (functions, methods, classes, errors)
        yield from _by_suffix(language, name, classes.items)

    def _tests(self, language: str, files: Iterable[tuple[str, FileFacts]]) -> Iterator[Population]:
        tests = Population("tests", "test", language)
        cases = Population("test cases", "case", language)
        for path, facts in files:
            marked = {mark.symbol for mark in facts.marks if _is_test_mark(mark.name)}
            for index, symbol in enumerate(facts.symbols):
                if symbol.kind in CALLABLE and (index in marked or _is_test_name(symbol.plain, language)):
                    tests.items.append(self._item(path, facts, index))
            if language in ECMA:
                cases.items += [
                    Item(Place(path, call.line, call.argument[:60]), {"called": {call.name}})
                    for call in facts.calls
                    if call.name in _CASES and not call.receiver and call.argument
                ]
        yield from (tests, cases)


def _outer(facts: FileFacts, index: int) -> bool:
    """Whether a function stands in no other function, and is not made by the language."""
    symbol = facts.symbols[index]
    if symbol.plain.startswith("__") or symbol.plain in {"constructor", "main", "init", "default"}:
        return False
    parent = symbol.parent
    if parent != NOWHERE and facts.symbols[parent].plain == symbol.plain:  # a constructor
        return False
    return parent == NOWHERE or facts.symbols[parent].kind in _TYPES | {"module"}


def _by_suffix(language: str, name: str, classes: Iterable[Item]) -> Iterator[Population]:
    """Classes of the same last word, wherever they are: services, repositories, handlers."""
    groups: dict[str, list[Item]] = defaultdict(list)
    for one in classes:
        *before, last = _WORDS.findall(plain(one.place.name)) or [""]
        if before and len(last) >= LEAST_WORD and last[0].isupper():
            groups[last].append(one)
    for last, items in groups.items():
        if len(items) >= LEAST_SUFFIX:
            yield Population(f"{name} named …{last}", "class", language, items)


def _is_test_mark(name: str) -> bool:
    return name.rpartition(".")[2] in {
        "Test",
        "Fact",
        "Theory",
        "TestMethod",
        "ParameterizedTest",
        "test",
        "TestCase",
    }


def _is_test_name(name: str, language: str) -> bool:
    match language:
        case "python":
            return name.startswith("test_")
        case "go":
            return re.match(r"(?:Test|Benchmark|Example)[A-Z_]", name) is not None
        case "php":
            return name.startswith("test")
    return False


def _files(
    language: str, own: list[tuple[str, FileFacts]], tests: list[tuple[str, FileFacts]]
) -> Iterator[Population]:
    # First parts of module names that are the project's own: the outermost packages, and files in none
    rows = list(own)
    packages = {path.rpartition("/")[0] for path, _ in rows if path.endswith("/__init__.py")}
    found = set()
    for path, _ in rows:
        outer, above = path.partition(".")[0], path.rpartition("/")[0]
        while above in packages:
            outer, above = above, above.rpartition("/")[0]
        found.add(outer.rpartition("/")[2])
        found.add(path.removeprefix("src/").split("/")[0].partition(".")[0])
    roots = frozenset(found)
    names = Counter(path.rpartition("/")[2] for path, _ in own)
    files = Population("files", "file", language)
    imports = Population("imports of own modules", "import", language)
    for path, facts in own:
        if not (_ENTRY.search(path) or _MIGRATIONS.search(path)):
            files.items.append(Item(Place(path, 0), file_traits(path, facts, roots)))
        for one in facts.imports:
            style = _style(one.module, language, roots)
            if style:
                imports.items.append(Item(Place(path, one.line, one.module), {"style": {style}}))
    test_files = Population("test files", "testfile", language)
    for path, facts in tests:
        if _is_test_file(facts, language):
            traits = file_traits(path, facts, roots)
            helpers = {one for one in traits.get("imports", ()) if is_test(f"{one.replace('.', '/')}/")}
            traits["imports"] = helpers  # what is tested is no convention
            traits["place"] = _test_place(path, {other for other, _ in own}, names)
            test_files.items.append(Item(Place(path, 0), traits))
    yield from (files, imports, test_files)


def _is_test_file(facts: FileFacts, language: str) -> bool:
    if language in {"javascript", "typescript"}:
        return any(call.name in _CASES for call in facts.calls)
    marked = any(_is_test_mark(mark.name) for mark in facts.marks)
    return marked or any(_is_test_name(one.plain, language) for one in facts.symbols if one.kind in CALLABLE)


def _test_place(path: str, own: set[str], names: Counter[str]) -> set[str]:
    folder, _, name = path.rpartition("/")
    stem, _, ending = name.partition(".")
    plain = re.sub(r"^test_|_test$|Tests?$|IT$", "", re.sub(r"[.-](?:test|spec|e2e-spec).*$", "", stem))
    beside = any(
        f"{folder}/{plain}.{one}".lstrip("/") in own for one in ("ts", "tsx", "js", "jsx", "py", "go", "rs")
    )
    last = next((part for part in folder.split("/") if re.fullmatch(r"(?i)_*tests?_*|specs?|e2e", part)), "")
    found = {"beside"} if beside else {f"folder {last}"} if last else set()
    if not beside and any(name in names for name in (f"{plain}.{ending.rpartition('.')[2]}",)):
        found.add("same name")
    return found


def _style(module: str, language: str, roots: frozenset[str]) -> str:
    if language in {"javascript", "typescript"}:
        if module.startswith("."):
            return "relative paths"
        found = _ALIAS.match(module)
        return f"`{found[0]}`" if found else ""
    if language == "python":
        if module.startswith("."):
            return "relative names"
        return "absolute names" if module.partition(".")[0] in roots else ""
    return ""


def _is_log(call: Call, language: str) -> bool:
    if call.name not in _LOG_METHODS:
        return False
    if language == "rust":
        return call.name.endswith("!")
    if language == "python" and call.name == "print" and not call.receiver:
        return True
    return _LOGGER.match(call.receiver) is not None


def _logger(call: Call) -> str:
    if call.name.endswith("!"):
        return "print macros" if "print" in call.name else "log macros (`info!`, `warn!` …)"
    return f"`{call.receiver}`" if call.receiver else f"`{call.name}`"


def scopes(items: Iterable[Item]) -> Mapping[str, list[Item]]:
    """The items by folder, each also in all folders above; the whole project is the empty name."""
    found: dict[str, list[Item]] = defaultdict(list)
    for one in items:
        parts = one.place.path.split("/")[:-1]
        for depth in range(len(parts) + 1):
            found["/".join(parts[:depth])].append(one)
    return found
