"""The questions and stores of bench/retrieval.py, from `$RECORTEX_BENCH_DATA` and files beside this one."""

from __future__ import annotations

import gzip
import json
import os
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from retrieval_chat import chat
from retrieval_items import Item, Query, Store

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
HELD_PROJECTS = frozenset({"simonw/datasette", "encode/httpx", "jlowin/fastmcp"})
NOTES = Path(__file__).with_name("developer_notes.json")
SMALL_STORES = Path(__file__).with_name("small_stores.json")
LANGUAGES = Path(__file__).with_name("languages.json")


def _folder() -> Path:
    folder = os.environ.get("RECORTEX_BENCH_DATA")
    if not folder:
        raise SystemExit("Set RECORTEX_BENCH_DATA to the folder with the data sets (see bench/README.md).")
    return Path(folder)


def _read(path: str) -> Any:
    with gzip.open(_folder() / path, "rt", encoding="utf-8") as file:
        return json.load(file)


def _evidence(said: object, known: set[str]) -> frozenset[str]:
    """Turn ids as annotators wrote them: `D1:3`, `D8:6; D9:17`, `D:11:26`, `D30:05`, `D12:3-D12:5`."""
    found: set[str] = set()
    for one in said if isinstance(said, list) else []:
        text = str(one)
        for first, start, second, end in re.findall(r"D:?(\d+):(\d+)\s*-\s*(?:D:?(\d+):)?(\d+)", text):
            if second in ("", first):
                found |= {f"D{int(first)}:{turn}" for turn in range(int(start), int(end) + 1)}
        found |= {f"D{int(session)}:{int(turn)}" for session, turn in re.findall(r"D:?(\d+):(\d+)", text)}
    return frozenset(found & known)


def _turns(conversation: dict[str, Any]) -> list[Item]:
    sessions = sorted(
        (key for key in conversation if re.fullmatch(r"session_\d+", key)), key=lambda key: int(key[8:])
    )
    items = []
    for session in sessions:
        when = conversation[f"{session}_date_time"].strip()
        at = datetime.strptime(when, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn, said in enumerate(conversation[session]):
            caption = said.get("blip_caption")
            text = (said.get("text") or "").strip() + (f" [shares an image: {caption}]" if caption else "")
            items.append(
                Item(
                    said["dia_id"],
                    text,
                    "conversation",
                    session,
                    turn,
                    said["speaker"],
                    at,
                )
            )
    return items


def _locomo(split: str) -> list[Store]:
    stores = []
    for one in _read("locomo/locomo10.json.gz"):
        items = _turns(one["conversation"])
        known = {item.id for item in items}
        queries = [
            Query(asked["question"], CATEGORIES[asked["category"]], _evidence(asked.get("evidence"), known))
            for asked in one["qa"]
        ]
        stores.append(Store(one["sample_id"], tuple(items), tuple(query for query in queries if query.gold)))
    return {"dev": stores[:5], "held": stores[5:], "all": stores}[split]


def _cosqa(split: str) -> list[Store]:
    items = tuple(
        Item(str(number), code, "code_description")
        for code, number in _read("cosqa/code_idx_map.txt.gz").items()
    )
    stores = []
    for part in {"dev": ("dev",), "held": ("test",), "all": ("dev", "test")}[split]:
        path = f"cosqa/cosqa-retrieval-{part}-500.json.gz"
        if (_folder() / path).exists():
            asked = _read(path)
            queries = [
                Query(one["doc"], "web query", frozenset({str(one["retrieval_idx"])})) for one in asked
            ]
            stores.append(Store(f"cosqa-{part}", items, tuple(queries)))
    return stores


def _commits(split: str) -> list[Store]:
    stores = []
    with gzip.open(_folder() / "commits/commit_to_file.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            one = json.loads(line)
            if split == "all" or (one["repo"] in HELD_PROJECTS) == (split == "held"):
                items = [
                    Item(path, text, "code_description", files=(path,)) for path, text in one["items"].items()
                ]
                queries = [
                    Query(asked["query"], one["repo"], frozenset(asked["gold"])) for asked in one["queries"]
                ]
                stores.append(Store(one["repo"], tuple(items), tuple(queries)))
    return stores


def _notes(_: str) -> list[Store]:
    notes = json.loads(NOTES.read_text(encoding="utf-8"))
    items = [
        Item(
            one["id"],
            one["text"],
            one["kind"],
            files=tuple(one["files"]),
            tags=tuple(one["tags"]),
            importance=one["importance"],
        )
        for one in notes["memories"]
    ]
    queries = [Query(one["query"], "note", frozenset(one["gold"])) for one in notes["questions"]]
    return [Store("developer-notes", tuple(items), tuple(queries), tuple(notes["unanswerable"]))]


def _small(split: str) -> list[Store]:
    """Stores of 12 memories: one that the floor was developed on, and one that was written after that."""
    stores = json.loads(SMALL_STORES.read_text(encoding="utf-8"))
    return [
        _small_store(name, one) for name, one in stores.items() if split == "all" or name.startswith(split)
    ]


def _small_store(name: str, store: dict[str, Any]) -> Store:
    items = [Item(str(place), text, "insight") for place, text in enumerate(store["memories"])]
    queries = [Query(text, "small", frozenset({str(gold)})) for text, gold in store["answerable"]]
    return Store(name, tuple(items), tuple(queries), tuple(store["unanswerable"]))


def _languages(split: str) -> list[Store]:
    """A store of the same 100 memories in each language; the second half of the questions was kept shut."""
    return [_in_language(language, [language], split) for language in _all_languages()["unanswerable"]]


def _across(split: str) -> list[Store]:
    """The same stores, each asked in the four other languages."""
    known = list(_all_languages()["unanswerable"])
    return [_in_language(one, [other for other in known if other != one], split) for one in known]


@cache
def _all_languages() -> dict[str, Any]:
    said: dict[str, Any] = json.loads(LANGUAGES.read_text(encoding="utf-8"))
    return said


def _in_language(language: str, asked: list[str], split: str) -> Store:
    said = _all_languages()
    items = [Item(str(place), one[language][0], one["kind"]) for place, one in enumerate(said["memories"])]
    queries = [
        Query(one[other][1], language, frozenset({str(place)}))
        for other in asked
        for place, one in enumerate(said["memories"])
        if split == "all" or one["shut"] == (split == "held")
    ]
    strange = tuple(question for other in asked for question in said["unanswerable"][other])
    return Store(language, tuple(items), tuple(queries), strange)


def _chat(_: str) -> list[Store]:
    return chat()


LOADERS = {
    "locomo": _locomo,
    "cosqa": _cosqa,
    "commits": _commits,
    "notes": _notes,
    "small": _small,
    "languages": _languages,
    "across": _across,
    "chat": _chat,
}


def load(dataset: str, split: str) -> list[Store]:
    """The stores of a data set.

    Halves: LoCoMo the first and last five conversations, CoSQA dev and test, commits by project, languages
    by question.
    """
    return LOADERS[dataset](split)
