"""Stored JSON: canonical, strict, whole."""

import os
from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.records import json_file
from harness.records.tier_record import Leaked


def test_what_is_written_is_canonical_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "record.json"
    value = Leaked(pid=3, how="ü", command=None)
    json_file.write(path, value)
    assert path.read_text(encoding="utf-8") == (
        '{\n  "command": null,\n  "how": "ü",\n  "pid": 3\n}\n'
    )
    assert json_file.read(path, Leaked, "leak") == value
    assert os.listdir(path.parent) == ["record.json"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"pid": 1, "pid": 1, "how": "", "command": null}', "key 'pid' stands twice"),
        ('{"pid": NaN, "how": "", "command": null}', "NaN is no number that JSON knows"),
        ('{"pid": 1, "how": "", "command": null, "more": 1}', "unknown field `more`"),
        ('{"pid": "1", "how": "", "command": null}', "Expected `int`, got `str` - at `$.pid`"),
        ('{"pid": 1', "Expecting"),
        ("\udcff", "decode"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_what_is_no_record_is_refused_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "record.json"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(UsageError, match="this is no leak: ") as caught:
        json_file.read(path, Leaked, "leak")
    assert str(path) in str(caught.value)
    assert words in str(caught.value)


def test_what_cannot_be_written_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "record.json"
    path.write_text("old")

    def refuse(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(OSError, match="no space left"):
        json_file.write(path, {"a": 1})
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["record.json"]


def test_nan_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        json_file.write(tmp_path / "record.json", {"a": float("nan")})
    assert os.listdir(tmp_path) == []
