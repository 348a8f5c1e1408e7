"""Installing a store while others write, and recovering from every state an interruption can leave."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memgit.errors import Damaged, MemgitError, StoreChanged, UsageError
from memgit.flows.adopt import adopt
from memgit.flows.recovery import recover
from memgit.flows.undo import undo
from memgit.model.history import OpKind
from memgit.model.store import StoreContent
from memgit.stores.install import Way, refuse_unwritable
from tests.crash.verbs import desk_in
from tests.desks import NEW, OLD, like, make_pass, quick_place, read_folder, texts, write

REPOSITORY = Path(__file__).parents[2]


@dataclass(frozen=True)
class Root:
    """A world in which one pass is ready to be adopted in one way."""

    path: Path
    way: Way

    @property
    def store(self) -> Path:
        return self.path / "agent" / "memory"

    @property
    def desk(self):
        return desk_in(self.path, self.way)

    def ready(self) -> Root:
        self.path.mkdir()
        write(self.store, OLD)
        make_pass(self.desk, like(read_folder(self.store), NEW))
        return self

    def adopt(self, fault: str) -> str:
        command = [sys.executable, "-m", "tests.crash.verbs", str(self.path), self.way.value, "adopt"]
        environment = {**os.environ, "MEMGIT_FAULT": fault}
        return subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True).stderr

    def killed_at(self, name: str, nth: int = 1, later: int = 0, how: str = "kill:{}") -> str:
        """Kill an adopt at the nth point of a name, or some points later; what it said."""
        kept, listing = self.path.with_name(f"{self.path.name}-kept"), self.path / "points"
        shutil.copytree(self.path, kept)
        self.adopt(f"list:{listing}")
        points = listing.read_text().splitlines()
        shutil.rmtree(self.path)
        kept.rename(self.path)
        number = [i for i, point in enumerate(points, 1) if point == name][nth - 1] + later
        return self.adopt(how.format(number))

    def killed_between_the_renames(self) -> None:
        """The old store is away, the new one is not there yet. The first rename is that of the candidate's folder."""
        self.killed_at("rename", nth=3)
        assert not self.store.exists()


@pytest.fixture
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[Way], Root]]:
    with quick_place(tmp_path) as place:
        yield lambda way: Root(place / "root", way).ready()


def beside(world: Root) -> list[str]:
    return [path.name for path in world.store.parent.iterdir()]


class AgentWhoWrites:
    """Reads folders, and writes a file into one right after it was read for the nth time."""

    def __init__(self, folder: Path, after: int, name: str = "late.md") -> None:
        self.folder, self.left, self.name = folder, after, name

    def __call__(self, folder: Path) -> StoreContent:
        found = read_folder(folder)
        if folder == self.folder:
            self.left -= 1
            if self.left == 0:
                write(folder, {self.name: "Late.\n"})
        return found


def with_agent(world: Root, after: int, name: str = "late.md"):
    desk = world.desk
    return replace(desk, installer=replace(desk.installer, read=AgentWhoWrites(world.store, after, name)))


@pytest.mark.parametrize("way", [Way.EXCHANGE, Way.RENAMES])
def test_the_candidates_own_folder_goes_live_and_the_former_store_itself_comes_back(root, way):
    world = root(way)
    desk = world.desk
    header = desk.vault.passes()[0]
    former, candidate = world.store.stat().st_ino, Path(header.paths.candidate).stat().st_ino
    adopt(desk, header.id)
    assert world.store.stat().st_ino == candidate
    undo(desk)
    assert world.store.stat().st_ino == former
    assert texts(read_folder(world.store)) == OLD
    assert [name for name in beside(world) if "candidate" in name] == []


def test_a_folder_that_goes_live_gets_the_modes_of_the_store(root):
    world = root(Way.EXCHANGE)
    world.store.chmod(0o750)
    desk = world.desk
    adopt(desk, desk.vault.passes()[0].id)
    assert world.store.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("fault", ["a folder of another tool", "another time"])
