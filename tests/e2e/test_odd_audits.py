"""Audits and prunes of odd stores: no git, no index, hostile text, many proposals, a store that moves meanwhile."""

from __future__ import annotations

import re

import pytest

from tests.e2e.test_scenarios import tree_of

HOSTILE = {
    "nul.md": b"---\nname: nul\ndescription: a \x00 b\ntype: project\n---\n\nIn `a\x00b/c.py` is 3 (`X_LIMIT`).\n",
    "broken.md": b"---\nname: [broken\n---\n\n\xff\xfe not UTF-8 `src/x.py`\n",
    "escape.md": b"---\nname: esc\ndescription: \x1b[31mred\ntype: project\n---\n\n"
    b"Until 2020-01-01 \x1b]0;owned\x07 holds.\n",
    "ticks.md": b"---\nname: ticks\ndescription: t\ntype: project\n---\n\n"
    + b"`" * 4001
    + b" `--x` `[[a]]` `*/**/*` `$(rm -rf /)`\n",
    "long.md": b"---\nname: long\ndescription: l\ntype: project\n---\n\n" + b"x is 3 (`X_LIMIT`). " * 20_000,
    "pathy.md": b"---\nname: p\ndescription: p\ntype: project\n---\n\n`../../etc/passwd` "
    b"`/` `-S` `--output=x` `:(exclude)*` `a b.py`\n",
    "empty.md": b"",
}


@pytest.fixture
def place(world):
    """A project without git and a store of hostile files."""
    project, store = world.root / "plain", world.root / "memory"
    (project / "src").mkdir(parents=True)
    store.mkdir()
    (project / "limits.env").write_text("X_LIMIT=5\n")
    (project / "src" / "x.py").write_bytes(b"X_LIMIT = 5\n\xff\n")
    for name, data in HOSTILE.items():
        (store / name).write_bytes(data)
    return project, store


@pytest.fixture
def run(memgit, world, place):
    project, store = place
    return lambda *arguments, **more: memgit(*arguments, "--store", store, cwd=project, env=world.env, **more)


def test_hostile_text_without_git_is_audited_and_reaches_no_terminal(run, place):
    before = tree_of(place[1])
    ran = run("audit", "--json")
    assert ran.code == 0, ran.err
    assert "escape" in ran.json["classes"]
    shown = run("show").out + run("audit", "--dry").out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert tree_of(place[1]) == before


def test_hostile_text_is_pruned_without_harm(run, place):
    for name in ("one", "two"):
        text = "Rows are read in blocks of a thousand, or the loader runs out of memory."
        (place[1] / f"{name}.md").write_text(f"---\nname: {name}\ndescription: rows\ntype: project\n---\n\n{text}\n")
    before = tree_of(place[1])
    assert run("prune").code == 0
    done = run("prune", "--confirm")
    assert done.code == 0, done.err
    assert not (place[1] / "one.md").exists() or not (place[1] / "two.md").exists()
    assert all((place[1] / name).read_bytes() == data for name, data in HOSTILE.items())
    assert run("undo").code == 0
    assert tree_of(place[1]) == before


def test_more_proposals_than_fit_a_screen_are_counted_and_told_on_demand(run, place):
    for number in range(20):
        text = (
            f"---\nname: n{number}\ndescription: service {number}\ntype: project\n---\n\nS{number} has 3 (`X_LIMIT`).\n"
        )
        (place[1] / f"n{number}.md").write_text(text)
    assert re.search(r"^  and \d more$", run("audit", "--dry-run").out, re.MULTILINE)
    assert "n7" in run("audit", "-v").out


def test_an_empty_or_absent_store_has_nothing_to_audit_or_prune(memgit, world, place):
    (world.root / "nothing").mkdir()
    for store in ("nothing", "absent"):
        for verb in ("audit", "prune"):
            ran = memgit(verb, "--store", world.root / store, cwd=place[0], env=world.env)
            assert ran.code in ((2,) if store == "absent" else (0, 10)), ran.err
            assert "Traceback" not in ran.err


def test_a_store_that_changed_since_is_approved_but_not_overwritten(run, place):
    passed = run("audit", "--json").json
    (place[1] / "later.md").write_text("---\nname: later\ndescription: l\ntype: project\n---\n\nLater.\n")
    ids = [each["id"] for each in passed["decisions"] if each["standing"] == "held"]
    ran = run("approve", passed["pass"], f"approve {ids[0]}")
    assert ran.code == 0, ran.err
    assert f"memgit adopt {passed['pass']}" not in ran.out
    assert run("adopt", passed["pass"]).code == 12
    assert (place[1] / "later.md").exists()
