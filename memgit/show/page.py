"""The page of a pass: one file that needs nothing else, opens without a network and runs nothing from outside.

Its policy forbids every load, every style and script but its own two (by their hash), every form and every base. All
text from outside goes through `markup`. What scripts add is comfort; the page says everything without them.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from memgit.core.report.outline import BEGINNING, Page
from memgit.core.review.dossier import safe
from memgit.memory.apply import Size
from memgit.memory.index_lines import LINE_LIMIT, UNIT_LIMIT
from memgit.model.decision import Standing
from memgit.model.history import PassKind, PassState
from memgit.model.store import Resolution
from memgit.model.times import shell_word
from memgit.show.checks import noticed, survey, verification
from memgit.show.decisions import decisions, stories
from memgit.show.markup import Markup, code, each, joined, listed, tag, time
from memgit.show.timeline import timeline

# --- overview ---
# The first look at a pass: how much there was and would be, whether the store is as it was, what to run next.

_BYTES_A_TOKEN = 4


def glance(page: Page) -> Iterator[Markup]:
    """Sizes before and after, and what is to be known of the store before anything else."""
    yield from _alerts(page)
    yield tag("ul", *(tag("li", figure, class_="figure") for figure in _figures(page)), class_="figures")
    store = page.record.get("store", {})
    if store.get("unchanged"):
        yield tag(
            "p",
            "The live store was only read: it was ",
            code(str(store.get("fingerprint_before"))),
            " before the pass, and still was after it.",
            class_="small",
        )
    yield from _fallen_off(page.after or page.before)


def _alerts(page: Page) -> Iterator[Markup]:
    if page.header.state is PassState.UNSAFE:
        yield _alert("The store changed while this pass ran: its candidate must not be adopted as it is.")
    for batch in page.record.get("unmined", ()):
        yield _alert(f"Batch {batch['batch']} was not mined: {batch['why']}")


def _alert(sentence: str) -> Markup:
    return tag("div", tag("p", sentence), class_="alert", role="note")


def _figures(page: Page) -> Iterator[Markup]:
    before, after = page.before, page.after
    yield _figure("Memories", before.memories, after.memories if after else None)
    yield _figure(
        "Bytes to read",
        before.bytes,
        after.bytes if after else None,
        note=f"about {_tokens(after or before):,} tokens",
    )
    if not before.indexed:
        return
    yield _measured("Index lines", before.index.lines, after.index.lines if after else None, LINE_LIMIT)
    yield _measured("Index size", before.index.units, after.index.units if after else None, UNIT_LIMIT)


def _tokens(size: Size) -> int:
    return -(-size.bytes // _BYTES_A_TOKEN)


def _figure(name: str, before: int, after: int | None, note: str | None = None, bar: Markup | None = None) -> Markup:
    moved = after is not None and after != before
    came_from = tag("span", f"{before:,} → ", class_="from") if moved else None
    return joined(
        tag("div", name, class_="name"),
        tag("div", came_from, f"{before if after is None else after:,}", class_="value"),
        bar,
        tag("div", note, class_="note") if note else None,
    )


def _measured(name: str, before: int, after: int | None, limit: int) -> Markup:
    """A figure with its share of what the agent loads."""
    now = before if after is None else after
    unit = "UTF-16 units" if limit == UNIT_LIMIT else "lines"
    return _figure(name, before, after, f"{now / limit:.0%} of the {limit:,} {unit} that are loaded", bar(now, limit))


def bar(value: int, limit: int) -> Markup:
    """How much of a limit is used, as a bar that only repeats the figure beside it."""
    share = min(100.0, round(100 * value / limit, 1))
    drawn = (tag("rect", width=width, height=6, class_=name) for width, name in ((100, "all"), (share, "used")))
    over = " over" if value > limit else ""
    return tag(
        "svg", *drawn, viewBox="0 0 100 6", preserveAspectRatio="none", class_=f"meter{over}", aria_hidden="true"
    )


def _fallen_off(size: Size) -> Iterator[Markup]:
    if size.index.over:
        told = f"The index is over the limit: {len(size.index.lost)} lines of it are not loaded."
        yield tag(
            "div",
            tag("p", told, " Nothing was dropped to make it fit."),
            listed([safe(line) for line in size.index.lost[:50]]),
            class_="alert",
        )


# --- what can be run ---


def commands(page: Page) -> Iterator[Markup]:
    """The commands that decide on the pass, by where it stands."""
    store = _store(page)
    said = store.said if store else str
    yield tag("dl", *(part for what, line in _choices(page) for part in _choice(what, said(line))), class_="facts")
    if store and not store.is_named:
        here = joined("In the project's folder, or from anywhere with ", code(f"--store {shell_word(store.path)}"), ".")
        yield tag("p", here, class_="small soft")
    yield from _by_hand(page)


def _store(page: Page) -> Resolution | None:
    """The store as the pass found it; None where the record does not tell."""
    kept = page.record.get("store", {})
    if not kept.get("path"):
        return None
    return Resolution(kept["path"], kept.get("resolved_by", ""), kept.get("shape", "directory"))


def _choice(what: str, line: str) -> tuple[Markup, Markup]:
    return tag("dt", what), tag("dd", tag("code", line, class_="command"))


def _choices(page: Page) -> Iterator[tuple[str, str]]:
    name = page.header.id
    match page.header.state:
        case PassState.PLANNED:
            yield "Hand in what was decided", f"memgit decide {name} FILE"
            yield "Discard it", f"memgit discard {name}"
        case PassState.READY:
            yield "Decide one by one", f"memgit review {name}"
            yield "Adopt all of it", f"memgit adopt {name}{_all(page)}"
            yield "Adopt some of it", f"memgit adopt {name} --only {_first(page)}"
            yield "Discard it", f"memgit discard {name}"
        case PassState.UNSAFE:
            yield "Merge it with the store's own changes", f"memgit merge {name}"
            yield "Discard it", f"memgit discard {name}"
        case PassState.ADOPTED:
            yield "Take it back", "memgit undo"
        case PassState.UNDONE:
            yield "Adopt it again", "memgit redo"
        case PassState.DISCARDED | PassState.MERGED | PassState.CLOSED:
            yield "Bring back an earlier state", "memgit restore --at OP"


def _all(page: Page) -> str:
    """What adopting needs where proposals are to be approved first."""
    return " --all" if page.header.kind in (PassKind.AUDIT, PassKind.SWEEP) else ""


def _first(page: Page) -> str:
    return next((shown.decision.id for shown in page.dossiers if shown.decision.changes), "M1")


def _by_hand(page: Page) -> Iterator[Markup]:
    """The same without memgit: the lines that the pass printed and that are no command of it."""
    given = page.record.get("commands", {})
    lines = [line for name in ("adopt", "discard") for line in given.get(name, ()) if not line.startswith("memgit ")]
    if lines:
        shown = (tag("code", line, class_="command") for line in lines)
        yield tag("details", tag("summary", "Adopt and discard without memgit"), *shown)


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page. ``count`` stands beside its name in the contents, where counting says something."""

    id: str
    title: str
    body: Markup
    count: int | None = None


