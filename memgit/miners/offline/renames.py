"""A later statement of the user that gives a thing, or who does it, another name."""

# ruff: noqa: E501 - one pattern a line reads best
from __future__ import annotations

import re
from functools import lru_cache

from memgit.miners.offline.anatomy import is_later, sentences
from memgit.miners.offline.corpus import Corpus, Entry
from memgit.miners.offline.facts import NEGATION, code_spans
from memgit.miners.offline.finding import Finding, quoted
from memgit.miners.offline.news import FOR_GOOD, words_of_change
from memgit.miners.offline.prose import Statement
from memgit.miners.offline.tongues import spoken
from memgit.miners.offline.wording import plain_rule, rewritten
from memgit.miners.offline.words import FUNCTION_WORDS, content, stem
from memgit.model.decision import Intent
from memgit.model.store import Memory

_TERM = r"(?:`[^`\n]+`|[\w@./:+#-]+)(?: [\w@./:+#-]+)?"
_CODED = r"(?:`[^`\n]+`|[\w@-]*[./_][\w@./-]*\w)"
_EXCHANGES = spoken(
    "renames: exchanges",
    # Each names what was (a) and what is (b).
    rf"\brenamed (?:the )?(?P<a>{_TERM}) to (?:the )?(?P<b>{_TERM})",
    rf"\b(?:moved|switched|migrated|changed|went|renamed|goes|go|move) (?:\w+ ){{0,4}}?from (?P<a>{_TERM}) to (?:the )?(?P<b>{_TERM})",
    rf"\b(?P<a>{_TERM}) (?:was|is|got|has been|gets) (?:renamed to|replaced (?:by|with)|now called) (?:the )?(?P<b>{_TERM})",
    rf"\b(?:it's|use|on|in|to|with|via|through) (?:the )?(?P<b>{_TERM}) (?:now|these days)?,? ?(?:instead of|and not|not|no longer|rather than) (?:on |in |to |with |via |through )?(?:the )?(?P<a>{_TERM})",
    rf"\b(?:not|no longer) (?:in |on |to |with |via )?(?:the )?(?P<a>{_TERM})(?: any ?more)?,? (?:but|it's|use|it goes to|they go to) (?:in |on |to |with |via )?(?:the )?(?P<b>{_TERM})",
    rf"\bmoved (?:the )?(?P<a>{_CODED}) (?:over )?to (?:the )?(?P<b>{_CODED})",
)  # fmt: skip
_RENAMED_IT = spoken("renames: renamed it", rf"\brenamed (?:it|that|this|them) to (?P<b>{_CODED})")


def new_name(corpus: Corpus, statement: Statement) -> Finding | None:
    for pattern in _EXCHANGES.of(statement.text):
        for match in pattern.finditer(statement.text):
            pairs = [(old, new) for old in _shorter(match["a"]) for new in _shorter(match["b"])[:1]]
            for old, new in pairs:
                if found := _renamed(corpus, statement, old, new):
                    return found
    return _renamed_before(corpus, statement)


def _renamed_before(corpus: Corpus, statement: Statement) -> Finding | None:
    """The same for "renamed it to …": what the assistant had named in code, and what has a part of the new name."""
    match = _RENAMED_IT.search(statement.text)
    if match is None:
        return None
    new = match["b"].strip("`")
    olds = [span for span in code_spans(statement.before) if _parts(span) & _parts(new) and span != new]
    found = [one for old in olds if (one := _renamed(corpus, statement, old, new))]
    return found[0] if len(found) == 1 else None


def _parts(name: str) -> frozenset[str]:
    return frozenset(part for part in re.split(r"[^a-z]+", name.lower()) if len(part) > 2)


def _shorter(term: str) -> list[str]:
    """The term, and its first word alone: the pattern cannot know where a name ends that is not set as code."""
    if span := re.match(r"`([^`]+)`", term):
        return [span[1]]
    words = term.strip("`.,").split(" ")
    return [words[0].strip("`.,")] if len(words) == 1 else [term.strip("`.,"), words[0].strip("`.,")]


def _renamed(corpus: Corpus, statement: Statement, old: str, new: str) -> Finding | None:
    holders = [
        entry
        for entry in corpus.entries
        if is_later(statement.time, entry.memory) and _names_old(entry, statement, old, new)
    ]
    if len(holders) != 1 or len(old) < 3 or not content(old):
        return None
    return replaced(holders[0].memory, statement, old, new)


def replaced(memory: Memory, statement: Statement, old: str, new: str) -> Finding:
    """The memory with a name exchanged wherever it stands, but for what its Why tells of the past."""
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])", re.IGNORECASE)
    return Finding(
        intent=Intent.REPLACE,
        claim=plain_rule(statement.text, statement.time),
        why=f"The user later said {new} where the memory says {old}.",
        evidence=(quoted(statement),),
        targets=(memory.id,),
        drafts=(rewritten(memory, lambda text: word.sub(new, text)),),
        said=statement,
        leaves_out=(old,),
    )


