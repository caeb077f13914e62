"""The day's budget is a hard stop, also for several processes at once, and starts anew with the UTC day."""

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone

import pytest
from local_provider import enveloped

from recortex.domain.model_call import Answer, Limit, ModelCall, Unavailable
from recortex.llm.client import ModelSettings, build_model

GOOD = json.dumps(enveloped("anthropic", '{"things": []}')).encode()


def call(at, **values):
    return ModelCall(
        **{"at": at, "provider": "openai", "model": "m", "purpose": "extract", "input_tokens": 10, **values}
    )


def test_nothing_is_sent_beyond_the_tokens_of_a_day(provider, model_at, question, store, clock):
    provider.sends(GOOD)
    model = model_at(daily_tokens=9_000)
    assert isinstance(model.ask(question), Answer)
    clock.pass_(minutes=1)
    assert isinstance(model.ask(question), Answer)
    for _ in range(4):
        model.ask(question)
    refused = model.ask(question)
    assert isinstance(refused, Unavailable)
    assert (refused.reason, refused.call.outcome) == ("budget", "refused")
    spent = store.model_calls.total_today(clock())
    assert spent.tokens <= 9_000
    assert spent.refused >= 1
    asked = len(provider.seen)
    model.ask(question)
    assert len(provider.seen) == asked


def test_nothing_is_sent_beyond_the_money_of_a_day(provider, model_at, question, store, clock):
    provider.sends(GOOD)
    model = model_at(model="claude-haiku-4-5", daily_usd=0.0412)
    assert isinstance(model.ask(question), Answer)
    assert (
        model.ask(question).reason == "budget"
    )  # $0.0410 for the worst case beside the $0.0003 that are spent
    assert store.model_calls.total_today(clock()).micro_usd == 270


def test_no_money_at_all_still_allows_what_is_free(provider, model_at, question):
    provider.says("ollama", '{"things": []}')
    assert isinstance(model_at("ollama", daily_usd=0).ask(question), Answer)
    assert model_at("anthropic", daily_usd=0).ask(question).reason == "budget"


def test_a_new_day_has_a_new_budget(store):
    evening = datetime(2026, 3, 1, 23, 59, 59, tzinfo=UTC)
    limit = Limit(tokens=15, micro_usd=0)
    assert store.model_calls.reserve(call(evening), limit) is not None
    assert store.model_calls.reserve(call(evening), limit) is None
    assert store.model_calls.reserve(call(evening + timedelta(seconds=1)), limit) is not None


PROCESS = """
import sys
from datetime import datetime, UTC
from pathlib import Path
from recortex.domain.model_call import Limit, ModelCall
from recortex.storage.sqlite.store import SqliteStore
at = datetime(2026, 3, 1, 12, tzinfo=UTC)
path = Path(sys.argv[1])
store = SqliteStore(path, backups=path.parent / "b", clock=lambda: at, vectors=False)
call = ModelCall(at=at, provider="openai", model="m", purpose="extract", input_tokens=7, micro_usd=3)
print(sum(store.model_calls.reserve(call, Limit(tokens=100, micro_usd=1000)) is not None for _ in range(10)))
store.close()
"""


def test_processes_at_once_do_not_overshoot(store):
    started = [
        subprocess.Popen([sys.executable, "-c", PROCESS, str(store.path)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    try:
        granted = [int(process.communicate()[0]) for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
            process.stdout.close()
    assert sum(granted) == 14  # 14 times 7 is the most that fits into 100
    spent = store.model_calls.total_today(datetime(2026, 3, 1, 12, tzinfo=UTC))
    assert (spent.calls, spent.tokens, spent.refused) == (40, 98, 26)


def test_an_unknown_model_is_priced_by_the_settings_or_said_to_be_unpriced(model_at, provider, question):
    provider.says("openai", '{"things": []}')
    unknown = model_at("openai", model="house-model")
    assert "llm.price_input" in unknown.notices[0]
    assert unknown.ask(question).call.micro_usd == 0
    told = model_at("openai", model="house-model", price_input=2.0, price_output=8.0)
    assert told.notices == ()
    assert told.ask(question).call.micro_usd == 120 * 2 + 30 * 8


def test_without_a_key_nothing_is_asked_of_a_service_that_wants_one(store, clock, question):
    for name in ("anthropic", "openai", "gemini"):
        model = build_model(ModelSettings(provider=name), "", store.model_calls, clock)
        assert model.ask(question).reason == "not_configured"
    assert store.model_calls.recent(5) == []


@pytest.mark.parametrize("provider_name", ["", "unheard-of"])
def test_no_provider_no_model(provider_name, store, clock):
    assert build_model(ModelSettings(provider=provider_name), "", store.model_calls, clock) is None


def test_the_day_is_that_of_utc(store):
    here = datetime(2026, 3, 2, 1, 0, tzinfo=timezone(timedelta(hours=3)))
    store.model_calls.reserve(call(here), Limit(tokens=15, micro_usd=0))
    assert store.model_calls.total_today(datetime(2026, 3, 1, 5, 0, tzinfo=UTC)).calls == 1
    assert store.model_calls.total_today(datetime(2026, 3, 2, 5, 0, tzinfo=UTC)).calls == 0


def test_a_local_server_needs_no_key(provider, store, clock, question):
    provider.says("openai", '{"things": []}')
    model = build_model(ModelSettings(provider="openai", url=provider.url), "", store.model_calls, clock)
    assert isinstance(model.ask(question), Answer)
    assert "authorization" not in provider.seen[0].headers
