"""A table of ours in a TOML file of another program: what is not ours keeps its bytes."""

import tomllib
from pathlib import Path

import pytest

from recortex.clients.installer import TomlPart
from recortex.errors import FormatError

PART = TomlPart(Path("config.toml"), Path(), "mcp_servers", {"command": "recortex", "args": ["mcp"]})
NONE = TomlPart(Path("config.toml"), Path(), "mcp_servers", None)

FILES = [
    "",
    'model = "x"',
    "# only a note\n",
    'model = "x" # note\n\n[tui]\ntheme = "a"\n',
    '[mcp_servers.toy]\ncommand = "cat"\n\n[mcp_servers.toy.env]\nA = "1"\n\n[tui]\n',
    '[mcp_servers]\ntoy = { command = "cat" }\n',
    'mcp_servers = { toy = { command = "cat" } }\nmodel = "x"\n',
    'mcp_servers.toy.command = "cat"\n',
    "[[history]]\na = 1\n\n[[history]]\na = 2\n",
    '[projects."/home/a b"]\ntrust_level = "trusted"\n\n[marketplaces.x]\nsource = \'C:\\x\'\n',
    '[tui]\r\ntheme = "a"\r\n\r\n[mcp_servers.toy]\r\ncommand = "cat"\r\n',
]


@pytest.mark.parametrize("text", FILES)
def test_our_table_is_added_beside_the_others(text):
    there = PART.added(text)
    wanted = tomllib.loads(text)
    wanted.setdefault("mcp_servers", {})["recortex"] = {"command": "recortex", "args": ["mcp"]}
    assert tomllib.loads(there) == wanted
    assert PART.added(there) == there
    lines = [line for line in text.splitlines() if "mcp_servers =" not in line]
    assert set(lines) <= set(there.splitlines())


@pytest.mark.parametrize("text", FILES)
def test_taking_it_out_leaves_what_was(text):
    left = PART.removed(PART.added(text))
    assert tomllib.loads(left) == tomllib.loads(text)
    assert NONE.added(PART.added(text)) == left
    assert [line for line in left.splitlines() if line.strip()] == [
        line for line in text.splitlines() if line.strip()
    ]


@pytest.mark.parametrize("text", FILES)
def test_where_there_is_nothing_of_ours_nothing_changes(text):
    assert PART.removed(text) == text


def test_what_a_person_set_in_our_table_stays():
    text = (
        '[mcp_servers.recortex]\ncommand = "/old/recortex"\nargs = ["mcp", "--tools", "full"]\n'
        "enabled = false # for now\n"
    )
    there = PART.added(text)
    assert there == text.replace("/old/recortex", "recortex")
    assert PART.removed(there).strip() == ""


@pytest.mark.parametrize("text", ["a = ", "[a]\n[a]\n", 'mcp_servers = "x"\n', "[[mcp_servers]]\n", "\x00"])
def test_what_cannot_be_read_is_refused(text):
    with pytest.raises(FormatError):
        PART.added(text)
