"""Facts of short texts of code, for tests of what follows from facts."""

import re

from recortex.codebase.extraction import read_facts
from recortex.codebase.manifests import read_manifest
from recortex.engines.code.project import Sources


def sources(files: dict[str, str], more: tuple[str, ...] = ()) -> Sources:
    """A project of these files; `more` are paths of files that are no code."""
    facts, manifests = {}, []
    for path, text in files.items():
        if (manifest := read_manifest(path, text)) is not None:
            manifests.append(manifest)
        if (found := read_facts(path, text.encode())) is not None:
            facts[path] = found._replace(calls=tuple(_argued(one, text) for one in found.calls))
    return Sources(facts, tuple(manifests), (*files, *more))


def _argued(call, text):
    """A call with its first literal text, where the extractor has not said it."""
    if call.argument:
        return call
    rest = "\n".join(text.splitlines()[call.line - 1 :])
    found = re.search(
        rf"\b{re.escape(call.name)}\s*(?:<[^>]*>)?\(\s*(?:\w+,\s*)?[\"'`]([^\"'`]*)[\"'`]", rest
    )
    return call._replace(argument=found[1] if found else "")
