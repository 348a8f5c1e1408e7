"""Whatever is done to the files of a vault, ``check --full`` tells, and never hangs."""

from __future__ import annotations

import random

import pytest

from memgit.vault import Vault
from tests.crash.damage import CLEAN, build, cases, table, told, try_all, verdict
from tests.desks import quick_place
from tests.vault_world import WHO, clock


def test_every_damage_is_reported_none_hangs_and_none_is_called_clean(tmp_path, pytestconfig, capsys):
    whole = bool(pytestconfig.getoption("--whole", default=False))
    with quick_place(tmp_path) as place:
        tried = list(try_all(place, None if whole else 1, random.Random(1)))
    with capsys.disabled():
        print(f"\n{table(tried)}")
    assert [f"{each.damage.kind} {each.damage.where}: {each.verdict}" for each in tried if each.missed] == []
    kinds = {each.damage.kind for each in tried if each.verdict != CLEAN}
    assert kinds >= {"flipped", "cut", "removed", "swapped", "ref edited", "rolled back"}


def test_a_sound_vault_is_called_clean(tmp_path):
    folder = build(tmp_path / "vaults")
    assert verdict(folder) == CLEAN


@pytest.mark.parametrize("number", range(3))
def test_the_cases_change_what_they_say_they_change(tmp_path, number):
    folder = build(tmp_path / "vaults")
    damage = list(cases(tmp_path / "vaults", folder, random.Random(number), 1))[number]
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    damage.inflict(folder)
    after = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert before != after


def test_a_vault_tells_operations_stores_and_passes(tmp_path):
    operations, stores, passes, store, _ = told(Vault(build(tmp_path / "vaults"), clock=clock, who=WHO))
    assert ([each.id for each in operations], len(stores), len(passes), store) == (
        ["op4", "op3", "op2", "op1"],
        4,
        1,
        "/store",
    )
