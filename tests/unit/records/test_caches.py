"""What is known of sources is kept under their content, and a broken cache is an empty one."""

from pathlib import Path

import pytest

from harness.model.identifiers import Lane, TestFile
from harness.plan.classification import Classification, Contradiction
from harness.plan.facts import SourceFacts
from harness.plan.roster import Roster, RosterEntry
from harness.plan.source_facts import facts_of
from harness.records import facts_cache
from harness.records.facts_cache import FactsCache
from harness.records.roster_cache import key_of, read_known, store_known

SOURCE = b"def test_it(page): ...\n"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Note every source that is really parsed."""
    sources: list[bytes] = []

    def noting(source: bytes) -> SourceFacts:
        sources.append(source)
        return facts_of(source)

    monkeypatch.setattr(facts_cache, "facts_of", noting)
    return sources


def test_a_source_is_parsed_once_as_long_as_its_digest_is_known(
    tmp_path: Path, parsed: list[bytes]
) -> None:
    first = FactsCache(tmp_path)
    facts = first.facts(b"digest", SOURCE)
    first.save()
    second = FactsCache(tmp_path)
    assert second.facts(b"digest", SOURCE) == facts
    assert second.facts(b"digest", SOURCE) == facts
    assert parsed == [SOURCE]


def test_a_digest_that_is_not_asked_for_again_is_forgotten(
    tmp_path: Path, parsed: list[bytes]
) -> None:
    for digest in (b"old", b"new", b"old"):
        cache = FactsCache(tmp_path)
        cache.facts(digest, SOURCE)
        cache.save()
    assert len(parsed) == 3


@pytest.mark.parametrize("content", [b"", b"\xc1", b"not msgpack", b"\x80", b"\x93\x01\x02\x03"])
def test_a_broken_cache_is_rebuilt(tmp_path: Path, content: bytes, parsed: list[bytes]) -> None:
    (tmp_path / ".harness").mkdir()
    for name in ("facts.msgpack", "roster.msgpack"):
        (tmp_path / ".harness" / name).write_bytes(content)
    cache = FactsCache(tmp_path)
    assert cache.facts(b"digest", SOURCE).functions[0].name == "test_it"
    cache.save()
    assert read_known(tmp_path) is None
    FactsCache(tmp_path).facts(b"digest", SOURCE)
    assert parsed == [SOURCE]


def test_a_source_that_cannot_be_stored_does_no_harm(tmp_path: Path) -> None:
    cache = FactsCache(tmp_path)
    cache.facts(b"digest", b"import os\ndef test_it(): os.system('\\ud800')\n")
    cache.save()
    assert sorted(path.name for path in (tmp_path / ".harness").iterdir()) == [".gitignore"]


def test_a_tree_that_cannot_be_written_to_goes_without(tmp_path: Path) -> None:
    (tmp_path / ".harness").write_text("a file where the folder should be")
    cache = FactsCache(tmp_path)
    cache.facts(b"digest", SOURCE)
    cache.save()
    assert (tmp_path / ".harness").is_file()


def test_a_classification_comes_back_as_it_was_stored(tmp_path: Path) -> None:
    entry = RosterEntry(file=TestFile("a.py"), lane=Lane.SERVER, reason="r", size_bytes=3)
    classification = Classification(
        roster=Roster.of([entry]), contradictions=(Contradiction(file="b.py", message="m"),)
    )
    store_known(tmp_path, "key", {"a.py": b"1", "c.py": b""}, {"d": False}, classification)
    known = read_known(tmp_path)
    assert known is not None
    assert known.classification == classification
    assert (known.key, known.files, known.folders) == (
        "key",
        {"a.py": b"1", "c.py": b""},
        {"d": False},
    )


def test_the_key_changes_with_files_and_settings() -> None:
    keys = {key_of(["a"]), key_of(["b"]), key_of(["a"], "x"), key_of(["a"], "y"), key_of([])}
    assert len(keys) == 5
    assert key_of(["a"], ("x", 1)) == key_of(["a"], ("x", 1))
