"""The privacy rules as they are written, with their examples: the TOML files of `engines/privacy/rules`.

The program reads them as JSON without the examples; `build_docs.py` writes that file with `compiled_rules`.
Tests and benches read the examples here.
"""

from __future__ import annotations

import json
import random
import re
import tomllib
from functools import cache
from pathlib import Path
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import Any

from privacy_literals import where

PRIVACY = Path(__file__).resolve().parent.parent / "src" / "recortex" / "engines" / "privacy"
FILES = (
    "connections",
    "cloud",
    "code_hosts",
    "ai",
    "payments",
    "messaging",
    "services",
    "credentials",
    "encoded",
    "assignments",
    "passwords",
    "cued",
    "personal",
    "national_ids",
)
"""The files of `rules/`, the more specific first: of two rules with equal confidence, the first names a
match."""

EXAMPLES = ("positives", "negatives")
KEYS = frozenset(
    {
        *("keywords", "category", "confidence", "anchored", "folded", "gate", "check", "finder"),
        *("near", "run", *EXAMPLES),
    }
)
TOKEN = {"confidence": 0.95, "anchored": True}
"""A provider's token begins with its keyword, and stays above the threshold in a comment of a test file."""

NEAR = {
    "numbers": (
        r"\d(?:(?:[ .\-()/]{0,2}\d){6}|\d(?<=[A-Z]{2}\d{2})(?:[ ]?[A-Z0-9]{4}){2}"
        r"|(?<=[A-Z]{6}\d)\d[A-EHLMPR-T])"
    ),
    "dots": (
        r"\.(?:[A-Za-z0-9_\-]{6}(?:\.|:[A-Za-z0-9_\-]{43})|(?<=\d\.)\d{1,3}\.\d{1,3}\.\d"
        r"|(?<=mfa\.)[A-Za-z0-9_\-]{84})"
    ),
    "colons": (
        r":(?:(?:\d{4,5}|\*):|(?<=[23][0-9a-fA-F]{3}:)[0-9a-fA-F]{0,4}:"
        r"|[0-9a-fA-F]{2}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}:)"
    ),
}
"""What several rules need: seven digits with at most two signs between them, or how an IBAN or an Italian
tax code begins; dots and colons as far apart as in tokens, addresses and lines of password files."""

_ALPHABETS = {
    "h": digits + "abcdef",
    "H": digits + "ABCDEF",
    "d": digits,
    "l": ascii_lowercase,
    "m": ascii_letters,
    "a": ascii_lowercase + digits,
    "U": ascii_uppercase + digits,
    "A": ascii_letters + digits,
    "w": ascii_letters + digits + "_-",
    "b": ascii_letters + digits + "+/",
    "x": "x",
    "X": "X",
}
_FIELD = re.compile(r"<<([hHdlmaUAwbxX])(\d{1,4})>>")
_END = re.compile(r"(?<=[}\])])\(\?!(?:\[[A-Za-z0-9_.~/+=\\-]+\]|\\w)\)")
"""The condition that a token has ended, as rules write it."""
_COMMON = r"A[KS]IA|gh[pousr]_|glpat-|sk[-_]|xox[abp]-|AIza|eyJ|npm_|hf_|pypi-"
"""How tokens that are seen most begin."""
_FRAGMENT = re.compile(r"\{([a-z_]+)\}")


@cache
def rules() -> tuple[dict[str, Any], ...]:
    """Every rule in order, with its complete expression; its examples are still templates."""
    written = {path.stem for path in (PRIVACY / "rules").glob("*.toml")}
    if written != set(FILES):
        raise SystemExit(
            f"List in FILES of scripts/privacy_rules.py what is in {PRIVACY / 'rules'}, and nothing else: "
            f"{', '.join(sorted(written ^ set(FILES)))}."
        )
    return tuple(rule for name in FILES for rule in _rules_of(PRIVACY / "rules" / f"{name}.toml"))


def _rules_of(path: Path) -> list[dict[str, Any]]:
    blocks = tomllib.loads(path.read_text(encoding="utf-8"))
    defaults = blocks.pop("defaults", {})
    fragments: dict[str, str] = {}
    for name, text in blocks.pop("fragments", {}).items():
        fragments[name] = _expression(text, fragments)
    rows = []
    for name, block in blocks.items():
        if missing := [key for key in EXAMPLES if key not in block]:
            raise SystemExit(
                f"{path.name}: {name} has no {' and no '.join(missing)}. Add examples to the block."
            )
        if ("token" in block) == ("pattern" in block):
            raise SystemExit(f"{path.name}: {name} needs either a token or a pattern.")
        if "token" in block:
            pattern = rf"(?<![A-Za-z0-9])(?:{_expression(block.pop('token'), fragments)})"
            block = TOKEN | block  # noqa: PLW2901  the same block, complete
        else:
            pattern = _expression(block.pop("pattern"), fragments)
        if unknown := block.keys() - KEYS:
            raise SystemExit(
                f"{path.name}: {name} has unknown keys: {', '.join(sorted(unknown))}. See README.md there."
            )
        row = {"name": name, "pattern": pattern, "category": "secret", "keywords": [], **defaults, **block}
        if row.get("anchored"):
            row["pattern"] = _repeatable(row)
        near = row.get("near", [])
        row["near"] = [NEAR.get(one, one) for one in ([near] if isinstance(near, str) else near)]
        rows.append(row | where(row))
    return rows


def _repeatable(rule: dict[str, Any]) -> str:
    """The pattern of a token, which may also end where another token begins: two without a gap are two."""
    if rule["category"] != "secret" or rule.get("finder") or rule.get("folded"):
        return str(rule["pattern"])
    own = "|".join(re.escape(keyword) for keyword in rule["keywords"])
    return _END.sub(rf"(?:\g<0>|(?=(?i:{own})|{_COMMON}))", rule["pattern"])


def _expression(text: str | list[str], fragments: dict[str, str]) -> str:
    """The expression as one string, with its fragments filled in."""
    return _FRAGMENT.sub(lambda match: fragments[match[1]], "".join(text))


def compiled_rules() -> str:
    """What the program reads: JSON with a line for each rule, without examples and false flags."""
    kept = [{key: value for key, value in rule.items() if value and key not in EXAMPLES} for rule in rules()]
    return "[\n" + ",\n".join(json.dumps(rule, ensure_ascii=False) for rule in kept) + "\n]"


def examples(kind: str) -> list[tuple[str, str]]:
    """The name of a rule and a text, for each of the `positives` or `negatives`."""
    return [(rule["name"], expand(text)) for rule in rules() for text in rule[kind]]


def expand(template: str) -> str:
    """Replace each `<<h32>>` by that many characters of its alphabet; the same template gives the same text.

    Letters: h/H hexadecimal, d digits, l lower case, m letters, a lower case and digits, U capitals and
    digits, A letters and digits, w those with `_-`, b Base64, x and X themselves.
    """
    source = random.Random(template)  # noqa: S311  examples must repeat, not be unguessable

    def fill(field: re.Match[str]) -> str:
        alphabet = _ALPHABETS[field[1]]
        size = int(field[2])
        first = source.choice([c for c in alphabet if c.isalnum()])
        return first + "".join(source.choice(alphabet) for _ in range(size - 2)) + (first if size > 1 else "")

    return _FIELD.sub(fill, template)
