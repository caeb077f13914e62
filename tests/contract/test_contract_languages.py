"""Text in other languages than English: found by words of two characters, and told apart, on every engine."""

import pytest

from example_exchanges import SAID_AT, exchange
from example_memories import AT, insert, memory
from recortex import Cortex
from recortex.domain.vocabulary import Status
from recortex.engines.exchanges.service import ExchangeRetrieval, terms
from recortex.engines.indexing import search_text
from recortex.engines.retrieval.service import Retrieval

SAID = {
    "迁移之前先备份数据库。": ("数据库", "迁移", "备份"), "登录接口使用bcrypt做认证,令牌十五分钟后过期。": ("认证", "令牌", "登录", "bcrypt"),
    "データベースへの接続は十秒で切れる。": ("データベース", "接続"), "管理画面の認証は二段階にする。": ("認証", "管理"),
    "데이터베이스를 백업한 뒤에 배포한다.": ("데이터베이스", "백업", "배포"), "토큰은 십오 분 동안 유효하다.": ("토큰", "유효"),
    "Die Datenbankverbindung bricht nach zehn Sekunden ab.": ("Wie ist die Datenbank verbunden?",),
}  # fmt: skip
ASKED = [(query, text) for text, queries in SAID.items() for query in queries]
FILLER = [f"The worker {number} retries a job of the queue {number} times." for number in range(60)]


def test_queries_of_two_characters_find_their_memory(store):
    for number, text in enumerate([*SAID, *FILLER]):
        made = memory(number, text)
        insert(store, made, search=search_text(made))
    retrieval = Retrieval(store.search)
    for query, text in ASKED:
        assert [hit.memory.text for hit in retrieval.recall(query, limit=3, now=AT).hits] == [text], query


def test_queries_of_two_characters_find_what_was_said(store):
    said = [exchange(number, message=text) for number, text in enumerate([*SAID, *FILLER])]
    with store.transaction():
        store.exchanges.put([(one, terms(one)) for one in said], SAID_AT)
    retrieval = ExchangeRetrieval(store.exchange_search, len)
    for query, text in ASKED:
        hits = retrieval.recall(query, limit=1)
        assert [hit.message for hit in hits] == [text], query


@pytest.fixture
def cortex(project, clock, layout, server, monkeypatch):
    monkeypatch.setenv("RECORTEX_EMBEDDER", "none")
    url = f"sqlite:///{project}/cortex.db" if layout == "sqlite" else server.workspace_url(layout)
    with Cortex.open(project, url=url, clock=clock) as opened:
        yield opened


@pytest.mark.parametrize(
    ("known", "new", "replaced"),
    [
        ("报表缓存保存在 Memcached 里。", "报表缓存不再保存在 Memcached 里。", True),
        ("报表缓存保存在 Memcached 里。", "订单队列不再保存在 RabbitMQ 里。", False),
        ("請求書は wkhtmltopdf で作る。", "請求書は wkhtmltopdf ではなく Chromium で作る。", True),
        ("請求書は wkhtmltopdf で作る。", "納品書は Chromium で作る。", False),
        ("로그는 14일 동안 보관한다.", "로그는 60일 동안 보관한다.", True),
        ("Berichte verschickt der Dienst mailer.", "Berichte verschickt nicht mehr der Dienst mailer.", True),
        ("Los informes se envían con SES.", "Los informes se envían con Mailgun en lugar de SES.", True),
        ("Les rapports sont envoyés par SES.", "Faut-il envoyer les rapports sans SES ?", False),
    ],
)
def test_a_statement_replaces_what_it_ends_in_other_languages_too(cortex, clock, known, new, replaced):
    for number in range(12):  # others that share words with both
        cortex.remember(f"{number}: {known[: 4 + number % 3]} {number}, 其他 その他 기타 andere otros autres")
    first = cortex.remember(known)
    clock.pass_(hours=1)
    cortex.remember(new)
    status = cortex.get(first.id).status
    assert status is (Status.SUPERSEDED if replaced else Status.ACTIVE)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("报表每天早上六点生成。", "报表每天早上六点生成"),
        ("レポートは毎朝六時に作る。", "レポートは毎朝六時に作る"),
        ("Berichte entstehen jeden Morgen um sechs.", "Berichte entstehen jeden Morgen um sechs!"),
    ],
)
def test_a_statement_with_another_ending_is_the_same(cortex, known, new):
    assert cortex.remember(known).id == cortex.remember(new).id


def test_texts_that_differ_in_a_few_characters_are_proposed_as_duplicates(cortex):
    one = cortex.remember("部署之前必须先在预发布环境运行全部集成测试。")
    two = cortex.remember("部署之前应该先在预发布环境运行全部的集成测试。")
    cortex.remember("周五下午不要发布新版本。")
    pairs = cortex.consolidate().pairs
    assert [{pair.better.id, pair.other.id} for pair in pairs] == [{one.id, two.id}]
