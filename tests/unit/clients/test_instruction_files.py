"""Which instruction files a project has, and which clients load them by themselves."""

from pathlib import Path

from recortex.clients.instruction_files import MOST_FILES, instruction_files


def write(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("- Use tabs for indentation\n")


def clients_of(root: Path) -> dict[str, set[str]]:
    return {one.name: set(one.clients) for one in instruction_files(root)}


def test_the_files_of_each_client(tmp_path):
    write(
        tmp_path, "CLAUDE.md", "CLAUDE.local.md", ".claude/rules/a/b.md", "AGENTS.md", ".cursor/rules/c.mdc",
        ".cursorrules", ".windsurf/rules/d.md", ".windsurfrules", ".clinerules/e.md", "pkg/CLAUDE.md",
        "node_modules/x/CLAUDE.md", "README.md", ".claude/rules/f.txt",
    )  # fmt: skip
    found = clients_of(tmp_path)
    loaded = {name for name, clients in found.items() if "claude-code" in clients}
    assert loaded == {"CLAUDE.md", "CLAUDE.local.md", ".claude/rules/a/b.md", "pkg/CLAUDE.md"}
    assert {name for name, clients in found.items() if "codex" in clients} == {"AGENTS.md"}
    assert {name for name, clients in found.items() if "windsurf" in clients} == {
        "AGENTS.md", ".windsurf/rules/d.md", ".windsurfrules",
    }  # fmt: skip
    assert found[".clinerules/e.md"] == {"cline"}
    assert "cursor" in found[".cursor/rules/c.mdc"] & found[".cursorrules"]
    assert len(found) == 10


def test_claude_code_loads_agents_md_where_it_has_no_file_of_its_own(tmp_path):
    write(tmp_path, "AGENTS.md", "pkg/AGENTS.md", "pkg/CLAUDE.md", ".clinerules")
    found = clients_of(tmp_path)
    assert "claude-code" in found["AGENTS.md"]
    assert "claude-code" not in found["pkg/AGENTS.md"]
    assert found[".clinerules"] == {"cline"}


def test_nothing_outside_and_of_no_other_repository_is_read(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(outside, "secret.md", "rules/x.md")
    write(root, "vendored/CLAUDE.md", "vendored/.git/HEAD")
    (root / "AGENTS.md").symlink_to(outside / "secret.md")
    (root / ".claude").mkdir()
    (root / ".claude/rules").symlink_to(outside / "rules")
    assert clients_of(root) == {}


def test_there_is_a_limit(tmp_path):
    write(tmp_path, *(f".cursor/rules/{n}.mdc" for n in range(2 * MOST_FILES)))
    assert len(instruction_files(tmp_path)) == MOST_FILES
