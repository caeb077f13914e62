"""Privacy: replaces personal data and secrets in every text before it is stored and before it is output.

`redact` for a text, `redact_json` for typed contents. The rules are in `rules/*.toml` with their examples
(`rules/README.md`), and are read from the generated `rules.json`. One pass over a text finds the literals of
all rules, and each rule is run only around its own.

Why not detect-secrets 1.5: it depends on requests and PyYAML, takes 136 ms of CPU to load (this package 4,
its table 10), works by line, and with its default plug-ins flagged 95 % of the harmless look-alikes of the
development set (these rules 6 %, with the same recall of 99 %). Why not google-re2: it has neither
look-behind nor possessive groups, and bounded repetition anchored at keywords already keeps `re` linear
(`bench/privacy.py` measures hostile text).
"""

from recortex.engines.privacy.redaction import redact, redact_json
from recortex.engines.privacy.table import Redaction, RedactionFinding

__all__ = ["Redaction", "RedactionFinding", "redact", "redact_json"]
