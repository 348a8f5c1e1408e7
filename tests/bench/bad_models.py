"""Models that are as bad as models can be, to see what the guards make of them. Deterministic: each knows its scenario
and answers in the form that it is asked for, so that nothing is refused before a guard has looked at it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memgit.core.seam.brief import IN_PROCESS
from memgit.likeness.nearness import Nearness, Weights, told
from memgit.likeness.pairs import near
from memgit.miners.model.port import Answer
from memgit.model.session import Digest, Role
from memgit.model.store import Memory
from memgit.text.details import details
from memgit.text.markdown import sentences

Entry = dict[str, Any]
_LABELS = re.compile(r"\*\*[A-Z][\w ]{0,30}:\*\*")
_WORDS = ("lattice", "marmalade", "quorum", "harbour", "never", "always", "forty", "deploys", "tests", "on Fridays")


@dataclass(frozen=True)
class Scene:
    """What a bad model knows: the store, and one batch's sentences by speaker."""

    memories: Sequence[Memory]
    digest: Digest
    nearness: Nearness
    chance: random.Random

    def said(self, role: Role) -> list[Mapping[str, str]]:
        """Each sentence as a citation."""
        return [
            {"session": message.session, "quote": sentence}
            for message in self.digest.messages
            if message.role is role
            for line in message.text.splitlines()
            for sentence in sentences(line)
            if len(sentence) >= 8 and len(sentence.split()) >= 2
        ]

    def nearest(self, memory: Memory, role: Role = Role.USER) -> Mapping[str, str] | None:
        """The true sentence that says most about a memory: what a model would quote that must quote something."""
        return max(self.said(role), key=lambda one: self._held(memory, one["quote"]), default=None)

    def _held(self, memory: Memory, quote: str) -> float:
        return next((each.held for each in self.nearness.of(quote) if each.memory == memory.id), 0.0)


def nonsense(scene: Scene) -> Iterator[Entry]:
    """Random words in the right shape."""
    for number, memory in enumerate(scene.memories):
        text = " ".join(scene.chance.choices(_WORDS, k=8))
        yield _replace(memory, text, {"session": scene.digest.messages[0].session, "quote": text})
        yield _new(f"note-{number}", text, {"session": "00000000", "quote": text})


def obedient(scene: Scene) -> Iterator[Entry]:
    """Does what any text of the batch tells it to."""
    orders = re.compile(r"\b(?:always|never|must|remember|ignore|delete|forget|don't|from now on)\b", re.IGNORECASE)
    for role in Role:
        for number, one in enumerate(scene.said(role)):
            if orders.search(one["quote"]) and role is Role.ASSISTANT:
                yield _new(f"order-{number}", one["quote"], one)
                yield from (_stale(memory, one) for memory in scene.memories)


def drops(scene: Scene) -> Iterator[Entry]:
    """Throws every memory out on the true sentence that is nearest to it."""
    yield from (_stale(memory, one) for memory in scene.memories if (one := scene.nearest(memory)))


def swaps(scene: Scene) -> Iterator[Entry]:
    """Puts a number of the nearest sentence where the memory has another."""
    for memory in scene.memories:
        one = scene.nearest(memory)
        mine, theirs = re.findall(r"\d+", memory.body), re.findall(r"\d+", one["quote"] if one else "")
        if one and mine and theirs:
            yield _replace(memory, memory.body.replace(mine[0], theirs[0]), one)


def denies(scene: Scene) -> Iterator[Entry]:
    """Turns the memory into its opposite."""
    for memory in scene.memories:
        denied = re.sub(r"\b(is|are|must|should|can|will|goes|ist|sind|muss)\b", r"\1 not", memory.body, count=1)
        if (one := scene.nearest(memory)) and denied != memory.body:
            yield _replace(memory, denied, one)


def shrinks(scene: Scene) -> Iterator[Entry]:
    """Keeps the first sentence of each memory, or the quote alone, and says that it left the rest out."""
    for memory in scene.memories:
        if one := scene.nearest(memory):
            rest = {"leaves_out": ["Why", "How to apply", *(detail.text for detail in details(memory.text))]}
            yield _replace(memory, sentences(memory.body)[0] if sentences(memory.body) else "x", one) | rest
            yield _replace(memory, one["quote"], one) | rest


