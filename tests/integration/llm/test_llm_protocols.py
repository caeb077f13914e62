"""Each protocol asks as its documentation says, and its answer is read with what it cost."""

import json
import subprocess
import sys

import pytest
from local_provider import KEY, PROVIDERS, enveloped

from recortex.domain.model_call import Answer, Unavailable

ANSWER = '{"things": ["one", "two"]}'


@pytest.mark.parametrize("name", PROVIDERS)
def test_the_answer_is_read_and_paid(name, provider, model_at, store, question, clock):
    provider.says(name, ANSWER)
    answer = model_at(name).ask(question)
    assert isinstance(answer, Answer)
    assert answer.items == ("one", "two")
    (call,) = store.model_calls.recent(5)
    assert call == answer.call
    assert (call.input_tokens, call.output_tokens, call.outcome, call.session) == (120, 30, "ok", "s1")
    prices = {"anthropic": 27, "openai": 27, "gemini": 111, "ollama": 0}
    assert call.micro_usd == prices[name]
    assert store.model_calls.total_today(clock()).tokens == 150


def test_anthropic_is_asked_for_a_json_schema(provider, model_at, question):
    provider.says("anthropic", ANSWER)
    model_at("anthropic").ask(question)
    (seen,) = provider.seen
    assert seen.path == "/v1/messages"
    assert seen.headers["x-api-key"] == KEY
    assert seen.headers["anthropic-version"] == "2023-06-01"
    assert seen.body["output_config"]["format"] == {"type": "json_schema", "schema": question.schema}
    assert seen.body["messages"] == [{"role": "user", "content": "What is there?"}]
    assert seen.body["max_tokens"] == question.max_output
    assert "temperature" not in seen.body


def test_openai_is_asked_for_a_strict_json_schema(provider, model_at, question):
    provider.says("openai", ANSWER)
    model_at("openai", url=provider.url + "/v1/").ask(question)
    (seen,) = provider.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    wanted = seen.body["response_format"]
    assert wanted["type"] == "json_schema"
    assert wanted["json_schema"]["strict"] is True
    assert wanted["json_schema"]["schema"] == question.schema
    assert [message["role"] for message in seen.body["messages"]] == ["system", "user"]


def test_gemini_is_asked_for_a_response_schema(provider, model_at, question):
    provider.says("gemini", ANSWER)
    model_at("gemini", model="gemini-2.5-flash").ask(question)
    (seen,) = provider.seen
    assert seen.path == "/v1beta/models/gemini-2.5-flash:generateContent"
    assert seen.headers["x-goog-api-key"] == KEY
    config = seen.body["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert "additionalProperties" not in json.dumps(config["responseSchema"])
    assert config["responseSchema"]["required"] == ["things"]


def test_ollama_is_asked_for_a_format_and_given_room(provider, model_at, question):
    provider.says("ollama", ANSWER)
    model_at("ollama").ask(question)
    (seen,) = provider.seen
    assert seen.path == "/api/chat"
    assert seen.body["format"] == question.schema
    assert seen.body["stream"] is False
    assert seen.body["options"]["num_ctx"] >= question.max_output + 100


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_cut_answer_is_no_answer(name, provider, model_at, question, store):
    said = enveloped(name, '{"things": ["one"]}')
    if name == "anthropic":
        said["stop_reason"] = "max_tokens"
    elif name == "openai":
        said["choices"][0]["finish_reason"] = "length"
    elif name == "gemini":
        said["candidates"][0]["finishReason"] = "MAX_TOKENS"
    else:
        said["done_reason"] = "length"
    provider.sends(json.dumps(said).encode())
    result = model_at(name).ask(question)
    assert isinstance(result, Unavailable)
    assert result.reason == "truncated"
    assert store.model_calls.recent(1)[0].outcome == "unusable"
    assert store.model_calls.recent(1)[0].input_tokens == 120


def test_a_model_may_decline(provider, model_at, question):
    refusal = {"choices": [{"message": {"content": None, "refusal": "No."}, "finish_reason": "stop"}]}
    provider.sends(json.dumps(refusal).encode())
    assert model_at("openai").ask(question).reason == "declined"
    provider.sends(b'{"promptFeedback": {"blockReason": "SAFETY"}}')
    assert model_at("gemini").ask(question).reason == "declined"


def test_a_claimed_usage_cannot_empty_the_ledger(provider, model_at, question, store, clock):
    said = enveloped("openai", ANSWER)
    said["usage"] = {"prompt_tokens": -5_000_000, "completion_tokens": 2**60}
    provider.sends(json.dumps(said).encode())
    model_at("openai").ask(question)
    assert store.model_calls.total_today(clock()).tokens == 10_000_000


def test_without_usage_the_answer_is_estimated_not_free(provider, model_at, question):
    provider.sends(json.dumps({"choices": [{"message": {"content": ANSWER}}]}).encode())
    answer = model_at("openai").ask(question)
    assert isinstance(answer, Answer)
    assert answer.call.input_tokens > 0
    assert answer.call.output_tokens == len(ANSWER) / 2


def test_json_in_a_code_fence_is_still_json(provider, model_at, question):
    provider.says("ollama", f"```json\n{ANSWER}\n```")
    assert model_at("ollama").ask(question).items == ("one", "two")


def test_the_http_library_is_loaded_by_a_call_alone():
    code = (
        "import sys, recortex.llm.client, recortex.engines.prompting.service; print('httpx2' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
