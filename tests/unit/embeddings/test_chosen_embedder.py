"""Settings choose the embedder: no key in the environment does, no project's file if data would leave."""

import subprocess
import sys
import textwrap

import pytest
from keyring.backends.null import Keyring as EmptyKeyring
from tiny_model import write_model, write_words

from recortex import Cortex, settings
from recortex.app import wiring
from recortex.embeddings.building import build_embedders
from recortex.embeddings.providers import PROVIDERS, EmbedderSettings, key_of
from recortex.errors import EmbeddingError

KEY = "sk-test-0123456789abcdef"


def names(**values):
    return [one.name for one in build_embedders(EmbedderSettings(**values), key="", clean=str)]


def read(tmp_path, *, project="", user="", environment=None):
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "recortex.toml").write_text(project)
    (tmp_path / "home" / "config.toml").write_text(user)
    return settings.read(tmp_path, {"RECORTEX_HOME": str(tmp_path / "home"), **(environment or {})})


def chosen(found):
    return [one.name for one in wiring._embedders(found)]


def test_without_a_setting_the_shipped_model_makes_vectors_and_hashes_stand_in():
    assert names() == ["all-minilm-l6-v2.int8", "hashed-tfidf"]


def test_the_embedder_and_its_settings_stand_in_one_file(tmp_path):
    found = read(
        tmp_path,
        user='embedder = "ollama"\n[embedding]\nmodel = "mxbai-embed-large"\ndimensions = 512\n'
        'query_prefix = "q: "\n',
    )
    assert found.problems == ()
    (name,) = chosen(found)
    assert name.startswith("ollama/mxbai-embed-large@512~")


def test_settings_that_differ_have_names_that_differ(tmp_path):
    write_model(tmp_path / "tiny" / "model.onnx")
    write_words(tmp_path / "tiny")
    local = {"folder": str(tmp_path / "tiny")}
    several = [
        {},
        {"dimensions": 64},
        local,
        {**local, "pooling": "cls"},
        {**local, "max_length": 64},
        {**local, "dimensions": 2},
        {**local, "query_prefix": "query: "},
        {**local, "query_prefix": "query: ", "passage_prefix": "passage: "},
        *({"embedder": name} for name in PROVIDERS),
        *({"embedder": name, "dimensions": 256} for name in PROVIDERS),
        *({"embedder": name, "model": "other"} for name in PROVIDERS),
    ]
    found = [names(**values)[0] for values in several]
    assert len(set(found)) == len(found)


def test_hashes_stand_in_for_the_shipped_model_alone(tmp_path):
    assert len(names(folder=str(tmp_path))) == 1
    assert len(names(embedder="voyage")) == 1
    assert names(embedder="hashed") == ["hashed-tfidf"]


def test_memories_wait_for_the_model_that_was_chosen(tmp_path, monkeypatch):
    """While a folder is away, memories have no vector and are found by words; no other model makes one."""
    place = tmp_path / "tiny"
    monkeypatch.setenv("RECORTEX_EMBEDDING_FOLDER", str(place))
    url = f"sqlite:///{tmp_path}/wait.db"
    with Cortex.open(url=url) as cortex:
        cortex.remember("The parser reads the cache.")
        found = cortex.recall("What does the parser read?")
        assert [hit.memory.summary for hit in found.hits] == ["The parser reads the cache."]
        assert "is no folder" in found.degraded[0]
        (store,) = cortex.status().stores
        assert store.without_vector == 1
    write_model(place / "model.onnx")
    write_words(place)
    with Cortex.open(url=url) as cortex:
        assert cortex.backfill().embedder.startswith("onnx/tiny-")
        (store,) = cortex.status().stores
        assert store.without_vector == 0
        assert cortex.status().embedder.startswith("onnx/tiny-")


def test_status_and_doctor_name_the_embedder(tmp_path, monkeypatch):
    with Cortex.open(url=f"sqlite:///{tmp_path}/name.db") as cortex:
        assert cortex.status().embedder == "all-minilm-l6-v2.int8"
    monkeypatch.setenv("RECORTEX_EMBEDDER", "voyage")
    monkeypatch.delenv("VOYAGE_API_KEY", raising=False)
    # A process asks the environment once which keyring there is, so that another test may have chosen one.
    monkeypatch.setattr("keyring.core._keyring_backend", EmptyKeyring())
    with Cortex.open(url=f"sqlite:///{tmp_path}/name.db") as cortex:
        assert cortex.status().embedder == "voyage/voyage-code-3@1024"
        (finding,) = [one for one in cortex.doctor().findings if one.check == "embedding"]
    assert (finding.level, "There is no key for voyage." in finding.message) == ("problem", True)
    assert "VOYAGE_API_KEY" in finding.todo


def test_without_the_package_for_keyrings_the_error_holds_the_line_to_type(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(EmbeddingError, match="There is no key for voyage") as raised:
        key_of("voyage", "VOYAGE_API_KEY", "", needed=True)
    assert "pip install 'recortex[keyring]' && keyring set recortex voyage" in raised.value.hint
    assert "VOYAGE_API_KEY" in raised.value.hint


def test_a_key_of_the_environment_needs_no_keyring(monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert key_of("voyage", "VOYAGE_API_KEY", KEY, needed=True) == KEY
    assert key_of("voyage", "VOYAGE_API_KEY", f" {KEY}\n", needed=True) == KEY
    assert key_of("voyage", "VOYAGE_API_KEY", "", needed=False) == ""


BACKEND = """
    from keyring.backend import KeyringBackend
    from keyring.errors import KeyringLocked

    class Kept(KeyringBackend):
        priority = 1

        def get_password(self, service, username):
            if username == "gemini":
                raise KeyringLocked("It is locked.")
            if username == "openai":
                raise OSError("The bus is gone.")
            return {("recortex", "voyage"): "%s"}.get((service, username))

        def set_password(self, service, username, password):
            raise NotImplementedError
"""


@pytest.mark.parametrize(
    ("provider", "backend", "said"),
    [
        ("voyage", "kept_keys.Kept", KEY),
        ("mistral", "kept_keys.Kept", "keyring set recortex mistral"),
        ("gemini", "kept_keys.Kept", "Set SOME_KEY."),
        ("openai", "kept_keys.Kept", "Set SOME_KEY."),
        ("voyage", "kept_nowhere.Kept", "Set SOME_KEY."),
    ],
)
def test_the_system_keyring_is_asked(provider, backend, said, tmp_path):
    """A keyring of our own, as the package's documentation has one written; the machine's is left alone."""
    (tmp_path / "kept_keys.py").write_text(textwrap.dedent(BACKEND % KEY))
    code = (
        "from recortex.embeddings.providers import key_of\n"
        "from recortex.errors import EmbeddingError\n"
        f"try: print(key_of({provider!r}, 'SOME_KEY', '', needed=True))\n"
        "except EmbeddingError as error: print(error.hint)"
    )
    environment = {"PYTHON_KEYRING_BACKEND": backend, "PYTHONPATH": str(tmp_path)}
    found = subprocess.check_output([sys.executable, "-c", code], text=True, env=environment)
    assert said in found
