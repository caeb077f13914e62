"""The extractor: a session's turns in, candidates out; and the rules for what the agent did and asked.

Pure and deterministic. The turns are read once, as a stream; kept are the candidates found so far, the
failures of the last commands, and nothing of the turns themselves. Candidates leave at the end of the stream,
because a later turn may correct, doubt or repeat an earlier one. Reading may resume in the middle: given some
turns before the cursor, the rest teaches what it would have taught, and what it withdraws is named.

Of a short answer the words are the agent's and the choice is the person's: "chose: …", "agreed to: …".
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from recortex.domain.exchange import Turn, chosen
from recortex.domain.reports import Candidate
from recortex.domain.text import lazy
from recortex.domain.vocabulary import Origin
from recortex.engines.extraction.authorship import arguments
from recortex.engines.extraction.person_rules import (
    EVEN,
    MAX_TYPED,
    PASTED,
    SIGNS,
    WORDS,
    chance_of,
    durable,
    from_user,
    is_foreign,
    plainly,
    unasked,
)
from recortex.engines.extraction.sentences import (
    ACTIVE,
    COMMAND,
    DURABLE,
    ON_PURPOSE,
    RuleFinding,
    candidate,
    doubted,
    objection,
    plain,
    sentences,
    statement,
)
from recortex.engines.judging import Message, Statement, assess
from recortex.engines.similarity import is_near_duplicate
from recortex.engines.tables import Patterns
from recortex.lean import NamedTuple
from recortex.text.words import LETTERS, tokens, units, word_set

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from recortex.domain.exchange import SessionInfo, ToolCall


# -- analyses shell commands: their purpose, their general form, and whether they failed


SHELL_PATTERNS = Patterns(__file__, "shell")

MAX_COMMAND = 120
_MAX_FORM = 60
_MAX_READ = 1_000

_KNOWN = (
    ("test", "The test suite is run with", SHELL_PATTERNS.runs_test),
    ("lint", "The linter is run with", SHELL_PATTERNS.runs_lint),
    ("typecheck", "Types are checked with", SHELL_PATTERNS.runs_typecheck),
    ("format", "Code is formatted with", SHELL_PATTERNS.runs_format),
    ("build", "The project is built with", SHELL_PATTERNS.runs_build),
    ("migrate", "Database migrations are applied with", SHELL_PATTERNS.runs_migrate),
    ("generate", "Code is generated with", SHELL_PATTERNS.runs_generate),
)
_FILTERS = word_set("-run --only -k --grep -t --seed --filter -count --testNamePattern -g -p --package")


def main_part(command: str) -> str:
    """The first command of a line, without `cd … &&`, redirections and pagers."""
    whole = SHELL_PATTERNS.prefix.sub("", command.strip()[:_MAX_READ])
    # A quoted or escaped joint is part of an argument, and does not end the command.
    ends = (
        found.start() for found in SHELL_PATTERNS.joint.finditer(whole) if found.group()[0] not in "'\"\\"
    )
    return SHELL_PATTERNS.redirect.sub("", whole[: next(ends, None)]).strip()


def is_customary(form: str) -> bool:
    """Whether a command is the usual one for its purpose, and so says nothing about this project."""
    return SHELL_PATTERNS.customary.match(form) is not None


def purpose_of(command: str) -> tuple[str, str] | None:
    """The purpose of a command (`test`, `lint`, …) and how a statement about it begins; None if unknown."""
    for purpose, lead, pattern in _KNOWN:
        if pattern.match(command):
            return purpose, lead
    return None


def whole_form(command: str) -> str | None:
    """The form of a command for the whole project; None if it names single files or cases."""
    words = command.split()
    if any(word.split("=")[0] in _FILTERS for word in words):
        return None
    kept = words[:1] + [
        word
        for word in words[1:]
        # `./...` and such name everything, unlike other paths, after which the form would be that of one
        # case.
        if word in {"./...", "-v", "--verbose"} or not SHELL_PATTERNS.pathish.fullmatch(word)
    ]
    # Variables, patterns and quotations are of one occasion, as single files are.
    if len(kept) != len(words) or any(char in command for char in "\"'$<>{}`\\*"):
        return None
    words = SHELL_PATTERNS.output_option.sub("", command).split()
    # How much a run prints is no part of how the project is tested.
    form = " ".join(word for word in words if word not in {"-v", "--verbose", "-q", "--no-color", "--trace"})
    return form if len(form) <= _MAX_FORM else None


def passed(call: ToolCall) -> bool | None:
    """Whether a command passed, by the status that its client wrote; None where nothing is certain.

    Output alone is never a failure: tests print errors on purpose. A pipe and what follows `;` hide the
    status of the command before them, so that of such a line counts only if its output says the same.
    """
    if call.ok is None or not _hides_status(call.command):
        return call.ok
    return call.ok if call.ok != bool(SHELL_PATTERNS.failed.search(call.output)) else None


def _hides_status(command: str) -> bool:
    whole = SHELL_PATTERNS.prefix.sub("", command.strip()[:_MAX_READ])
    # `&&` hides nothing: what follows runs only after success.
    joints = (found.group() for found in SHELL_PATTERNS.joint.finditer(whole))
    return any(joint[0] not in "'\"\\" and joint != "&&" for joint in joints)


# -- rules for what the agent did: commands that worked again and again


_MIN_RUNS = 2
_COMMON_RUNS = 4


@dataclass(slots=True)
class Habits:
    """The commands of a session so far that passed: how often each did, for what, and when first."""

    runs: Counter[str] = field(default_factory=Counter)
    purposes: dict[str, tuple[str, str, Turn]] = field(default_factory=dict)

    def observe(self, turn: Turn) -> None:
        """Count the commands of a turn that passed, by their form for the whole project."""
        for call in turn.tools:
            # What Recortex itself was asked is not how the person works.
            command = "" if call.injected else main_part(call.command)
            purpose = purpose_of(command)
            if purpose and len(command) <= MAX_COMMAND and passed(call) and (form := whole_form(command)):
                self.runs[form] += 1
                self.purposes[form] = (*purpose, turn)

    def found(self) -> Iterator[tuple[RuleFinding, Turn]]:
        """Yield the most used command for each purpose, at the session's end."""
        best: dict[str, str] = {}
        for form, runs in self.runs.items():
            purpose = self.purposes[form][0]
            # Of commands that ran equally often, the one that was used first stays.
            if runs >= _MIN_RUNS and runs > self.runs.get(best.get(purpose, ""), 0):
                best[purpose] = form
        for usual in best.values():
            # The longest used form: `check --strict` says more than `check`.
            longer = [
                one for one, runs in self.runs.items() if runs >= _MIN_RUNS and one.startswith(f"{usual} ")
            ]
            form = max(longer, key=lambda one: self.runs[one], default=usual)
            _, lead, turn = self.purposes[form]
            confidence = 0.75 if self.runs[form] < _COMMON_RUNS else 0.85
            # A command that anybody would try first says nothing about this project.
            confidence -= 0.2 if is_customary(form) else 0.0
            text = f"{lead} `{form}`."
            yield RuleFinding(text, "environment", confidence, COMMAND, form, commands=(form,)), turn