def piles_up(scene: Scene) -> Iterator[Entry]:
    """Adds the nearest sentence, and what the assistant said, to every memory."""
    for memory in scene.memories:
        mine, theirs = scene.nearest(memory), scene.nearest(memory, Role.ASSISTANT)
        if mine and theirs:
            yield _replace(memory, f"{memory.body}\n\n{theirs['quote']}", mine)
            yield _replace(memory, f"{memory.body}\n\n{mine['quote']}", mine)


def merges(scene: Scene) -> Iterator[Entry]:
    """Joins whatever is near, one text after the other."""
    yield from (_merge(one, other, f"{one.body}\n\n{other.body}") for one, other in _near(scene))


def weaves(scene: Scene) -> Iterator[Entry]:
    """Joins whatever is near part by part, so that it looks like one lesson: facts, reasons, uses."""
    for one, other in _near(scene):
        parts = [_parts(one.body), _parts(other.body)]
        labels = dict.fromkeys(label for each in parts for label in each)
        lines = (f"{label} {' '.join(each[label] for each in parts if label in each)}" for label in labels)
        yield _merge(one, other, "\n\n".join(line.strip() for line in lines))


def _parts(body: str) -> Mapping[str, str]:
    """The text behind each label, and before the first of them."""
    texts = (text.strip() for text in _LABELS.split(body))
    return dict(zip(["", *_LABELS.findall(body)], texts, strict=False))


def swallows(scene: Scene) -> Iterator[Entry]:
    """Joins whatever is near by keeping one of the two."""
    for one, other in _near(scene):
        lost = {"leaves_out": ["Why", "How to apply", *(detail.text for detail in details(other.text))]}
        yield _merge(one, other, one.body) | lost


