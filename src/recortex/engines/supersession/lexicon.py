"""Words by which claims are read: verbs of use, irregular forms, slots, and names that exclude each other."""

from __future__ import annotations

from recortex.engines.words import word_set


def _pairs(text: str) -> dict[str, str]:
    """The words of a written list, each with the one that stands for it."""
    return dict(pair.split("=") for pair in text.split())


USES = word_set("use uses using prefer prefers adopt adopted chose chosen pick picked follow follows")
BASES = _pairs(
    """
    built=build sent=send written=write kept=keep made=make done=do driven=drive bought=buy spoken=speak
    found=find held=hold thrown=throw chosen=choose
    """
)
"""Irregular participles and their verbs."""
JOINTS = _pairs("via=with through=with by=with using=with over=with at=in every=on")
"""Prepositions that tie a means, a place or a time to its verb, and the one that stands for them."""
RESTS = word_set(
    """
    run runs live lives listen listens go goes talk talks start starts point points sit sits default
    defaults reside resides connect connects ship ships land lands come comes speak speaks stay stays belong
    belongs
    """
)
"""Verbs whose complement is one place, program or time."""
NEEDS = word_set(
    "need needs require requires take takes has have expire expires retries retry support supports call"
)
BE = frozenset({"is", "are"})
PARTICIPLES = word_set("built kept run set sent written held put made done driven bought spoken found")
ORDERS = word_set(
    """
    run keep put store write build deploy start place save host send ship test format lint install publish
    pin manage track lock generate render compile bundle cache log monitor document hash encrypt sign serve
    schedule parse validate authenticate review name raise throw return push typecheck type-check release
    merge answer reply respond make indent squash rebase bill charge retry style describe develop branch tag
    commit configure provision queue round model alert measure import export seed
    """
)
"""Verbs of an order that name an object and then the one means or place."""

NEGATORS = word_set("not never cannot no neither nor")

SLOTS = word_set(
    """
    default timeout limit port version url host hostname database branch editor format path location owner
    framework manager deadline ttl language shell timezone region registry server runner bundler linter
    formatter database engine prefix suffix name namespace encoding charset size threshold interval
    password-hash minimum maximum cluster bucket queue broker backend provider theme licence license
    convention style model
    """
)
"""Nouns that have one value at a time: "the default branch is X"."""

_FAMILIES = """
npm yarn pnpm bun
pip poetry uv pipenv conda pdm rye pip-tools
jest vitest mocha jasmine ava
pytest unittest nose
redux zustand mobx jotai recoil
webpack vite rollup parcel esbuild turbopack rspack
black yapf autopep8 blue
flake8 ruff pylint pycodestyle
eslint biome oxlint
prettier biome dprint
mypy pyright ty pyre
postgresql mysql mariadb sqlite mongodb cockroachdb
redis memcached valkey dragonfly
rabbitmq kafka nats sqs celery dramatiq sidekiq rq huey
requests httpx aiohttp urllib3
axios fetch ky got
moment date-fns dayjs luxon
jenkins circleci travis buildkite drone github-actions gitlab-ci
heroku fly.io render vercel netlify railway
aws gcp azure hetzner
terraform pulumi cdk opentofu
vue react svelte angular solid preact
django flask fastapi starlette litestar
bootstrap tailwind bulma
sphinx mkdocs docusaurus vitepress
rest grpc graphql soap
datadog grafana prometheus newrelic
sentry glitchtip rollbar bugsnag
slack pagerduty opsgenie teams discord mattermost
stripe adyen paddle braintree
elasticsearch opensearch meilisearch typesense solr algolia
docker podman
bcrypt argon2 scrypt pbkdf2
csv parquet avro
maven gradle bazel
tabs spaces
vim neovim emacs vscode zed helix
bash zsh fish
jwt mtls paseto
uuid ulid
snake_case camelcase kebab-case
selenium playwright cypress puppeteer
log4j logback
loguru structlog
"""
FAMILIES = [frozenset(line.split()) for line in _FAMILIES.strip().splitlines()]
"""Things of which a project uses one: a move to one of them is a move away from the others."""

FAMILY_OF: dict[str, int] = {}
for _place, _names in enumerate(FAMILIES):
    for _name in _names:
        FAMILY_OF.setdefault(_name, _place)

SEVERAL_ENDS = word_set(
    "postgresql redis rabbitmq requests aws heroku react django rest slack docker csv uuid selenium tabs "
    "bash snake_case elasticsearch"
)
"""One name of each family whose things serve several ends in one project: "Redis for sessions" leaves Redis
for the queue."""

SYNONYMS = _pairs(
    """
    postgres=postgresql pg=postgresql psql=postgresql mongo=mongodb k8s=kubernetes tab=tabs space=spaces
    js=javascript ts=typescript elastic=elasticsearch test=test tests=test rabbit=rabbitmq dep=dependency
    deps=dependency repo=repository vscode=vscode http=http sqlite3=sqlite
    """
)
