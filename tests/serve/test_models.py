"""Models are replaced as a whole or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from setwise import SetClassifier
from setwise.exceptions import InvalidData, InvalidParameter
from setwise.persistence import ModelFile, read_model
from setwise.serve.models import LoadedModel, ModelStore, model_names
from setwise.serve.problems import Problem


@pytest.fixture
def served(model: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(model, tmp_path / "served.setwise"))


def store_of(path: Path, notes: list[str]) -> ModelStore:
    return ModelStore([("news", str(path))], notes.append)


@pytest.mark.parametrize("how", ["moved over", "written over"])
def test_a_new_file_takes_the_place_of_the_model(served: Path, other_model: Path, how: str) -> None:
    notes: list[str] = []
    store = store_of(served, notes)
    old = store.get("news")
    if how == "moved over":
        os.replace(shutil.copy(other_model, served.with_suffix(".new")), served)
    else:
        served.write_bytes(other_model.read_bytes())
    assert store.reload(only_changed=True) == (1, 0)
    new = store.get("news")
    assert new.version != old.version
    assert notes == [f"The model news {old.version} was replaced by {new.version}."]
    assert "weather" in old.classifier.predict(["rain"])[0]  # whoever has begun with it goes on
    assert "new weather" in new.classifier.predict(["rain"])[0]


def test_a_file_that_did_not_change_is_not_read(served: Path) -> None:
    store = store_of(served, [])
    old = store.get("news")
    assert store.reload(only_changed=True) == (0, 0)
    os.utime(served)
    assert store.reload(only_changed=True) == (0, 0)  # read, and found to be the same version
    assert store.reload(only_changed=False) == (0, 0)
    assert store.get("news") is old


@pytest.mark.parametrize("damage", ["half", "empty", "bytes", "gone", "folder"])
def test_a_damaged_file_leaves_the_old_model(served: Path, other_model: Path, damage: str) -> None:
    notes: list[str] = []
    store = store_of(served, notes)
    old, content = store.get("news"), other_model.read_bytes()
    damaged = {"half": content[: len(content) // 2], "empty": b"", "bytes": content[:-9] + b"x" * 9}
    served.unlink()
    if damage in damaged:
        served.write_bytes(damaged[damage])
    elif damage == "folder":
        served.mkdir()
    assert store.reload(only_changed=True) == (0, 0 if damage == "gone" else 1)
    assert store.get("news") is old
    if damage == "gone":  # it may be on its way
        assert notes == []
    else:
        (note,) = notes
        assert note.startswith(f"Cannot load {served}. ")
        assert note.endswith(f" The model news {old.version} stays.")
        assert store.reload(only_changed=True) == (0, 0)  # nobody is told twice
    if damage == "folder":
        served.rmdir()
    served.write_bytes(content)
    assert store.reload(only_changed=True) == (1, 0)


def test_a_file_that_changes_while_it_is_loaded_does_no_harm(
    served: Path, other_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = served.read_bytes()

    def read_late(path: Path) -> ModelFile:
        served.write_bytes(other_model.read_bytes()[:1000])
        return read_model(path)

    monkeypatch.setattr("setwise.serve.models.read_model", read_late)
    loaded = LoadedModel.load("news", str(served))
    assert loaded.version == hashlib.sha256(content).hexdigest()[:12]
    assert "weather" in loaded.classifier.predict(["rain"])[0]


def test_errors_name_the_file_of_the_operator(tmp_path: Path) -> None:
    (tmp_path / "m.setwise").write_bytes(b"no model")
    for name, reason in (("m.setwise", "It is not a complete safetensors file"), ("none", "No such file.")):
        with pytest.raises(InvalidData) as raised:
            LoadedModel.load("m", str(tmp_path / name))
        assert str(raised.value).startswith(f"Cannot load {tmp_path / name}. {reason}")


def test_a_model_of_vectors_is_refused(tmp_path: Path) -> None:
    X, y = [[1.0, 0.0], [0.0, 1.0]] * 30, [["a"], ["b"]] * 30
    SetClassifier("br", budget="quick", n_jobs=1).fit(X, y).save(tmp_path / "m.setwise")
    with pytest.raises(InvalidData, match=r"It was trained on vectors, and the service takes texts\.$"):
        LoadedModel.load("m", str(tmp_path / "m.setwise"))


def test_names_of_models() -> None:
    assert model_names(["a/topics.setwise", "news=b/v2.setwise"]) == (
        ("topics", "a/topics.setwise"),
        ("news", "b/v2.setwise"),
    )
    assert model_names(["a=b/c=d.setwise", "./e=f/g.setwise"]) == (("a", "b/c=d.setwise"), ("g", "./e=f/g.setwise"))
    with pytest.raises(InvalidParameter, match=r"^Two models have the name 'm'\. .*: NAME=b/m\.setwise\.$"):
        model_names(["a/m.setwise", "b/m.setwise"])
    with pytest.raises(InvalidParameter, match=r"^The model name 'my model' must have only letters"):
        model_names(["my model.setwise"])


def test_models_that_there_are_not(served: Path) -> None:
    with pytest.raises(Problem, match=r"^There is no model 'x'; the models are news\.$"):
        store_of(served, []).get("x")
