"""A language model words what a correction teaches; what it invents does not count."""

import json

import pytest
from local_provider import KEY, enveloped

from recortex import Cortex

WORDS = "no, that is wrong, src/mail.py must retry three times like the other senders"
RULES = "src/mail.py must retry three times like the other senders."
BETTER = "src/mail.py retries three times, as the other senders do."


@pytest.fixture
def cortex(provider, tmp_path, monkeypatch):
    """A memory whose language model is at a local server."""
    for name, value in (("PROVIDER", "openai"), ("URL", provider.url), ("API_KEY", KEY), ("MODEL", "m")):
        monkeypatch.setenv(f"RECORTEX_LLM_{name}", value)
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    with Cortex.open(tmp_path, url=f"sqlite:///{tmp_path}/c.db") as opened:
        yield opened


def answers(provider, *items):
    text = json.dumps({"principles": [{"text": text, "category": category} for text, category in items]})
    provider.sends(json.dumps(enveloped("openai", text)).encode())


def test_its_wording_and_category_stand(cortex, provider):
    answers(provider, (BETTER, "pattern_violation"))
    taught = cortex.learn(WORDS)
    assert (taught.principle, taught.category) == (BETTER, "pattern_violation")
    assert len(provider.seen) == 1
    assert taught.memory.source.quote == WORDS


@pytest.mark.parametrize(
    "items",
    [
        [],
        [("src/post.py retries three times, as the other senders do.", "pattern_violation")],
        [("Retry.", "pattern_violation")],
        [(BETTER, "no such category")],
    ],
)
def test_what_it_invents_or_leaves_out_gives_way_to_the_rules(cortex, provider, items):
    answers(provider, *items)
    assert cortex.learn(WORDS).principle == RULES


def test_a_difference_alone_is_not_sent(cortex, provider):
    cortex.learn(original="open(path)", corrected="open(path, encoding='utf-8')")
    assert provider.seen == []
