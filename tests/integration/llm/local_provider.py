"""A local server that speaks the providers' protocols, and what it says."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

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


@dataclass
class Seen:
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Provider:
    """A server; `act` answers each request."""

    url: str = ""
    act: Callable[[BaseHTTPRequestHandler], None] = lambda _: None
    seen: list[Seen] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def says(self, provider: str, text: str) -> None:
        self.sends(json.dumps(enveloped(provider, text)).encode())

    def sends(self, body: bytes, *, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.act = lambda handler: send(handler, body, status=status, headers=headers)


def send(
    handler: BaseHTTPRequestHandler, body: bytes, *, status: int = 200, headers: dict[str, str] | None = None
) -> None:
    handler.send_response(status)
    for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)
