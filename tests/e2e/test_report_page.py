"""The page of a pass: whole and well-formed in every state, inert however hostile the store, put only where it may."""

from __future__ import annotations

import json
import re
import stat
from pathlib import Path

import pytest

from memgit.cli import run
from tests.e2e.test_host import INCIDENT, WINDOW
from tests.html_page import Reader, hash_of

HOSTILE = """---
name: "</title><script>alert('name')</script>"
description: "\\" onmouseover=\\"alert(1)\\" x=\\" </style><img src=https://evil.example/a onerror=alert(2)> \u202etxen"
metadata:
  type: project
---

</div></article></main><script>document.title = "taken"</script>
<iframe src="javascript:alert(3)"></iframe> <a href="https://evil.example/">click</a>
<!-- --> ]]> {{7*7}} ${7*7} \u202eevil\u202c \x00 \x1b[31mred\x1b[0m \ufeff
The gateway times out after 30 seconds, says `src/gateway.py`. token: ghp_abcdefghijklmnopqrstuvwxyz0123456789
"""
NAME = 'a"b<img src=x onerror=alert(4)>'


@pytest.fixture
def page(go, tmp_path):
    """``page(*arguments)`` makes the page of a pass and returns its text."""

    def made(*arguments: str) -> str:
        file = tmp_path / "pass.html"
        code, answer = go("report", *arguments, "--html", str(file))
        assert (code, answer.get("error")) == (0, None)
        assert (answer["schema"], answer["file"]) == ("memgit.report/1", str(file))
        return file.read_text(encoding="utf-8")

    return made


def sound(html: str) -> Reader:
    """The page, read back; it is well-formed, whole, and refers to nothing outside itself."""
    read = Reader(html)
    assert read.problems == []
    assert [link for link in read.links if not link.startswith("#")] == []
    assert read.tags["script"] == read.tags["style"] == 1
    style, script = hash_of(read.raw["style"]), hash_of(read.raw["script"])
    assert f"default-src 'none'; style-src {style}; script-src {script}; base-uri 'none'" in read.policy
    assert "url(" not in read.raw["style"]
    assert read.headings[0] == 1
    assert read.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in zip(read.headings, read.headings[1:], strict=False))
    return read


def test_a_pass_that_waits_shows_its_decisions_quotes_verdicts_and_what_to_run(hosted, page):
    hosted()
    html = page()
    read = sound(html)
    assert "<del>30</del><ins>15</ins> minute" in html
    assert "<mark>We moved the deploy window to 15 minutes, agreed in the review this morning</mark>" in html
    assert {"M1", "M2", "glance", "next", "changes", "verification", "timeline", "stories", "read"} <= set(read.ids)
    assert "docs/runbooks/deploy.md" in read.text
    assert "memgit review 2026-06-30.1" in read.text
    assert "memgit adopt 2026-06-30.1 --only M1" in read.text
    assert "Memories: 4 at first, 4 now; this candidate would make it 3." in read.text
    assert "20 sounds right, dashboard says 19." in read.text  # what was said before the quote, in the same message


def test_an_adopted_and_an_undone_pass_say_how_to_go_back_and_tell_the_stories(go, hosted, page):
    hosted()
    go("adopt", "2026-06-30.1")
    adopted = sound(page())
    assert "memgit undo" in adopted.text
    assert adopted.text.count("memgit adopt 2026-06-30.1") == 0
    assert re.search(r"Merged into another memory by M2 of pass 2026-06-30.1", adopted.text)
    go("undo")
    undone = sound(page())
    assert "memgit redo" in undone.text
    assert "An earlier text restored" in undone.text


def test_a_planned_a_discarded_and_a_ruled_pass_have_a_page(go, page):
    go("plan")
    assert "nothing is decided yet" in sound(page()).text
    go("discard", "2026-06-30.1")
    sound(page())
    go("curate")
    go("approve", "2026-06-30.2", "approve M1; reject M2 - not <b>now</b>")
    read = sound(page())
    assert "not <b>now</b>" in read.text
    assert "approved" in read.text


def test_an_audit_and_an_empty_prune_have_a_page(go, page):
    go("audit")
    read = sound(page())
    assert "Audit pass" in read.text
    assert "Inventory" in read.text
    go("prune")
    sound(page())


def test_a_store_that_moved_is_told_first(go, example, page):
    go("curate")
    (example.store / "retry-budget.md").write_text("another text\n")
    go("adopt", "2026-06-30.1")
    go("merge", "2026-06-30.1")
    sound(page())


def test_a_hostile_store_is_shown_and_stays_inert(go, ask, example, page):
    (example.store / f"{NAME}.md").write_text(HOSTILE)
    (example.store / "b-copy.md").write_text(HOSTILE)
    (example.store / "bytes.md").write_bytes(b"\xff\xfe\x00 not text at all </script>\n")
    with (example.store / "MEMORY.md").open("a") as index:
        index.write(f"- [x](<{NAME}.md>) — </script><script>alert(5)</script>\n")
    go("snapshot")
    for name in ("b-copy", NAME):
        (example.store / f"{name}.md").write_text(HOSTILE.replace("30 seconds", "30 seconds at most"))
    go("prune", "--confirm")
    go("audit")
    assert NAME in inert(page())
    planned = ask("plan", "--json").json["pass"]
    drop = {
        "kind": "drop", "memories": [NAME, "b-copy"], "justification": HOSTILE, "confirm": HOSTILE,
        "evidence": [{"session": INCIDENT, "quote": WINDOW}],
    }  # fmt: skip
    reply = {"schema": "memgit.decisions/1", "pass": planned, "decisions": [drop]}
    (dropped,) = ask("decide", planned, "-", "--json", stdin=json.dumps(reply)).json["decisions"]
    assert dropped["standing"] == "taken"
    shown = inert(page(planned))
    assert NAME in shown
    assert "</style><img src=https://evil.example/a onerror=alert(2)> \\u202etxen" in shown


