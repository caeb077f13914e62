"""What starts leave out of other packages is there for whoever asks for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

LEFT_OUT = ("platform", "msgspec.inspect", "msgspec._json_schema", "msgspec.toml", "msgspec.yaml")


@pytest.mark.parametrize(
    ("use", "gives"),
    [
        (f"[name for name in {LEFT_OUT} if name in sys.modules]", "[]"),
        ("msgspec.inspect.type_info(bool)", "BoolType()"),
        ("msgspec.json.schema(int)", "{'type': 'integer'}"),
        ("msgspec.toml.__name__, msgspec.yaml.__name__", "msgspec.toml msgspec.yaml"),
        ("hasattr(msgspec, 'anything')", "False"),
        ("hasattr(__import__('platform'), 'mac_ver')", "True"),
    ],
)
def test_a_part_that_a_start_leaves_out_is_loaded_when_it_is_asked_for(use: str, gives: str) -> None:
    program = f"import sys, recortex.lean, msgspec; print({use})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == gives
