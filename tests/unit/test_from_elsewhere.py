"""From another machine, a bundle or a candidate's folder come ordinary files inside the store, and nothing else."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from memgit import files
from memgit.errors import Damaged, WrongState
from memgit.flows.adopt import adopt, discard, merge
from memgit.flows.desk import Desk, Done
from memgit.flows.observe import snapshot
from memgit.flows.sync import export, import_, sync, take
from memgit.flows.undo import undo
from memgit.memory.from_elsewhere import foreign, leaves_store
from memgit.model.history import OpKind, PassHeader
from memgit.model.store import INDEX, StoreContent, StoreFile
from tests.desks import NEW, OLD, content, desk_over, like, make_pass, read_folder, texts, write

FILE, PROGRAM, LINK, GITLINK = "100644", "100755", "120000", "160000"
OWN_LINK = "shared.md"
"""A link that the user's own store has."""


# --- the rule ---


OWN = StoreContent(
    {
        "a.md": StoreFile("a.md", b"A", 0o100644),
        "link.md": StoreFile("link.md", b"../x.md", 0o120777),
        "run.sh": StoreFile("run.sh", b"ls", 0o100755),
        ".git": StoreFile(".git", b"", 0o100644),
    }
)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (StoreFile("b.md", b"/home/me/.bashrc", 0o120777), "b.md (a link to /home/me/.bashrc)"),
        (StoreFile("a.md", b"b.md", 0o120777), "a.md (a link to b.md)"),
        (StoreFile("link.md", b"../y.md", 0o120777), "link.md (a link to ../y.md)"),
        (StoreFile(INDEX, b"text", 0o100644, link=b"../x"), "MEMORY.md (a link to ../x)"),
        (StoreFile("a.md", b"A", 0o100755), "a.md (a program)"),
        (StoreFile("b.md", b"B", 0o104644), "b.md (a program)"),
        (StoreFile("sub", b"", 0o160000), "sub (a repository of its own)"),
        (StoreFile("dev", b"", 0o060644), "dev (the odd mode 60644)"),
        (StoreFile("../b.md", b"B"), "../b.md (a path that leaves the store)"),
        (StoreFile("/etc/x", b"B"), "/etc/x (a path that leaves the store)"),
        (StoreFile("team/../../b.md", b"B"), "team/../../b.md (a path that leaves the store)"),
        (StoreFile("..\\b.md", b"B"), "..\\b.md (a path that leaves the store)"),
        (StoreFile("C:\\b.md", b"B"), "C:\\b.md (a path that leaves the store)"),
        (StoreFile(".git/hooks/post-checkout", b"B"), ".git/hooks/post-checkout (a folder of git's own)"),
        (StoreFile("GIT~1/config", b"B"), "GIT~1/config (a folder of git's own)"),
        (StoreFile("team/.GIT", b"B"), "team/.GIT (a folder of git's own)"),
        (StoreFile(".git. /config", b"B"), ".git. /config (a folder of git's own)"),
        (StoreFile(".g\u200cit/config", b"B"), ".g\u200cit/config (a folder of git's own)"),
        (StoreFile(".obsidian/plugins/x.js", b"B"), ".obsidian/plugins/x.js (in a folder of another tool)"),
        (StoreFile("MEMORY.md/x.md", b"B"), "MEMORY.md/x.md (MEMORY.md would be a folder)"),
    ],
)
def test_what_may_not_come_in_is_named_with_the_reason(file: StoreFile, why: str) -> None:
    assert list(foreign(StoreContent({file.path: file}), [OWN])) == [why]


@pytest.mark.parametrize(
    "file",
    [
        StoreFile("new.md", b"N", 0o100600),
        StoreFile("team/new.md", b"N", 0o100664),
        StoreFile(".hidden.md", b"N"),
        StoreFile(".gitignore", b"N"),
        StoreFile("git~1.md", b"N"),
        StoreFile("a.md", b"other", 0o100640),
        StoreFile("link.md", b"a file now", 0o100644),
        *OWN.files.values(),
        replace(OWN.files["link.md"], mode=0o120000),
        StoreFile("run.sh", b"ls", 0o100644),
        StoreFile("run.sh", b"ls -l", 0o100755),
    ],
)
def test_ordinary_files_and_what_the_store_has_itself_are_no_news(file: StoreFile) -> None:
    assert list(foreign(StoreContent({file.path: file}), [OWN])) == []


