"""What a fact must be before it may stand in a store that agents read: every refusal says what to change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date

from memgit.core.audit.derivable import derivable
from memgit.core.text.relative_dates import relative_dates
from memgit.evidence.findings import printable, secrets, steering
from memgit.evidence.masks import MASK
from memgit.memory.links import Wikilink, links
from memgit.memory.rebuild import HOOK_LIMIT
from memgit.model.fact import Fact, Refusal
from memgit.rulings.facts import MAX_BYTES, MAX_NAME

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
