"""A local server that speaks the providers' protocols, and what it says."""

import json
from typing import Any

from local_server import LocalServer

KEY = "sk-test-0123456789abcdef"
PROVIDERS = ("anthropic", "openai", "gemini", "ollama")
SCHEMA = {
    "type": "object",
    "properties": {"things": {"type": "array", "items": {"type": "string"}}},
    "required": ["things"],
    "additionalProperties": False,
}


def enveloped(provider: str, text: str) -> dict[str, Any]:
    """What a provider answers when its model writes `text`; 120 tokens in, 30 out."""
    if provider == "anthropic":
        return {
            "type": "message",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "text", "text": text},
            ],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 100, "cache_read_input_tokens": 20, "output_tokens": 30},
        }
    if provider == "openai":
        return {
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": text, "refusal": None},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150},
        }
    if provider == "gemini":
        return {
            "candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 120, "candidatesTokenCount": 20, "thoughtsTokenCount": 10},
        }
    return {
        "message": {"role": "assistant", "content": text}, "done": True, "done_reason": "stop",
        "prompt_eval_count": 120, "eval_count": 30,
    }  # fmt: skip


class Provider(LocalServer):
    """A server that speaks a provider's protocol."""

    def says(self, provider: str, text: str) -> None:
        self.sends(json.dumps(enveloped(provider, text)).encode())
