"""One file that holds several facts, taken apart when the user says that it does."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memgit.miners.offline.anatomy import items, sentences
from memgit.miners.offline.corpus import Corpus
from memgit.miners.offline.finding import Finding, Unclear, quoted
from memgit.miners.offline.guards import HYPOTHETICAL, QUESTION, SARCASM
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.wording import describe, name_of, plain_rule, sentence
from memgit.miners.offline.words import content
from memgit.model.decision import Draft, Intent
from memgit.model.store import Memory

_SEVERAL = r"(?:two|three|four|five|six|seven|eight|several|many|different|unrelated|separate|various|multiple|\d+)"
_MIXED = re.compile(
    # The user calls a file a mixture, or asks for one file each.
    rf"\b{_SEVERAL} (?:\w+ ){{0,2}}?(?:things|facts|topics|rules|notes|subjects|memories|matters|points|stories) in (?:one|a single|the same)\b|"
    rf"\b(?:mixes|mixing|lumps|crams|bundles|throws together|jumbles)\b.{{0,40}}\b{_SEVERAL}\b|"
    r"\b(?:grab ?bag|catch-?all|hodge-?podge|junk drawer|dumping ground|mixed bag)\b|"
    r"\b(?:should|ought to|needs to|must|has to|can you|please|pls) (?:be )?(?:split|pulled apart|taken apart|separated|broken up)\b|"
    r"\bsplit (?:that|this|it|the \S+)(?: \w+)? (?:up|apart|into|in)\b|\b(?:one file each|a file each|should be one each|one memory each|"
    r"a file of (?:its|their) own)\b",
    re.IGNORECASE,
)
_OF_MEMORY = re.compile(r"\b(?:memory|memories|note|notes|file of yours|your notes?|your memory)\b", re.IGNORECASE)


def splits(corpus: Corpus, said: Sequence[Statement]) -> Iterator[Finding | Unclear]:
    """Files that users call mixtures, each as one memory per entry or paragraph of its body."""
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
        entry.memory
        for entry in corpus.entries
        if (name := content(re.sub(r"[-_/]", " ", entry.memory.id))) and name <= words and len(parts(entry.memory)) >= 2
    ]
    return worded[0] if len(worded) == 1 else None


def _names(text: str, memory: Memory) -> bool:
    forms = {memory.id.lower(), memory.name.lower()} - {""}
    return any(len(form) > 3 and re.search(rf"(?<![\w-]){re.escape(form)}(?:\.md)?(?![\w-])", text) for form in forms)


def parts(memory: Memory) -> tuple[Draft, ...]:
    """One draft per entry of the body, in the body's own words."""
    return tuple(_draft(text, memory) for text in items(memory.body))


def _draft(text: str, memory: Memory) -> Draft:
    first = sentences(text)[0]
    return Draft(name_of(_title(first)), describe(sentence(_title(first))), memory.type, text)


def _title(text: str) -> str:
    """A sentence without Markdown emphasis, for names and descriptions."""
    return re.sub(r"\*\*|__|`", "", text)
