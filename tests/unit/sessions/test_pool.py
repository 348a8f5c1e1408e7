"""Which sessions a project has: keys, worktrees, foreign sessions, orphan stores."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memgit.errors import ToolFailed
from memgit.model.session import Provenance, RecordClass, Survey
from memgit.sessions.claude import ClaudeTranscripts
from memgit.sessions.pool import Home, Homes, LiveWorktrees, live_worktrees
from tests.unit.sessions.forge import SILENCE, Finished, assistant, key, transcripts, user, worktree_state, write


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    """An empty projects folder of the agent."""
    folder = tmp_path / "claude" / "projects"
    folder.mkdir(parents=True)
    return folder


def session(projects: Path, cwd: str, name: str, text: str = "Hello.", *, folder: str = "", minute: float = 0) -> Path:
    """A session of one message, recorded in ``cwd`` and kept under its key (or in another ``folder``)."""
    record = user(text, minute, cwd=cwd, uuid=name)
    return write(projects / (folder or key(cwd)) / f"{name}.jsonl", record)


def survey(projects: Path, project: str | Path = "/p/app", **more: Any) -> Survey:
    return transcripts(projects, **more).survey(str(project), SILENCE)


def found(survey: Survey) -> dict[str, Provenance]:
    return {one.id: one.provenance for one in survey.sessions}


# --- the project's own folder ---


def test_a_project_without_a_folder_is_unknown(projects: Path) -> None:
    session(projects, "/p/other", "x")
    assert survey(projects) == Survey(known=False)


def test_a_projects_folder_that_does_not_exist_is_unknown(tmp_path: Path) -> None:
    assert survey(tmp_path / "none") == Survey(known=False)


def test_an_empty_key_folder_is_known_history_without_sessions(projects: Path) -> None:
    (projects / "-p-app").mkdir()
    assert survey(projects) == Survey(known=True)


def test_sessions_are_newest_first_by_record_time_and_not_by_mtime(projects: Path) -> None:
    session(projects, "/p/app", "new", minute=50)
    session(projects, "/p/app", "old", minute=1)
    assert [one.id for one in survey(projects).sessions] == ["new", "old"]


def test_a_session_carries_its_figures(projects: Path) -> None:
    records = [user("Use pnpm."), assistant("I will.", 2), user([{"type": "tool_result"}], 3)]
    path = write(projects / "-p-app" / "a.jsonl", *records)
    path.write_bytes(path.read_bytes() + b"broken\n")
    (one,) = survey(projects).sessions
    assert (one.tokens, one.messages, one.broken_lines, one.cwd) == (4, 2, 1, "/p/app")
    assert one.records == {RecordClass.USER_PROSE: 1, RecordClass.ASSISTANT_PROSE: 1, RecordClass.TOOL_RESULT: 1}
    assert (str(one.started), str(one.ended)) == ("2026-11-01 09:00:00+00:00", "2026-11-01 09:03:00+00:00")


def test_the_figures_tell_how_much_a_person_typed_and_how_much_the_file_holds(projects: Path) -> None:
    typed = [user("Use pnpm.", 1), user("See:\n```\nnpm ci\n```", 2), user("A prompt.", 3, entrypoint="sdk-py")]
    write(projects / "-p-app" / "a.jsonl", *typed, assistant("I will.", 4))
    (one,) = survey(projects).sessions
    assert (one.typed, one.tokens, one.whole) == (4, 11, 11)
    assert one.records[RecordClass.PROGRAM_PROSE] == 1


def test_messages_inside_elements_that_no_client_writes_are_said(projects: Path) -> None:
    path = write(projects / "-p-app" / "a.jsonl", user("<agent_task>Use yarn.</agent_task>"), user("Hi.", 1))
    result = survey(projects)
    assert [one.messages for one in result.sessions] == [1]
    assert result.notes == (f"{path}: messages inside <agent_task>, which no known client writes, are nobody's words",)


def test_a_neighbour_whose_name_begins_the_same_is_never_mixed_in(projects: Path) -> None:
    session(projects, "/p/app", "ours")
    session(projects, "/p/app-old", "theirs")
    session(projects, "/p/application", "theirs-too")
    assert found(survey(projects)) == {"ours": Provenance.PROJECT}


def test_sub_directories_are_the_projects_own(projects: Path) -> None:
    session(projects, "/p/app/web/src", "sub")
    assert found(survey(projects)) == {"sub": Provenance.PROJECT}


def test_projects_that_share_a_key_are_told_apart_by_their_directory(projects: Path) -> None:
    session(projects, "/p/spec-rl", "dash")
    theirs = session(projects, "/p/spec/rl", "slash")
    result = survey(projects, "/p/spec-rl")
    assert found(result) == {"dash": Provenance.PROJECT}
    assert result.foreign == ((str(theirs), "/p/spec/rl"),)


def test_a_session_kept_under_a_foreign_key_is_matched_by_its_directory(projects: Path) -> None:
    session(projects, "/p/new_dir", "odd", folder="-p-new_dir-before-it-was-encoded")
    assert found(survey(projects, "/p/new_dir")) == {"odd": Provenance.MATCHED}


def test_a_directory_of_dashes_is_told_by_its_records_alone(projects: Path) -> None:
    session(projects, "/дом/код", "cyrillic")
    session(projects, "/дом/сад", "garden")
    assert found(survey(projects, "/дом/код")) == {"cyrillic": Provenance.PROJECT}


def test_windows_directories_compare_without_case_and_slash(projects: Path) -> None:
    session(projects, r"C:\git\App", "upper")
    session(projects, "c:/git/app/web", "lower")
    session(projects, r"C:\git\App-old", "old")
    assert set(found(survey(projects, r"c:\git\app"))) == {"upper", "lower"}


def test_a_repository_inside_the_project_is_another_project(projects: Path, tmp_path: Path) -> None:
    home = tmp_path / "home-under-git"
    (home / "code" / "tool" / ".git").mkdir(parents=True)
    (home / "notes").mkdir()
    session(projects, str(home / "code" / "tool"), "tool")
    session(projects, str(home / "notes"), "notes")
    assert found(survey(projects, home)) == {"notes": Provenance.PROJECT}


# --- what is no session ---


def test_only_top_level_files_of_sessions_are_sessions(projects: Path) -> None:
    folder = session(projects, "/p/app", "main").parent
    for beside in (
        "agent-a1.jsonl",
        "main/subagents/agent-a2.jsonl",
        "main/subagents/deep/agent-a3.jsonl",
        "main/workflows/run/journal.jsonl",
        "main/tool-results/x.jsonl",
        "notes.txt",
    ):
        write(folder / beside, user("Count the files."))
    assert list(found(survey(projects))) == ["main"]


def test_another_programs_log_is_passed_over_and_said(projects: Path) -> None:
    log = projects / "-p-app" / "openai.jsonl"
    write(log, {"role": "user", "content": "hi"})
    result = survey(projects)
    assert result.sessions == ()
    assert result.notes == (f"{log} is no transcript of the agent; it was passed over",)


def test_an_empty_transcript_is_a_session_without_prose_dated_by_its_file(projects: Path) -> None:
    write(projects / "-p-app" / "empty.jsonl")
    (one,) = survey(projects).sessions
    assert (one.id, one.tokens, one.started) == ("empty", 0, None)
    assert one.ended is not None


def test_a_link_is_followed_inside_the_projects_folder_only(projects: Path, tmp_path: Path) -> None:
    session(projects, "/p/app", "real")
    outside = write(tmp_path / "elsewhere.jsonl", user("Secret.", uuid="x"))
    link = projects / "-p-app" / "out.jsonl"
    link.symlink_to(outside)
    (projects / "-p-app" / "again.jsonl").symlink_to(projects / "-p-app" / "real.jsonl")
    (projects / "-p-app" / "loop.jsonl").symlink_to("loop.jsonl")
    (projects / "-p-app" / "gone.jsonl").symlink_to(projects / "nothing.jsonl")
    result = survey(projects)
    assert list(found(result)) == ["real"]
    assert result.notes == (f"{link} is a link that leads out of the projects folder; it was not read",)


def test_a_folder_named_like_a_transcript_is_none(projects: Path) -> None:
    (projects / "-p-app" / "folder.jsonl").mkdir(parents=True)
    assert survey(projects).sessions == ()


# --- forks ---


def test_records_copied_by_a_fork_count_for_the_older_session_alone(projects: Path) -> None:
    shared = [user("One.", 1, uuid="u1"), assistant("Two.", 2, uuid="u2")]
    folder = projects / "-p-app"
    write(folder / "b-original.jsonl", *shared)
    write(folder / "a-fork.jsonl", *shared, user("Three.", 5, uuid="u3"))
    reader = transcripts(projects)
    result = reader.survey("/p/app", SILENCE)
    said = {one.id: [message.text for message in reader.messages(one)] for one in result.sessions}
    assert said == {"b-original": ["One.", "Two."], "a-fork": ["Three."]}
    assert [(one.id, one.messages, one.tokens) for one in result.sessions] == [("a-fork", 1, 2), ("b-original", 2, 2)]
    assert result.sessions[0].records == {RecordClass.USER_PROSE: 1, RecordClass.COPY: 2}


def test_records_that_a_tool_copied_under_new_ids_count_for_the_older_session_alone(projects: Path) -> None:
    folder = projects / "-p-app"
    write(folder / "a.jsonl", user("One.", 1, uuid="u1"), user("Two.", 2, uuid="u2"))
    write(folder / "b.jsonl", user("One.", 1, uuid="v1"), user("Three.", 5, uuid="v2"))
    assert {one.id: (one.messages, one.whole) for one in survey(projects).sessions} == {"a": (2, 2), "b": (1, 3)}


def test_a_copied_session_in_which_somebody_went_back_is_marked_in_the_copy(projects: Path) -> None:
    begun = [user("One.", 1, uuid="u1", parentUuid=None), assistant("Two.", 2, uuid="u2", parentUuid="u1")]
    folder = projects / "-p-app"
    write(folder / "a.jsonl", *begun)
    turns = [user("Rule.", 3, uuid="u3", parentUuid="u2"), user("Other.", 4, uuid="u4", parentUuid="u2")]
    write(folder / "b.jsonl", *begun, *turns)
    reader = transcripts(projects)
    told = {one.id: reader.messages(one) for one in reader.survey("/p/app", SILENCE).sessions}
    assert [(each.text, each.taken_back) for each in told["b"]] == [("Rule.", True), ("Other.", False)]


# --- worktrees ---


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "code" / "app"
    root.mkdir(parents=True)
    for argv in (
        ["git", "init", "-q", "-b", "main"],
        ["git", "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "--allow-empty", "-m", "x"],
        ["git", "worktree", "add", "-q", "-b", "side", "../app side\nline"],
    ):
        subprocess.run(argv, cwd=root, check=True)
    return root


def test_three_sources_lead_to_worktrees_and_the_first_one_names_them(projects: Path, repository: Path) -> None:
    side = str(repository.parent / "app side\nline")
    write(
        projects / key(str(repository)) / "main.jsonl",
        user("Hi.", cwd=str(repository), uuid="m"),
        worktree_state(str(repository), "/tmp/recorded"),
        worktree_state(str(repository), side),
        worktree_state("/p/another", "/tmp/not-ours"),
    )
    session(projects, side, "live")
    session(projects, "/tmp/recorded", "recorded")
    write(
        projects / key("/tmp/matched") / "matched.jsonl",
        worktree_state(str(repository), "/tmp/matched"),
        user("Hi.", cwd="/tmp/matched", uuid="x"),
    )
    session(projects, "/tmp/matched", "matched-too")
    session(projects, "/tmp/not-ours", "not-ours")
    result = survey(projects, repository)
    assert found(result) == {
        "main": Provenance.PROJECT,
        "live": Provenance.LIVE,
        "recorded": Provenance.RECORDED,
        "matched": Provenance.MATCHED,
        "matched-too": Provenance.MATCHED,
    }
    assert [(worktree.path, worktree.provenance) for worktree in result.worktrees] == [
        (side, Provenance.LIVE),
        ("/tmp/recorded", Provenance.RECORDED),
        ("/tmp/matched", Provenance.MATCHED),
    ]


def test_from_a_linked_worktree_the_main_checkout_is_a_live_one_and_its_store_no_orphan(
    projects: Path, repository: Path
) -> None:
    side = repository.parent / "app side\nline"
    session(projects, str(repository), "main")
    session(projects, str(side), "side")
    for folder in (key(str(repository)), key(str(side))):
        (projects / folder / "memory").mkdir()
        (projects / folder / "memory" / "a.md").write_text("x")
    result = survey(projects, side)
    assert found(result) == {"main": Provenance.LIVE, "side": Provenance.PROJECT}
    assert [(Path(one.path).parent.name, one.memories) for one in result.orphans] == [(key(str(side)), 1)]


def test_a_worktree_record_in_the_middle_of_a_long_transcript_is_found(projects: Path) -> None:
    filler = user([{"type": "tool_result", "content": "x" * 100_000}], cwd="/p/app")
    write(projects / "-p-app" / "a.jsonl", *[filler] * 20, worktree_state("/p/app", "/tmp/wt"), *[filler] * 20)
    session(projects, "/tmp/wt", "w")
    assert found(survey(projects))["w"] is Provenance.RECORDED


def test_a_deleted_worktree_of_the_clients_own_folder_is_matched_without_any_record(projects: Path) -> None:
    session(projects, "/p/app/.claude/worktrees/feat.one/src", "w")
    result = survey(projects)
    assert found(result) == {"w": Provenance.MATCHED}
    assert [worktree.path for worktree in result.worktrees] == ["/p/app/.claude/worktrees/feat.one"]


def _answering(answers: Mapping[bool, Finished]):
    def run(argv: list[str], *, cwd: str, timeout: float = 30) -> Finished:
        return answers["-z" in argv]

    return run


def test_an_old_git_without_z_is_asked_again() -> None:
    old = _answering(
        {True: Finished(129, b""), False: Finished(0, b"worktree /p/app\nHEAD 1\n\nworktree /p/b\nHEAD 1\n\n")}
    )
    assert live_worktrees(old, "/p/app") == LiveWorktrees("/p/app", ("/p/app", "/p/b"))


def test_a_bare_repository_is_the_main_place_but_no_checkout() -> None:
    bare = _answering({True: Finished(0, b"worktree /p/.bare\0bare\0\0worktree /p/b\0HEAD 1\0\0")})
    assert live_worktrees(bare, "/p/b") == LiveWorktrees("/p/.bare", ("/p/b",))


def test_without_git_there_are_no_live_worktrees(projects: Path) -> None:
    def run(argv: list[str], **more: Any) -> Finished:
        raise ToolFailed("git is not installed")

    session(projects, "/p/app", "a")
    reader = ClaudeTranscripts(str(projects), key=key, git=run)
    assert found(reader.survey("/p/app", SILENCE)) == {"a": Provenance.PROJECT}


def test_the_deepest_home_owns_a_directory_and_the_first_source_names_it() -> None:
    homes = Homes([Home("/p", Provenance.PROJECT), Home("/p/wt", Provenance.LIVE), Home("/p/wt/", Provenance.MATCHED)])
    assert homes.owner("/p/wt/src") == Home("/p/wt", Provenance.LIVE)
    assert homes.owner("/p/src") == Home("/p", Provenance.PROJECT)
    assert homes.owner("/q") is None


# --- orphan stores ---


def store(projects: Path, folder: str, *names: str) -> str:
    for name in names:
        path = projects / folder / "memory" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("fact")
    return str(projects / folder / "memory")


def test_stores_of_worktrees_that_are_gone_are_reported_with_sessions_and_without(projects: Path) -> None:
    session(projects, "/p/app/.claude/worktrees/gone", "w")
    paths = [store(projects, f"-p-app--claude-worktrees-{name}", "a.md") for name in ("gone", "silent")]
    store(projects, "-p-app-claude", "other.md")
    store(projects, "-p-app--claude", "other.md")
    assert [orphan.path for orphan in survey(projects).orphans] == paths


def test_a_worktrees_own_store_is_reported_with_its_memories(projects: Path) -> None:
    write(projects / "-p-app" / "a.jsonl", user("Hi."), worktree_state("/p/app", "/tmp/wt"))
    path = store(projects, "-tmp-wt", "MEMORY.md", "a.md", "team/b.md")
    store(projects, "-p-app", "MEMORY.md", "own.md")
    (orphan,) = survey(projects).orphans
    assert (orphan.path, orphan.memories) == (path, 2)
    assert orphan.why == "store of the worktree /tmp/wt (recorded-worktree)"


@pytest.mark.parametrize(
    ("project", "twin"),
    [
        ("/u/code/new_dir", "-u-code-new_dir"),
        (r"C:\git\app", "c--git-app"),
        ("/u/" + "long" * 60, key("/u/" + "long" * 60)[:200] + "-1x2y3z"),
    ],
)
def test_a_twin_key_with_a_store_is_an_orphan(projects: Path, project: str, twin: str) -> None:
    path = store(projects, twin, "a.md")
    assert [(one.path, one.memories) for one in survey(projects, project).orphans] == [(path, 1)]


def test_a_directory_that_differs_by_case_is_no_twin_where_case_counts(projects: Path) -> None:
    store(projects, "-p-App", "a.md")
    assert survey(projects).orphans == ()


def test_an_empty_store_and_the_store_in_use_are_no_orphans(projects: Path) -> None:
    write(projects / "-p-app" / "a.jsonl", user("Hi."), worktree_state("/p/app", "/tmp/wt"))
    in_use = store(projects, "-tmp-wt", "a.md")
    store(projects, "-p-a_pp", ".consolidate-lock")
    assert survey(projects, stores=[in_use]).orphans == ()


def test_nothing_is_written_under_the_projects_folder(projects: Path, tmp_path: Path) -> None:
    session(projects, "/p/app", "a")
    before = sorted(path for path in projects.rglob("*"))
    transcripts(projects, tmp_path / "cache").survey("/p/app", SILENCE)
    assert sorted(path for path in projects.rglob("*")) == before


def test_a_transcript_that_may_not_be_read_is_said_and_costs_no_other(
    projects: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session(projects, "/p/app", "fine")
    locked = session(projects, "/p/app", "locked")
    opened = Path.open

    def guarded(self: Path, *args: Any, **more: Any) -> Any:
        if self == locked:
            raise PermissionError(13, "Permission denied")
        return opened(self, *args, **more)

    monkeypatch.setattr(Path, "open", guarded)
    result = survey(projects)
    assert list(found(result)) == ["fine"]
    assert result.notes == (f"{locked} could not be read: Permission denied",)
