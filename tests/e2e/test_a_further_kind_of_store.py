"""A further kind of store is one unit: registered, it is found, checked, curated, adopted, taken back and listed."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memgit.memory.fingerprint import fingerprint
from memgit.memory.shapes import SHAPES, Shape
from memgit.model.store import Resolution, StoreContent, StoreFile
from memgit.model.travel import Installed, Recovered
from memgit.stores.kinds import Kind
from memgit.stores.registry import KINDS, register


def content_in(path: Path) -> StoreContent:
    texts = json.loads(path.read_text())
    return StoreContent({f"{name}.md": StoreFile(f"{name}.md", texts[name].encode()) for name in sorted(texts)},
                        indexed=False)  # fmt: skip


@dataclass(frozen=True)
class Reader:
    resolution: Resolution

    def read(self):
        return content_in(Path(self.resolution.path))

    def fingerprint(self):
        return fingerprint(self.read())


@dataclass(frozen=True)
class Installer:
    """Replaces the one file, which a rename does wholly or not at all."""

    folder: object
    journal: object

    def read(self, folder, /):
        found = self.folder(folder)
        plain = {path: replace(file, mode=0o100644, mtime_ns=0) for path, file in found.files.items()}
        return replace(found, files=plain, folders=(), indexed=False)

    def refuse_unwritable(self, live):
        """It can be written."""

    def in_place(self, aside):
        return self

    def install(self, live, before, content, intent, at_hand=(), /):
        self.begin(intent)
        aside = live.with_suffix(".aside")
        aside.write_text(
            json.dumps({path.removesuffix(".md"): file.data.decode() for path, file in content.files.items()})
        )
        aside.replace(live)
        return Installed("one rename")

    def begin(self, intent):
        self.journal.write({"intent": intent})

    def close(self):
        self.journal.close()

    def recover(self):
        entry = self.journal.read()
        return Recovered(entry["intent"], "", Installed("")) if entry else None


class Cards(Kind):
    """One file of JSON, a text for each name."""

    shape = Shape("cards", "cards in one file", limits=("A card is its text alone.",))
    form = "cards:FILE"
    what = "cards"
    of_project = "cards of this project"
    own = "a box of cards"
    readers = "Agents read these cards."

    def at(self, root, where, cwd, home):
        return Resolution(str(Path(cwd, where or Path(root, "cards.json"))), "--store", "cards")

    def beside(self, root, home):
        path = Path(root, "cards.json")
        return [str(path)] if path.exists() else []

    def holds(self, path):
        return path.name == "cards.json"

    def reader(self, resolution, run):
        return Reader(resolution)

    def installer(self, store, folder, journal, run):
        return Installer(folder, journal)


TEXTS = {"deploy": "Deploy on Tuesdays.", "deploys": "Deploy on  **Tuesdays**.", "oncall": "Mira is on call."}


@pytest.fixture
def cards(example, monkeypatch):
    for table in (KINDS, SHAPES):
        monkeypatch.setitem(table, "cards", None)  # taken back at the end
    register(Cards())
    for name, value in example.env.items():
        monkeypatch.setenv(name, value)
    path = example.project / "cards.json"
    path.write_text(json.dumps(TEXTS))
    return path


def test_its_store_is_checked_curated_adopted_and_taken_back(cards, go):
    before = cards.read_bytes()
    assert go("snapshot", "--store", "cards")[0] == 0
    code, said = go("curate", "--store", "cards")
    assert (code, said["store"]["shape"], said["store"]["unchanged"]) == (0, "cards", True)
    assert [each["kind"] for each in said["decisions"] if each["standing"] == "taken"] == ["merge"]
    assert cards.read_bytes() == before

    assert go("adopt", said["pass"], "--store", "cards")[0] == 0
    kept = json.loads(cards.read_text())
    assert len(kept) == 2
    assert kept["oncall"] == TEXTS["oncall"]
    assert go("check", "--full", "--store", "cards")[0] == 0

    assert go("undo", "--store", "cards")[0] == 0
    assert json.loads(cards.read_text()) == TEXTS


def test_its_store_is_listed_and_named_where_a_folder_was_meant(cards, go):
    listed = {each["path"]: each for each in go("stores")[1]["stores"]}
    assert listed[str(cards)]["shape"] == "cards"
    code, said = go("status", "--store", cards)
    assert (code, f"--store cards:{cards}" in said["error"]["hint"]) == (2, True)


def test_nothing_outside_its_package_names_a_kind_of_store():
    package = Path(__file__).parents[2] / "memgit"
    for kind in ("beads", "sqlite"):
        naming = f"memgit.stores.{kind}"
        found = {
            path.relative_to(package).as_posix()
            for path in package.rglob("*.py")
            if naming in path.read_text(encoding="utf-8") and package / "stores" / kind not in path.parents
        }
        assert found <= {"stores/registry.py", "wiring/site.py"}, kind