# -- what a short answer decides: its content stands in what the agent asked or offered before


ANSWERS_PATTERNS = Patterns(__file__, "answers")
CONFIDENCE = 0.65
_LONGEST_ANSWER, _READ = 60, 1_000
_FEWEST_WORDS, _MOST_WORDS = 6, 40


def answered(answer: str, before: str) -> Iterator[RuleFinding]:
    """The decision of "b", "option 2" or "yes, do that": the option, or what the agent proposed.

    Args:
        answer: what the person said.
        before: the agent's message that it answers.
    """
    option, question = chosen(answer, before), _question(before)
    # An option without its question would be kept as a decision on nothing.
    if option and not question:
        return
    text = statement(plain(option.replace("**", "") or _agreed(answer, before)))
    if text and not objection(text):
        if option:
            yield _choice(question, text, answer)
        else:
            yield RuleFinding(f"Agreed to: {text}", "decision", CONFIDENCE, "person_chose", answer[:_READ])


def own_words(turn: Turn) -> str:
    """The person's own words.

    In an answer the options and lines that begin with `>` are the agent's; of what fills a place in a
    command's text, sentences of their own are the person's.
    """
    if turn.form in {"command", "argument"}:
        named = ANSWERS_PATTERNS.named.match(turn.text) is not None
        return turn.text if named else arguments(turn.text) if turn.form == "command" else ""
    if turn.form != "answer":
        return turn.text
    own = [line for line in turn.text.splitlines() if not line.startswith(">")]
    return "\n".join(line for line in own if line.strip() not in turn.asked)