def test_where_most_memories_count_as_programs_a_new_one_may_too() -> None:
    modes = {"a.md": 0o100777, "b.md": 0o100777, "c.md": 0o100644}
    own = StoreContent({path: StoreFile(path, b"A", mode) for path, mode in modes.items()})
    assert list(foreign(StoreContent({"d.md": StoreFile("d.md", b"B", 0o100777)}), [own])) == []
    assert list(foreign(StoreContent({"d.md": StoreFile("d.md", b"B", 0o104777)}), [own])) == ["d.md (a program)"]
    assert list(foreign(StoreContent({"c.md": StoreFile("c.md", b"B", 0o100777)}), [OWN])) == ["c.md (a program)"]


def test_what_is_neither_a_file_nor_a_folder_is_named_unless_the_store_has_it() -> None:
    found = StoreContent(special=("pipe",))
    assert list(foreign(found, [OWN])) == ["pipe (neither a file nor a folder)"]
    assert list(foreign(found, [replace(OWN, special=("pipe",))])) == []


@pytest.mark.parametrize("path", ["a.md", "team/a.md", "a..md", "...", "a\\b.md", ".a"])
def test_a_path_inside_is_inside(path: str) -> None:
    assert not leaves_store(path)


def test_no_folder_is_built_outside_of_itself(tmp_path: Path) -> None:
    for path in ("../out.md", "/out.md", "a/../../out.md", "./out.md"):
        with pytest.raises(Damaged, match="outside of the store"):
            files.build_tree(tmp_path / "store", StoreContent({path: StoreFile(path, b"")}))
    assert not any(path.name in ("store", "out.md") for path in tmp_path.rglob("*"))


# --- every way in ---


@dataclass(frozen=True)
class Machine:
    """A machine with a store in which there is a link of the user's own, and a pass that waits."""

    desk: Desk
    remote: Path

    @property
    def header(self) -> PassHeader:
        return self.desk.vault.passes()[0]

    @property
    def folder(self) -> Path:
        return Path(self.header.paths.candidate)

    def live(self) -> dict[str, tuple[int, bytes]]:
        return {path: (file.mode, file.data) for path, file in self.desk.store.read().files.items()}


def machine(root: Path, remote: Path) -> Machine:
    store = root / "agent" / "memory"
    write(store, OLD)
    (store / OWN_LINK).symlink_to("../elsewhere.md")
    desk = desk_over(store, root / "data" / "vault")
    snapshot(desk)
    live = desk.store.read()
    result = like(live, NEW)
    header = make_pass(desk, replace(result, files={**result.files, OWN_LINK: live.files[OWN_LINK]}))
    with desk.vault.transaction(OpKind.PLAN, "plan", pass_id=header.id) as change:
        change.put_record(header.id, "plan.json", b"{}")
    return Machine(desk, remote)


@pytest.fixture
def mine(tmp_path: Path) -> Machine:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    made = machine(tmp_path / "mine", remote)
    sync(made.desk, str(remote), lambda *_: True)
    return made


def git(where: Path, *args: str, stdin: str | None = None, **env: str) -> str:
    identity = ["-c", "user.name=R", "-c", "user.email=r@example.com"]
    done = subprocess.run(
        ["git", f"--git-dir={where}", *identity, *args],
        input=stdin, capture_output=True, text=True, check=True, env={**os.environ, **env},
    )  # fmt: skip
    return done.stdout.strip()


def elsewhere(mine: Machine, path: str, mode: str, text: str, *, manifest: str = "") -> None:
    """What somebody commits on the candidate's branch of the remote: trees by hand, as hostile as they can be."""
    branch = f"refs/heads/candidate/{mine.header.id}"
    tip = git(mine.remote, "rev-parse", branch)
    entry = text if mode == GITLINK else git(mine.remote, "hash-object", "-w", "--stdin", stdin=text)
    kind = {GITLINK: "commit"}.get(mode, "blob")
    *folders, name = path.split("/")
    rows = f"{mode} {kind} {entry}\t{name}\0"
    for depth in range(len(folders), 0, -1):
        tree = git(mine.remote, "mktree", "-z", "--missing", stdin=rows)
        rows = f"040000 tree {tree}\t{folders[depth - 1]}\0"
    there = git(mine.remote, "ls-tree", "-z", tip)
    top = path.split("/")[0]
    kept = "".join(f"{row}\0" for row in there.split("\0") if row and row.partition("\t")[2] != top)
    tree = git(mine.remote, "mktree", "-z", "--missing", stdin=kept + rows)
    commit = git(mine.remote, "commit-tree", tree, "-m", "Review", "-p", tip)
    if manifest:
        blob = git(mine.remote, "hash-object", "-w", "--stdin", stdin=manifest)
        raw = git(mine.remote, "cat-file", "commit", commit).replace("\n\n", f"\nmemgit-manifest {blob}\n\n", 1) + "\n"
        commit = git(mine.remote, "hash-object", "-t", "commit", "-w", "--stdin", stdin=raw)
    git(mine.remote, "update-ref", branch, commit)