def test_a_candidates_folder_that_is_more_than_the_candidate_is_not_taken(root, fault):
    world = root(Way.EXCHANGE)
    desk = world.desk
    candidate = Path(desk.vault.passes()[0].paths.candidate)
    if fault == "another time":
        os.utime(candidate / "team/oncall.md", ns=(1, 1))
    else:
        write(candidate / ".tool", {"state": "mine"})
    number = candidate.stat().st_ino
    adopt(desk, desk.vault.passes()[0].id)
    assert world.store.stat().st_ino != number
    assert texts(read_folder(world.store)) == NEW


def watching_the_candidate(world: Root, staged: bool):
    """A desk beside a person who saves a note in the candidate's folder as soon as that was read."""
    desk = world.desk
    candidate = Path(desk.vault.passes()[0].paths.candidate)
    folder = candidate.with_name(f".{world.store.name}.memgit-staged") if staged else candidate
    return replace(desk, installer=replace(desk.installer, read=AgentWhoWrites(folder, 1, "mine.md")))


def test_an_edit_of_the_candidate_in_the_middle_of_its_adoption_stays_beside_the_store(root):
    world = root(Way.EXCHANGE)
    candidate = Path(world.desk.vault.passes()[0].paths.candidate)
    done = adopt(watching_the_candidate(world, staged=False), world.desk.vault.passes()[0].id)
    assert texts(read_folder(world.store)) == NEW
    assert texts(read_folder(candidate))["mine.md"] == "Late.\n"
    assert f"{candidate} was edited a moment ago, and is left where it is." in done.notes


def test_what_an_open_editor_saves_into_the_candidate_as_it_goes_live_is_in_the_store(root):
    world = root(Way.EXCHANGE)
    adopt(watching_the_candidate(world, staged=True), world.desk.vault.passes()[0].id)
    assert texts(read_folder(world.store))["mine.md"] == "Late.\n"


@pytest.mark.parametrize("later", [0, 1, 2])
def test_a_candidate_that_was_on_its_way_lies_beside_the_store_again(root, later):
    world = root(Way.EXCHANGE)
    world.killed_at("rename", later=later)
    assert "Took back" in recover(world.desk).did
    header = world.desk.vault.passes()[0]
    assert texts(read_folder(Path(header.paths.candidate))) == NEW
    assert texts(read_folder(world.store)) == OLD


@pytest.mark.parametrize("way", [Way.EXCHANGE, Way.RENAMES])
def test_a_write_just_before_the_swap_is_recorded_and_can_be_brought_back(root, way):
    world = root(way)
    desk = with_agent(world, after=1)
    done = adopt(desk, desk.vault.passes()[0].id)
    assert texts(read_folder(world.store)) == NEW
    assert any("written into the old store" in note for note in done.notes)
    late = next(each for each in desk.vault.operations() if each.kind is OpKind.EXTERNAL)
    assert "late.md" in desk.vault.store_at(late).files
    undo(desk)
    assert (world.store / "late.md").read_text() == "Late.\n"


def test_in_place_a_file_written_meanwhile_is_kept_and_named(root):
    world = root(Way.IN_PLACE)
    desk = with_agent(world, after=1, name="retry-budget.md")
    done = adopt(desk, desk.vault.passes()[0].id)
    assert (world.store / "retry-budget.md").read_text() == "Late.\n"
    assert (world.store / "tests.md").exists()
    assert "retry-budget.md was written meanwhile and is left as it is." in done.notes


def test_a_store_that_changed_since_it_was_looked_at_is_not_replaced(root):
    world = root(Way.EXCHANGE)
    desk = world.desk
    before = read_folder(world.store)
    write(world.store, {"late.md": "Late.\n"})
    with pytest.raises(StoreChanged, match="a moment ago"):
        desk.installer.install(world.store, before, like(before, NEW), {})
    assert "late.md" in texts(read_folder(world.store))
    assert desk.installer.journal.read() is None
    assert not [name for name in beside(world) if name.startswith(".")]


def test_between_the_renames_recovery_puts_the_old_store_back(root):
    world = root(Way.RENAMES)
    world.killed_between_the_renames()
    assert "Took back" in recover(world.desk).did
    assert texts(read_folder(world.store)) == OLD


