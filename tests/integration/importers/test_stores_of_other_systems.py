"""Stores that other memory systems' own programs wrote, imported into a real store.

Each folder of `stores` is named after a system and holds what its program wrote; `make` has the script that
had it written, with the version. A system needs no line here.
"""

import json
import lzma
import random
import shutil
from pathlib import Path

import pytest

from recortex import Cortex
from recortex.domain.vocabulary import Status
from recortex.errors import FormatError
from recortex.formats.session_files import CLIENTS
from recortex.importers import Row, recognise, sources

STORES = Path(__file__).with_name("stores")
PLACES = [one for one in sorted(STORES.glob("*/*")) if one.parent.name in sources()]
each_place = pytest.mark.parametrize("place", PLACES, ids=lambda one: f"{one.parent.name}-{one.name}")


@pytest.fixture
def project(tmp_path, monkeypatch):
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return folder


@pytest.fixture
def cx(project, without_vectors):  # noqa: ARG001
    with Cortex.open(project) as opened:
        yield opened


def copied(place, to):
    """A copy of a store under a name that says nothing; what is packed, since it is large, is unpacked."""
    if place.is_dir():
        return shutil.copytree(place, to)
    packed = place.suffix == ".xz"
    copy = to.with_suffix(place.with_suffix("").suffix if packed else place.suffix)
    copy.write_bytes(lzma.decompress(place.read_bytes()) if packed else place.read_bytes())
    return copy


def accounted(one):
    return one.added + one.changed + one.merged + one.unchanged + sum(one.refused.values())


def test_no_system_takes_the_name_of_a_client():
    assert not sources().keys() & set(CLIENTS)


@each_place
def test_a_store_is_recognised_read_whole_and_known_again(cx, place, tmp_path):
    copy = copied(place, tmp_path / "given")
    assert recognise(copy)[0].name == place.parent.name  # by its content: its name says nothing
    looked = cx.import_(str(copy), dry_run=True, everything=True).sources[0]
    first = cx.import_(str(copy), everything=True).sources[0]
    again = cx.import_(str(copy), everything=True).sources[0]
    assert (first.rows, first.refused) == (looked.rows, looked.refused)
    assert first.added + first.merged == looked.added > 0
    assert accounted(first) == first.rows == accounted(again) == again.rows
    assert (again.added, again.changed, again.relations) == (0, 0, 0)
    waiting = cx.list(statuses=[Status.QUARANTINED], limit=1000).memories
    assert len(waiting) == first.added
    for memory in waiting:
        assert memory.origin == "import"
        assert memory.source.client == memory.metadata["imported"]["system"] == place.parent.name


@each_place
@pytest.mark.parametrize("tries", [20, pytest.param(1_000, marks=pytest.mark.full)])
def test_a_broken_store_is_refused_as_a_whole_or_read(place, tries, tmp_path):
    source, chance = sources()[place.parent.name], random.Random(place.name)  # noqa: S311  examples
    for number in range(tries):
        broken = copied(place, tmp_path / f"broken-{number}")
        files = [one for one in broken.rglob("*") if one.is_file()] if broken.is_dir() else [broken]
        damage(chance.choice(files), chance)
        try:
            found, _ = recognise(broken)
            rows = source.rows(broken)
        except FormatError as refusal:
            told = refusal.message
        else:
            told = str(broken)
            assert found is None or found is source
            assert all(type(one) is Row and type(one.text) is str and type(one.id) is str for one in rows)
        assert str(broken) in told
        shutil.rmtree(broken) if broken.is_dir() else broken.unlink()


def damage(file, chance):
    """Break a file in one of several ways: cut, flipped, or with other values in its JSON."""
    data = bytearray(file.read_bytes())
    way = chance.randrange(4)
    if way == 0:
        data = data[: chance.randrange(len(data) + 1)]
    elif way == 1:
        for _ in range(chance.randrange(1, 40)):
            data[chance.randrange(len(data))] = chance.randrange(256)
    elif way == 2:
        start = chance.randrange(len(data))
        del data[start : start + chance.randrange(1, 200)]
    else:
        text = data.decode("utf-8", "replace")
        lines = [text] if file.suffix == ".json" else text.split("\n")
        data = bytearray("\n".join(swapped(one, chance) for one in lines).encode("utf-8", "replace"))
    file.write_bytes(data)


def swapped(text, chance):
    """JSON with some of its values replaced by those of other types; any other text stays."""
    try:
        value = json.loads(text)
    except ValueError:
        return text

    def change(one):
        if chance.random() < 0.1:
            return chance.choice([None, 7, -1e300, "", "\ud800", [], {}, [[[]]], {"id": {}}, True, 2**70])
        if isinstance(one, dict):
            return {key: change(inside) for key, inside in one.items()}
        return [change(inside) for inside in one] if isinstance(one, list) else one

    return json.dumps(change(value))


@pytest.mark.parametrize("trust", [False, True])
def test_how_urgent_and_sure_a_row_is_stays_and_only_trust_pins_it(cx, tmp_path, trust):
    for system in ("engrava", "beads"):
        for place in sorted((STORES / system).glob("*"))[:1]:
            cx.import_(str(copied(place, tmp_path / system)), trust=trust, everything=True)
    kept = {one.text: one for one in cx.list(statuses=list(Status), limit=100).memories}
    assert kept["We sign tokens with EdDSA, not RS256"].pinned is trust
    sure = kept["Caching the parsed schema saved more time than any index"].confidence
    assert sure == pytest.approx(0.8, abs=0.01)  # it ages
    assert {one.priority for one in kept.values() if one.source.client == "beads"} > {5}


@pytest.mark.parametrize("named", ["src/keys.py:2-3", "src/keys.py#L2-L3"])
def test_cited_lines_of_a_file_are_kept_and_shown(cx, project, tmp_path, named):
    (project / "src").mkdir()
    (project / "src" / "keys.py").write_text("import jwt\nKEY = 1\nSIGN = 2\n")
    packets = copied(STORES / "kage" / "packets", tmp_path / "packets")
    packet = packets / "decision-eddsa.md"
    head, mark, state = packet.read_text().rpartition("```json kage-state\n")
    said, _, after = state.partition("\n```")
    packet.write_text(f"{head}{mark}{json.dumps(json.loads(said) | {'paths': [named]})}\n```{after}")
    looked = cx.import_(str(packets), dry_run=True).sources[0]
    assert any("(confidence 0.8, src/keys.py:2-3): " in one for one in looked.examples)
    cx.import_(str(packets))
    kept = cx.list(statuses=[Status.QUARANTINED]).memories
    (cited,) = [file for one in kept for file in one.files if file.line_start]
    assert (cited.path, cited.line_start, cited.line_end) == ("src/keys.py", 2, 3)
    assert cited.content_hash
