"""Privacy: personal data and secrets are taken out of every text before it is written and output.

`redact` for a text, `redact_json` for typed contents. The rules are written in `rules/*.toml`, each with its
examples, and read from `rules.json`, which is generated from them. One pass over short parts of the rules'
keywords decides which of them run at all.

Why own rules: detect-secrets 1.5 brings requests and PyYAML, takes 136 ms of CPU to load (this package 4,
its table 10), works by line and flagged 95 % of the look-alikes of the development set with its default
plug-ins (this table 6 %, at the same recall of 99 %). google-re2 has neither look-behind nor possessive
groups, and bounded repetition anchored at keywords already keeps `re` linear: `bench/privacy.py` has the
times on hostile text.
"""

from recortex.engines.privacy.finding import Redaction, RedactionFinding
from recortex.engines.privacy.redaction import redact
from recortex.engines.privacy.structured import redact_json

__all__ = ["Redaction", "RedactionFinding", "redact", "redact_json"]