def _names_old(entry: Entry, statement: Statement, old: str, new: str) -> bool:
    """Whether a memory plainly asserts the old name, does not know the new one, and is about the statement's subject."""
    word = re.compile(rf"(?<![\w-]){re.escape(old)}(?![\w-])", re.IGNORECASE)
    clauses = [part for line in sentences(entry.claim) for part in re.split(r"[,;:] ", line) if word.search(part)]
    if not clauses or any(NEGATION.search(clause) for clause in clauses) or new.lower() in entry.memory.text.lower():
        return False
    if f"`{old}`" in entry.claim and _plainly_renames(statement.text, old, new, entry):
        return True
    subject = content(statement.text) - content(old) - content(new)
    return len(subject & entry.claim_stems) >= (1 if FOR_GOOD.search(statement.text) else 2)


def _plainly_renames(text: str, old: str, new: str, entry: Entry) -> bool:
    """Whether a text gives a name of code another one: in so many words, or in a clause about nothing else."""
    if _RENAMES.search(text) or re.search(rf"\bmoved (?:the )?`?{re.escape(old)}(?![\w-])", text, re.IGNORECASE):
        return True
    clause = next((part for part in re.split(r"[,;:] ", text) if old in part and new in part), "")
    of_it = content(clause) - content(old) - content(new) - words_of_change(clause) <= entry.stems
    return bool(clause) and f"`{old}`" in clause and of_it and bool(_NOW.search(clause))


_RENAMES = spoken("renames: renames", r"\brenamed\b|\bmoved from\b")
_NOW = spoken("renames: now", r"\b(?:now|no longer|these days|nowadays|from now on)\b")


_HOLDER = spoken("renames: holder", r"(?<![\w.])(?P<who>(?-i:[A-Z])[a-z]+) (?P<does>[a-z]+s)\b", flags=0)
_NAME = re.compile(r"(?<![\w.`/#-])[A-Z][a-z]{2,}(?:-[A-Za-z]+)?(?![\w`/-]|\.\w)")


def new_holder(corpus: Corpus, statement: Statement) -> Finding | None:
    """The replacement of a person: somebody else does now what a memory says that one person does.

    The statement has the memory's verb ("Ada signs the letters now"), or the user names the memory's person, too.
    """
    if not FOR_GOOD.search(statement.text):
        return None
    doers = [(match["who"], stem(match["does"])) for match in _HOLDER.finditer(statement.text)]
    others = [(match.group(), "") for match in _NAME.finditer(statement.text)]
    found = {
        (entry.memory.id, who): (entry, old)
        for who, verb in (*doers, *others)
        if _is_name(corpus, who)
        for entry in corpus.entries
        if is_later(statement.time, entry.memory)
        for old in _only_name(corpus, entry) - {who}
        if _hands_over(statement, entry, verb, old) and not _together(who, old, statement.text)
    }
    if len(found) != 1:
        return None
    ((_, who), (entry, old)) = next(iter(found.items()))
    return replaced(entry.memory, statement, old, who)


def _hands_over(statement: Statement, entry: Entry, verb: str, old: str) -> bool:
    shared = content(statement.text) & entry.claim_stems - content(old)
    if verb:
        return verb in entry.claim_stems and len(shared) >= 2
    return bool(shared) and any(re.search(rf"\b{old}\b", text, re.IGNORECASE) for text in statement.paragraph)


def _together(one: str, other: str, text: str) -> bool:
    """Whether one clause speaks of both people: then they do something with each other."""
    clauses = (clause.lower() for clause in re.split(r"[,;:.!]\s", text))
    return any(one.lower() in clause and other.lower() in clause for clause in clauses)


def _only_name(corpus: Corpus, entry: Entry) -> frozenset[str]:
    names = _names(corpus, entry)
    return names if len(names) == 1 else frozenset()


@lru_cache(maxsize=20_000)
def _names(corpus: Corpus, entry: Entry) -> frozenset[str]:
    """The proper names of a claim: words with a capital, at least once within a sentence."""
    words = {match.group() for match in _NAME.finditer(entry.claim)}
    inner = {word for word in words if re.search(rf"[a-z,;] {word}\b", entry.memory.text)}
    return frozenset(word for word in inner if _is_name(corpus, word))


def _is_name(corpus: Corpus, word: str) -> bool:
    """Whether a capitalised word is nowhere in the store without its capital, and no word of grammar."""
    parts = word.lower().split("-")
    return word.lower() not in FUNCTION_WORDS | {"mrs"} and not all(part in corpus.plain_words for part in parts)
