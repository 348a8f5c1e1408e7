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

from memgit.core.report.page import BEGINNING, Page
from memgit.core.review.dossier import safe
from memgit.model.decision import Standing
from memgit.model.history import PassState
from memgit.show.checks import noticed, verification
from memgit.show.decisions import decisions
from memgit.show.markup import Markup, code, each, joined, tag, time
from memgit.show.overview import commands, glance
from memgit.show.stories import stories
from memgit.show.survey import survey
from memgit.show.timeline import timeline


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
