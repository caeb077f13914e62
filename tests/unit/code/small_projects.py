"""Small projects in text files: `@@ LANGUAGE PATH` begins each of their files."""

import re
from collections import defaultdict
from pathlib import Path

from recortex.codebase.extraction import read_facts
from recortex.engines.code.project import Project


def small_projects(name):
    """The files of each language's project, by path."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    found = defaultdict(dict)
    for language, path, source in re.findall(
        r"^@@ (\S+) (\S+)\n(.*?)(?=^@@ |\Z)", text, re.DOTALL | re.MULTILINE
    ):
        found[language][path] = source
    return found


def project_of(files):
    return Project({path: read_facts(path, text.encode()) for path, text in files.items()})