def choices(turn: Turn) -> Iterator[RuleFinding]:
    """The options that the person took in an answer to the agent's questions."""
    question = ""
    for line in turn.text.splitlines() if turn.form == "answer" else ():
        said = line.strip()
        if line.startswith(">"):
            question = said[1:].strip() if said.endswith(("?", "？")) else question  # noqa: RUF001
        elif said and said in turn.asked:
            text = statement(plain(said))
            if text and len(question.split()) <= _MOST_WORDS and not objection(text):
                yield _choice(question, text, said)


def _choice(question: str, text: str, quote: str) -> RuleFinding:
    about = f"Asked {question!r}, chose: {text}" if question else f"Chose: {text}"
    return RuleFinding(about, "decision", CONFIDENCE, "person_chose", quote[:_READ])


def _question(before: str) -> str:
    """The last question that says what the options are for; "which one?" does not."""
    # Of several questions, an answer is to the last one.
    said = (one for line in before[-_READ:].splitlines() for one in sentences(line))
    asked = [plain(one) for one in said if one.endswith("?")]
    told = [one for one in asked if _FEWEST_WORDS <= len(one.split()) <= _MOST_WORDS]
    return told[-1] if told else ""


def _agreed(answer: str, before: str) -> str:
    """What the agent asked for in its last question, if the answer only says yes."""
    if len(answer) > _LONGEST_ANSWER or not ANSWERS_PATTERNS.assent.match(answer):
        return ""
    asked = sentences(before[-_READ:].strip())
    proposed = ANSWERS_PATTERNS.proposes.search(asked[-1]) if asked else None
    return proposed["what"] if proposed else ""


# -- whether a person's sentence may be about the work at hand alone: then it is at most proposed


PASSING_PATTERNS = Patterns(__file__, "passing")
HOLD = "may be about the work at hand"
"""Why such a statement waits."""
SHORT = 160
"""Characters of a message that says nothing beside its one sentence."""
FEW_WORDS = 8
"""Words up to which the language of a message in plain letters is not told; the forms are English."""
LETS = frozenset(("person_decided_for", "person_lets"))
"""Rules for "let's use X": a decision where it gives the reason, else of the task."""
DECISIONS = LETS | {"person_changed", "person_decision"}
"""Rules for what is said once; the chance is of what is said of every time."""
UNSURE = frozenset(f"person_{name}" for name in (
    "aside", "constraint", "decided_for", "lets", "order", "rule",
))  # fmt: skip
"""Rules of which a third was worth keeping: "note", "should", "can't" and "let's" are mostly of the task."""
TAKEN_IN_PASSING = frozenset(("person_choice", DURABLE, "person_universal"))
"""Rules that take a wish for one thing of the product, too: 6 of 16 such sentences of eleven projects that
nothing was fitted to were worth keeping. They are active where the sentence itself says that it stands."""
MOST_WORDS = 40
"""Words of what may be active: a longer sentence is a plan, or several."""
PLAIN = frozenset(f"person_{name}" for name in (
    "about_me", "bound", "built", "fact", "our_way", "place", "practice", "preference", "rests", "turned",
    "uses",
))  # fmt: skip
"""Rules for plain statements about a project, such as "we release on Fridays"; they sound like others."""
LEAST, BRIEF = 0.15, 400
"""The chance that those need, and the characters of a message up to which that is enough: in longer ones,
what sounds so explains the task."""


_FEW_BESIDE = 3
"""Words that may stand beside the one sentence of a message, such as "fyi"."""
_LEAST_WORDS = 5
"""Words of a message that has an English one among them, if it is English."""
_ENGLISH = frozenset(WORDS) - word_set("a an as at do me on or so in her us") | word_set(
    "always never dont don't without ever pls please avoid must keep"
)
"""Words that other languages do not have."""


