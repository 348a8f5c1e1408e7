"""One file that holds several facts, taken apart when the user says that it does."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

from memgit.miners.offline.anatomy import anatomy, items, sentences
from memgit.miners.offline.corpus import Corpus
from memgit.miners.offline.facts import values
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.guards import HYPOTHETICAL, QUESTION, SARCASM
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.tongues import spoken
from memgit.miners.offline.wording import describe, name_of, plain_rule, sentence
from memgit.miners.offline.words import content
from memgit.model.decision import Draft, Intent, Seen
from memgit.model.store import Memory

_SEVERAL = r"(?:two|three|four|five|six|seven|eight|several|many|different|unrelated|separate|various|multiple|\d+)"
_MIXED = spoken(
    "splits: mixed",
    # The user calls a file a mixture, or asks for one file each.
    rf"\b{_SEVERAL} (?:\w+ ){{0,2}}?(?:things|facts|topics|rules|notes|subjects|memories|matters|points|stories) in (?:one|a single|the same)\b|"
    rf"\b(?:mixes|mixing|lumps|crams|bundles|throws together|jumbles)\b.{{0,40}}\b{_SEVERAL}\b|"
    r"\b(?:grab ?bag|catch-?all|hodge-?podge|junk drawer|dumping ground|mixed bag)\b|"
    r"\b(?:should|ought to|needs to|must|has to|can you|please|pls) (?:be )?(?:split|pulled apart|taken apart|separated|broken up)\b|"
    r"\bsplit (?:that|this|it|the \S+)(?: \w+)? (?:up|apart|into|in)\b|\b(?:one file each|a file each|should be one each|one memory each|"
    r"a file of (?:its|their) own)\b",
)
_OF_MEMORY = spoken("splits: of memory", r"\b(?:memory|memories|note|notes|file of yours|your notes?|your memory)\b")


_COLLECTION = spoken(
    "splits: collection",
    # A file that calls itself a collection of things.
    r"\b(?:odds and ends|bits and pieces|grab ?bag|miscellan\w+|misc|assorted|sundry|catch-?all|this and that|loose ends|"
    r"(?:various|several|different|some|mixed|general|random|small) (?:\w+ )?(?:things?|notes?|facts?|points?|tips?|bits|matters|rules)|"
    r"(?:notes?|things)(?: \w+){0,3} ?[-–—:(] ?[\w ]+(?:, | and )[\w ]+)\b",
)
_FEWEST_PARTS = 3
_MOST_SHARED = 2  # telling words that two facts of one collection may have in common: its subject


def splits(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """Files that hold several facts: those that users call so, and those that call themselves collections."""
    found = list(_called_mixtures(corpus, said))
    yield from found
    named = {target for one in found if isinstance(one, Finding) for target in one.targets}
    yield from (one for one in _collections(corpus) if not named & set(one.targets))


@lru_cache(maxsize=2)
def _collections(corpus: Corpus) -> tuple[Finding, ...]:
    """The files that call themselves collections: the same for all batches of a pass."""
    return tuple(_collection_finding(entry.memory) for entry in corpus.entries if _is_collection(entry.memory))


def _is_collection(memory: Memory) -> bool:
    """Whether a memory calls itself a collection, and its text is a row of facts on different things."""
    title = f"{re.sub('[-_]', ' ', memory.name)}\n{memory.description}"
    if not _COLLECTION.search(title) or anatomy(memory.body).labelled:
        return False
    facts = [draft.body for draft in parts(memory)]
    if len(facts) < _FEWEST_PARTS:
        return False
    words = [content(fact) for fact in facts]
    return all(len(one) >= 3 for one in words) and all(len(a & b) <= _MOST_SHARED for a, b in combinations(words, 2))


def _collection_finding(memory: Memory) -> Finding:
    drafts = parts(memory)
    return Finding(
        intent=Intent.SPLIT,
        claim=f"{memory.id} holds {len(drafts)} facts on different things.",
        why="The file calls itself a collection, and its entries have nothing to do with each other.",
        evidence=tuple(Seen(f"memory:{memory.id}", draft.body.split("\n")[0]) for draft in drafts),
        targets=(memory.id,),
        drafts=drafts,
        leaves_out=_announced(memory),
    )


def _called_mixtures(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    for statement in said:
        plain = statement.text
        if not _MIXED.search(plain) or any(guard.pattern.search(plain) for guard in (HYPOTHETICAL, SARCASM)):
            continue
        if QUESTION.pattern.search(plain) and not re.match(r"(?:can|could) you\b", plain, re.IGNORECASE):
            continue
        target = _target(corpus, statement)
        if target is None:
            continue
        drafts = parts(target)
        if len(drafts) < 2:
            yield Unclear(
                statement, f"{target.id} is called a mixture, but its text does not fall into parts by itself"
            )
            continue
        yield Finding(
            intent=Intent.SPLIT,
            claim=plain_rule(statement.text, statement.time),
            why=f"The user said that the file holds several things; its own text falls into {len(drafts)}.",
            evidence=(quoted(statement),),
            targets=(target.id,),
            drafts=drafts,
            said=statement,
            leaves_out=_announced(target),
        )


def _target(corpus: Corpus, statement: Statement) -> Memory | None:
    """The memory that the statement's message names by its file name; or, spoken of as a note, by its name's words."""
    text = " ".join(statement.message).lower()
    named = [entry.memory for entry in corpus.entries if _names(text, entry.memory)]
    if len(named) == 1:
        return named[0]
    if named or not _OF_MEMORY.search(text):
        return None
    words = content(statement.text)
    worded = [
        entry.memory for entry in corpus.entries if len(parts(entry.memory)) >= 2 and _worded(entry.memory, words)
    ]
    return worded[0] if len(worded) == 1 else None


def _worded(memory: Memory, words: frozenset[str]) -> bool:
    """Whether a statement has all words of a memory's name, or two and more words from several of its facts."""
    name = content(re.sub(r"[-_/]", " ", memory.id))
    facts = [content(draft.body) & words for draft in parts(memory)]
    return bool(name) and (name <= words or (len(name & words) >= 2 and sum(bool(fact) for fact in facts) >= 2))


def _names(text: str, memory: Memory) -> bool:
    forms = {memory.id.lower(), memory.name.lower()} - {""}
    return any(len(form) > 3 and re.search(rf"(?<![\w-]){re.escape(form)}(?:\.md)?(?![\w-])", text) for form in forms)


def parts(memory: Memory) -> tuple[Draft, ...]:
    """One draft per entry of the body, in the body's own words; a line that only announces them is none."""
    return tuple(_draft(text, memory) for text in items(memory.body) if not _announces(text))


def _announced(memory: Memory) -> tuple[str, ...]:
    """What stands in the whole file only to hold it together: its title, and lines that announce the facts."""
    return (memory.description, *(text for text in items(memory.body) if _announces(text)))


def _announces(text: str) -> bool:
    return text.endswith(":") and "\n" not in text and not values(text)


def _draft(text: str, memory: Memory) -> Draft:
    first = sentences(text)[0]
    return Draft(name_of(_title(first)), describe(sentence(_title(first))), memory.type, text)


def _title(text: str) -> str:
    """A sentence without Markdown emphasis, for names and descriptions."""
    return re.sub(r"\*\*|__|`", "", text)
