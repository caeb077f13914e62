"""The kinds of memory by name.

To add one:

1. Write its class with `@content` in `contents.py`.
   The attributes of `Content` say what is done with its memories: `event`, `embedded`, `replaceable`,
   `personal` and `offered` are the ones to think about.
2. Add its row to the table in `tests/unit/domain/test_domain_vocabulary.py`, where kinds are counted too.
3. Run `scripts/build_docs.py`. The command line, completion, schemas and the reference follow from `KINDS`.

Not derived, where the kind is to be more than stored and found:

- `engines/retrieval/question.py`: the turns of speech that ask for a kind.
- `engines/extraction`: the rules that find memories of it in sessions; without one it comes only from
  people, agents and, where it is `offered`, a language model.
- A category of its own: `Category` in `base.py`, and the headings and limits in `engines/brief`. Kinds of
  the categories in `WARNING_KINDS` (`app/hooks/reminders.py`) are given when a file is touched.
- Examples in `operations/base.py` and in the skills of the plug-in.
"""

from __future__ import annotations

from recortex.domain.kinds import contents  # noqa: F401  enters its classes in `KINDS`
from recortex.domain.kinds.base import ALIASES, KINDS, Content, Kind, kind_of

__all__ = ["ALIASES", "KINDS", "Content", "Kind", "kind_of"]
