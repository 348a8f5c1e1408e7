"""The cache saves reading and never changes an answer; broken, foreign, locked or absent it costs nothing else."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memgit.model.session import Message, Survey
from memgit.sessions import cache as cache_module
from memgit.sessions import cache as learning
from memgit.sessions.cache import FILE_NAME, open_cache
from memgit.sessions.pool import Stamp, TranscriptFile
from tests.unit.sessions.forge import SILENCE, assistant, enqueue, lines, queue, transcripts, user, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A projects folder whose project ``/p/app`` has two sessions."""
    projects = tmp_path / "projects"
    write(projects / "-p-app" / "a.jsonl", user("Use pnpm.", 1, uuid="u1"), assistant("I will.", 2, uuid="u2"))
    write(projects / "-p-app" / "b.jsonl", user("Use tabs.", 3, uuid="u3"))
    return projects


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the transcripts opened since, in order."""
    names: list[str] = []
    original = Path.open

    def noted(self: Path, *args: Any, **more: Any) -> Any:
        if self.suffix == ".jsonl":
            names.append(self.name)
        return original(self, *args, **more)

    monkeypatch.setattr(Path, "open", noted)
    return names


def ask(projects: Path, cache: Path | None) -> tuple[Survey, dict[str, tuple[Message, ...]]]:
    reader = transcripts(projects, cache)
    survey = reader.survey("/p/app", SILENCE)
    return survey, {session.id: reader.messages(session) for session in survey.sessions}


def append(path: Path, *records: dict[str, Any]) -> None:
    path.write_bytes(path.read_bytes() + lines(records))


def test_an_unchanged_transcript_is_not_opened_again(folder: Path, tmp_path: Path, opened: list[str]) -> None:
    first = ask(folder, tmp_path / "cache")
    assert set(opened) == {"a.jsonl", "b.jsonl"}
    opened.clear()
    assert ask(folder, tmp_path / "cache") == first
    assert opened == []


def test_a_grown_transcript_is_read_from_where_it_ended(
    folder: Path, tmp_path: Path, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(folder, tmp_path / "cache")
    opened.clear()
    path = folder / "-p-app" / "a.jsonl"
    size = path.stat().st_size
    append(path, user("No, yarn.", 9, uuid="u9"))
    offsets: list[int] = []
    monkeypatch.setattr("memgit.sessions.cache.read_on", _noting(offsets))
    assert ask(folder, tmp_path / "cache") == ask(folder, None)
    assert "b.jsonl" not in opened[:2]
    assert offsets[0] == size


def test_what_is_taken_back_later_is_marked_in_what_was_read_before(folder: Path, tmp_path: Path) -> None:
    path = write(
        folder / "-p-app" / "c.jsonl",
        user("First.", 1, uuid="p1", parentUuid=None),
        user("Rule.", 2, uuid="p2", parentUuid="p1"),
    )
    ask(folder, tmp_path / "cache")
    append(path, user("Other.", 3, uuid="p3", parentUuid="p1"))
    found = ask(folder, tmp_path / "cache")
    assert [(each.text, each.taken_back) for each in found[1]["c"]] == [
        ("First.", False),
        ("Rule.", True),
        ("Other.", False),
    ]
    assert found == ask(folder, None)


def _noting(offsets: list[int]):
    from memgit.sessions.reader import read_on

    def noted(file, before, how):
        offsets.append(before.offset)
        return read_on(file, before, how)

    return noted


def test_a_message_queued_before_and_sent_after_the_first_reading_counts_once(folder: Path, tmp_path: Path) -> None:
    path = write(folder / "-p-app" / "q.jsonl", enqueue("Stop.", 1))
    assert [message.text for message in ask(folder, tmp_path / "cache")[1]["q"]] == ["Stop."]
    append(path, queue("dequeue", 2), user("Stop.", 3, uuid="u"))
    assert [message.record for message in ask(folder, tmp_path / "cache")[1]["q"]] == ["u"]
    assert ask(folder, tmp_path / "cache") == ask(folder, None)


def test_a_line_half_written_at_the_first_reading_is_whole_at_the_second(folder: Path, tmp_path: Path) -> None:
    path = folder / "-p-app" / "a.jsonl"
    whole = path.read_bytes() + lines([user("Half and whole.", 9, uuid="u9")])
    path.write_bytes(whole[:-40])
    survey, _ = ask(folder, tmp_path / "cache")
    assert {session.id: session.broken_lines for session in survey.sessions} == {"a": 1, "b": 0}
    path.write_bytes(whole)
    survey, said = ask(folder, tmp_path / "cache")
    assert said["a"][-1].text == "Half and whole."
    assert {session.id: session.broken_lines for session in survey.sessions} == {"a": 0, "b": 0}


def _shorter(path: Path) -> None:
    write(path, user("Short.", 1, uuid="u7"))


def _longer_and_other(path: Path) -> None:
    write(path, *[user(f"Other {number}.", number, uuid=f"o{number}") for number in range(9)])


def _same_size(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"pnpm", b"yarn"))
    os.utime(path, ns=(1, 1))


def _same_size_and_time(path: Path) -> None:
    status = path.stat()
    path.write_bytes(path.read_bytes().replace(b"pnpm", b"yarn"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _replaced(path: Path) -> None:
    other = write(path.with_suffix(".new"), user("New file.", 1, uuid="n1"), *[user("x" * 400, 2)] * 3)
    other.replace(path)


@pytest.mark.parametrize("change", [_shorter, _longer_and_other, _same_size, _same_size_and_time, _replaced])
def test_a_rewritten_transcript_is_read_anew(folder: Path, tmp_path: Path, change: Any) -> None:
    ask(folder, tmp_path / "cache")
    change(folder / "-p-app" / "a.jsonl")
    assert ask(folder, tmp_path / "cache") == ask(folder, None)


def test_what_another_process_reads_meanwhile_is_kept_once(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(folder, tmp_path / "cache")
    append(folder / "-p-app" / "a.jsonl", user("No, yarn.", 9))
    reader = transcripts(folder, tmp_path / "cache")
    earlier = reader._cache.entries

    def after_another(path: str) -> Any:
        """What is asked for after looking up what is known, and before what is new is kept."""
        monkeypatch.setattr(reader._cache, "entries", earlier)
        ask(folder, tmp_path / "cache")
        return earlier(path)

    monkeypatch.setattr(reader._cache, "entries", after_another)
    assert reader.survey("/p/app", SILENCE) == ask(folder, None)[0]
    assert ask(folder, tmp_path / "cache") == ask(folder, None)


def test_a_fork_is_seen_from_the_cache_alone(folder: Path, tmp_path: Path, opened: list[str]) -> None:
    write(folder / "-p-app" / "fork.jsonl", user("Use pnpm.", 1, uuid="u1"), user("Go on.", 8, uuid="u8"))
    first = ask(folder, tmp_path / "cache")
    opened.clear()
    assert ask(folder, tmp_path / "cache") == first
    assert [message.text for message in first[1]["fork"]] == ["Go on."]
    assert opened == []


def test_prose_of_a_transcript_deleted_after_the_survey_is_still_there(folder: Path, tmp_path: Path) -> None:
    reader = transcripts(folder, tmp_path / "cache")
    survey = reader.survey("/p/app", SILENCE)
    for session in survey.sessions:
        Path(session.path).unlink()
    assert {message.text for session in survey.sessions for message in reader.messages(session)} == {
        "Use pnpm.",
        "I will.",
        "Use tabs.",
    }


def test_prose_of_a_deleted_transcript_leaves_the_cache_at_the_next_survey(folder: Path, tmp_path: Path) -> None:
    ask(folder, tmp_path / "cache")
    (folder / "-p-app" / "b.jsonl").unlink()
    ask(folder, tmp_path / "cache")
    with sqlite3.connect(tmp_path / "cache" / FILE_NAME) as db:
        kept = b"".join(row[0] for row in db.execute("SELECT entries FROM part"))
    assert b"Use pnpm." in kept
    assert b"Use tabs." not in kept
    db.close()


# --- much to read ---


def many(folder: Path) -> None:
    """Sessions of which the later ones begin with a copy of the first: forks, as the client makes them."""
    first = [user("Use pnpm.", 1, uuid="u1"), assistant("I will.", 2, uuid="u2")]
    for number in range(4):
        write(folder / "-p-app" / f"fork{number}.jsonl", *first, user(f"Then {number}.", 9 + number, uuid=f"f{number}"))


def test_several_processes_learn_what_one_does(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many(folder)
    alone = ask(folder, tmp_path / "one")
    monkeypatch.setattr(learning, "MUCH", 0)
    assert ask(folder, tmp_path / "other") == alone
    assert ask(folder, tmp_path / "other") == alone


def test_a_reading_process_that_cannot_start_costs_only_time(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = ask(folder, tmp_path / "one")

    def broken(*_: object) -> Iterator[Any]:
        raise BrokenProcessPool("no room for another process")
        yield

    monkeypatch.setattr(learning, "MUCH", 0)
    monkeypatch.setattr(learning, "_side_by_side", broken)
    assert ask(folder, tmp_path / "other") == alone


def test_who_breaks_off_leaves_no_reading_process_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MUCH", 0)
    monkeypatch.setattr(learning.os, "cpu_count", lambda: 2)
    os.mkfifo(tmp_path / "long.jsonl")  # whoever opens it waits for ever
    write(tmp_path / "short.jsonl", user("Use pnpm.", 1, uuid="u1"))
    paths = (tmp_path / "long.jsonl", tmp_path / "short.jsonl")
    stamps = (replace(Stamp.of(path.stat()), size=size) for path, size in zip(paths, (10**9, 100), strict=True))
    files = [TranscriptFile(str(path), "", stamp) for path, stamp in zip(paths, stamps, strict=True)]
    reading = learning.learn_all(files)
    assert next(reading)[0] == files[1]
    began = time.monotonic()
    reading.close()
    assert multiprocessing.active_children() == []
    assert time.monotonic() - began < 10


def test_a_fork_that_comes_later_is_known_as_a_copy_like_one_that_was_there(folder: Path, tmp_path: Path) -> None:
    ask(folder, tmp_path / "cache")
    many(folder)
    assert ask(folder, tmp_path / "cache") == ask(folder, None)
    (folder / "-p-app" / "a.jsonl").unlink()
    assert ask(folder, tmp_path / "cache") == ask(folder, None)


# --- what may befall a cache ---


def test_only_the_owner_may_read_it(folder: Path, tmp_path: Path) -> None:
    loose = tmp_path / "cache"
    loose.mkdir(mode=0o755)
    ask(folder, loose)
    assert stat.S_IMODE(loose.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in loose.iterdir()} == {0o600}


def _garbage(path: Path) -> None:
    path.write_bytes(b"this is no database" * 500)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE file (anything)")
    db.close()


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:6000])


def _bad_pages(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


def _older_version(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE part SET entries = 'as an older reader saw it'")
        db.execute("PRAGMA user_version = 0")
    db.close()


def _unreadable_blobs(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE file SET reading = x'00', figures = x'00'")
        db.execute("UPDATE head SET head = x'00'")
    db.close()


def _leads_elsewhere(path: Path) -> None:
    target = path.with_name("precious")
    path.rename(target)
    path.symlink_to(target)


@pytest.mark.parametrize(
    "fault", [_garbage, _empty, _foreign, _cut, _bad_pages, _older_version, _unreadable_blobs, _leads_elsewhere]
)
def test_a_damaged_or_foreign_cache_is_made_anew(folder: Path, tmp_path: Path, fault: Any, opened: list[str]) -> None:
    right = ask(folder, tmp_path / "cache")
    fault(tmp_path / "cache" / FILE_NAME)
    assert ask(folder, tmp_path / "cache") == right
    assert ask(folder, tmp_path / "cache") == right
    opened.clear()
    assert ask(folder, tmp_path / "cache") == right
    assert opened == []


def test_a_locked_cache_is_left_alone(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = ask(folder, tmp_path / "cache")
    connect = sqlite3.connect
    monkeypatch.setattr(cache_module.sqlite3, "connect", lambda path, **_: connect(path, timeout=0))
    append(folder / "-p-app" / "a.jsonl", user("More.", 9, uuid="u9"))
    holder = connect(tmp_path / "cache" / FILE_NAME)
    holder.execute("BEGIN IMMEDIATE")
    survey, said = ask(folder, tmp_path / "cache")
    holder.rollback()
    holder.close()
    assert said["a"][-1].text == "More."
    assert said["b"] == right[1]["b"]
    assert len(survey.sessions) == 2


def test_a_folder_that_cannot_be_made_costs_only_the_cache(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert ask(folder, tmp_path / "file" / "cache") == ask(folder, None)


def test_no_secret_that_was_typed_or_answered_is_ever_written(folder: Path, tmp_path: Path) -> None:
    secret = "Zq" + "7Rk2Vw9Lp4Xn8Ty"
    append(
        folder / "-p-app" / "a.jsonl",
        user(f"The password of the staging database is {secret}.", 4, uuid="u4"),
        assistant(f"I will use the password {secret} there.", 5, uuid="u5"),
    )
    ask(folder, tmp_path / "cache")
    held = b"".join(path.read_bytes() for path in (tmp_path / "cache").iterdir())
    assert b"staging database" in held
    assert secret.encode() not in held


def test_prose_that_left_the_cache_is_in_none_of_its_files(folder: Path, tmp_path: Path) -> None:
    ask(folder, tmp_path / "cache")
    (folder / "-p-app" / "b.jsonl").unlink()
    ask(folder, tmp_path / "cache")
    open_cache(str(tmp_path / "cache")).close()
    assert b"Use tabs." not in (tmp_path / "cache" / FILE_NAME).read_bytes()