def is_passing(finding: RuleFinding, message: str) -> bool:
    """Whether what a rule found in a message may hold for the moment only, or need more context.

    Args:
        finding: of any rule; its quote is the sentence as it was typed.
        message: that it stands in.
    """
    # The forms below are English. A few plain letters do not tell the language, so that short messages pass.
    if is_foreign(message) and (not message.isascii() or len(message.split()) > FEW_WORDS):
        return True
    sentence = finding.quote
    said = plainly(sentence)
    wish, _ = unasked(said)
    general = PASSING_PATTERNS.general.search(said) is not None
    if (
        PASSING_PATTERNS.weighs.search(said) is not None
        or PASSING_PATTERNS.step.search(said) is not None
        or (PASSING_PATTERNS.muses.search(sentence) is not None and not general)
        # It points at this moment or the code at hand; a word such as "now" may be no plain speech.
        or any(PASSING_PATTERNS.moment.search(text) is not None for text in (said, sentence))
        or PASSING_PATTERNS.hangs_on.search(sentence) is not None
        or _is_unread(message)
        or (
            finding.rule in UNSURE
            and not (finding.rule in LETS and PASSING_PATTERNS.because.search(finding.quote) is not None)
        )
        or (
            finding.rule in TAKEN_IN_PASSING
            and not any(map(PASSING_PATTERNS.stands.search, (said, sentence)))
        )
        or len(sentence.split()) > MOST_WORDS
    ):
        return True
    # What speaks of every time ("never", "each release") is taken as it is, even in the form of a question.
    if not general and (
        _asks(sentence, said, wish)
        or (wish != said and SIGNS["sign_denies_first"].search(wish) is None)
        or PASSING_PATTERNS.continues.search(sentence.lstrip()) is not None
        or PASSING_PATTERNS.points.search(plainly(finding.text)) is not None
        or PASSING_PATTERNS.should.search(said) is not None
        or PASSING_PATTERNS.reports.search(PASSING_PATTERNS.because.sub("", said)) is not None
        or PASSING_PATTERNS.ordered.search(wish) is not None
        or PASSING_PATTERNS.works.search(wish) is not None
    ):
        return True
    if finding.rule in DECISIONS or says_plainly(finding, message):
        return False
    least = LEAST if finding.rule in PLAIN and len(message) <= BRIEF else EVEN
    return chance_of(said, sentence, message) < least


def says_plainly(finding: RuleFinding, message: str) -> bool:
    """Whether a message is nothing but a plain statement of what the project uses, or where something is.

    "We use Redis as the job queue." and "Views live in web/views." need no word that says that they last.
    """
    if finding.rule not in PLAIN or len(message) > SHORT or len(finding.quote) > SHORT:
        return False
    beside = len(message.split()) - len(finding.quote.split())
    said = PASSING_PATTERNS.plainly_so.match(plainly(finding.quote))
    return beside <= _FEW_BESIDE and said is not None and PASSING_PATTERNS.points.search(finding.text) is None


def _is_unread(message: str) -> bool:
    """Whether a message of some words has none that only English has: its forms say nothing then."""
    words = message.lower().split()
    return len(words) >= _LEAST_WORDS and _ENGLISH.isdisjoint(word.strip(".,;:!?()'\"`") for word in words)


def _asks(sentence: str, said: str, wish: str) -> bool:
    if wish != said:
        return PASSING_PATTERNS.asks.search(wish) is not None
    asked = PASSING_PATTERNS.tagged.sub("", sentence.rstrip())
    return asked.endswith("?") or PASSING_PATTERNS.asks.search(said) is not None


# -- the candidates of a session so far: one for each statement, withdrawn if a later turn takes it back


# Statements with a lower share of common words are not compared closely.
_SIMILAR = 0.4
_REPEATED_BONUS = 0.05


