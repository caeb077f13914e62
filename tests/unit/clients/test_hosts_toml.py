"""A table of ours in a TOML file of another program: what is not ours keeps its bytes."""

from pathlib import Path

import pytest

from recortex.clients.installer import TomlPart

PART = TomlPart(Path("config.toml"), Path(), "mcp_servers", {"command": "recortex", "args": ["mcp"]})

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
def test_where_there_is_nothing_of_ours_nothing_changes(text):
    assert PART.removed(text) == text
