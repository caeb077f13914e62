"""Stores in folders and files with names that a URL, a glob or SQLite takes for something else."""

from urllib.parse import quote

import pytest

from choices import quick
from places import store_folder
from recortex import Cortex
from recortex.errors import ConfigError

NAMES = ["a?b", "a#b", "a%20b", "a b", "a\nb", "a'b", "a[1]b", "a;b", "ä\u0301"]

pytestmark = pytest.mark.usefixtures("without_vectors")


def rounds(cortex):
    cortex.remember("The words that must go")
    cortex.backup()
    return cortex.purge(text="words that must go")


@pytest.mark.parametrize("name", quick(NAMES, 3))
def test_a_project_in_a_folder_of_that_name(tmp_path, name):
    (tmp_path / name / ".git").mkdir(parents=True)
    with Cortex.open(tmp_path / name) as cortex:
        assert rounds(cortex).traces == ()
    assert (store_folder(tmp_path / name) / "cortex.db").is_file()


@pytest.mark.parametrize("name", quick(NAMES, 3))
def test_a_file_of_that_name_by_its_url(project, tmp_path, name):
    file = tmp_path / "there" / f"{name}.db"
    with Cortex.open(project, url=f"sqlite:///{quote(str(file))}") as cortex:
        done = rounds(cortex)
    assert {str(file), *(str(one) for one in file.parent.glob("*/*.db"))} <= set(done.files)
    assert not done.traces


@pytest.mark.parametrize("name", quick(NAMES, 3))
def test_a_copy_into_a_file_of_that_name(project, tmp_path, name):
    target = tmp_path / "there" / f"{name}.db"
    with Cortex.open(project) as cortex:
        cortex.remember("What moves")
        assert cortex.migrate_store(str(store_folder(project) / "cortex.db"), str(target)).memories == 1
    files = {one.name for one in target.parent.iterdir() if one.is_file()}
    assert files <= {target.name, f"{target.name}.last"}


@pytest.mark.parametrize("name", ["a?b.db", "a.db?mode=ro", "a#b.db", "a\nb.db"])
def test_a_url_that_would_mean_another_file_is_refused(project, tmp_path, name):
    with pytest.raises(ConfigError) as caught:
        Cortex.open(project, url=f"sqlite:///{tmp_path}/{name}")
    assert "%3F" in caught.value.hint
    assert not list(tmp_path.glob("a*"))


@pytest.mark.parametrize("url", ["sqlite:///{}/a\udcffb.db", "sqlite:///{}/a%FFb.db"])
def test_a_name_that_sqlite_cannot_be_given_is_told(project, tmp_path, url):
    with pytest.raises(ConfigError, match="UTF-8"):
        Cortex.open(project, url=url.format(tmp_path))