def inert(html: str) -> str:
    """The text of a page on which nothing of a hostile store acts."""
    read = sound(html)
    assert [raw for raw in ("ghp_", "\u202e", "\x00", "\x1b", "<iframe", "<img") if raw in html] == []
    assert read.tags["iframe"] == read.tags["img"] == 0
    return read.text


def test_a_memory_of_two_megabytes_keeps_the_page_small(go, example, page):
    body = "\n".join(f"Paragraph {n} is long: {'it waits, ' * 1_000}" for n in range(200))
    (example.store / "big.md").write_text(f"---\nname: big\ndescription: Big\n---\n\n{body}\n")
    go("curate")
    html = page()
    sound(html)
    assert len(html) < 200_000


# --- where it goes ---


def test_a_page_is_its_owners_alone_and_replaces_only_a_page(go, example, tmp_path, capsys):
    go("curate")
    file = tmp_path / "pass.html"
    assert go("report", "--html", str(file))[0] == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert go("report", "--html", str(file))[0] == 0
    file.write_text("my own notes")
    code, answer = go("report", "--html", str(file))
    assert (code, answer["error"]["kind"]) == (2, "usage")
    assert file.read_text() == "my own notes"


@pytest.mark.parametrize("where", ["memory/x.html", "memory-candidate/x.html", "memory/MEMORY.md"])
def test_a_page_never_goes_into_a_store(go, example, where):
    go("curate")
    before = sorted(path.name for path in example.store.iterdir())
    code, answer = go("report", "--html", str(example.store.parent / where))
    assert code == 2
    assert "store of memories" in answer["error"]["message"] or "no page" in answer["error"]["message"]
    assert sorted(path.name for path in example.store.iterdir()) == before


@pytest.mark.parametrize("kind", ["folder", "link", "nowhere"])
def test_a_page_replaces_no_folder_no_link_and_makes_no_folders(go, tmp_path, kind):
    go("curate")
    file = tmp_path / "out" / "pass.html" if kind == "nowhere" else tmp_path / "pass.html"
    if kind == "folder":
        file.mkdir()
    elif kind == "link":
        file.symlink_to(tmp_path / "elsewhere")
    assert go("report", "--html", str(file))[0] == 2
    assert not (tmp_path / "elsewhere").exists()
    assert not (tmp_path / "out").exists()


def test_a_dash_prints_the_page_itself(go, example, capsys):
    go("curate")
    assert run(["report", "--html", "-", "--now", example.now]) == 0
    printed = capsys.readouterr().out
    assert printed.isascii()
    assert "Each memory’s story" in sound(printed).text


@pytest.mark.parametrize("further", ["--json", "--open"])
def test_a_page_that_is_printed_is_neither_json_nor_opened(go, example, further):
    go("curate")
    assert run(["report", "--html", "-", further]) == 2


def test_without_html_the_stored_report_is_printed(go, hosted, capsys):
    hosted()
    assert run(["report"]) == 0
    assert "### replace: deploy-window (M1)" in capsys.readouterr().out


def test_a_page_needs_a_pass(go, tmp_path):
    go("snapshot")
    assert go("report", "--html", str(tmp_path / "x.html"))[0] == 13


# --- in the browser, and gone again ---


def test_open_keeps_the_page_in_a_private_place_and_hands_it_to_the_browser(go, typed, world, tmp_path):
    go("curate")
    seen, browser = tmp_path / "seen", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o700)
    answer = json.loads(typed("report", "--open", "--json", BROWSER=f"{browser} %s"))
    page = Path(answer["file"])
    assert answer["opened"] is True
    assert seen.read_text().strip() == page.as_uri()
    assert page.is_relative_to(world.state_home / "pages")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700


def test_where_no_browser_starts_the_path_is_all_there_is(go, typed):
    go("curate")
    answer = json.loads(typed("report", "--open", "--json", BROWSER="/bin/false %s"))
    assert answer["opened"] is False
    assert Path(answer["file"]).is_file()


def test_a_redaction_takes_every_page_away_and_leaves_other_files(go, typed, example, world, tmp_path):
    (example.store / "codename.md").write_text("---\nname: codename\n---\n\nThe release is called Quietheron.\n")
    go("curate")
    mine, other = tmp_path / "pass.html", tmp_path / "other.html"
    go("report", "--html", str(mine))
    go("report", "--html", str(other))
    kept = Path(json.loads(typed("report", "--open", "--json", BROWSER="/bin/false %s"))["file"])
    assert "codename" in mine.read_text()
    other.write_text("Quietheron, in a file that is no page any more")
    secret = tmp_path / "secret"
    secret.write_text("Quietheron")
    code, _ = go("redact", "--match", str(secret), "--yes")
    assert code == 0
    assert not mine.exists()
    assert not kept.exists()
    assert other.exists()
    assert not any(path.is_file() for path in (world.state_home / "pages").rglob("*"))


def test_a_page_that_cannot_be_written_is_no_fault_of_memgit(go, tmp_path):
    go("curate")
    code, answer = go("report", "--html", "/proc/pass.html")
    assert (code, answer["error"]["kind"]) == (1, "failed")
    assert "/proc/pass.html cannot be written" in answer["error"]["message"]
