"""Facts of one session into a store: update in place, confirm with a date, or add; nothing else is touched.

This is the agent's own way to write, for what it witnessed itself, so it needs no quote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from memgit.claims.appraise import is_protected
from memgit.claims.documents import WORD_FOR_WORD, Library
from memgit.claims.sources import instructs
from memgit.claims.telling import Found, State
from memgit.core.summaries.form import is_summaries
from memgit.evidence.findings import printable, secrets, steering
from memgit.evidence.masks import MASK
from memgit.memory.index_edit import grown, with_line
from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT, limits
from memgit.memory.links import Names, Wikilink, links
from memgit.memory.memory import dialect_of, memories, new_path, read_memory, render_changed, render_new, slug
from memgit.memory.rebuild import HOOK_LIMIT
from memgit.model.decision import Draft
from memgit.model.fact import Act, Extracted, Fact, Placed, Refusal, Refused
from memgit.model.store import INDEX, Memory, StoreContent, StoreFile
from memgit.model.times import time_of_seconds
from memgit.rulings.facts import MAX_BYTES, MAX_NAME
from memgit.text.details import lost
from memgit.text.words import content_words

# --- shown ---
# What a project's documents or code show already: such a fact can be rebuilt, so a session need not keep it.
#
# Facts of a person are asked only of the files that instruct agents: what somebody wants stands nowhere else.


def shown(memory: Memory, values: Sequence[Found], documents: Library) -> Iterator[Refusal]:
    """Why a fact, as the ``memory`` that it would become, is not worth it. ``values`` are what code says of its
    amounts."""
    if is_protected(memory):
        held = documents.absorbs(memory, WORD_FOR_WORD)
        if held and instructs(held.path):
            yield _refusal("in-document", f"{held.place} says it")
        return
    if held := documents.absorbs(memory):
        yield _refusal("in-document", f"{held.place} says it")
    if agreed := next((each for each in values if each.state is State.HOLDS), None):
        yield _refusal("in-code", agreed.line)


def _refusal(code: str, where: str) -> Refusal:
    return Refusal(code, "body", f"{printable(where)} already. What was surprising about it? Write that instead.")


# --- subject ---
# Which memory a fact is about: by its subject, not by its exact wording.

SAME = 0.75
"""Share of all their words that two texts of one subject have in common. In doubt a memory is added, not changed."""
NEAR = 0.5
"""Share of the shorter text's words from which the other is a neighbour, which is only named."""
ENOUGH = 4
"""Words in common below which two texts tell nothing about each other."""


def about(fact: Fact, memories: Sequence[Memory]) -> Memory | None:
    """The memory that a fact is about: the one it names, the one of its name, else one that says nearly the same."""
    named = Names(memories).resolve(fact.memory or fact.name)
    found = next((memory for memory in memories if memory.id == named), None)
    if found is not None or fact.memory:
        return found
    alike = [memory for memory in neighbours(fact, memories) if memory.type in ("", fact.type)]
    return alike[0] if alike and _shared(fact, alike[0], of=max) >= SAME else None


def neighbours(fact: Fact, memories: Sequence[Memory]) -> list[Memory]:
    """Memories that a fact overlaps with, the closest first."""
    near = [memory for memory in memories if _shared(fact, memory, of=min) >= NEAR]
    return sorted(near, key=lambda memory: (-_shared(fact, memory, of=max), memory.id))


def _shared(fact: Fact, memory: Memory, of: Callable[[int, int], int]) -> float:
    one, other = content_words(f"{fact.description}\n{fact.body}"), content_words(memory.text)
    common = len(one & other)
    return common / of(len(one), len(other)) if common >= ENOUGH else 0.0


