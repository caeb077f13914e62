"""Whether a fact concerns this project or the person.

A fact about the person or about tools in general, held with a confidence above 0.8, is global; everything
else, and whatever is in doubt, stays with the project: a global memory is told in every project.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recortex.domain.vocabulary import Scope

if TYPE_CHECKING:
    from recortex.domain.candidate import Candidate

CERTAIN = 0.8
"""A global fact is surer than this."""

_KINDS = frozenset(
    {"preference", "tribal", "semantic", "procedural", "feedback", "environment", "skill", "insight"}
)

_PERSON = re.compile(
    r"^(?:I(?:'m| am|'d| would| will|'ve)? (?:always |never |really |strongly |generally |usually |only |"
    r"mostly |still |much |do not |don't )*(?:prefer|like|love|hate|dislike|want|use|work|write|read|speak|"
    r"live|type|am|name|think in|care|enjoy|know|on|using|based|colou?r[- ]blind|rather|expect|need|run|"
    r"develop|code)\b|my (?:full |first |last |preferred |default |favou?rite |main |work |own )*(?:name|"
    r"editor|ide|shell|terminal|time ?zone|os|operating system|laptop|machine|keyboard|layout|language|"
    r"native language|pronouns|theme|font|hours|role|job|email|git(?:hub|lab)? (?:user|name|handle|email)|"
    r"dotfiles|prompt|browser|phone|multiplexer)\b|(?:please )?(?:call me|address me)\b|"
    r"(?:please )?(?:always |never |don't |do not )?(?:answer|reply|respond|explain|talk|speak|"
    r"write)(?: to me| back)? (?:only )?(?:in|with|as) (?:\w+ )?(?:english|german|french|spanish|italian|"
    r"dutch|polish|russian|chinese|japanese|korean|portuguese|turkish|short|brief|few|plain|simple|"
    r"bullet)\b|(?:please )?(?:always |never |don't |do not )?(?:keep|make) (?:your |all )?(?:answers|"
    r"replies|explanations|responses|summaries) \w+|(?:please )?(?:never|don't|do not|stop) (?:(?:use|using|"
    r"add|adding) emojis?|apologi[sz]|flatter|prais))",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(
    r"\b(?:in|across|for|on) (?:all|every|each|any)(?: of)?(?: my)? (?:projects?|repos?|repositories|"
    r"codebases?|machines?|sessions?)\b|\bno matter (?:which|what) project\b|\beverywhere I work\b|"
    r"\bwhatever (?:the )?project\b",
    re.IGNORECASE,
)
_TOOLS = (
    "git|gh|uv|pip|pipx|poetry|npm|npx|pnpm|yarn|bun|cargo|rustup|go|docker|podman|kubectl|helm|terraform|"
    "ruff|mypy|pyright|black|eslint|prettier|tsc|node|python|"
    "jq|rg|ripgrep|grep|sed|awk|curl|wget|ssh|rsync|tmux|bash|zsh|fish|vim|neovim|nvim|tar|find|xargs|"
    "sqlite3|psql|brew|apt|systemctl|make|cmake|gcc|clang|gdb|ffmpeg|direnv"
)  # fmt: skip
_TOOL = re.compile(
    rf"^`?(?-i:{_TOOLS})(?: [a-z][\w-]*){{0,3}}(?: --?[\w-]+(?:[= ][\w.:/-]+)?)*`? (?:\(\w+\) )?(?:needs?|"
    rf"requires?|does|doesn't|do not|don't|cannot|can't|can|must|only|never|always|ignores?|supports?|"
    r"refuses?|overwrites?|keeps?|moves?|rewrites?|resolves?|reads?|writes?|prints?|returns?|treats?|"
    r"defaults?|expects?|follows?|shows?|deletes?|updates?|takes?|runs?|is|has)\b",
    re.IGNORECASE,
)
_FLAG_OR_COMMAND = re.compile(
    rf"(?:^|\s|`)--?[a-z][\w-]+|`(?:{_TOOLS}) [^`]+`|^(?:{_TOOLS}) [a-z][\w-]+(?: [a-z][\w-]+)? (?!the\b)",
    re.IGNORECASE,
)
# What a project's own scripts, services and people are called.
_PROJECT = re.compile(
    r"\b(?:we|we're|we've|our|ours|us|team|this|here|these|repo|repository|project|codebase|monorepo|"
    r"workspace|branch|main|master|staging|prod|production|ci|pipeline|deploy\w*|release\w*|customer\w*|"
    r"client|users?|service|server|database|endpoint|api|backend|frontend|module|package|component|class|"
    r"function|method|table|schema|migration|queue|cache|worker|config|settings|tests?|suite|fixture|script|"
    r"folder|directory|file|build|version|app|application|docker compose|compose|currently|now|today)\b",
    re.IGNORECASE,
)
_PROJECT_IN_TOOL = re.compile(
    r"\b(?:we|we're|we've|our|ours|us|team|this|here|these|repo|repository|project|codebase|monorepo|"
    r"staging|prod|production|ci|customer\w*|service|server|backend|frontend|suite|"
    r"running|before|after|first|currently|now|today|failed|fails|fixed|because of|missing|run dev|run test|"
    r"run build|compose)\b|\bnpm (?:run|test|start)\b|\bmake [a-z]|\bgo (?:to|with|through|back|on)\b|"
    r"\bmake (?:sure|it|the|a)\b|\bfind (?:the|a|out)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?<![\w-])(?:[\w.@~-]+/)+[\w.*-]+|\b[\w-]+\.(?:py|js|jsx|ts|tsx|go|rs|rb|java|kt|c|h|cpp|cs|ex|exs|"
    r"php|sh|sql|json|jsonl|toml|ya?ml|md|lock|env|cfg|ini|txt|html|css)\b|"
    r"\b[a-z]+[A-Z]\w*|\b[A-Z][a-z0-9]+[A-Z]\w*|\b[a-z]+_[a-z_0-9]+\b|\b[A-Z]+_[A-Z_]+\b|\w\(\)|https?://|"
    r"\b\w+\.(?:internal|local|test)\b"
)
_NAMES = re.compile(
    r"\b(?:GitHub|GitLab|JavaScript|TypeScript|PostgreSQL|SQLite|MySQL|macOS|iTerm2?|VSCode|VS Code|"
    r"IntelliJ|PyCharm|WebStorm|NixOS|NeoVim|snake_case|camelCase|PascalCase|kebab-case|WSL2?)\b|"
    r"\b[A-Z][a-z]+/[A-Z][A-Za-z_]+\b"
)


def scope_of(candidate: Candidate) -> Scope:
    """Where a candidate belongs.

    Args:
        candidate: what a session taught; only what is active and sure can be global.
    """
    if candidate.confidence <= CERTAIN or not candidate.active or candidate.kind not in _KINDS:
        return Scope.PROJECT
    typed = candidate.speaker == "user"
    about_all = is_about_person(candidate.text) if typed else False
    return Scope.GLOBAL if about_all or is_about_tools(candidate.text) else Scope.PROJECT


def is_about_person(text: str) -> bool:
    """Whether a statement of the person is about themselves, or about how they want it in every project."""
    if _PLACE.search(_NAMES.sub("", text)):
        return False
    if _EVERYWHERE.search(text):
        return not re.search(r"\b(?:we|our|us)\b", text, re.IGNORECASE)
    return _PERSON.match(text) is not None and _PROJECT.search(text) is None


def is_about_tools(text: str) -> bool:
    """Whether a statement says how a tool behaves that is the same in every project."""
    if _TOOL.match(text) is None or _FLAG_OR_COMMAND.search(text) is None:
        return False
    return not (_PROJECT_IN_TOOL.search(text) or _PLACE.search(_NAMES.sub("", text)))
