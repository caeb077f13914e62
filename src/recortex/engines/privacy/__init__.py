"""Privacy: every text is cleaned of personal data and secrets before it is written and again before it is shown.

`redact` for a text, `redact_json` for typed contents. A table of rules (`table.RULES`), each row with its own examples,
is run over the text; one pass over the rows' literals decides which expressions run at all.
"""

from recortex.engines.privacy.finding import Finding, Redaction
from recortex.engines.privacy.redaction import redact
from recortex.engines.privacy.structured import redact_json

__all__ = ["Finding", "Redaction", "redact", "redact_json"]
