"""Stores, vaults and systems in odd places: the same promises hold there, or the refusal says why and what to do."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.errors import MemgitError
from memgit.flows.adopt import adopt, discard
from memgit.flows.observe import snapshot
from memgit.flows.undo import redo, restore, undo
from memgit.vault.integrity import check
from tests.desks import NEW, OLD, desk_over, like, make_pass, read_folder, texts, write

REPOSITORY = Path(__file__).parents[2]


def round_trip(store: Path, vault: Path, result: dict[str, str] = NEW) -> None:
    """Everything that a person does with a store, and that each of it did what it says."""
    desk = desk_over(store, vault)
    snapshot(desk)
    before = desk.store.read()
    header = make_pass(desk, like(before, result))
    adopt(desk, header.id)
    assert texts(read_folder(store)) == result
    undo(desk)
    assert read_folder(store).files == before.files
    redo(desk)
    assert texts(read_folder(store)) == result
    restore(desk, "op2")
    assert read_folder(store).files == before.files
    discard(desk, make_pass(desk, like(before, result)).id)
    assert check(desk.vault, full=True) == ()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    write(tmp_path / "agent" / "memory", OLD)
    return tmp_path / "agent" / "memory"


# --- links and file systems ---


def test_a_linked_store_stays_a_link_and_its_target_is_the_store(store, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(store)
    round_trip(link, tmp_path / "vaults" / "v")
    assert link.is_symlink()
    assert texts(read_folder(store)) == OLD


def test_a_vault_below_a_linked_home_is_the_place_that_the_link_leads_to(store, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "home").symlink_to("real")
    round_trip(store, tmp_path / "home" / "v")
    assert (tmp_path / "real" / "v" / "HEAD").is_file()


def test_store_and_vault_may_be_on_two_file_systems(store, tmp_path):
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK) or shared.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system here")
    place = shared / f"memgit-odd-{os.getpid()}"
    try:
        round_trip(store, place / "v")
    finally:
        shutil.rmtree(place)


# --- what a mount makes of it; each in a mount namespace of its own ---


def mounted(script: str, options: str, place: Path, *arguments: object) -> str:
    """Run a script in Python where ``place`` has something mounted on it; what it prints. Skips where it may not."""
    place.mkdir(exist_ok=True, parents=True)
    shell = f'mount {options} "{place}" 2>/dev/null || exit 77; exec "$@"'
    code = "import errno, os, sys\nfrom pathlib import Path\nfrom tests.contract.test_odd_places import *\n" + script
    argv = ["unshare", "-m", "sh", "-c", shell, "sh", sys.executable, "-c", code, str(place), *map(str, arguments)]
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare: nothing was mounted")
    ran = subprocess.run(argv, cwd=REPOSITORY, capture_output=True, text=True)
    if ran.returncode in (1, 77) and "Traceback" not in ran.stderr:
        pytest.skip("mounting is not allowed here")
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_a_store_on_read_only_media_is_recorded_and_its_change_refused(store, tmp_path):
    script = """
store, vault = Path(sys.argv[1]), Path(sys.argv[2])
desk = desk_over(store, vault)
snapshot(desk)
try:
    restore(desk, "op2"), write_another(desk)
except MemgitError as error:
    print(error.message)
assert texts(read_folder(store)) == OLD
"""
    said = mounted(script, f'--bind -o ro "{store}"', store, tmp_path / "vaults" / "v")
    assert said.endswith(("is on a file system that is mounted read-only.", "is read-only."))


def write_another(desk) -> None:
    """Adopt a pass of which nothing lies beside the store: that place is read-only too."""
    from memgit.model.history import OpKind
    from tests.desks import content

    live = desk.store.read()
    desk.installer.install(desk.live, live, content(NEW), {"kind": OpKind.ADOPT})


FULL = """
place, other = Path(sys.argv[1]), Path(sys.argv[2])
full_is_store = sys.argv[3] == "store"
store, vault = (place if full_is_store else other) / "agent/memory", (other if full_is_store else place) / "v"
write(store, OLD)
desk = desk_over(store, vault)
snapshot(desk)
header = make_pass(desk, like(desk.store.read(), NEW))
filler = []
try:
    for number in range(100_000):
        filler.append(place / f"filler-{number}")
        filler[-1].write_bytes(b"x" * int(sys.argv[4]))
