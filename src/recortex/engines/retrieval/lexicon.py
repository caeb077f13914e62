"""Synonyms of developers: a question about "the database" is answered by what names PostgreSQL.

The small model of this package knows little of tool names (cosine 0.16 between "how do we hash passwords?"
and "Use bcrypt with 12 rounds"), so synonyms are written down: for a general word, the names that stand for
it in code and notes. Only words that nearly always mean the same thing are here.
"""

from __future__ import annotations

from functools import cache

# A row: what is asked for (in the singular) = what may be said instead.
_TABLE = """
password hash salt = bcrypt argon2 argon2id scrypt pbkdf2
database db datastore = postgres postgresql mysql mariadb sqlite mongodb dynamodb cockroachdb
cache caching = redis memcached
queue broker messaging = rabbitmq kafka sqs celery nats
login signin authentication authenticate auth = oauth oidc jwt saml sso session
authorization authorize permission = rbac acl scope role
deploy deployment release rollout = kubernetes helm terraform argocd staging production
container containerized = docker podman kubernetes
ci pipeline = github-actions gitlab-ci jenkins circleci buildkite
format formatter formatting = prettier black ruff gofmt rustfmt
lint linter linting = eslint ruff flake8 pylint golangci clippy
test testing = pytest jest vitest unittest junit mocha rspec
dependency dependencies package = npm pnpm yarn pip uv poetry cargo
log logging = logger structlog zap winston sentry
monitoring metric observability = prometheus grafana datadog opentelemetry
search = elasticsearch opensearch meilisearch fts5
storage bucket blob = s3 gcs minio
secret credential = vault keychain dotenv
frontend ui = react vue svelte angular
editor ide = vscode vim neovim intellij
"""


@cache
def _meanings() -> dict[str, tuple[str, ...]]:
    rows = (row.split(" = ") for row in _TABLE.strip().splitlines())
    return {word: tuple(said.split()) for asked, said in rows for word in asked.split()}


def names_for(word: str) -> tuple[str, ...]:
    """What may stand for a word of a question; empty for words that mean many things."""
    meanings = _meanings()
    singular = word.removesuffix("s") if len(word) > 3 else word  # noqa: PLR2004  "css" is no plural
    return meanings.get(word) or meanings.get(singular, ())