@dataclass(slots=True)
class CandidateSet:
    """The candidates in the order in which they were first said, indexed by their words."""

    kept: list[Candidate] = field(default_factory=list)
    words: list[frozenset[str]] = field(default_factory=list)
    by_word: dict[str, list[int]] = field(default_factory=dict)

    def add(self, new: Candidate) -> None:
        """Add a candidate, or count it as evidence for the one that says the same."""
        words = frozenset(units(tokens(new.text, LETTERS)))
        place = self._place_of(words, new.text)
        if place is not None:
            # One candidate of two that say the same: the one of higher confidence, with the evidence of both.
            known = self.kept[place]
            best = new if (new.active, new.confidence) > (known.active, known.confidence) else known
            confidence = min(best.confidence + _REPEATED_BONUS, 0.95)
            self.kept[place] = replace(
                best, evidence=known.evidence + new.evidence, confidence=round(confidence, 2)
            )
            return
        place = len(self.kept)
        self.kept.append(new)
        self.words.append(words)
        for word in words:
            self.by_word.setdefault(word, []).append(place)

    def _place_of(self, words: frozenset[str], text: str) -> int | None:
        """The index of a kept candidate that says what a statement says."""
        if not words:
            return None
        rare = sorted(words, key=lambda word: (len(self.by_word.get(word, ())), word))
        # A repetition shares nearly all words with the kept one, so at least one of the rarer half.
        rarest = rare[: len(words) // 2 + 1]
        # In the order in which they were said, so that the same session always gives the same candidates.
        for place in sorted({place for word in rarest for place in self.by_word.get(word, ())}):
            other = self.words[place]
            if len(words & other) < _SIMILAR * len(words | other):
                continue
            if words == other or is_near_duplicate(text, self.kept[place].text):
                return place
        return None

    def withdraw_decisions(self, turn_index: int) -> None:
        """Withdraw the person's decisions since a turn that a later turn takes back."""
        # From the last one back: candidates stand in the order of their turns, so that the first earlier one
        # ends it.
        for place in range(len(self.kept) - 1, -1, -1):
            known = self.kept[place]
            if known.turn_index < turn_index:
                break
            if known.active and known.speaker == "user" and known.kind == "decision":
                self.kept[place] = doubted(known)


# -- what becomes of a message's sentences: active, proposed, or left to the record of what was said


WEIGHING_PATTERNS = Patterns(__file__, "weighing")


class Limits(NamedTuple):
    """The probabilities from which something is active, and from which it is proposed."""

    active: float
    proposed: float


SURE, PERSON = Limits(0.15, 0.0), Limits(0.25, 0.12)
"""For the person's words that a rule is sure of, and that another rule took. What no rule took is left out:
of 38 such sentences that the judge expected, 5 were right on projects that nobody had looked at."""
_WEAK_RULE = "person_rule"
"""Takes every "should" and "must", also of a request for one change."""
_ASKS = lazy(
    r"\A\W{0,4}(?:(?:so|and|but|ok|also) ){0,2}(?:what|how|where|which|who|when|why|is|are|do|does|did|was|"
    r"were|has|have|any|can|could|should|would|will)\b.*\?\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
_ASKED_FOR = ON_PURPOSE | {"person_chose"}
_FROM_NOW_ON = lazy(r"\b(?:from now on|remember(?! to)|henceforth)\b", re.IGNORECASE)
_LONGEST = 400
_WORD = lazy(r"\w+")
_BEGINNING = 6
"""Words of a quote that are looked for in its message, whatever markup stands between them."""


def weighed(findings: Iterable[RuleFinding], message: Message) -> Iterator[RuleFinding]:
    """What the rules found in a person's message and is worth it, then what else lasts."""
    # A message that was pasted whole states nothing of the person's own.
    pasted = PASTED.match(message.text) is not None
    lasting = {} if pasted else {one.quote: one for one in durable(message.text)}
    for finding in findings:
        found = _weighed(finding, message)
        lasts = lasting.pop(finding.quote, None)
        # A rule that only proposes gives way to the learned chance, where that is sure of the same sentence.
        if lasts and not finding.hold and not (found and found.confidence >= ACTIVE and not found.hold):
            found = lasts
        if found:
            yield _hold_back_passing(found, message)
    for found in lasting.values():
        yield _hold_back_passing(found, message)


def _hold_back_passing(finding: RuleFinding, message: Message) -> RuleFinding:
    """What the person said, held where it may be about the work at hand alone."""
    if finding.hold or finding.rule in _ASKED_FOR or _FROM_NOW_ON.search(finding.quote):
        return finding
    return replace(finding, hold=HOLD) if is_passing(finding, message.text) else finding


def _place(quote: str, text: str) -> int:
    """Where a quote begins in a text; -1 where it does not."""
    words = _WORD.findall(quote[:_LONGEST])[:_BEGINNING]
    found = re.search(r"\W{1,12}".join(words), text) if words else None
    return found.start() if found else -1


def _weighed(finding: RuleFinding, message: Message) -> RuleFinding | None:
    if finding.rule in _ASKED_FOR or _FROM_NOW_ON.search(finding.quote):
        return finding
    if _ASKS.match(finding.quote) or is_task(finding.quote):
        return None
    start = max(_place(finding.quote, message.text), 0)
    statement = Statement(start, start + len(finding.quote), rule=finding.confidence)
    found = assess(statement, message)
    sure = finding.confidence >= ACTIVE and finding.rule != _WEAK_RULE
    chance, limits = (found.keep, SURE) if sure else (found.active, PERSON)
    if chance >= limits.active or (sure and says_plainly(finding, message.text)):
        return replace(finding, confidence=max(finding.confidence, ACTIVE))
    if chance >= limits.proposed:
        return replace(finding, hold=finding.hold or "not sure enough")
    return None


def is_task(said: str) -> bool:
    """Whether the person asks for something to be done once: 4 % of 184 such sentences are worth keeping."""
    return WEIGHING_PATTERNS.task.match(said) is not None and not WEIGHING_PATTERNS.general.search(said)


# -- the extractor: a session's turns in, candidates out


PATTERNS = Patterns(__file__)

# Candidates that are held at once; a session that teaches more releases them early, to limit memory.
MAX_HELD = 4_000
# Turns back to which it refers that the person reconsiders the last decision.
_RECONSIDER_REACH = 12
# Characters of the agent's last message that the person's next message is read with.
_ANSWERED = 4_000


class Learned(NamedTuple):
    """What the new turns of a session teach, and what they take back.

    Attributes:
        withdrawn: candidates of earlier turns that no longer hold, as they were returned before.
    """

    candidates: list[Candidate]
    withdrawn: list[Candidate]


def extract(turns: Iterable[Turn], info: SessionInfo, *, before: Iterable[Turn] = ()) -> Iterator[Candidate]:
    """Yield what a session teaches, in the order in which it was first said.

    Args:
        turns: the session's turns in order, from its start or from a cursor.
        info: the session; that of a sub-agent is read like any other.
        before: turns before the cursor, which were read in an earlier pass.
    """
    yield from learned(turns, info, before=before).candidates


def learned(turns: Iterable[Turn], info: SessionInfo, *, before: Iterable[Turn] = ()) -> Learned:
    """What the turns teach, read after those before them, which teach nothing again.

    A session that is read in several passes gives the same as when it is read at once, as far as `before`
    goes back: a repetition is not returned again, and what a later turn takes back is named.
    """
    del info  # callers record the session; no rule depends on it
    reading = _SessionReader()
    # These were told in the pass before; they are only read again so that repetitions of them are known.
    for turn in before:
        reading.take(turn)
    reading.released.clear()
    told, habits = list(reading.candidates.kept), reading.conclusions()
    for turn in turns:
        reading.take(turn)
    return reading.since(told, habits)


@dataclass(slots=True)
class _SessionReader:
    """The state of reading a session.

    Attributes:
        begun: something was said.
        said: the agent's last message.
    """

    candidates: CandidateSet = field(default_factory=CandidateSet)
    habits: Habits = field(default_factory=Habits)
    released: list[Candidate] = field(default_factory=list)
    begun: bool = False
    said: str = ""

    def take(self, turn: Turn) -> None:
        """Read one turn."""
        if turn.by_person and PATTERNS.reconsiders.match(turn.text[:MAX_TYPED]):
            self.candidates.withdraw_decisions(turn.index - _RECONSIDER_REACH)
        self.habits.observe(turn)
        if turn.by_person:
            for finding in self._read_prose(turn):
                self.candidates.add(candidate(finding, turn))
        # What a sub-agent was told, or said, is not what the person's next message answers.
        if turn.text and not turn.sidechain and (turn.by_person or turn.role != "user"):
            self.begun = True
            self.said = self.said if turn.role == "user" else turn.text[-_ANSWERED:]
        # Comparing each candidate with all takes longer the more there are: those so far are done with.
        if len(self.candidates.kept) > MAX_HELD:
            self.released += self.candidates.kept
            self.candidates = CandidateSet()

    def _read_prose(self, turn: Turn) -> Iterator[RuleFinding]:
        """What a message of the person teaches, with what it answers."""
        message = Message(own_words(turn), before=self.said, first=not self.begun)
        yield from answered(message.text, message.before)
        yield from weighed(by_rules(turn), message)

    def conclusions(self) -> list[Candidate]:
        """The candidates of all commands so far."""
        return [candidate(finding, turn, Origin.EXTRACTION) for finding, turn in self.habits.found()]

    def since(self, told: list[Candidate], habits: list[Candidate]) -> Learned:
        """What is new, and what no longer holds, compared with an earlier point of the session."""
        known = {one.text for one in habits}
        now = self.conclusions()
        for one in now:
            if one.text not in known:
                self.candidates.add(one)
        # Once candidates were released, the places of those known before say nothing any more.
        kept = [] if self.released else self.candidates.kept[: len(told)]
        raised = [one for one, was in zip(kept, told, strict=False) if one.active and not was.active]
        withdrawn = [was for one, was in zip(kept, told, strict=False) if was.active and not one.active]
        # A command that a fuller form has taken the place of since is no habit any more.
        standing = {one.text for one in now}
        withdrawn += [was for was in habits if was.active and was.text not in standing]
        return Learned([*self.released, *raised, *self.candidates.kept[len(kept) :]], withdrawn)


def by_rules(turn: Turn) -> Iterator[RuleFinding]:
    """What the rules find in a message of the person."""
    yield from choices(turn)
    yield from from_user(own_words(turn))