except OSError as error:
    assert error.errno == errno.ENOSPC
try:
    adopt(desk, header.id)
    print("adopted", end=" ")
except MemgitError as error:
    print(error.code, end=" ")
assert texts(read_folder(store)) in (OLD, NEW)
for path in filler:
    path.unlink(missing_ok=True)
snapshot(desk_over(store, vault))
desk = desk_over(store, vault)
if texts(read_folder(store)) == OLD:
    adopt(desk, header.id)
assert texts(read_folder(store)) == NEW
undo(desk)
assert texts(read_folder(store)) == OLD
assert check(desk.vault, full=True) == ()
print("and undone")
"""


@pytest.mark.parametrize("what", ["store", "vault"])
@pytest.mark.parametrize(("limit", "size"), [("size=1m", 4096), ("nr_inodes=220", 0)])
def test_a_disk_that_is_full_costs_nothing_and_with_room_again_all_goes_on(what, limit, size, tmp_path):
    place = tmp_path / "full"
    other = tmp_path / "other"
    other.mkdir()
    said = mounted(FULL, f"-t tmpfs -o {limit} none", place, other, what, size)
    assert said.endswith("and undone")


# --- owners and modes ---


@pytest.mark.parametrize("mask", [0o077, 0o000, 0o022])
def test_whatever_the_umask_the_vault_is_private_and_the_store_keeps_its_modes(mask, store, tmp_path):
    (store / "deploys.md").chmod(0o640)
    before = os.umask(mask)
    try:
        round_trip(store, tmp_path / "vaults" / "v")
    finally:
        os.umask(before)
    assert (store / "deploys.md").stat().st_mode & 0o777 == 0o640
    vault = tmp_path / "vaults" / "v"
    open_ones = [path for path in (vault, *vault.rglob("*")) if path.stat().st_mode & 0o077]
    assert open_ones == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else for a while")
def test_a_vault_of_another_user_is_refused_with_both_names(store, tmp_path):
    vault = tmp_path / "vaults" / "v"
    snapshot(desk_over(store, vault))
    for path in (vault, *vault.rglob("*")):
        os.chown(path, 4321, 4321)
    write(store, {"more.md": "More.\n"})
    with pytest.raises(MemgitError, match="uid 4321"):
        snapshot(desk_over(store, vault))


# --- names ---


def test_names_that_git_refuses_come_back_as_they_were(store, tmp_path):
    odd = {
        "git~1.md": "short\n",
        "a\\b.md": "backslash\n",
        "CON.md": "device\n",
        "two\nlines.md": "line feed\n",
        "x .md": " \n",
    }
    write(store, odd)
    (store / os.fsdecode(b"latin-\xe9.md")).write_text("not UTF-8\n")
    (store / "linked.md").symlink_to("deploys.md")
    (store / "empty").mkdir()
    round_trip(store, tmp_path / "vaults" / "v", {**NEW, ".gitignore": "*\n", "team/.gitmodules": "x\n"})
    assert (store / "linked.md").is_symlink()
    assert (store / "empty").is_dir()


@pytest.mark.parametrize("twins", [("Note.md", "note.md"), ("caf\u00e9.md", "cafe\u0301.md")], ids=["case", "form"])
def test_names_that_some_file_systems_take_for_one_are_never_adopted(twins, store, tmp_path):
    desk = desk_over(store, tmp_path / "vaults" / "v")
    snapshot(desk)
    with pytest.raises(MemgitError, match="differ only by case or Unicode form"):
        make_pass(desk, like(desk.store.read(), {**OLD, **dict.fromkeys(twins, "twin\n")}))
    assert texts(read_folder(store)) == OLD


def test_where_names_are_folded_a_store_is_replaced_as_a_whole(tmp_path):
    """A real file system that takes ``A`` and ``a`` for one, where this machine can make one."""
    image = tmp_path / "image"
    made = subprocess.run(
        f'truncate -s 20M "{image}" && mkfs.ext4 -q -O casefold "{image}"', shell=True, capture_output=True
    )
    if made.returncode or shutil.which("chattr") is None:
        pytest.skip("no file system that folds names can be made here")
    script = """
