"""Files that a session names are the same files wherever in the checkout it worked."""

from pathlib import Path

import pytest

from recortex.app.jobs.learning import _relative_path
from recortex.domain.exchange import SessionInfo


def info(cwd: Path) -> SessionInfo:
    return SessionInfo(session_id="s", client="claude-code", path="", cwd=str(cwd))


@pytest.mark.parametrize("name", ["src/auth.py", "auth.py"])
def test_a_name_from_the_root_or_from_the_folder_is_one_file(project: Path, name: str):
    (project / "src").mkdir()
    (project / "src" / "auth.py").write_text("")
    assert _relative_path(name, info(project / "src"), project) == "src/auth.py"
    assert _relative_path(str(project / "src" / "auth.py"), info(project / "src"), project) == "src/auth.py"