HOSTILE = {
    "the index a link": (INDEX, LINK, "/home/me/.bashrc"),
    "a memory a link": ("tests.md", LINK, "/home/me/.ssh/id_ed25519"),
    "a new link": ("new.md", LINK, "retry-budget.md"),
    "a link into the store": (INDEX, LINK, "retry-budget.md"),
    "the user's link led elsewhere": (OWN_LINK, LINK, "/etc/passwd"),
    "a program": ("new.sh", PROGRAM, "#!/bin/sh\n"),
    "a memory a program": ("retry-budget.md", PROGRAM, NEW["retry-budget.md"]),
    "a repository": ("sub", GITLINK, "1" * 40),
    "a path above": ("%2E./out.md", FILE, "Out.\n"),
    "a path from the root": ("%00/tmp/out.md", FILE, "Out.\n"),
    "a hook of git": ("%2Egit/hooks/post-checkout", FILE, "#!/bin/sh\n"),
    "the folder of git as a file": ("%2Egit", FILE, "gitdir: /tmp/x\n"),
    "a folder of another tool": (".obsidian/app.js", FILE, "x\n"),
    "a folder for the index": ("MEMORY.md/x.md", FILE, "x\n"),
}

WayIn = Callable[[Machine, Path], Done]


def by_sync(mine: Machine, _: Path) -> Done:
    sync(mine.desk, None, lambda *_: True, push=False)
    return take(mine.desk, mine.header.id)


def by_bundle(mine: Machine, place: Path) -> Done:
    branch = f"refs/heads/candidate/{mine.header.id}"
    git(mine.remote, "bundle", "create", "-q", str(place / "theirs.bundle"), branch)
    import_(mine.desk, place / "theirs.bundle")
    return take(mine.desk, mine.header.id)


@pytest.mark.parametrize("come", [by_sync, by_bundle])
@pytest.mark.parametrize("what", HOSTILE)
def test_what_another_machine_made_is_refused_by_name_and_nothing_is_taken_over(
    mine: Machine, tmp_path: Path, what: str, come: WayIn
) -> None:
    before, candidate = mine.live(), mine.header.candidate
    elsewhere(mine, *HOSTILE[what])
    with pytest.raises(WrongState, match=r"nothing was taken in") as refused:
        come(mine, tmp_path)
    path = HOSTILE[what][0].replace("%2E", ".").replace("%00", "")
    assert path.removeprefix("/") in refused.value.message
    assert mine.header.candidate == candidate
    assert not (mine.folder.parent / "out.md").exists()
    adopt(mine.desk, mine.header.id)
    assert {path: data for path, (_, data) in mine.live().items()} == {
        **{path: text.encode() for path, text in NEW.items()},
        OWN_LINK: before[OWN_LINK][1],
    }


@pytest.mark.parametrize("come", [by_sync, by_bundle])
def test_ordinary_files_come_in_and_the_user_s_own_link_stays(mine: Machine, tmp_path: Path, come: WayIn) -> None:
    link = mine.live()[OWN_LINK]
    elsewhere(mine, "team/new.md", FILE, "New.\n")
    assert "shared.md" not in come(mine, tmp_path).did
    adopt(mine.desk, mine.header.id)
    assert mine.live()["team/new.md"][1] == b"New.\n"
    assert mine.live()[OWN_LINK] == link
    undo(mine.desk)
    assert mine.live()[OWN_LINK] == link


def test_modes_and_names_that_another_machine_writes_down_beside_its_tree_are_not_believed(
    mine: Machine, tmp_path: Path
) -> None:
    rows = '{"schema": "memgit.manifest/1", "exists": true, "folders": ["../made"], "foreign": [], "special": [], '
    elsewhere(mine, "%2E./x.md", FILE, "New.\n", manifest=rows + '"files": {"../x.md": [33261, 0]}}')
    with pytest.raises(WrongState, match=r"\.\./x\.md \(a path that leaves the store\)"):
        by_sync(mine, tmp_path)
    elsewhere(mine, "team/new.md", FILE, "New.\n", manifest=rows + '"files": {"team/new.md": [35309, 0]}}')