place = Path(sys.argv[1]) / "folded"
place.mkdir()
if os.system(f'chattr +F "{place}"'):
    sys.exit(77)
write(place / "agent/memory", OLD)
assert (place / "agent/MEMORY/memory.MD").exists()
round_trip(place / "agent/memory", place / "v", {**NEW, "Tests-Too.md": "x\\n"})
desk = desk_over(place / "agent/memory", place / "v")
renamed = {("Deploys.md" if path == "deploys.md" else path): text for path, text in OLD.items()}
adopt(desk, make_pass(desk, like(desk.store.read(), renamed)).id)
print(sorted(path.name for path in (place / "agent/memory").iterdir()))
"""
    said = mounted(script, f'-o loop "{image}"', tmp_path / "mounted")
    assert "Deploys.md" in said


# --- git all around ---


def test_a_store_that_is_a_git_repository_keeps_it(store, tmp_path):
    git = ["git", "-C", str(store), "-c", "user.name=a", "-c", "user.email=a@a"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "by hand"]):
        subprocess.run([*git, *arguments], check=True)
    round_trip(store, tmp_path / "vaults" / "v")
    said = subprocess.run([*git, "log", "--format=%s"], check=True, capture_output=True, text=True)
    assert said.stdout == "by hand\n"


HOSTILE = {
    "GIT_DIR": "/nowhere",
    "GIT_WORK_TREE": "/nowhere",
    "GIT_INDEX_FILE": "/nowhere/index",
    "GIT_OBJECT_DIRECTORY": "/nowhere/objects",
    "GIT_CEILING_DIRECTORIES": "/",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "safe.bareRepository",
    "GIT_CONFIG_VALUE_0": "explicit",
    "GIT_CONFIG_KEY_1": "commit.gpgsign",
    "GIT_CONFIG_VALUE_1": "true",
    "GIT_DEFAULT_HASH": "sha256",
    "GIT_DEFAULT_REF_FORMAT": "reftable",
}


def test_gits_own_variables_and_settings_change_nothing(store, tmp_path, monkeypatch):
    for name, value in HOSTILE.items():
        monkeypatch.setenv(name, value)
    round_trip(store, tmp_path / "vaults" / "v")


def test_a_store_inside_a_project_leaves_the_project_as_it_was(tmp_path, world, memgit):
    project = tmp_path / "project"
    write(project, {"README.md": "A project.\n"})
    write(project / "docs" / "memory", OLD)
    git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@a"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
        subprocess.run([*git, *arguments], check=True, env=dict(world.env))
    options = ("--store", project / "docs" / "memory")
    ran = memgit("curate", "--json", *options, cwd=project, env=world.env)
    assert ran.code == 0, ran.err
    said = subprocess.run(
        [*git, "status", "--porcelain"], check=True, capture_output=True, text=True, env=dict(world.env)
    )
    assert said.stdout == ""
    assert memgit("adopt", ran.json["pass"], *options, cwd=project, env=world.env).code == 0
    said = subprocess.run(
        [*git, "status", "--porcelain"], check=True, capture_output=True, text=True, env=dict(world.env)
    )
    assert {line[3:] for line in said.stdout.splitlines()} == {"docs/memory/MEMORY.md"}
