"""Privacy.

Secrets caught, look-alikes spared, false redactions in real code and prose, and time on hostile text.

    RECORTEX_BENCH_DATA=DIR python bench/privacy.py [--json FILE] [--misses] [--review]

Reads `secrets/gitleaks_cases.jsonl.gz` (a secret counts as redacted when its most secret-like run of
characters no longer occurs in the text) and every text of `transcripts/`. `--review` prints each redaction
in the transcripts with its surroundings; those that a person judged to be rightly redacted are listed
below by the hash of their value.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
from privacy_rules import expand, rules
from recortex import Cortex
from recortex.engines.privacy import redact

if TYPE_CHECKING:
    from collections.abc import Iterator

REVIEWED_TRUE = frozenset({"0189a89392a0394d", "1046ffe907c12926", "313371d77aa23537"})
"""Hashes of values found in the development transcripts that are personal data or secrets indeed."""

RUN = re.compile(r"[^\s\"'`,;<>(){}]{6,}")


def data_folder() -> Path:
    return Path(os.environ["RECORTEX_BENCH_DATA"])


def likeliest_secret(text: str) -> str:
    """The run of characters that looks most like a secret.

    Entropy times length, no name before a sign, no address.
    """
    text = re.sub(r"https?://[^\s/@]+(?=[/:\s\"']|$)(?!@)", " ", text)
    names = {name.strip("\"'") for name in re.findall(r"([\w.\-]+[\"']?)\]?\s*(?:=|:+=|:\s|=>)", text)}
    runs = [
        part for run in RUN.findall(text) for part in re.split(r"(?<=\w)(?::*=|:\s)(?=[\w\-.~/]{6})", run)
    ]
    return max(
        (r for r in runs if r.rstrip(":") not in names),
        key=lambda run: bits(run) * math.sqrt(len(run)),
        default=text,
    )


def bits(text: str) -> float:
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values())


def labelled_cases() -> list[dict[str, Any]]:
    with gzip.open(data_folder() / "secrets" / "gitleaks_cases.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def stored() -> dict[str, Any]:
    """Remember every caught secret and import sessions that say it, then look in each byte of the store."""
    caught = {}
    for case in labelled_cases():
        secret = likeliest_secret(case["text"])
        if case["secret"] and secret not in redact(case["text"]).text:
            caught[secret] = case["text"]
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as sessions:
        for number, text in enumerate(caught.values()):
            path = Path(sessions) / f"{number}.jsonl"
            path.write_text("".join(json.dumps(line) + "\n" for line in session_of(text, number)))
        with Cortex.open(url=f"sqlite:///{folder}/store.db") as cx:
            for text in caught.values():
                cx.remember(text, kind="insight")
            imported = cx.import_("any", sessions, embed=False)
            told = len(cx.recall("what do we use always?", limit=50, among="exchanges").exchanges)
        read = b"".join(path.read_bytes() for path in Path(folder).rglob("*") if path.is_file())
    found = [secret for secret in caught if secret.encode() in read]
    return {
        "remembered": len(caught),
        "imported": imported.files,
        "recalled": told,
        "bytes_read": len(read),
        "found_again": len(found),
    }


def session_of(text: str, number: int) -> Iterator[dict[str, Any]]:
    """A session of Claude Code in which the person, the agent, a command and a sub-agent say a text."""
    report = {"type": "tool_result", "tool_use_id": "t2", "content": f"{text}\n{'It works so. ' * 20}"}
    refused = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": f"No: {text}"}
    command = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": text}}
    task = {"type": "tool_use", "id": "t2", "name": "Task", "input": {"prompt": text}}
    said: list[tuple[str, Any]] = [
        ("user", f"We decided to keep this from now on. {text}"),
        ("assistant", [{"type": "text", "text": f"I have written it down as you said. {text}"}, command]),
        ("user", [refused]),
        ("assistant", [{"type": "text", "text": "I ask another one to look at it."}, task]),
        ("user", [report]),
        ("assistant", [{"type": "text", "text": f"The cause was that it is set here: {text}"}]),
        ("user", f"Always use that one. {text}"),
    ]
    for place, (role, content) in enumerate(said):
        yield {
            "type": role,
            "uuid": f"{number}-{place}",
            "parentUuid": f"{number}-{place - 1}" if place else None,
            "sessionId": f"s{number}",
            "timestamp": f"2026-01-01T10:00:{place:02}Z",
            "cwd": "/p",
            "message": {"role": role, "content": content},
        }


def labelled(show: bool) -> dict[str, Any]:
    cases = labelled_cases()
    missed, flagged = [], []
    for case in cases:
        text = case["text"]
        clean = redact(text).text
        if case["secret"] and (clean == text or likeliest_secret(text) in clean):
            missed.append((case["rule"], text, clean))
        if not case["secret"] and clean != text:
            flagged.append((case["rule"], text, clean))
    if show:
        for title, rows in (("MISSED", missed), ("FLAGGED", flagged)):
            for rule, text, clean in rows:
                print(
                    title, rule, repr(text[:160]), "->", repr(clean[:160]) if clean != text else "unchanged"
                )
    secrets = sum(case["secret"] for case in cases)
    untouched = sum(text == clean for _, text, clean in missed)
    return {
        "secrets": secrets,
        "recall_any_redaction": 1 - untouched / secrets,
        "recall": 1 - len(missed) / secrets,
        "look_alikes": len(cases) - secrets,
        "false_positive_rate": len(flagged) / (len(cases) - secrets),
    }


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def file_texts(path: Path) -> Iterator[str]:
    content = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix not in (".jsonl", ".json"):
        yield content
        return
    for part in [content] if path.suffix == ".json" else content.splitlines():
        try:
            yield from strings(json.loads(part))
        except ValueError:
            yield part


def transcript_texts() -> set[str]:
    files = sorted(p for p in (data_folder() / "transcripts").rglob("*") if p.is_file() and p.stat().st_size)
    return {text for path in files for text in file_texts(path) if " " in text}


def digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:16]


def transcripts(show: bool) -> dict[str, Any]:
    words = characters = 0
    values: Counter[tuple[str, str]] = Counter()
    samples: dict[tuple[str, str], str] = {}
    began = time.process_time()
    for text in transcript_texts():
        words += len(text.split())
        characters += len(text)
        for found in redact(text).findings:
            key = (found.rule, text[found.start : found.end])
            values[key] += 1
            samples[key] = text[max(0, found.start - 60) : found.end + 30]
    seconds = time.process_time() - began
    false = {key: n for key, n in values.items() if digest(key[1]) not in REVIEWED_TRUE}
    if show:
        for (rule, value), n in sorted(values.items()):
            verdict = "true" if digest(value) in REVIEWED_TRUE else "?"
            print(f"{verdict:5}{n:5} {digest(value)} {rule:24} {value[:70]!r}  in  {samples[rule, value]!r}")
    return {
        "words": words,
        "characters": characters,
        "redactions": sum(values.values()),
        "redactions_not_reviewed_as_true": sum(false.values()),
        "false_per_10000_words": sum(false.values()) / words * 10_000,
        "megabytes_per_second": characters / 1e6 / seconds,
    }


def hostile_texts(size: int = 1_000_000) -> Iterator[tuple[str, str]]:
    source = random.Random(7)
    yield "random bytes as latin-1", source.randbytes(size).decode("latin-1")
    yield "one long line of a", "a" * size
    yield "equals signs", "=" * size
    yield "digits", "7" * size
    yield "dots and digits", ("1." * size)[:size]
    yield "digits and dashes", ("123-" * size)[:size]
    yield "spaces", " " * size
    yield "at signs", "a@" * (size // 2)
    yield "mail near misses", ("a.b-c@d.e" * size)[:size]
    yield "colons", "::" * (size // 2)
    yield "nested brackets", "[{(" * (size // 6) + ")}]" * (size // 6)
    yield "quotes", "\"'`" * (size // 3)
    yield (
        "base64 wall",
        "".join(source.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=size)),
    )
    yield (
        "base64 lines",
        "\n".join("".join(source.choices("ABCDabcd0123+/", k=76)) for _ in range(size // 77)),
    )
    yield (
        "hexadecimal words",
        " ".join("".join(source.choices("0123456789abcdef", k=40)) for _ in range(size // 41)),
    )
    yield "minified script", ('function t(e,n){var r=e.key||n.token;return r?"x"+r:void 0}' * size)[:size]
    yield "assignments", ("token=abcdefgh1 " * size)[:size]
    yield "assigned secrets", "\n".join(f"api_key='{source.randbytes(16).hex()}'" for _ in range(size // 44))
    yield "distinct weak passwords", "\n".join(f'password = "pw{n}"' for n in range(size // 22))
    yield "mails", " ".join(f"p{n}@mail{n}.dev" for n in range(size // 19))
    yield "addresses", " ".join(f"93.{n % 200}.{n % 99}.77" for n in range(size // 13))
    yield "access keys", " ".join(expand(f"AKIA<<U16>>{n}")[:20] for n in range(size // 21))
    yield "key blocks", ("-----BEGIN PRIVATE KEY-----\nabc" * size)[:size]
    yield "urls", ("https://a:b" * size)[:size]
    yield (
        "kubernetes",
        "kind: Secret\ndata:\n" + "\n".join(f"  k{n}: QUJDREVGR0hJSktM" for n in range(size // 28)),
    )


def near_misses(size: int = 100_000) -> Iterator[tuple[str, str]]:
    """For each rule: its keywords again and again, and its own example cut short.

    A tenth of 1 MB, reported tenfold.
    """
    for rule in rules():
        for keyword in rule["keywords"][:3]:
            yield f"{rule['name']}: {keyword}", (keyword * (size // len(keyword) + 1))[:size]
        example = expand(rule["positives"][0])
        for part in (example[: len(example) * 3 // 4], example[:-1] + "\x00"):
            yield f"{rule['name']}: cut example", (part * (size // max(1, len(part)) + 1))[:size]


def timed(text: str) -> float:
    began = time.process_time()
    redact(text)
    return time.process_time() - began


def speed(every: bool) -> dict[str, Any]:
    rows = {name: timed(text) for name, text in hostile_texts()}
    if every:
        rows |= {name: timed(text) * 10 for name, text in near_misses()}
    worst = sorted(rows.items(), key=lambda row: -row[1])[:12]
    plain = (
        "The parser keeps a cursor per session so that a second import of the same file adds nothing; " * 2
    )
    code = (
        'def load(path: Path) -> dict[str, int]:\n    """Read it."""\n'
        "    return {k: int(v) for k, v in rows(path)}\n" * 2
    )
    short = {}
    for name, text in (("prose", plain), ("code", code)):
        redact(text)
        short[name] = min(timed(text) for _ in range(200)) * 1000
    return {"slowest_of_1MB_seconds": dict(worst), "200_characters_ms": short}


LENGTHS = (500, 2_000, 10_000, 100_000, 1_000_000)


def lengths() -> dict[str, Any]:
    """MB (characters) a second in real texts, cut into parts of each length; the best of three."""
    whole = "\n".join(sorted(transcript_texts()))[: 2 * LENGTHS[-1]]
    redact(whole[: LENGTHS[-2]])
    speeds = {}
    for length in LENGTHS:
        parts = [whole[at : at + length] for at in range(0, len(whole), length)]
        seconds = min(sum(map(timed, parts)) for _ in range(3))
        speeds[f"{length:,} characters"] = len(whole) / 1e6 / seconds
    return {"MB_a_second": speeds}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    parser.add_argument("--misses", action="store_true", help="print missed secrets and flagged look-alikes")
    parser.add_argument("--review", action="store_true", help="print every redaction in the transcripts")
    parser.add_argument("--quick", action="store_true", help="leave out the near misses of each rule")
    parser.add_argument("--only", choices=("labelled", "stored", "transcripts", "speed", "lengths"))
    options = parser.parse_args()
    parts: dict[str, Any] = {
        "labelled": lambda: labelled(options.misses),
        "stored": stored,
        "transcripts": lambda: transcripts(options.review),
        "speed": lambda: speed(not options.quick),
        "lengths": lengths,
    }
    result = {name: part() for name, part in parts.items() if options.only in (None, name)}
    for name, figures in result.items():
        print(f"\n{name}")
        for key, value in figures.items():
            for label, figure in value.items() if isinstance(value, dict) else [("", value)]:
                print(
                    f"  {key + ' ' + label:60} {figure:12.4f}"
                    if isinstance(figure, float)
                    else f"  {key:60} {figure:>12}"
                )
    if options.json:
        options.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
