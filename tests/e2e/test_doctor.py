"""Looking after a vault from the command line: check with a limit, doctor, repair, relink."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from memgit.vault import vault_folder


@pytest.fixture
def vault(example, go, world) -> Path:
    go("snapshot")
    return vault_folder(world.data_home, str(example.store))


def damage(vault: Path) -> Path:
    """The first loose object that is cut short: of such, libgit2 1.9 may never return."""
    path = min(vault.glob("objects/[0-9a-f][0-9a-f]/*"))
    path.chmod(0o600)
    path.write_bytes(path.read_bytes()[:9])
    return path


def test_a_check_that_takes_too_long_is_stopped_and_says_what_was_not_looked_at(vault, go):
    code, said = go("check", "--full", "--time-limit", "0.1")
    assert code == 17
    (finding,) = [each for each in said["findings"] if each["damage"]]
    assert finding["what"].startswith("The check of the vault took longer than 0.1 s and was stopped; n")


def test_a_child_that_hangs_is_stopped_after_what_it_had_found(vault, go, monkeypatch, tmp_path):
    """A git that never answers stands in for a library that never returns."""
    damage(vault)
    (tmp_path / "bin").mkdir()
    git = tmp_path / "bin" / "git"
    git.write_text(
        '#!/bin/sh\ncase "$*" in *fsck*) exec sleep 600;; *) exec /usr/bin/env -i PATH="$REAL" git "$@";; esac\n'
    )
    git.chmod(0o755)
    monkeypatch.setenv("REAL", os.environ["PATH"])
    monkeypatch.setenv("PATH", f"{git.parent}:{os.environ['PATH']}")
    code, said = go("check", "--full", "--time-limit", "4")
    assert code == 17
    found = [each["what"] for each in said["findings"] if each["damage"]]
    assert any("is damaged" in what for what in found)
    assert (
        found[-1] == "The check of the vault took longer than 4 s and was stopped; not looked at: git fsck (in part)."
    )


def test_damage_is_found_named_and_repaired_from_the_live_store_and_the_damaged_vault_is_kept(vault, go, example):
    for path in vault.glob("objects/[0-9a-f][0-9a-f]/*"):
        path.chmod(0o600)
    blobs = [path for path in vault.glob("objects/[0-9a-f][0-9a-f]/*") if _is_of_the_store(vault, path, example.store)]
    blobs[0].write_bytes(b"")
    code, said = go("check", "--full")
    assert code == 17
    assert any("memgit doctor --repair" in each["remedy"] for each in said["findings"])
    code, said = go("doctor", "--repair")
    assert (code, said["damaged_after"]) == (0, 0)
    assert said["damaged_before"] > 0
    assert said["done"][0].endswith("was written again from the live store.")
    kept = Path(said["kept"])
    assert kept.parent == vault.parent
    assert (kept / blobs[0].relative_to(vault)).read_bytes() == b""
    assert go("check", "--full")[0] == 0


def _is_of_the_store(vault: Path, path: Path, store: Path) -> bool:
    from memgit.vault.objects import read_loose

    kind, data = read_loose(path, path.parent.name + path.name)
    return kind == "blob" and any(data == each.read_bytes() for each in store.glob("*.md"))


def test_a_sound_vault_is_not_touched_by_a_repair(vault, go):
    before = sorted(path.name for path in vault.parent.iterdir())
    code, said = go("doctor", "--repair")
    assert (code, said["kept"], said["done"]) == (0, None, [])
    assert sorted(path.name for path in vault.parent.iterdir()) == before


def test_doctor_says_where_everything_is_and_how_that_was_found(vault, go, example, world):
    code, said = go("doctor")
    assert code == 0
    facts = {each["name"]: (each["value"], each["how"]) for each in said["facts"]}
    assert facts["vaults"] == (str(world.data_home), "XDG_DATA_HOME")
    assert facts["store"][0] == str(example.store)
    assert facts["vault"][0] == str(vault)
    assert {"memgit", "python", "libgit2", "git", "project", "vault size"} <= facts.keys()


def test_doctor_tells_which_hooks_run_and_what_keeps_them_from_it(go):
    def hooks() -> tuple[str, str, list[str]]:
        said = go("doctor")[1]
        fact = next(each for each in said["facts"] if each["name"] == "hooks")
        return fact["value"], fact["how"], [each["remedy"] for each in said["findings"] if each["area"] == "place"]

    assert hooks()[::2] == ("none; `memgit hooks install` shows what it would add", [])
    go("hooks", "install", "--yes")
    value, where, wrong = hooks()
    assert (value.split(", ")[0], wrong) == ("SessionStart", [])
    settings = Path(where)
    settings.write_text(settings.read_text().replace("{", '{"disableAllHooks": true,', 1))
    assert hooks()[2] == ["Take that line out, or `memgit hooks uninstall --yes`."]
    settings.write_text("{")
    assert hooks()[:2] == ("not known", where)
    assert len(hooks()[2]) == 1


def test_a_vault_that_was_put_back_is_damage_until_it_is_acknowledged(vault, go, example):
    older = vault.with_name("older")
    shutil.copytree(vault, older)
    (example.store / "more.md").write_text("More.\n")
    go("snapshot")
    shutil.rmtree(vault)
    older.rename(vault)
    (example.store / "more.md").unlink()
    code, said = go("check")
    assert code == 17
    assert next(each["remedy"] for each in said["findings"] if "put back" in each["what"]).endswith("`memgit ack`.")
    assert go("ack")[0] == 0
    assert go("check")[0] == 0


# --- a store that was moved ---


@pytest.fixture
def moved(vault, example, tmp_path) -> Path:
    target = tmp_path / "elsewhere" / "memory"
    target.parent.mkdir()
    example.store.rename(target)
    return target


def test_a_moved_store_is_known_by_what_it_holds_and_gets_its_history_back(moved, go, world, vault):
    code, said = go("check", "--store", moved)
    assert (code, "memgit relink --from" in said["findings"][0]["remedy"]) == (0, True)
    assert "memgit relink" in go("status", "--store", moved)[1]["moved"][0]
    code, said = go("relink", "--store", moved)
    assert code == 0
    assert said["did"].startswith(f"Linked {moved} to the history of ")
    assert [each["kind"] for each in go("ops", "--store", moved)[1]["operations"]] == ["relink", "snapshot", "init"]
    assert go("check", "--full", "--store", moved)[0] == 0
    assert not vault.exists()
    assert [path.name for path in world.state_home.glob("*.json")] == [
        f"{vault_folder(world.data_home, str(moved)).name}.json"
    ]


def test_a_vault_that_was_begun_at_the_new_place_is_put_aside_and_named(moved, go):
    go("snapshot", "--store", moved)
    code, said = go("relink", "--store", moved)
    assert code == 0
    assert ".set-aside" in said["notes"][0]
    assert len(go("ops", "--store", moved)[1]["operations"]) == 3


def test_a_store_with_a_history_of_its_own_is_not_relinked(moved, go):
    go("snapshot", "--store", moved)
    for number in range(2):
        (moved / "more.md").write_text(f"{number}\n")
        go("snapshot", "--store", moved)
    code, said = go("relink", "--store", moved)
    assert code == 13
    assert said["error"]["message"].startswith("No vault was found")


def test_a_copy_of_a_store_that_is_still_there_is_no_moved_one(vault, example, go, tmp_path):
    shutil.copytree(example.store, tmp_path / "copy")
    assert go("relink", "--store", tmp_path / "copy")[0] == 13


def test_a_move_with_an_operation_cut_short_waits_for_its_recovery(moved, go, vault):
    (vault / "memgit" / "journal.json").write_text("{}")
    code, said = go("relink", "--store", moved)
    assert code == 14
    assert "memgit recover" in said["error"]["hint"]


def test_doctor_says_how_long_transcripts_are_kept_and_who_decided_it(go, example):
    def retention() -> tuple[str, str]:
        facts = {fact["name"]: fact for fact in go("doctor")[1]["facts"]}
        return facts["transcripts"]["value"], facts["transcripts"]["how"]

    assert retention() == ("deleted after 30 days", "the agent's default")
    settings = example.home / ".claude" / "settings.json"
    settings.write_text('{"cleanupPeriodDays": 365}')
    assert retention() == ("deleted after 365 days", "your settings")
    settings.write_text('{"cleanupPeriodDays": "never"')
    assert retention() == ("deleted after 30 days", "the agent's default")


def test_a_store_that_only_the_agents_own_rule_takes_is_checked_as_it_was_found(vault, go, example):
    """The child is told which store it is; asked to find it, it would refuse one without a memory at its top."""
    for path in example.store.glob("*.md"):
        path.unlink()
    (example.store / "team").mkdir(exist_ok=True)
    (example.store / "team" / "oncall.md").write_text("---\nname: oncall\n---\nMira.\n")
    go("snapshot")
    code, said = go("check")
    assert code == 0, said
