"""A project that exists as texts only: sources for the classifier, or files for pytest."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from harness.config.pytest_ini import PytestIni
from harness.model.identifiers import TestFile
from harness.plan.classification import Classification
from harness.plan.classify import classify
from harness.plan.facts import SourceFacts
from harness.plan.source_facts import facts_of


class TextSources:
    """The facts of texts, by path."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._facts = {path: facts_of(dedent(text).encode()) for path, text in texts.items()}
        self._folders = {path[:end] for path in texts for end in _slashes(path)}

    def facts(self, file: str) -> SourceFacts | None:
        """Return the facts of a text."""
        return self._facts.get(file)

    def is_folder(self, path: str) -> bool:
        """Whether a text lies below."""
        return path in self._folders


def _slashes(path: str) -> list[int]:
    return [number for number, sign in enumerate(path) if sign == "/"]


def classification_of(
    texts: Mapping[str, str],
    ini: PytestIni | None = None,
    commands: Mapping[str, str] | None = None,
) -> Classification:
    """Classify the texts whose names begin with `test_`."""
    files = {
        TestFile(path): len(text)
        for path, text in texts.items()
        if path.rpartition("/")[2].startswith("test_")
    }
    return classify(files, TextSources(texts), ini or PytestIni(), commands or {})


def reason_of(texts: Mapping[str, str], **given: object) -> str:
    """Return `lane (reason)` of the only test file among texts."""
    [entry] = classification_of(texts, **given).roster.entries  # type: ignore[arg-type]
    return f"{entry.lane} ({entry.reason})"


def write(root: Path, texts: Mapping[str, str]) -> None:
    """Write the texts below a folder."""
    for path, text in texts.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