def render(page: Page) -> str:
    """The whole page."""
    sections = tuple(section for section in _sections(page) if section.body)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy()),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="robots", content="noindex"),
        tag("title", f"{_title(page)} · memgit"),
        Markup(f"<style>{_own('page.css')}</style>"),
    )
    body = tag(
        "body",
        tag("a", "Skip to the content", class_="skip", href="#content"),
        tag("div", _masthead(page), _contents(sections), _main(sections), _foot(page), class_="frame"),
        Markup(f"<script>{_own('page.js')}</script>"),
    )
    return f"{BEGINNING} -->\n{tag('html', head, body, lang='en')}\n"


def policy() -> str:
    """The content security policy: nothing but this style and this script."""
    style, script = (_hash(_own(name)) for name in ("page.css", "page.js"))
    return (
        f"default-src 'none'; style-src '{style}'; script-src '{script}'; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )


@cache
def _own(name: str) -> str:
    return files("memgit.show").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


# --- what stands around the sections ---


def _title(page: Page) -> str:
    return f"{page.header.kind.capitalize()} pass {page.header.id}"


def _masthead(page: Page) -> Markup:
    header, store = page.header, page.record.get("store", {})
    return tag(
        "header",
        tag("h1", _title(page), " ", tag("span", header.state, class_=f"badge {header.state}")),
        tag(
            "p", safe(header.summary) or "No decisions yet", " · ", time(header.time.isoformat(), _moment(header.time))
        ),
        tag("p", "Store ", code(store["path"]), class_="soft small") if store.get("path") else None,
        class_="masthead",
    )


def _contents(sections: Iterable[Section]) -> Markup:
    entries = (tag("a", section.title, _count(section.count), href=f"#{section.id}") for section in sections)
    return tag("nav", tag("ol", each("li", entries)), class_="contents", aria_label="Contents")


def _count(count: int | None) -> Markup | None:
    return tag("span", f"{count:,}", class_="count") if count is not None else None


def _main(sections: Iterable[Section]) -> Markup:
    shown = (
        tag("section", tag("h2", section.title, id=f"{section.id}-title"), section.body, id=section.id,
            aria_labelledby=f"{section.id}-title")
        for section in sections
    )  # fmt: skip
    return tag("main", _tools(), *shown, id="content", tabindex=-1)


def _tools() -> Markup:
    """The filter. The script takes it out of hiding, because without one it could do nothing."""
    return tag(
        "form",
        tag("label", "Filter", for_="search"),
        tag(
            "input", type="search", id="search", placeholder="decisions, verdicts, memories  ( / )", autocomplete="off"
        ),
        tag("button", "Unfold all", type="button", id="unfold"),
        tag("button", "Fold all", type="button", id="fold"),
        tag("span", id="told", role="status", class_="soft small"),
        class_="tools",
        id="tools",
        role="search",
        hidden=True,
    )


def _foot(page: Page) -> Markup:
    made = time(page.made.isoformat(), _moment(page.made))
    return tag(
        "footer",
        "Made by memgit on ", made, ". This page is one file and loads nothing. Secrets are masked; ",
        "what looks like ", code("\\u202e"), " is a hidden character made visible.",
        class_="foot",
    )  # fmt: skip


def _moment(moment: object) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


# --- the sections ---


def _sections(page: Page) -> Iterator[Section]:
    yield Section("glance", "At a glance", joined(*glance(page)))
    yield Section("next", "What you can do", joined(*commands(page)))
    asked = [shown for shown in page.dossiers if shown.decision.standing is Standing.HELD]
    changing = [shown for shown in page.dossiers if shown.decision.changes and shown not in asked]
    rejected = [shown for shown in page.dossiers if not shown.decision.changes]
    yield Section("questions", "Questions", _questions(decisions(asked)), len(asked))
    yield Section("changes", "Decisions", _changes(page, decisions(changing)), len(changing))
    yield Section("rejected", "Not taken", _rejected(decisions(rejected)), len(rejected))
    checked = page.record.get("verification", {})
    yield Section("verification", "Working tree", joined(*verification(page.record, page.dossiers)), len(checked))
    yield Section("noticed", "Noticed", joined(*noticed(page.record)))
    yield Section("timeline", "The store over time", timeline(page), len(page.chronicle.stands))
    waits = page.header.state is PassState.READY
    told = stories(page.chronicle.lives, page.dossiers, waits=waits)
    yield Section("stories", "Each memory’s story", joined(*told), len(page.chronicle.lives))
    yield Section("read", "What was read", joined(*survey(page.record)))


def _changes(page: Page, shown: Markup) -> Markup:
    if page.untold:
        kept = (
            tag("details", tag("summary", "The report as it is kept"), tag("pre", page.report)) if page.report else None
        )
        return joined(tag("p", page.untold), kept)
    return shown or tag("p", "None. The candidate is the store as it was, with its index rebuilt.")


def _questions(shown: Markup) -> Markup:
    told = "These are not in the candidate until you take them, each by its number, as they are or edited."
    return joined(tag("p", told, class_="soft"), shown) if shown else shown


def _rejected(shown: Markup) -> Markup:
    told = "Proposals that whoever decided did not take, or that a fact stands against, each with its reason."
    return joined(tag("p", told, class_="soft"), shown) if shown else shown
