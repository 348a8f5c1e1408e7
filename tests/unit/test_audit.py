"""What an audit makes of planted cases: for each rule one that it must find, and a near miss to leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.core.report.looks import contradictions, remarks
from memgit.memory.memory import memories
from memgit.model.decision import Kind, Standing
from tests.audit_world import audit, commit, memory, store


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "project"


# --- paths ---


def test_a_moved_path_is_stale_and_the_new_one_is_proposed_never_deletion(root):
    commit(root, {"docs/deploy.md": "# Deploy\n\nSteps one to nine.\n", "a.py": "x = 1\n"}, "Begin", "2026-01-05")
    commit(root, {"docs/deploy.md": None, "ops/deploy.md": "# Deploy\n\nSteps one to nine.\n"}, "Move it", "2026-04-02")
    seen = audit(root, store(memory("where", "The deploy steps are in `docs/deploy.md`. Read them first.")))
    assert seen.kind("where") == "stale"
    assert "ops/deploy.md" in seen.evidence("where")
    assert "(2026-04-02, Move it)" in seen.evidence("where")
    assert seen.on("where").kind is Kind.UPDATE
    assert "are in `ops/deploy.md`. Read" in seen.text("where")


def test_a_path_that_moved_twice_is_followed_to_where_it_is_now(root):
    text = "# Deploy\n\nSteps one to nine.\n"
    commit(root, {"a/deploy.md": text}, "Begin", "2026-01-05")
    commit(root, {"a/deploy.md": None, "b/deploy.md": text}, "Move it", "2026-04-02")
    commit(root, {"b/deploy.md": None, "c/deploy.md": text}, "Move it again", "2026-05-02")
    seen = audit(root, store(memory("where", "The steps are in `a/deploy.md`.")))
    assert "`c/deploy.md`" in seen.text("where")


def test_a_memory_that_itself_says_so_is_not_stale(root):
    commit(root, {"src/old.py": "x = 1\ny = 2\n", "src/new.py": "z = 3\n"}, "Begin", "2026-01-05")
    commit(root, {"src/old.py": None}, "Drop the old one", "2026-04-02")
    seen = audit(root, store(memory("history", "`src/old.py` was removed; `src/new.py` does its work.")))
    assert seen.kind("history") != "stale"
    assert seen.on("history") is None


def test_a_memory_of_a_deleted_file_is_stale_and_flagged_and_nothing_is_dropped_for_it(root):
    commit(root, {"src/legacy.py": "x = 1\n", "src/app.py": "z = 3\n"}, "Begin", "2026-01-05")
    commit(root, {"src/legacy.py": None}, "Remove legacy auth", "2026-04-02")
    seen = audit(
        root,
        store(
            memory("legacy", "The token check lives in `src/legacy.py`."),
            memory("both", "Sessions start in `src/app.py` and are renewed by `src/legacy.py`."),
        ),
    )
    assert (seen.kind("legacy"), seen.kind("both")) == ("stale", "stale")
    assert (seen.on("legacy"), seen.on("both")) == (None, None)
    assert "What is true now has to be told by somebody" in seen.findings["both"].flag


def test_a_path_that_never_was_says_nothing(root):
    commit(root, {"src/app.py": "z = 3\n"}, "Begin")
    seen = audit(root, store(memory("elsewhere", "On the host it is `conf/site/nginx.conf`.")))
    assert seen.kind("elsewhere") == "unverifiable"
    assert seen.on("elsewhere") is None


def test_the_only_file_with_all_words_of_a_path_is_proposed(root):
    commit(root, {"docs/guides/release-checklist.md": "# Release\n", "src/app.py": "z\n"}, "Begin")
    seen = audit(root, store(memory("list", "Follow `docs/releases/checklist.md` line by line.")))
    assert seen.kind("list") == "stale"
    assert "`docs/guides/release-checklist.md`" in seen.text("list")


def test_of_two_files_with_the_words_of_a_path_none_is_guessed(root):
    commit(root, {"a/release-checklist.md": "# A\n", "b/release-checklist.md": "# B\n"}, "Begin")
    seen = audit(root, store(memory("list", "Follow `docs/releases/checklist.md` line by line.")))
    assert seen.kind("list") == "unverifiable"


# --- names, flags, scripts ---


def test_a_script_that_a_commit_took_out_is_stale(root):
    commit(root, {"package.json": '{"scripts": {"seed:all": "x", "test": "y"}}\n'}, "Begin", "2026-01-05")
    commit(root, {"package.json": '{"scripts": {"test": "y"}}\n'}, "Drop the seeder", "2026-04-02")
    seen = audit(root, store(memory("seed", "Run `npm run seed:all` before the tests.")))
    assert seen.kind("seed") == "stale"
    assert "taken out in" in seen.evidence("seed")


def test_a_name_that_went_before_the_memory_was_written_is_told_as_history(root):
    commit(root, {"app.py": "def frobnicate_all(): pass\n"}, "Begin", "2025-01-05")
    commit(root, {"app.py": "def other(): pass\n"}, "Rename", "2025-04-02")
    seen = audit(root, store(memory("name", "Callers of `frobnicate_all` expect a list.")))
    assert seen.kind("name") == "unverifiable"


# --- amounts ---

ENV = "PORT=8080\nRETRY_BUDGET=5\nWINDOW_MINUTES=15\n"


def test_a_number_that_code_gives_otherwise_is_asked_about_in_its_one_place(root):
    commit(root, {"config/app.env": ENV}, "Five retries", "2026-04-02")
    body = (
        "A request has 3 retries (`RETRY_BUDGET`).\n\n**Why:** with 3 retries the March outage ended.\n\n"
        "**How to apply:** plan for 3 retries."
    )
    seen = audit(root, store(memory("budget", body, description="A request has 3 retries")))
    assert seen.kind("budget") == "stale"
    assert "config/app.env:2 has `RETRY_BUDGET=5`, since" in seen.evidence("budget")
    assert "(2026-04-02, Five retries)" in seen.evidence("budget")
    assert seen.on("budget").standing is Standing.HELD
    assert seen.text("budget").count("5 retries") == 1
    assert "**Why:** with 3 retries the March outage ended." in seen.text("budget")


@pytest.mark.parametrize(
    "body",
    [
        "Each request has three retries (`RETRY_BUDGET`).",
        "The cap is 3 retries. It is `RETRY_BUDGET` in `config/app.env`.",
        "The window is 30 minutes (`WINDOW_MINUTES`).",
    ],
)
def test_amounts_are_found_however_they_are_told(root, body):
    commit(root, {"config/app.env": ENV}, "Begin")
    assert audit(root, store(memory("figure", body))).kind("figure") == "stale"


@pytest.mark.parametrize(
    "body",
    [
        "Each request has five retries (`RETRY_BUDGET`).",
        "The window is a quarter of an hour, 900 seconds (`WINDOW_MINUTES`).",
        "`RETRY_BUDGET` was 3 until May.",
        "We raised `RETRY_BUDGET` from 3 after the outage.",
        "`RETRY_BUDGET` bounds retries. Kettle had 3 of them in 2 services, 7 teams asked.",
        "`PORT` must be free; 3 people were bitten by 2 stray servers.",
        "`WINDOW_MINUTES` is read by 3 jobs.",
    ],
)
def test_amounts_of_other_things_and_of_the_past_are_no_contradiction(root, body):
    commit(root, {"config/app.env": ENV}, "Begin")
    assert audit(root, store(memory("figure", body))).kind("figure") != "stale"


def test_what_the_code_itself_gives_two_ways_is_left_open(root):
    commit(root, {"a.env": "LIMIT_KB=4\n", "b.env": "LIMIT_KB=5\n"}, "Begin")
    assert audit(root, store(memory("limit", "The limit is 3 (`LIMIT_KB`)."))).kind("limit") != "stale"


def test_tests_and_documents_define_nothing(root):
    commit(root, {"tests/test_a.py": "RETRY_BUDGET = 9\n", "docs/x.md": "RETRY_BUDGET = 8\n"}, "Begin")
    assert audit(root, store(memory("b", "Each request has 3 retries (`RETRY_BUDGET`)."))).kind("b") != "stale"


def test_an_environment_is_held_against_its_own_file(root):
    commit(root, {"envs/production.yaml": "keepDays: 30\n", "envs/staging.yaml": "keepDays: 3\n"}, "Begin")
    seen = audit(
        root,
        store(
            memory("live-logs", "Production logs are kept for 14 days (`keepDays`)."),
            memory("stage-logs", "Staging logs are kept for 3 days (`keepDays`)."),
        ),
    )
    assert seen.kind("live-logs") == "stale"
    assert "30 days" in seen.text("live-logs")
    assert seen.kind("stage-logs") == "current"


# --- states, dates, trivia ---


# --- documents ---

OTHER = memory("other", "Ask before anything is deleted in the bucket.")
RULE = "Never edit `gen/schema.ts` by hand: change `openapi.json` and run `make codegen`, or the next run undoes it."


def test_what_a_document_says_by_now_is_absorbed_and_cited_by_line(root):
    files = {"CONTRIBUTING.md": f"# Contributing\n\n{RULE}\n", "gen/schema.ts": "x\n", "openapi.json": "{}\n"}
    commit(root, {**files, "Makefile": "codegen:\n\ttrue\n"}, "Begin")
    body = "Never edit `gen/schema.ts` by hand; change `openapi.json`, then run `make codegen`: the next run undoes it."
    seen = audit(
        root, store(memory("generated", body, description="The schema is generated, never edited by hand"), OTHER)
    )
    assert seen.kind("generated") == "absorbed"
    assert "CONTRIBUTING.md:3" in seen.evidence("generated")
    assert seen.on("generated") is None  # what a document takes over is told, and nobody is asked to drop it


@pytest.mark.parametrize(
    "document",
    [
        "Edit `gen/schema.ts` by hand whenever needed, then run `make codegen` for `openapi.json`.",
        "The API client is in gen. It has a schema. Do not edit generated code by hand.",
    ],
)
def test_a_document_that_denies_it_or_only_shares_the_subject_absorbs_nothing(root, document):
    files = {"CONTRIBUTING.md": f"# Contributing\n\n{document}\n", "gen/schema.ts": "x\n", "openapi.json": "{}\n"}
    commit(root, {**files, "Makefile": "codegen:\n\ttrue\n"}, "Begin")
    body = "Never edit `gen/schema.ts` by hand. Change `openapi.json`, then run `make codegen`."
    assert audit(root, store(memory("generated", body))).kind("generated") != "absorbed"


def test_a_document_with_another_number_absorbs_nothing(root):
    commit(
        root,
        {"docs/limits.md": "# Limits\n\nUploads are cut off at 20 MB, larger files go through the bucket.\n"},
        "Begin",
    )
    body = "Uploads are cut off at 10 MB, larger files go through the bucket."
    assert (
        audit(root, store(memory("uploads", body, description="Uploads over 10 MB are cut off"))).kind("uploads")
        != "absorbed"
    )


def test_a_rule_of_the_users_gives_way_only_to_instructions_that_state_the_same_rule(root):
    rule = "Run the whole verify script before every push, also for a change of one line."
    tip = "Use named exports in our own modules everywhere."
    commit(
        root,
        {
            "CLAUDE.md": f"# Rules\n\n{rule}\n",
            "docs/tips.md": f"# Tips\n\n{tip}\n",
        },
        "Begin",
    )
    seen = audit(
        root,
        store(
            memory("verify", rule, type_="feedback", description="Run the whole verify script before every push"),
            memory(
                "exports",
                "Use named exports in our own modules everywhere.",
                type_="feedback",
                description="Use named exports in our own modules",
            ),
        ),
    )
    assert seen.kind("verify") == "absorbed"
    assert seen.on("exports") is None


# --- a person's own words, and contradictions ---


def test_memories_of_a_person_are_flagged_and_never_changed_because_of_code(root):
    commit(root, {"config/app.env": ENV}, "Begin")
    seen = audit(
        root, store(memory("wish", "The user wants 3 retries and no more (`RETRY_BUDGET`).", type_="feedback"))
    )
    assert seen.kind("wish") == "stale"
    assert seen.on("wish") is None
    assert "the user's own word" in seen.findings["wish"].flag


def test_contradictions_between_wishes_are_told_with_both_sides_and_days():
    content = store(
        memory("tabs", "Indent with tabs in the files of the project.", type_="feedback"),
        memory("spaces", "Never indent with tabs in the files of the project.", type_="feedback"),
        memory("short", "Keep answers short.", type_="feedback"),
    )
    known = {each.id: each for each in memories(content)}
    (told,) = contradictions(known, [("tabs", "spaces", 0.9), ("tabs", "short", 0.1)])
    assert told.startswith("`tabs` (2026-03-01) against `spaces` (2026-03-01): ")
    assert told.endswith("Which of them holds is for you to say.")


def test_siblings_for_two_environments_contradict_nothing():
    content = store(
        memory("a", "Wait 15 minutes for a deploy to production.", type_="feedback"),
        memory("b", "Wait 5 minutes for a deploy to staging.", type_="feedback"),
    )
    assert list(contradictions({each.id: each for each in memories(content)}, [("a", "b", 0.9)])) == []


# --- the index, duplicates, the report ---


def test_an_index_that_came_apart_is_a_proposal_of_its_own(root):
    commit(root, {"a.py": "x\n"}, "Begin")
    content = store(memory("kept", "Always squash."))
    index = b"# Memory\n\n- [Gone](gone.md) \xe2\x80\x94 it\n"
    files = {**content.files, "MEMORY.md": type(content.files["kept.md"])("MEMORY.md", index)}
    seen = audit(root, type(content)(files))
    (repair,) = [each for each in seen.decisions if each.kind is Kind.REPAIR]
    assert "line 3 points to gone.md, which is not there; kept is not listed" in repair.justification
    assert b"[Kept](kept.md)" in repair.writes["MEMORY.md"]
    assert [each for each in audit(root, content).decisions if each.kind is Kind.REPAIR] == []


def test_the_better_named_file_survives_a_duplicate(root):
    commit(root, {"a.py": "x\n"}, "Begin")
    body = "Every migration is reviewed by the data group before it is merged into the main branch."
    content = store(
        memory("note-2", f"*{body}*", description="Migrations are reviewed by the data group"),
        memory("migrations-reviewed-by-data-group", body, description="Migrations are reviewed by the data group"),
    )
    seen = audit(root, content)
    assert seen.kind("note-2") == seen.kind("migrations-reviewed-by-data-group") == "duplicate"
    merge = seen.on("note-2")
    assert merge.results == ("migrations-reviewed-by-data-group",)


def test_what_differs_in_a_word_is_no_duplicate(root):
    commit(root, {"a.py": "x\n"}, "Begin")
    content = store(memory("a", "Squash before a merge."), memory("b", "Never squash before a merge."))
    seen = audit(root, content)
    assert "duplicate" not in (seen.kind("a"), seen.kind("b"))


def test_the_report_counts_health_and_names_rot_that_recurs(root):
    commit(root, {"config/app.env": ENV}, "Begin")
    content = store(*(memory(f"m{n}", f"Service {n} has 3 retries (`RETRY_BUDGET`).") for n in "abcd"))
    seen = audit(root, content)
    told = {each.title: each.lines for each in remarks(tuple(seen.findings.values()), content, ())}
    assert told["Inventory"][0] == "4 memories: 4 stale. Health: 0 of 100."
    assert told["Recurring rot"][0].startswith("Recurring: 4 stale memories")


def test_every_update_keeps_slug_type_and_all_that_its_evidence_does_not_touch(root):
    commit(root, {"config/app.env": ENV}, "Begin")
    body = "A request has 3 retries (`RETRY_BUDGET`). Mira decided it.\n\n**Why:** see [[other]]."
    extra = "metadata:\n  originSessionId: 7f2a9c14\n"
    seen = audit(root, store(memory("budget", body, extra=extra), memory("other", "Ask first.")))
    assert seen.text("budget") == (
        "---\nname: budget\ndescription: About budget\ntype: project\nmetadata:\n  originSessionId: 7f2a9c14\n---\n\n"
        "A request has 5 retries (`RETRY_BUDGET`). Mira decided it.\n\n**Why:** see [[other]].\n"
    )
