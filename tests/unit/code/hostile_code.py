"""Hostile files of code, made of others."""

import re
from pathlib import Path

from recortex.codebase.grammars import BY_NAME

HERE = Path(__file__).parent
SMALL = ("namesakes.txt", "resolved.txt")
NESTED = (
    "(", "[", "{", "f(", "{a:", "[{", "<", "if (a) {", "class A { ", "function f() {", "def f():\n ",
    "a.b(", "!", "-", "a ? b : ", "namespace a {", "`${", "f'{", "/*", "//", '"', "'", "#if A\n",
    "a::<", "a<b<", "x => ", "&", "*", "mod a {", "impl A {", "fn f() {", "switch (a) { case ", "@a(",
    "#[a(", "new A(", "A<", "else if (a) ",
)  # fmt: skip


def sources(name, folders):
    """Sources of a language."""
    grammar = BY_NAME[name]
    found = [
        path.read_bytes()
        for folder in folders
        for ending in grammar.endings
        for path in sorted(folder.rglob(f"*{ending}"))[:60]
    ]
    text = "".join((HERE / one).read_text(encoding="utf-8") for one in SMALL)
    blocks = re.findall(r"^@@ (\S+) \S+\n(.*?)(?=^@@ |\Z)", text, re.DOTALL | re.MULTILINE)
    return found + [block.encode() for language, block in blocks if language == grammar.language]


def hostile(source, draw):  # noqa: PLR0911  one for each way
    """A file made of a source in one of seven ways."""
    way = draw.randrange(7)
    if way == 0:
        return source[: draw.randrange(len(source) + 1)]
    if way == 1:
        data = bytearray(source)
        for _ in range(draw.randrange(1, 30)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        return bytes(data)
    if way == 2:
        tokens = re.findall(rb"\w+|\W", source)
        draw.shuffle(tokens)
        return b"".join(tokens)
    if way == 3:
        return b"".join(
            draw.sample(source.splitlines(keepends=True), len(source.splitlines()))
        ) * draw.randrange(1, 9)
    if way == 4:
        return b"".join(draw.choice(NESTED).encode() for _ in range(draw.randrange(3_000)))
    if way == 5:
        return draw.choice(NESTED).encode() * draw.choice([50, 1_000, 20_000, 60_000])
    return source[: len(source) // 2] + draw.choice(NESTED).encode() * 3_000 + source[len(source) // 2 :]
