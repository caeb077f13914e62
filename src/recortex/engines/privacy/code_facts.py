"""Takes secrets out of facts of code: of documentation, heads of definitions and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recortex.engines.privacy.redaction import redact

if TYPE_CHECKING:
    from recortex.domain.code_facts import FileFacts


def without_secrets(facts: FileFacts) -> FileFacts:
    """The facts as they may be kept.

    An argument is read as a value of what it is given to: `login("…")` may be a password by its name alone.
    All texts are looked at together first, since most files have nothing.
    """
    if not redact("\n".join(_texts(facts))).findings:
        return facts
    return facts._replace(
        symbols=tuple(
            one._replace(doc=redact(one.doc).text, signature=redact(one.signature).text)
            for one in facts.symbols
        ),
        calls=tuple(_given(one, redact(one.receiver).text) for one in facts.calls),
        marks=tuple(_given(one, None) for one in facts.marks),
    )


def _texts(facts: FileFacts) -> list[str]:
    texts = [text for one in facts.symbols for text in (one.doc, one.signature) if text]
    texts += [text for one in facts.calls if one.argument for text in (_assigned(one), one.argument)]
    texts += [one.receiver for one in facts.calls if '"' in one.receiver or "'" in one.receiver]
    return texts + [text for one in facts.marks if one.argument for text in (_assigned(one), one.argument)]


def _assigned(one: Any) -> str:
    return f'{one.name} = "{one.argument}"'


def _given(one: Any, receiver: str | None) -> Any:
    """A call or mark whose argument is no secret."""
    changed = {} if receiver is None else {"receiver": receiver}
    if not one.argument:
        return one._replace(**changed) if changed else one
    found = redact(_assigned(one))
    alone = redact(one.argument).text
    if found.findings and alone == one.argument:
        alone = found.text.partition(" = ")[2].strip('"')
    return one._replace(argument=alone, **changed)