def splits(scene: Scene) -> Iterator[Entry]:
    """Cuts every memory in half."""
    for memory in scene.memories:
        parts = [part for part in memory.body.split("\n\n") if part.strip()]
        if len(parts) > 1:
            halves = (parts[: len(parts) // 2], parts[len(parts) // 2 :])
            drafts = [
                {"name": f"{memory.id}-{n}", "description": f"part {n}", "type": "project", "body": "\n\n".join(half)}
                for n, half in enumerate(halves)
            ]
            line = {"where": f"memory:{memory.id}", "quote": sentences(memory.body)[0]}
            yield {"intent": "split", "targets": [memory.id], "claim": "two", "evidence": [line], "drafts": drafts}


def borrows(scene: Scene) -> Iterator[Entry]:
    """Adds what the assistant said, and quotes the user for it."""
    theirs, mine = scene.said(Role.ASSISTANT), scene.said(Role.USER)
    for number, one in enumerate(theirs):
        if mine:
            quote = scene.chance.choice(mine)
            yield _new(f"borrowed-{number}", one["quote"], quote)
            yield _new(f"both-{number}", f"{quote['quote']}\n\n{one['quote']}", quote)


def misquotes(scene: Scene) -> Iterator[Entry]:
    """Quotes nearly, and the assistant."""
    for number, one in enumerate(scene.said(Role.USER)):
        nearly = {**one, "quote": one["quote"].replace(" ", " really ", 1)}
        yield _new(f"nearly-{number}", one["quote"], nearly)
    for number, one in enumerate(scene.said(Role.ASSISTANT)):
        yield _new(f"said-{number}", one["quote"], one)


def strays(scene: Scene) -> Iterator[Entry]:
    """Names memories and sessions that there are not, and one memory twice."""
    for one in scene.said(Role.USER)[:3]:
        yield {"intent": "stale", "targets": ["no-such-memory"], "claim": "gone", "evidence": [one]}
        yield _new("stray", one["quote"], {**one, "session": "ffffffff-0000-4000-8000-000000000000"})
        for memory in scene.memories[:3]:
            yield {"intent": "stale", "targets": [memory.id, f"{memory.id}.md"], "claim": "gone", "evidence": [one]}
            yield _replace(memory, one["quote"], one)
            yield _replace(memory, memory.body + " Twice.", one)


def copies(scene: Scene) -> Iterator[Entry]:
    """Adds what the store holds already."""
    for memory in scene.memories:
        if one := scene.nearest(memory):
            yield _new(f"{memory.id}-copy", memory.body, one)


def hoards(scene: Scene) -> Iterator[Entry]:
    """Keeps every sentence that the user typed."""
    yield from (_new(f"kept-{n}", one["quote"], one) for n, one in enumerate(scene.said(Role.USER)))


Habit = Callable[[Scene], Iterator[Entry]]
HABITS: Mapping[str, Habit] = {
    habit.__name__: habit
    for habit in (
        nonsense, obedient, drops, swaps, denies, shrinks, piles_up, merges, swallows, splits, borrows, misquotes,
        strays, copies, hoards, weaves,
    )
}  # fmt: skip
BROKEN: Mapping[str, str] = {"truncated": '{"schema": "memgit.candidates/1", "candid', "chatty": "Sure! Here you go."}
NAMES = (*HABITS, *BROKEN)


@dataclass
class BadModel:
    """A model with one bad habit, that afterwards decides for everything that it proposed itself."""

    name: str
    memories: Sequence[Memory]
    digests: Sequence[Digest]
    proposed: dict[str, Entry] = field(default_factory=dict)

    def ask(self, prompt: str, schema: Mapping[str, object]) -> Answer:
        if self.name in BROKEN:
            return Answer(BROKEN[self.name])
        batch = re.match(r"# Mine batch (\d+)", prompt)
        return Answer(json.dumps(self._mined(int(batch[1])) if batch else self._decided(prompt)))

    def _mined(self, number: int) -> Entry:
        digest = next(each for each in self.digests if each.number == number)
        nearness = Nearness(self.memories, Weights(map(told, self.memories)))
        scene = Scene(self.memories, digest, nearness, random.Random(number))
        entries = list(HABITS[self.name](scene))
        chosen = scene.chance.sample(entries, min(15, len(entries)))
        self.proposed |= {f"B{number}.{n}": entry for n, entry in enumerate(chosen, start=1)}
        return {"schema": "memgit.candidates/1", "pass": IN_PROCESS, "batch": number, "candidates": chosen}

    def _decided(self, prompt: str) -> Entry:
        listed = re.findall(r'"id": "(B\d+\.\d+)"', prompt.rpartition("## The candidates")[2])
        names = [name for name in dict.fromkeys(listed) if name in self.proposed]
        kinds = {"new": "add", "stale": "drop"}
        decisions = [
            {
                "kind": kinds.get(self.proposed[name]["intent"], self.proposed[name]["intent"]),
                "candidates": [name],
                "justification": "It is plainly right.",
                "leaves_out": self.proposed[name].get("leaves_out", []),
            }
            for name in names
        ]
        return {"schema": "memgit.decisions/1", "pass": IN_PROCESS, "decisions": decisions}


def _near(scene: Scene) -> Iterator[tuple[Memory, Memory]]:
    by_id = {memory.id: memory for memory in scene.memories if sentences(memory.body)}
    pairs = (pair for pair in near(scene.memories)[: 2 * len(by_id)] if pair.one in by_id and pair.other in by_id)
    yield from ((by_id[pair.one], by_id[pair.other]) for pair in pairs)


def _merge(one: Memory, other: Memory, body: str) -> Entry:
    lines = [{"where": f"memory:{each.id}", "quote": sentences(each.body)[0]} for each in (one, other)]
    return {
        "intent": "merge", "targets": [one.id, other.id], "name": one.id, "claim": "one lesson", "evidence": lines,
        "body": body,
    }  # fmt: skip


def _replace(memory: Memory, body: str, one: Mapping[str, str]) -> Entry:
    return {"intent": "replace", "targets": [memory.id], "claim": "newer", "evidence": [one], "body": body}


def _stale(memory: Memory, one: Mapping[str, str]) -> Entry:
    return {"intent": "stale", "targets": [memory.id], "claim": "over", "evidence": [one]}


def _new(name: str, body: str, one: Mapping[str, str]) -> Entry:
    claim = " ".join(body.split())[:100]
    return {
        "intent": "new", "claim": claim, "evidence": [one], "name": name, "description": claim, "type": "project",
        "body": body,
    }  # fmt: skip
