"""A language server that is asked where things are defined."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse


class Server:
    """A language server on one folder, spoken to as the protocol of language servers has it."""

    def __init__(
        self, command: list[str], folder: Path, language: str, wait: float, settings: dict[str, Any]
    ) -> None:
        self._folder, self._language, self._settings = folder.resolve(), language, settings
        self._process = subprocess.Popen(
            [one.replace("FOLDER", str(folder)) for one in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )
        self._number, self._opened = 0, dict[str, list[str]]()
        uri = self._folder.as_uri()
        self._ask(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "rootPath": str(self._folder),
                "workspaceFolders": [{"uri": uri, "name": "all"}],
                "capabilities": {"workspace": {"configuration": True, "workspaceFolders": True}},
                "initializationOptions": {"storagePath": str(Path(tempfile.gettempdir()) / "servers")},
            },
        )
        self._send({"method": "initialized", "params": {}})
        time.sleep(wait)

    def definitions(self, path: str, line: int, name: str) -> tuple[str, list[list[Any]]]:
        """Where each call of a name on a line goes, as path and line; outside of the folder without path."""
        self.open(path)
        written = self._opened[path][line - 1]
        found: list[list[Any]] = []
        places = list(re.finditer(rf"(?<![\w$]){re.escape(name)}(?!\w)", written))
        called = [one for one in places if re.match(r"\s*(?:<.*>)?\s*[({]", written[one.end() :])]
        for place in called or places:
            answer = self._ask(
                "textDocument/definition",
                {
                    "textDocument": {"uri": self._uri(path)},
                    "position": {
                        "line": line - 1,
                        "character": place.start() + 1 if len(name) > 1 else place.start(),
                    },
                },
            )
            answers = answer if isinstance(answer, list) else [answer] if answer else []
            found += [self._place(one) for one in answers]
        return ("known" if found else "unknown"), found

    def open(self, path: str) -> None:
        """Shows it a file."""
        if path not in self._opened:
            text = (self._folder / path).read_text("utf-8", "replace")
            self._opened[path] = text.splitlines()
            document = {"uri": self._uri(path), "languageId": self._language, "version": 1, "text": text}
            self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def close(self) -> None:
        """Ends it."""
        self._process.kill()
        self._process.wait()

    def _uri(self, path: str) -> str:
        return (self._folder / path).as_uri()

    def _place(self, one: dict[str, Any]) -> list[Any]:
        uri, span = one.get("targetUri", one.get("uri")), one.get("targetSelectionRange", one.get("range"))
        path = Path(unquote(urlparse(str(uri)).path))
        inside = path.is_relative_to(self._folder)
        line = (span or {"start": {"line": 0}})["start"]["line"] + 1
        return [path.relative_to(self._folder).as_posix() if inside else "", line]

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self._process.stdin.flush()

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        number = self._number
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                items = (
                    message["params"].get("items", [])
                    if message["method"] == "workspace/configuration"
                    else None
                )
                self._send(
                    {
                        "id": message["id"],
                        "result": [self._settings for _ in items] if items is not None else None,
                    }
                )
            elif message.get("id") == number and "method" not in message:
                return message.get("result")

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        size = 0
        while line := self._process.stdout.readline().strip():
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        answer: dict[str, Any] = json.loads(self._process.stdout.read(size))
        return answer