def test_an_empty_folder_that_the_agent_made_in_the_gap_gives_way(root):
    world = root(Way.RENAMES)
    world.killed_between_the_renames()
    world.store.mkdir()
    recover(world.desk)
    assert texts(read_folder(world.store)) == OLD
    assert not [name for name in beside(world) if "late" in name]


def test_a_store_that_the_agent_began_in_the_gap_is_kept_aside(root):
    world = root(Way.RENAMES)
    world.killed_between_the_renames()
    write(world.store, {"begun.md": "Begun.\n"})
    done = recover(world.desk)
    assert texts(read_folder(world.store)) == OLD
    assert (world.store.with_name("memory-late") / "begun.md").read_text() == "Begun.\n"
    assert any("memory-late" in note for note in done.notes)


def test_a_new_store_that_was_edited_before_recovery_is_still_the_new_one(root):
    world = root(Way.EXCHANGE)
    world.killed_at("exchange", later=1)
    write(world.store, {"more.md": "More.\n"})
    assert "Finished" in recover(world.desk).did
    assert (world.store / "more.md").exists()
    undo(world.desk)
    assert texts(read_folder(world.store)).keys() == OLD.keys() | {"more.md"}


def test_a_store_replaced_by_something_else_before_recovery_is_left_alone(root):
    world = root(Way.EXCHANGE)
    world.killed_at("exchange")
    world.store.rename(world.store.with_name("elsewhere"))
    write(world.store, {"other.md": "Other.\n"})
    recover(world.desk)
    assert texts(read_folder(world.store)) == {"other.md": "Other.\n"}


def test_a_disk_that_fills_up_after_the_swap_is_said_to_leave_something_to_recover(root):
    world = root(Way.EXCHANGE)
    vault_is_full = "error:{}"
    said = world.killed_at("exchange", later=12, how=vault_is_full)
    assert "14: `memgit adopt" in said
    assert "Finished" in recover(world.desk).did
    assert texts(read_folder(world.store)) == NEW


def test_a_journal_of_something_else_is_damage(root):
    world = root(Way.EXCHANGE)
    world.desk.installer.journal.write({"phase": "baking"})
    with pytest.raises(Damaged, match="does not describe"):
        recover(world.desk)


def test_a_folder_of_another_tool_made_anew_meanwhile_is_not_overwritten(root):
    world = root(Way.EXCHANGE)
    write(world.store / ".tool", {"state": "old"})
    world.killed_at("exchange", later=1)
    write(world.store / ".tool", {"state": "new"})
    done = recover(world.desk)
    assert (world.store / ".tool/state").read_text() == "new"
    assert (world.store.with_name("memory-superseded") / ".tool/state").read_text() == "old"
    assert any(".tool was made anew" in note for note in done.notes)


def test_on_a_bind_mount_the_store_is_changed_in_place(root):
    world = root(Way.EXCHANGE)
    mount = f'mount --bind "{world.store}" "{world.store}" 2>/dev/null || exit 77; exec "$@"'
    script = "import sys; from pathlib import Path; from tests.desks import desk_over; "
    script += "from memgit.flows.lifecycle import adopt; root = Path(sys.argv[1]); "
    script += "desk = desk_over(root / 'agent/memory', root / 'vault/v'); "
    script += "print(adopt(desk, desk.vault.passes()[0].id).operation.details['way'])"
    command = ["unshare", "-m", "sh", "-c", mount, "sh", sys.executable, "-c", script, str(world.path)]
    try:
        ran = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no unshare")
    if ran.returncode in (1, 77) and not ran.stdout:
        pytest.skip("mounting is not allowed here")
    assert ran.stdout.strip() == "in place", ran.stderr
    assert texts(read_folder(world.store)) == NEW


def test_what_cannot_be_a_store_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="is not a folder"):
        refuse_unwritable(tmp_path / "file")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_a_store_of_another_user_is_refused(tmp_path):
    os.chown(tmp_path, 4321, 4321)
    with pytest.raises(MemgitError, match="belongs to user 4321"):
        refuse_unwritable(tmp_path)
