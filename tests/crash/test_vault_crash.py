"""Cut short anywhere, beside others, on a full disk: the vault is as before or as after, and goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.errors import VaultLocked
from memgit.model.history import OpKind
from memgit.vault import Standing, Vault
from memgit.vault.integrity import check
from tests.vault_world import ONE, TWO, content, create, propose, reopen, snapshot

SCRIPTS = {
    "create": "create(root)",
    "snapshot": "snapshot(create(root), TWO, 'new')",
    "pass": "propose(create(root), TWO)",
    "pack": "create(root).pack()",
    "repack": "from memgit.vault import packing; packing.PACK_BOUND = 1; create(root).pack()",
    "repair": "create(root).repair_refs()",
}
THREE = content(("a.md", b"three\n"))


def run(root: Path, script: str, fault: str) -> subprocess.CompletedProcess[str]:
    """Run a script on the vault below ``root`` in a process of its own, with a fault armed."""
    code = f"import sys; from pathlib import Path; from tests.vault_world import *; root = Path(sys.argv[1])\n{script}"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "MEMGIT_FAULT": fault}
    return subprocess.run([sys.executable, "-c", code, root], env=env, capture_output=True, text=True, timeout=60)


def prepare(root: Path, script: str) -> Path:
    """A vault with history, loose and packed, in the state from which the script starts."""
    root.mkdir()
    if script != "create":
        vault = create(root)
        snapshot(vault, ONE, "old")
        vault.pack()
        propose(vault, THREE)
        if script == "repack":
            vault.pack()
            snapshot(vault, THREE, "older")
            snapshot(vault, ONE, "old again")
        if script == "repair":
            (vault.git_dir / "refs/heads/store").unlink()
    return root


def chosen(points: list[str], whole: bool) -> list[int]:
    """The numbers of all points; or of the first and last of each name."""
    if whole:
        return list(range(1, len(points) + 1))
    places = {name: [number for number, other in enumerate(points, 1) if other == name] for name in points}
    return sorted({number for numbers in places.values() for number in (numbers[0], numbers[-1])})


def points_of(tmp_path: Path, script: str) -> list[str]:
    root = prepare(tmp_path / "listed", script)
    done = run(root, SCRIPTS[script], f"list:{tmp_path / 'points'}")
    assert done.returncode == 0, done.stderr
    return (tmp_path / "points").read_text().splitlines()


def states(vault: Vault) -> list[object]:
    return [vault.store_at(operation) for operation in vault.operations()]


def litter(root: Path) -> list[str]:
    marks = (".lock", ".new")
    return [
        str(path.relative_to(root))
        for path in root.rglob("*")
        if path.suffix in marks or path.name.startswith(("tmp_", "pack_git2", ".tmp-"))
    ]


def assert_goes_on(root: Path, before: list[object], after: list[object]) -> str:
    """The vault reads as one of two states, takes the next operation, is whole and clean; says which state it was."""
    vault = create(root)
    found = states(vault)
    assert found in (before, after)
    assert vault.check_witness() in (Standing.OK, Standing.UNKNOWN)
    commit = snapshot(vault, content(("next.md", b"next")), "next")
    assert vault.content(commit) == content(("next.md", b"next"))
    assert check(reopen(vault), full=True) == ()
    assert states(reopen(vault))[1:] == found
    assert litter(root) == []
    return "old" if found == before else "new"


@pytest.mark.parametrize("script", SCRIPTS)
def test_killed_at_any_point_the_vault_is_old_or_new_and_goes_on(tmp_path, script, request):
    points = points_of(tmp_path, script)
    after = states(reopen(create(tmp_path / "listed")))
    before = states(create(prepare(tmp_path / "before", script)))
    prepared = prepare(tmp_path / "prepared", script)
    outcomes = set()
    for number in chosen(points, request.config.getoption("--whole")):
        root = tmp_path / "killed"
        shutil.copytree(prepared, root, symlinks=True)
        rewire(root)
        done = run(root, SCRIPTS[script], f"kill:{number}")
        assert done.returncode == -9, (points[number - 1], done.stderr)
        outcomes.add(assert_goes_on(root, before, after))
        shutil.rmtree(root)
    assert outcomes == ({"old", "new"} if script in ("snapshot", "pass") else {"old"})


@pytest.mark.parametrize("script", ["create", "snapshot", "pass", "pack", "repair"])
def test_with_a_full_disk_failure_is_reported_exactly_when_nothing_happened(tmp_path, script, request):
    points = points_of(tmp_path, script)
    after = states(reopen(create(tmp_path / "listed")))
    before = [] if script == "create" else states(create(prepare(tmp_path / "before", script)))
    prepared = prepare(tmp_path / "prepared", script)
    for number in chosen(points, request.config.getoption("--whole")):
        root = tmp_path / "full"
        shutil.copytree(prepared, root, symlinks=True)
        rewire(root)
        done = run(root, SCRIPTS[script], f"error:{number}")
        said = done.stderr.strip().splitlines()[-1:] or ["done"]
        now = states(reopen(create(root))) if script != "create" or done.returncode == 0 else before
        assert (said[0] == "done", now == after) in ((True, True), (False, False), (False, before == after)), points[
            number - 1
        ]
        assert said[0] == "done" or said[0].startswith("memgit.errors."), (points[number - 1], said)
        assert_goes_on(root, states(create(root)), after)
        shutil.rmtree(root)


def rewire(root: Path) -> None:
    """A copied vault has its witness beside it, as the original had."""
    about = root / "vault" / "memgit" / "store.json"
    if about.exists():
        about.write_text(about.read_text().replace(str(root.parent / "prepared"), str(root)))


def test_the_points_cover_every_step_of_an_operation(tmp_path):
    assert set(points_of(tmp_path, "snapshot")) >= {
        "locked",
        "an object written",
        "objects written",
        "objects durable",
        "log moved",
        "derived refs set",
        "mark set",
        "witness.json: renamed",
    }


def test_six_processes_at_once_lose_no_operation(tmp_path):
    create(tmp_path)
    code = (
        "import sys; from pathlib import Path; from tests.vault_world import *\n"
        "vault = Vault.open(Path(sys.argv[1]) / 'vault', clock=clock, who=WHO); me = sys.argv[2]\n"
        "for number in range(15):\n"
        "    with vault.lock('race', wait=60):\n"
        "        snapshot(vault, content((f'{me}.md', b'%d' % number)), f'{me} {number}')\n"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    racers = [subprocess.Popen([sys.executable, "-c", code, tmp_path, str(me)], env=env) for me in range(6)]
    assert [racer.wait(timeout=300) for racer in racers] == [0] * 6
    vault = create(tmp_path)
    subjects = [operation.subject for operation in vault.operations()][:-1]
    assert sorted(subjects) == sorted(f"{me} {number}" for me in range(6) for number in range(15))
    for me in range(6):
        mine = [subject for subject in subjects if subject.startswith(f"{me} ")]
        assert mine == [f"{me} {number}" for number in reversed(range(15))]
    assert check(vault, full=True) == ()


UNLOCKED = """
import contextlib
from memgit.vault import repository
repository.locked = lambda *_: contextlib.nullcontext()
"""


def test_an_operation_of_a_writer_without_the_lock_stays_and_ours_goes_on_top(tmp_path):
    vault = create(tmp_path)
    with vault.transaction(OpKind.ACKNOWLEDGE, "ours"):
        done = run(tmp_path, f"{UNLOCKED}\nwith create(root).transaction('plan', 'theirs'): pass", "")
        assert done.returncode == 0, done.stderr
    assert [(op.id, op.subject) for op in vault.operations()][:2] == [("op3", "ours"), ("op2", "theirs")]
    assert check(reopen(vault), full=True) == ()


def test_a_store_that_a_writer_without_the_lock_recorded_is_never_overwritten(tmp_path):
    vault = create(tmp_path)
    ours = vault.transaction(OpKind.SNAPSHOT, "ours")
    ours.__enter__().set_store(TWO, "m", fingerprint="f")
    run(tmp_path, f"{UNLOCKED}\nsnapshot(create(root), ONE, 'theirs')", "")
    with pytest.raises(VaultLocked, match="moved the vault"):
        ours.__exit__(None, None, None)
    assert (vault.head().subject, vault.store_at(vault.head())) == ("theirs", ONE)
