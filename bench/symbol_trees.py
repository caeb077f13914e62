"""Functions and classes of source files by other parsers than ours, with a form that layout does not change.

Python is read by `ast`; JavaScript and TypeScript by the compiler of TypeScript; Java by `javac`; Go by
`go/parser`; PHP by nikic/php-parser; Rust by syn: their form is a hash of the syntax tree without comments,
documentation and positions (`code_tools/`). C, C++ and C# are read by universal-ctags, whose ends are held
against the braces that pygments sees; their form is a hash of pygments' tokens. In every form the own name of
the symbol is masked, wherever it stands.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import subprocess
import tempfile
from collections import defaultdict
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.token import Comment, String  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TOOLS = Path(__file__).resolve().parent / "code_tools"
ENDINGS = {
    ".py": "python",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascript",
    ".ts": "typescript",
    ".tsx": "typescript",
    ".java": "java",
    ".cs": "csharp",
    ".php": "php",
    ".go": "go",
    ".rs": "rust",
    ".c": "c",
    ".h": "cpp",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".hpp": "cpp",
}
FAMILY = {"javascript": "ecma", "typescript": "ecma", "c": "c", "cpp": "c"}
"""Languages between whose files a symbol can move."""
CTAGS = {"csharp": ("C#", "cgims"), "c": ("C", "fsgu"), "cpp": ("C++", "fsguc")}
CLASSES = frozenset({"class", "struct", "enum", "interface", "union"})
PYGMENTS = {"csharp": "c#", "typescript": "typescript"}
LARGEST = 300_000
_WORD = re.compile(r"\w+|[^\w\s]")


class Known(NamedTuple):
    """A function or a class in one version of a file.

    Attributes:
        name: with what it lies in, by dots; `plain` without that.
        kind: callable or class.
        key: what tells those of one name apart, such as the types of parameters; may be empty.
        first, line, last: its first line, that of its name, its last.
        form: equal for two that differ by layout, comments and their own name alone.
    """

    name: str
    kind: str
    key: str
    first: int
    line: int
    last: int
    form: str

    @property
    def plain(self) -> str:
        return self.name.rpartition(".")[2]


class Word(NamedTuple):
    """A token with its line."""

    line: int
    place: int
    text: str


def language_of(path: str) -> str:
    """Of a file by its name; empty where it is none of the ten."""
    return ENDINGS.get(Path(path).suffix, "")


@cache
def lexer_of(language: str) -> Any:
    return get_lexer_by_name(PYGMENTS.get(language, language), stripnl=False)


@lru_cache(maxsize=400)
def words(language: str, text: str) -> tuple[Word, ...]:
    """The tokens of a file without comments and docstrings; a text is one token."""
    found: list[Word] = []
    line, reached, text_from = 1, 0, -1
    for place, kind, value in lexer_of(language).get_tokens_unprocessed(text):
        line += text.count("\n", reached, place)
        reached = place
        if kind in Comment and kind not in Comment.Preproc and kind not in Comment.PreprocFile:
            continue
        if kind in String.Doc:
            continue
        if kind in String and found and text_from == found[-1].place and _touches(found[-1], place):
            found[-1] = found[-1]._replace(text=found[-1].text + value)
            continue
        if kind in String and value.strip():
            text_from = place
            found.append(Word(line, place, value))
        else:
            found += [
                Word(line + value.count("\n", 0, one.start()), place + one.start(), one[0])
                for one in _WORD.finditer(value)
            ]
    return tuple(part for word in found for part in _by_line(word))


def _by_line(word: Word) -> Iterator[Word]:
    """A text that goes over several lines, line by line."""
    if "\n" not in word.text:
        yield word
        return
    place = word.place
    for number, line in enumerate(word.text.split("\n")):
        if line.strip():
            yield Word(word.line + number, place, line)
        place += len(line) + 1


def _touches(word: Word, place: int) -> bool:
    return word.place + len(word.text) == place


def words_of(language: str, text: str, one: Known) -> list[Word]:
    """The tokens on the lines of a symbol, its own name masked."""
    return [
        word._replace(text="•") if word.text == one.plain else word
        for word in words(language, text)
        if one.first <= word.line <= one.last
    ]


class Parsers:
    """Reads files; `given` says where the tools are: typescript, rust and php, if these are wanted."""

    def __init__(self, given: dict[str, str]) -> None:
        self._given = given

    @classmethod
    def of(cls, given: Any) -> Parsers:
        """With the tools that the arguments of a bench name."""
        return cls({name: str(getattr(given, name)) for name in ("typescript", "rust", "php")})

    def read(self, language: str, texts: dict[str, str]) -> dict[str, list[Known] | None]:
        """The symbols of each text by its key; None where it is not wholly understood."""
        if language == "python":
            return {key: of_ast(text) for key, text in texts.items()}
        with tempfile.TemporaryDirectory() as place:
            ending = next(one for one, name in ENDINGS.items() if name == language)
            ending = ".tsx" if language == "typescript" else ending
            names = {}
            for number, (key, text) in enumerate(texts.items()):
                suffix = Path(key).suffix if language in {"javascript", "typescript"} else ending
                names[f"{number}{suffix}"] = key
                (Path(place) / f"{number}{suffix}").write_text(text, "utf-8")
            if language in CTAGS:
                by_name = {name: texts[key] for name, key in names.items()}
                return {names[name]: one for name, one in of_ctags(language, Path(place), by_name)}
            return {names[name]: one for name, one in self._asked(language, Path(place), list(names))}

    def _asked(
        self, language: str, place: Path, names: Sequence[str]
    ) -> Iterator[tuple[str, list[Known] | None]]:
        command = {
            "javascript": ["node", str(TOOLS / "trees.js"), self._given.get("typescript", "")],
            "typescript": ["node", str(TOOLS / "trees.js"), self._given.get("typescript", "")],
            "java": ["java", str(TOOLS / "Trees.java")],
            "go": ["go", "run", str(TOOLS / "trees.go")],
            "php": ["php", "-d", f"include_path={self._given.get('php', '')}", str(TOOLS / "trees.php")],
            "rust": [self._given.get("rust", "trees")],
        }[language]
        done = subprocess.run(
            command, cwd=place, input="\n".join(names) + "\n", capture_output=True, text=True, check=True
        )
        for line in done.stdout.splitlines():
            row = json.loads(line)
            yield row["path"], [Known(**one) for one in row["symbols"]] if row["whole"] else None


def of_ast(text: str) -> list[Known] | None:
    """Of Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found: list[Known] = []
    _walk(tree, "", found, text.splitlines())
    return found