# --- relative dates ---
# Expressions of time that mean something else to whoever reads them later.

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_UNIT = r"(?:day|week|month|quarter|year|sprint|release|hour|minute)"
_TAG = r"(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)"
_SOME = r"(?:\d+|an?|one|two|three|four|five|six|a\s+few|several)"
_SEASON = r"(?:weekend|spring|summer|autumn|fall|winter|night|morning|afternoon|evening)"
_RELATIVE = re.compile(
    rf"""\b(?:
      (?:today|yesterday|tomorrow)(?:'s)? | tonight
      | (?:this|last|next)\s+(?:{_UNIT}|{_DAY}|{_SEASON})
      | {_SOME}\s+{_UNIT}s?\s+(?:ago|from\s+now)
      | (?:on|by|until|till|since|before|after|from)\s+{_DAY}(?!\s+(?:and|to|or|through)\b)(?!s)
      | heute | gestern | vorgestern | übermorgen
      | (?:am|bis|seit|ab|nächsten|letzten|diesen|kommenden)\s+{_TAG}(?!s)
      | (?:diese|letzte|nächste|vorige|kommende)[rsn]?\s+(?:woche|monat|jahr|quartal)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_RECURRING = re.compile(r"\b(?:every|each|any|always|jeden|jede|immer)\b[^.\n]{0,40}$", re.IGNORECASE)


def relative_dates(text: str) -> tuple[str, ...]:
    """Each such expression in a text, as written; recurring ones (``every week on Monday``) are none."""
    found = (match for match in _RELATIVE.finditer(text) if not _RECURRING.search(text, 0, match.start()))
    return tuple(dict.fromkeys(match[0] for match in found))


# --- derivable ---
# What is not worth remembering because the repository, its history or a tool tells it at any time.
#
# Only facts of the project are asked: what a person is or wants stands in no repository.

_SOURCE = r"(?:py|pyi|js|jsx|mjs|ts|tsx|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|rb|php|scala|sql|vue|svelte)"
_SIGNS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (
        "code-fact",
        "where code stands or how it is built, which `grep` finds at any time",
        re.compile(
            rf"\b(?:is|are|lives?|stands?|sits?|found|defined|implemented|declared|located)\s+(?:\w+\s+)?in\s+`?[\w./-]+\.{_SOURCE}\b"
            r"|\bthe\s+(?:function|class|method|module|struct|interface|component)\s+`?[\w.]+`?(?:\(\))?\s+"
            r"(?:is\s+(?:defined|implemented|declared)|takes|returns|inherits|extends|calls|wraps)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "history",
        "who changed what and when, which `git log` tells",
        re.compile(
            r"\b(?:commit|merged\s+in|introduced\s+in|reverted\s+in)\s+`?[0-9a-f]{7,40}\b"
            r"|\b(?:PR|pull\s+request|MR|merge\s+request)\s+[#!]?\d+\s+(?:added|removed|fixed|changed|introduced|renamed|merged|moved)"
            r"|\b(?:was|were|has\s+been|have\s+been)\s+(?:renamed|refactored|merged|rewritten|moved|deleted|reverted)\s+(?:to|into|in|by|from|on)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "debugging",
        "how something was debugged, which the fix and its commit message say",
        re.compile(
            r"\bthe\s+(?:fix|workaround|solution)\s+(?:was|is)\s+to\b|\bfixed\s+(?:the|this|a|that|it)\b|\bfixed\s+by\b"
            r"|\b(?:stack\s?trace|traceback)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "task-state",
        "how far the present work is, which belongs in a task list",
        re.compile(
            r"\bTODO\b|\bWIP\b|\bI(?:'ll|\s+will|\s+am\s+going\s+to)\b"
            r"|(?i:\bnext\s+steps?\b|\bin\s+progress\b|\bstill\s+(?:to\s+do|open|need(?:s|ed)?\s+to\s+be)\b"
            r"|\bremaining\s+(?:work|tasks?|steps?)\b|\b(?:half|partly)[- ]done\b|\bcontinue\s+(?:with|by|here)\b"
            r"|\bnot\s+(?:yet\s+)?(?:finished|implemented\s+yet|done\s+yet)\b)"
        ),
    ),
)
_ASKED = frozenset({"project", "reference"})


def derivable(fact: Fact) -> Iterator[Refusal]:
    """The entries of the do-not-save list that a fact looks like."""
    if fact.type not in _ASKED:
        return
    for code, what, sign in _SIGNS:
        if match := sign.search(f"{fact.description}\n{fact.body}"):
            yield Refusal(
                code,
                "body",
                f'"{" ".join(match[0].split())}" tells {what}. What was surprising about it? Write that instead, or '
                f"override {code}.",
            )


# --- fact rules ---
# What a fact must be before it may stand in a store that agents read: every refusal says what to change.

TYPES = ("user", "feedback", "project", "reference")
FIRM = frozenset(
    {
        "secret",
        "steering",
        "markup",
        "fence",
        "name",
        "one-line",
        "empty",
        "type",
        "too-long",
        "no-such-memory",
        "not-for-this-store",
        "index-full",
    }
)
"""Codes that no override sets aside: they keep the store safe and readable."""


def refusals(fact: Fact, resolves: Callable[[str], bool], today: date) -> tuple[Refusal, ...]:
    """All that speaks against a fact, but for what it overrides. ``resolves`` tells whether a wikilink's target is."""
    found = (*_form(fact), *_safety(fact), *_wording(fact, resolves, today), *_structure(fact), *derivable(fact))
    return tuple(each for each in found if each.code in FIRM or each.code not in fact.override)


# --- form ---


def _form(fact: Fact) -> Iterator[Refusal]:
    for field in ("name", "description", "hook"):
        if re.search(r"[\n\r\u2028\u2029]", getattr(fact, field)):
            yield Refusal("one-line", field, f"Write the {field} in one line.")
    if not re.search(r"[^\W_]", fact.name) or len(fact.name) > MAX_NAME or re.search(r"[/\\:*?\"<>|]", fact.name):
        yield Refusal(
            "name", "name", f"Name the subject in a few plain words (at most {MAX_NAME} characters, no path)."
        )
    if not fact.body.strip() or not fact.description:
        yield Refusal("empty", "body", "Write the fact out, in the description in one line and in the body.")
    if fact.type not in TYPES:
        yield Refusal("type", "type", f"Choose one of {', '.join(TYPES)}.")
    if (size := len(fact.body.encode("utf-8", "replace"))) > MAX_BYTES:
        yield Refusal("too-long", "body", f"{size:,} bytes: shorten it to one fact in at most {MAX_BYTES:,}.")
    if len(fact.line) > HOOK_LIMIT:
        yield Refusal(
            "hook",
            "hook",
            f"Its index line would have {len(fact.line)} characters: give a hook of at most {HOOK_LIMIT}.",
        )


# --- safety ---


def _safety(fact: Fact) -> Iterator[Refusal]:
    for field in ("name", "description", "hook", "body"):
        text = getattr(fact, field)
        for kind in dict.fromkeys(each.kind for each in secrets(text)):
            yield Refusal("secret", field, f"Take out what looks like a secret ({kind}); say where it is kept instead.")
        if MASK.search(text):
            yield Refusal("secret", field, "Take out the masked secret; say where it is kept instead.")
        for kind in dict.fromkeys(each.kind for each in steering(text)):
            yield Refusal("steering", field, f"Restate it as a plain fact, without what could steer an agent ({kind}).")
        yield from _markup(field, text)


_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})", re.MULTILINE)
_MARKUP = re.compile(r"<!--|<\?|<!\[CDATA\[|</?[a-z][\w-]*(?:\s[^<>\n]*)?/?>", re.IGNORECASE)
_FRAMING = re.compile(
    r"^[ \t>*#-]*(?:system|assistant|user|human|developer|tool)(?:\s+(?:prompt|message|reminder|note))?\*{0,2}\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_PLACEHOLDER = re.compile(r"`[^`\n]*`|<[a-z][\w -]{0,30}>", re.IGNORECASE)


def _markup(field: str, text: str) -> Iterator[Refusal]:
    if _FENCE.search(text):
        yield Refusal("fence", field, "Say it in plain sentences instead of a fenced block.")
    outside = _PLACEHOLDER.sub("", text)  # a placeholder such as <branch> is no markup
    if match := _MARKUP.search(outside):
        yield Refusal("markup", field, f"Take out the markup {printable(match[0])[:30]!r}; say it in plain words.")
    if match := _FRAMING.search(text):
        yield Refusal("steering", field, f"Take out the role in front ({printable(match[0].strip())[:30]!r}).")
    if re.match(r"---[ \t]*(?:\n|\Z)", text):
        yield Refusal("markup", field, "Leave the frontmatter away; memgit writes it.")


# --- wording ---


def _wording(fact: Fact, resolves: Callable[[str], bool], today: date) -> Iterator[Refusal]:
    if found := relative_dates(f"{fact.description}\n{fact.hook}\n{fact.body}"):
        said = ", ".join(f'"{each}"' for each in found[:5])
        yield Refusal("relative-date", "body", f"Write dates instead of {said} (today is {today.isoformat()}).")
    for target in dict.fromkeys(each.target for each in links(fact.body) if isinstance(each, Wikilink)):
        if not resolves(target):
            yield Refusal(
                "wikilink", "body", f"[[{printable(target)[:60]}]] is no memory here: link to one, or unlink it."
            )


# --- what a feedback memory needs ---

_PARTS = (("Why", "feedback-why"), ("How to apply", "feedback-how"))


def _structure(fact: Fact) -> Iterator[Refusal]:
    if fact.type != "feedback":
        return
    first = next((line.strip() for line in fact.body.split("\n") if line.strip()), "")
    if re.match(r"\*\*(?:Why|How to apply)", first):
        yield Refusal("feedback-rule", "body", "Lead with the rule itself, in a sentence before the **Why:** line.")
    for part, code in _PARTS:
        if not re.search(rf"^[ \t>-]*\*\*{part}:?\*\*:?\s*\S", fact.body, re.MULTILINE | re.IGNORECASE):
            yield Refusal(code, "body", f"Add the line: **{part}:** <{_ASKS[part]}>")


_ASKS = {"Why": "the reason that the user gave", "How to apply": "when it applies, and what to do then"}

_FILE_MODE = 0o100600


def extract(facts: Iterable[Fact], content: StoreContent, now: datetime) -> Extracted:
    """Write what may be written, one fact after the other, and say of the rest what is to be changed.

    A fact that is handed in again changes nothing. Facts of one list may link to each other.
    """
    facts, now, result = tuple(facts), now.astimezone(UTC), Extracted(content)
    siblings = frozenset(slug(fact.name) for fact in facts if not refusals(fact, _any, now.date()))
    for fact in facts:
        step = _Step(fact, result.content, now, siblings)
        outcome = step.refused() or step.placed()
        if isinstance(outcome, Refused):
            result = replace(result, refused=(*result.refused, outcome))
        else:
            result = replace(result, content=outcome[0], placed=(*result.placed, outcome[1]))
    return result


def _any(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class _Step:
    """One fact and the store that it meets. ``siblings`` are slugs of facts that are written along with it."""

    fact: Fact
    content: StoreContent
    now: datetime
    siblings: frozenset[str]

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def time_ns(self) -> int:
        """The time that what is written now bears: by it a fact that comes again the same day is known."""
        return int(self.now.timestamp()) * 1_000_000_000

    @property
    def store(self) -> tuple[Memory, ...]:
        return memories(self.content)

    def refused(self) -> Refused | None:
        names = Names(self.store)
        found = refusals(
            self.fact, lambda target: names.resolve(target) is not None or slug(target) in self.siblings, self.today
        )
        if self.fact.memory and about(self.fact, self.store) is None:
            message = f"There is no memory {self.fact.memory[:60]!r}: leave the field away to add one."
            found = (*found, Refusal("no-such-memory", "memory", message))
        return Refused(self.fact, found) if found else None

    def placed(self) -> tuple[StoreContent, Placed] | Refused:
        if is_summaries(self.content):
            message = "Summaries in a database are made from events by their own tool; memgit adds none."
            return Refused(self.fact, (Refusal("not-for-this-store", "memory", message),))
        memory = about(self.fact, self.store)
        if memory is None:
            return self._new()
        if _says(memory, self.fact):
            return self._reconfirmed(memory)
        return self._updated(memory)

    def _new(self) -> tuple[StoreContent, Placed] | Refused:
        fact, dialect = self.fact, dialect_of(self.store, indexed=self.content.indexed)
        draft = Draft(fact.name, fact.description, fact.type, fact.body)
        path = new_path(draft, dialect, self.content.files.keys())
        content = self._with(StoreFile(path, render_new(draft, dialect), self._mode(), self.time_ns))
        near = [memory.id for memory in neighbours(fact, self.store)[:3]]
        notes = (f"It overlaps with {', '.join(near)}; hand it in with that id to update it instead.",) if near else ()
        return self._indexed(content, path, Placed(fact, Act.NEW, path.removesuffix(".md"), notes))

    def _updated(self, memory: Memory) -> tuple[StoreContent, Placed] | Refused:
        fact = self.fact
        gone = lost([memory.text], f"{fact.description}\n{fact.body}")
        if gone and "loses-details" not in fact.override:
            named = ", ".join(detail.text for detail in gone[:5])
            message = f"{memory.id} also says {named}: keep it in the new text, or override loses-details."
            return Refused(fact, (Refusal("loses-details", "body", message),))
        draft = Draft(memory.name, fact.description, memory.type, fact.body, memory.id)
        kept = self.content.files[memory.path]
        content = self._with(kept.holding(render_changed(memory, draft), self.time_ns))
        notes = (f"It keeps its type {memory.type}.",) if memory.type not in ("", fact.type) else ()
        placed = Placed(fact, Act.UPDATED, memory.id, notes)
        if fact.line == memory.description and not fact.hook:
            return content, placed  # its line in the index says so already, in words of its own perhaps
        return self._indexed(content, memory.path, placed)

    def _reconfirmed(self, memory: Memory) -> tuple[StoreContent, Placed]:
        """The same fact again: a dated line, once a day, and none on the day on which it was written."""
        stamp = f"Reconfirmed {self.today.isoformat()}."
        if stamp in memory.body or _written(memory) == self.today:
            return self.content, Placed(self.fact, Act.UNCHANGED, memory.id)
        body = f"{_RECONFIRMED.sub('', memory.body)}\n\n{stamp}"
        draft = Draft(memory.name, memory.description, memory.type, body, memory.id)
        kept = self.content.files[memory.path]
        content = self._with(kept.holding(render_changed(memory, draft), self.time_ns))
        return content, Placed(self.fact, Act.RECONFIRMED, memory.id)

    def _indexed(self, content: StoreContent, path: str, placed: Placed) -> tuple[StoreContent, Placed] | Refused:
        if not content.indexed:
            return grown(self.content, content), placed
        memory = read_memory(content.files[path])
        data = with_line(content.index, memories(content), memory, self.fact.line)
        before, after = limits(content.index_text), limits(data)
        if after.over and (after.lines > before.lines or after.units > before.units):
            return Refused(self.fact, (self._full(after.lines),))
        index = content.index or StoreFile(INDEX, b"", self._mode())
        time_ns = self.time_ns if data != index.data else index.mtime_ns
        return _put(content, index.holding(data, time_ns)), placed

    def _full(self, lines: int) -> Refusal:
        near = neighbours(self.fact, self.store)
        oldest = sorted(self.store, key=lambda memory: (memory.mtime_ns, memory.id))
        names = ", ".join(memory.id for memory in [*near, *(each for each in oldest if each not in near)][:3])
        what = "It overlaps most with, or was longest not written to:" if near else "Longest not written to:"
        message = (
            f"The index would have {lines} lines, or over {UNIT_LIMIT:,} units; {LINE_LIMIT} are loaded. "
            f"{what} {names}. Update one of those with its id, or let `memgit curate` merge first."
        )
        return Refusal("index-full", "name", message)

    def _mode(self) -> int:
        """What the store's own memories have."""
        return next((self.content.files[memory.path].mode for memory in self.store), _FILE_MODE)

    def _with(self, file: StoreFile) -> StoreContent:
        return _put(self.content, file)


_RECONFIRMED = re.compile(r"\n+Reconfirmed \d{4}-\d\d-\d\d\.\s*\Z")


def _says(memory: Memory, fact: Fact) -> bool:
    """Whether a memory holds a fact in the same words, white space and dated confirmations aside."""
    body = _RECONFIRMED.sub("", memory.body)
    return (memory.description.split(), body.split()) == (fact.description.split(), fact.body.split())


def _written(memory: Memory) -> date:
    moment = memory.modified or time_of_seconds(memory.mtime_ns / 1e9)
    return moment.astimezone(UTC).date() if moment else date.min


def _put(content: StoreContent, file: StoreFile) -> StoreContent:
    files = {**content.files, file.path: file}
    return replace(content, files=dict(sorted(files.items())), exists=True)
