"""The plug-in in the client's own hands: it is valid, can be installed and goes without a trace."""

import json
import subprocess
from pathlib import Path

from agents.install import NEWEST
from agents.model import Model
from agents.patience import SECONDS

ROOT = Path(__file__).parent.parent.parent


def plugin(person, *words):
    command = [str(person.program), "plugin", *words]
    # It asks the model's own host first, and asks again for long when nobody answers there.
    with Model() as model:
        done = subprocess.run(
            command, cwd=person.project, env=person.environment | {"ANTHROPIC_BASE_URL": model.url},
            capture_output=True, text=True, timeout=SECONDS, check=False,
        )  # fmt: skip
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def test_the_plugin_is_valid(person, version):
    strict = ("--strict", "--profile", "directory") if version == NEWEST else ()
    plugin(person, "validate", *strict, str(ROOT / "plugin"))
    plugin(person, "validate", str(ROOT))


def test_it_is_installed_from_the_marketplace_and_leaves_nothing(newest, marketplace):
    newest.plugins = ()
    newest.memory("remember", "The office closes at six.")
    plugin(newest, "list", "--json")
    plugin(newest, "marketplace", "add", str(marketplace))
    plugin(newest, "install", "recortex@recortex")
    # The client lists plug-ins of its own, too.
    (listed,) = (
        one for one in json.loads(plugin(newest, "list", "--json")) if not one["id"].endswith("@builtin")
    )
    assert (listed["id"], listed["enabled"]) == ("recortex@recortex", True)
    ran = newest.session(["hi"], ["hello"])
    assert ran.unharmed, ran
    assert "office closes" in ran.requests[0].text
    plugin(newest, "uninstall", "recortex@recortex")
    plugin(newest, "marketplace", "remove", "recortex")
    folder = newest.home / ".claude" / "plugins"
    # The client throws its own copy away some days after it has marked it.
    assert [path.name for path in (folder / "cache" / "recortex" / "recortex").glob("*/.orphaned_at")]
    listed = [
        file.read_text() for file in (*folder.glob("*.json"), *newest.home.glob(".claude/settings*.json"))
    ]
    assert not [text for text in listed if "recortex" in text]
    assert not {path.parent.name for path in folder.glob("*/*recortex*")} - {"cache", "data"}
