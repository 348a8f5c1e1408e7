"""When the user says that a memory is wrong or its time is over."""

from __future__ import annotations

import pytest

from memgit.model.decision import Kind
from tests.unit.offline_world import changes, memory, mined, session, store

STORE = store(
    proxy=(
        "Restart the proxy after a certificate change",
        "The proxy must be restarted by hand after each certificate change; it does not read the new one.",
    ),
    vpnprint=(
        "The label printer needs the cable network",
        "The label printer works only when the laptop is on the cable network.",
    ),
    cachewarm=("Warm the cache after a deploy", "After each deploy run `make warm`, or the first visitors wait."),
    oldci=(
        "The nightly build runs on the Jenkins box",
        "The nightly build runs on the old Jenkins box under the desk, which needs a restart on Mondays.",
    ),
    tabs=("The user likes tabs in Makefile recipes only", "Tabs are for Makefile recipes only."),
    lock=(
        "The import locks the orders table",
        "While the nightly import runs, the orders table is locked; do not deploy then.",
    ),
)
REMOVED = [
    (
        "proxy",
        "A: Renewed. I'd restart the proxy now.",
        "no need to restart the proxy after a certificate change any more, it picks up the new one itself since 2.4",
    ),
    ("proxy", "A: I'll restart it, as noted.", "the note about the proxy restart is outdated, throw it away"),
    (
        "vpnprint",
        "A: According to my notes the label printer needs the cable network.",
        "that's wrong, the label printer has nothing to do with the cable network. delete that note",
    ),
    (
        "vpnprint",
        "A: My notes say the label printer works only on the cable network.",
        "the label printer has nothing to do with the cable network, it was a driver",
    ),
    (
        "cachewarm",
        "A: Deployed and warmed.",
        "we don't need to warm the cache after a deploy any more, it fills itself",
    ),
    (
        "oldci",
        "A: It failed.",
        "the jenkins box was decommissioned in april, the nightly build doesn't run there. drop that memory",
    ),
    ("oldci", "A: The nightly build on the Jenkins box is red.", "that jenkins box note can go, the thing is gone"),
    (
        "lock",
        "A: I wait with the deploy, the import locks the orders table.",
        "the import doesn't lock the orders table any more, forget that note",
    ),
    ("tabs", "A: ok", "please remove the memory about tabs in makefile recipes, it was never true"),
    ("cachewarm", "A: ok", "warming the cache after a deploy is no longer necessary"),
    (
        "proxy",
        "A: I have noted that the proxy must be restarted after a certificate change.",
        "nah, that's old. the new proxy watches the file",
    ),
    (
        "cachewarm",
        "A: My notes say to warm the cache after a deploy.",
        "not needed any more, the cache fills itself these days",
    ),
]
KEPT = [
    ("A: x", "delete the note in the readme about the proxy"),
    ("A: x", "drop the orders table"),
    ("A: x", "forget it, the proxy is fine"),
    ("A: x", "is the note about the proxy wrong?"),
    ("A: x", "the label printer has nothing to do with this bug"),
    ("A: x", "no need to restart the proxy"),
    ("A: x", "no need to warm the cache for this deploy"),
    ("A: x", "the release notes are wrong, remove the entry about the cache"),
    ("A: x", "remove the entry for the label printer from the config"),
    ("A: x", "that's wrong"),
    ("A: x", "the import is fixed now"),
    ("A: x", "we might not need to warm the cache after a deploy any more"),
    ("A: x", "he said the note about the proxy restart can go"),
    ("A: x", "in the other project we don't need to restart the proxy after a certificate change any more"),
    ("A: x", "the proxy doesn't need memory limits any more"),
    ("A: x", "we got rid of the label on the printer page"),
    ("A: My notes say to warm the cache after a deploy.", "no longer than five minutes please"),
    (
        "A: My notes say to warm the cache after a deploy. And the login page fails.",
        "that login page is gone, ignore it",
    ),
]


@pytest.mark.parametrize(("name", "before", "said"), REMOVED, ids=lambda text: str(text)[:40])
def test_a_memory_called_wrong_or_past_is_dropped(name: str, before: str, said: str) -> None:
    (change,) = changes(STORE, session("hi, have a look", before, said))
    assert (change.kind, change.memories) == (Kind.DROP, (name,))


@pytest.mark.parametrize(("before", "said"), KEPT, ids=lambda text: str(text)[:40])
def test_a_memory_stays_without_a_plain_word_against_it(before: str, said: str) -> None:
    assert changes(STORE, session("hi, have a look", before, said)) == []


def test_nothing_is_dropped_when_two_memories_could_be_meant() -> None:
    memories = (
        memory("a", "The scanner needs the blue cable", "The scanner needs the blue cable."),
        memory("b", "The scanner needs the red cable", "The scanner needs the red cable."),
    )
    talk = session("hi", "A: ok", "that note about the scanner cable is wrong, forget it")
    assert changes(memories, talk) == []
    assert "more than one" in mined(memories, talk)[0].notices[0].why
