"""Expressions in text files: what a file says is what the module uses, all of it and nothing else."""

import re
from pathlib import Path

import pytest

import recortex
from recortex.engines.tables import Form, Patterns

FILES = sorted(Path(recortex.__path__[0]).rglob("patterns/*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}.{file.stem}")
def test_every_expression_compiles_and_is_used(file):
    reads = re.compile(rf'^(\w+) = Patterns\(__file__(?:, "{file.stem}")?\)', re.MULTILINE)
    [(table, source)] = (
        (found[1], source)
        for module in file.parent.parent.glob("*.py")
        for source in [module.read_text(encoding="utf-8")]
        for found in reads.finditer(source)
        if f'"{file.stem}"' in found[0] or module.stem == file.stem
    )
    prefixes = tuple(re.findall(rf'\b{table}\.(?:starting|by_name|forms)\("(\w+)"\)', source))
    used = set(re.findall(rf"\b{table}\.(\w+)", source)) - {"starting", "by_name", "forms"}
    read = Patterns(str(file.parent.parent / f"{file.stem}.py"))
    patterns = {name: one for name, one in vars(read).items() if not name.startswith("_")}
    assert {name for name in patterns if not (prefixes and name.startswith(prefixes))} == used
    assert all(pattern.pattern for pattern in patterns.values())
    assert not [line for line in file.read_text(encoding="utf-8").splitlines() if line != line.strip()]


def test_forms_have_a_kind_and_a_confidence(tmp_path):
    (tmp_path / "patterns").mkdir()
    (tmp_path / "patterns" / "some.txt").write_text(
        "[form_limit i tribal 0.72]\nat most\n\n[other]\nx\n\n[form_limit_2 semantic 0.5]\nno more than\n"
    )
    patterns = Patterns(str(tmp_path / "some.py"))
    assert patterns.forms("form_") == (
        Form("limit", "tribal", 0.72, patterns.form_limit),
        Form("limit", "semantic", 0.5, patterns.form_limit_2),
    )


def test_lines_are_joined_and_fragments_put_in(tmp_path):
    (tmp_path / "patterns").mkdir()
    (tmp_path / "patterns" / "some.txt").write_text(
        "# About them.\n\n[fragment day]\n(?:mon|\ntues)day\n\n# Case counts.\n[at]\n^on {day}\n\n"
        "[on_day im]\n{day}$\n"
    )
    patterns = Patterns(str(tmp_path / "some.py"))
    assert patterns.at.pattern == "^on (?:mon|tues)day"
    assert patterns.on_day.flags & (re.IGNORECASE | re.MULTILINE) == re.IGNORECASE | re.MULTILINE
    assert patterns.starting("on_") == (patterns.on_day,)
    with pytest.raises(AttributeError, match="no expression off"):
        _ = patterns.off