def _walk(node: ast.AST, within: str, found: list[Known], lines: list[str]) -> None:
    for one in ast.iter_child_nodes(node):
        inner = within
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{within}{one.name}."
            _walk(one, inner, found, lines)
            marks = [ast.unparse(mark) for mark in one.decorator_list]
            key = next((mark.rpartition(".")[2] for mark in marks if mark.startswith(f"{one.name}.")), "")
            kind = "class" if isinstance(one, ast.ClassDef) else "callable"
            first = min([one.lineno, *(mark.lineno for mark in one.decorator_list)])
            form = _form_of_ast(one)
            found.append(
                Known(f"{within}{one.name}", kind, key, first, one.lineno, one.end_lineno or first, form)
            )
        else:
            _walk(one, inner, found, lines)


def _form_of_ast(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    """Inner ones have lost their docstrings already."""
    first = node.body[0] if node.body else None
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        node.body = node.body[1:]
    text = re.sub(rf"\b(name|id|attr|arg)='{re.escape(node.name)}'", r"\1='•'", ast.dump(node))
    return hashlib.md5(text.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def of_ctags(language: str, place: Path, texts: dict[str, str]) -> Iterator[tuple[str, list[Known] | None]]:
    """Of C, C++ and C#; where its end is not the brace that closes what its name opens, it is left out."""
    name, kinds = CTAGS[language]
    command = ["ctags", f"--languages={name}", f"--kinds-{name}={kinds}", f"--langmap={name}:+.h"]
    command += ["--output-format=json", "--fields=+neKzS", "-o", "-", *texts]
    said = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True).stdout
    rows = defaultdict(list)
    for line in said.splitlines():
        row = json.loads(line)
        if row["_type"] == "tag" and not row["name"].startswith("__anon"):
            rows[row["path"]].append(row)
    for path, text in texts.items():
        tokens = words(language, text)
        found = (_spanned(row, tokens) for row in rows[path])
        yield path, [one for one in found if one is not None]


def overlooked(language: str, text: str, symbols: Sequence[Known]) -> set[str]:
    """Plain names that look as if they were defined in a text, where ctags does not say so.

    It does not read all of today's C# and macros: what it has not may be there nevertheless.
    """
    if language not in CTAGS:
        return set()
    tokens, known = words(language, text), {(one.plain, one.line, one.kind) for one in symbols}
    found = set()
    for before, one, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        typed = before.text in _TYPE_ENDS or (before.text[0].isalpha() and before.text not in _NO_TYPES)
        kind = "class" if before.text in CLASSES | {"record"} else "callable"
        head = kind == "class" or (typed and after.text in {"(", "<", "=", ":"})
        if head and (one.text, one.line, kind) not in known:
            found.add(one.text)
    return found


_TYPE_ENDS = frozenset({">", "]", "?", "*", "&", "~", ":"})
_NO_TYPES = frozenset("return new await throw in is as else case typeof sizeof not and or when".split())


def _spanned(row: dict[str, Any], tokens: Sequence[Word]) -> Known | None:
    plain = re.split(r"::|\.", row["name"].replace(" ", ""))[-1].lstrip("~")
    at = next((n for n, one in enumerate(tokens) if one.line == row["line"] and one.text == plain), -1)
    if at < 0:
        return None
    start, end = _start(tokens, at), _end(tokens, at)
    if end < 0 or ("end" in row and tokens[end].line != row["end"]):
        return None
    kind = "class" if row["kind"] in CLASSES else "callable"
    scope = re.sub(r"__anon\w+", "", row.get("scope", "")).replace("::", ".").strip(".")
    texts = ["•" if one.text == plain else one.text for one in tokens[start : end + 1]]
    kept = [
        one
        for one, after in zip(texts, [*texts[1:], ""], strict=True)
        if not (one == "," and after in {")", "]", "}"})
    ]
    form = hashlib.md5("\0".join(kept).encode(), usedforsecurity=False).hexdigest()
    full = f"{scope}.{row['name']}".strip(".").replace("::", ".")
    key = re.sub(r"\s+", "", row.get("signature", ""))
    return Known(full, kind, key, tokens[start].line, tokens[at].line, tokens[end].line, form)


def _start(tokens: Sequence[Word], at: int) -> int:
    """Where a definition begins: after what ends the one before it."""
    while at > 0 and tokens[at - 1].text not in {";", "}", "{"} and not _is_directive(tokens, at - 1):
        around = {tokens[at - 2].text if at > 1 else "", tokens[at].text}
        if tokens[at - 1].text == ":" and ":" not in around:  # behind `public:`, not within `Store::open`
            break
        at -= 1
    return at


def _is_directive(tokens: Sequence[Word], at: int) -> bool:
    """Whether a token stands on a line of the preprocessor."""
    line = tokens[at].line
    while at > 0 and tokens[at - 1].line == line:
        at -= 1
    return tokens[at].text == "#"


def _end(tokens: Sequence[Word], at: int) -> int:
    """The brace that closes a body, or the semicolon behind an expression; -1 where there is no body."""
    depth, arrow = 0, False
    for place in range(at, len(tokens)):
        text = tokens[place].text
        if text in "([":
            depth += 1
        elif text in ")]":
            depth -= 1
        elif depth == 0 and text == "=" and tokens[place + 1 : place + 2] and tokens[place + 1].text == ">":
            arrow = True
        elif depth == 0 and text == ";":
            return place if arrow else -1
        elif depth == 0 and text == "{" and not arrow:
            return _closing(tokens, place)
        elif text == "{":
            depth += 1
        elif text == "}":
            depth -= 1
    return -1


def _closing(tokens: Sequence[Word], at: int) -> int:
    depth = 0
    for place in range(at, len(tokens)):
        depth += {"{": 1, "}": -1}.get(tokens[place].text, 0)
        if depth == 0:
            return place
    return -1