def test_a_mode_written_down_elsewhere_makes_no_program(mine: Machine, tmp_path: Path) -> None:
    rows = '{"schema": "memgit.manifest/1", "exists": true, "folders": ["../made"], "foreign": [], "special": [], '
    elsewhere(mine, "new.md", FILE, "New.\n", manifest=rows + '"files": {"new.md": [35309, 0]}}')
    by_sync(mine, tmp_path)
    adopt(mine.desk, mine.header.id)
    assert mine.live()["new.md"][0] & 0o7111 == 0
    assert not (mine.desk.live.parent / "made").exists()


def link_in(folder: Path) -> None:
    (folder / INDEX).unlink()
    (folder / INDEX).symlink_to(folder / "retry-budget.md")


def link_to_the_same_text(folder: Path) -> None:
    (folder.parent / "same").write_bytes((folder / INDEX).read_bytes())
    (folder / INDEX).unlink()
    (folder / INDEX).symlink_to("../same")


def memory_link(folder: Path) -> None:
    (folder / "tests.md").unlink()
    (folder / "tests.md").symlink_to("/etc/passwd")


def own_link_led_elsewhere(folder: Path) -> None:
    (folder / OWN_LINK).unlink()
    (folder / OWN_LINK).symlink_to("/etc/passwd")


def program(folder: Path) -> None:
    (folder / "tests.md").chmod(0o755)


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe.md")


EDITS = [link_in, link_to_the_same_text, memory_link, own_link_led_elsewhere, program, pipe]
VERBS = [adopt, merge, discard, take]


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("verb", VERBS)
def test_what_lies_in_the_candidate_s_folder_and_is_no_ordinary_file_is_refused_by_name(
    mine: Machine, edit: Callable[[Path], None], verb: Callable[[Desk, str], object]
) -> None:
    before, candidate = mine.live(), mine.header.candidate
    edit(mine.folder)
    with pytest.raises(WrongState, match=r"holds .*; nothing was taken in"):
        verb(mine.desk, mine.header.id)
    assert mine.live() == before
    assert mine.header.candidate == candidate


def test_a_text_edited_in_the_candidate_s_folder_still_comes_in(mine: Machine) -> None:
    write(mine.folder, {"by-hand.md": "By hand.\n", "retry-budget.md": "Six tries.\n"})
    (mine.folder / "by-hand.md").chmod(0o664)
    adopt(mine.desk, mine.header.id)
    assert texts(read_folder(mine.desk.live))["by-hand.md"] == "By hand.\n"
    assert texts(read_folder(mine.desk.live))["retry-budget.md"] == "Six tries.\n"


@pytest.mark.parametrize("file", [StoreFile(INDEX, b"/home/me/.bashrc", 0o120777), StoreFile("x.sh", b"x", 0o100755)])
@pytest.mark.parametrize("verb", [adopt, merge])
def test_a_candidate_that_holds_such_a_thing_already_does_not_go_live(
    mine: Machine, file: StoreFile, verb: Callable[[Desk, str], object]
) -> None:
    desk, header, before = mine.desk, mine.header, mine.live()
    assert header.candidate is not None
    held = desk.vault.content(header.candidate)
    bad = replace(held, files=dict(sorted({**held.files, file.path: file}.items())))
    with desk.vault.transaction(OpKind.REVISION, "as an older memgit took it over", pass_id=header.id) as transaction:
        commit = transaction.put_candidate(header.id, bad, "x\n", header.candidate)
        transaction.put_header(replace(header, candidate=commit))
    files.remove_tree(mine.folder)
    if verb is merge:
        write(desk.live, {"more.md": "More.\n"})
        before = mine.live()
    with pytest.raises(WrongState, match=r"The candidate of pass .* holds"):
        verb(desk, header.id)
    assert mine.live() == before


def test_what_the_store_itself_has_goes_through_every_verb(mine: Machine, tmp_path: Path) -> None:
    (mine.desk.live / "run.sh").write_text("ls\n")
    (mine.desk.live / "run.sh").chmod(0o755)
    snapshot(mine.desk)
    merge(mine.desk, mine.header.id)
    adopt(mine.desk, mine.header.id)
    assert mine.live()["run.sh"][0] == 0o100755
    assert mine.live()[OWN_LINK][1] == b"../elsewhere.md"
    export(mine.desk, tmp_path / "mine.bundle")
    assert content(OLD).files.keys() - mine.live().keys() == {"deploys.md"}
