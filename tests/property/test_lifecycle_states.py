"""Whatever is done to a store, every state it ever had can be brought back, byte for byte."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from memgit.errors import NoHistory, StoreChanged, UsageError, WrongState
from memgit.flows.adopt import adopt, discard, merge
from memgit.flows.observe import snapshot
from memgit.flows.recovery import recover
from memgit.flows.status import acknowledge
from memgit.flows.undo import redo, restore, undo
from memgit.memory.fingerprint import fingerprint
from memgit.model.history import PassState
from memgit.model.store import StoreContent
from memgit.stores.install import Way
from memgit.vault.integrity import check
from tests.crash.driver import BUG, Driver
from tests.crash.verbs import curate
from tests.desks import desk_over, like, make_pass, quick_place, read_folder, texts, write

NAMES = st.sampled_from(["a.md", "b.md", "team/c.md", "MEMORY.md"])
TEXTS = st.sampled_from(["", "one\n", "two\r\n", "---\nname: x\n---\n\nthree"])


class Lifecycle(RuleBasedStateMachine):
    """An agent edits, a person decides, commands are killed; what memgit has met is remembered here, and has to be
    remembered there."""

    driver: Driver

    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        place = self.stack.enter_context(quick_place(Path.cwd()))
        self.place, self.store = place, place / "agent" / "memory"
        (place / "project").mkdir()
        self.desk = desk_over(self.store, place / "vault" / "v")
        self.met: dict[str, StoreContent] = {}

    def teardown(self) -> None:
        try:
            assert check(self.desk.vault, full=True) == ()
        finally:
            self.stack.close()

    def meet(self) -> None:
        """Remember the live store: a memgit operation is about to see it, or has just left it."""
        content = read_folder(self.store)
        self.met[fingerprint(content)] = content

    def decide(self, verb, *arguments) -> None:
        self.meet()
        try:
            verb(self.desk, *arguments)
        except (StoreChanged, WrongState):
            live = fingerprint(read_folder(self.store))
            assert live in self.met, "a refusal changes nothing"
        self.meet()

    @rule(name=NAMES, text=TEXTS)
    def an_agent_writes(self, name, text):
        write(self.store, {name: text})

    @precondition(lambda self: self.store.exists())
    @rule(name=NAMES)
    def an_agent_removes(self, name):
        (self.store / name).unlink(missing_ok=True)

    @rule(name=NAMES, text=TEXTS, gone=NAMES)
    def a_pass_runs(self, name, text, gone):
        self.meet()
        live = self.desk.store.read()
        wanted = {path: kept for path, kept in texts(live).items() if path != gone} | {name: text}
        make_pass(self.desk, like(live, wanted))

    @rule(data=st.data())
    def a_pass_is_adopted(self, data):
        self.on_some_pass(adopt, data)

    @rule(data=st.data())
    def a_pass_is_discarded(self, data):
        self.on_some_pass(discard, data)

    @rule(data=st.data())
    def a_pass_is_merged(self, data):
        self.on_some_pass(merge, data)

    @precondition(lambda self: self.store.exists())
    @rule()
    def a_real_pass_runs(self):
        """It records what it reads, if there is anything to do; it never changes it."""
        before = fingerprint(read_folder(self.store))
        with suppress(NoHistory, StoreChanged, UsageError):
            curate(self.desk)
        assert fingerprint(read_folder(self.store)) == before

    @rule()
    def the_store_is_recorded(self):
        self.decide(snapshot)

    @rule()
    def external_changes_are_acknowledged(self):
        self.decide(acknowledge)

    @rule(
        verb=st.sampled_from(["adopt", "undo", "redo", "restore", "discard", "snapshot", "curate"]),
        way=st.sampled_from(Way),
        point=st.integers(1, 90),
    )
    def a_command_is_killed_and_recovered_from(self, verb, way, point):
        before = read_folder(self.store)
        ran = self.driver.run(self.place, way, verb, f"kill:{point}")
        assert ran.code != BUG or "IndexError" in ran.said, ran.said  # there was no pass to take
        recover(self.desk)
        snapshot(self.desk)
        self.met[fingerprint(before)] = before
        self.meet()

    def on_some_pass(self, verb, data) -> None:
        waiting = [each for each in self.desk.vault.passes() if each.state in (PassState.READY, PassState.UNDONE)]
        if waiting:
            self.decide(verb, data.draw(st.sampled_from(waiting)).id)

    @rule()
    def a_decision_is_taken_back(self):
        self.decide(undo)

    @rule()
    def a_decision_is_brought_back(self):
        self.decide(redo)

    @rule(data=st.data())
    def an_earlier_state_is_restored(self, data):
        known = [each for each in self.desk.vault.operations() if each.store]
        if known:
            at = data.draw(st.sampled_from(known))
            self.decide(restore, at.id)
            assert fingerprint(read_folder(self.store)) == at.fingerprint

    @invariant()
    def every_state_that_memgit_met_can_be_brought_back(self):
        kept = {each.fingerprint: each for each in self.desk.vault.operations() if each.store}
        for mark, content in self.met.items():
            if not content.exists and mark not in kept:
                continue  # before there ever was a store
            assert bytes_of(self.desk.vault.store_at(kept[mark])) == bytes_of(content)

    @invariant()
    def the_vault_is_whole(self):
        assert check(self.desk.vault, full=False) == ()

    @invariant()
    def nothing_is_left_unfinished(self):
        assert self.desk.installer.journal.read() is None


def bytes_of(content: StoreContent) -> dict[str, tuple[bytes, int]]:
    return {path: (file.data, file.mode) for path, file in content.files.items()}


def test_every_state_a_store_ever_had_can_be_brought_back(pytestconfig, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    whole = pytestconfig.getoption("--whole", default=False)
    with Driver() as driver:
        monkeypatch.setattr(Lifecycle, "driver", driver, raising=False)
        run_state_machine_as_test(
            Lifecycle,
            settings=settings(
                max_examples=100 if whole else 8,
                stateful_step_count=25 if whole else 12,
                deadline=None,
                suppress_health_check=list(HealthCheck),
                database=None,
            ),
        )
