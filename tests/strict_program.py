"""A program that uses the public names, and the examples of the README, for type checkers."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent

PROGRAM = (Path(__file__).parent / "users_program.py").read_text(encoding="utf-8")


def examples() -> dict[str, str]:
    """The program, and each example in Python of the README, by name."""
    found = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
    return {"program": PROGRAM} | {f"readme_{place}": text for place, text in enumerate(found)}
