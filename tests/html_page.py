"""A page read back strictly: what a browser would forgive is an error here."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "hr"}
LINKS = {"href", "src", "action", "srcset", "data", "poster", "xlink:href", "formaction", "background"}


class Reader(HTMLParser):
    """Reads a page and keeps what tests ask for; ``problems`` are what no page may have."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: Counter[str] = Counter()
        self.links: list[str] = []
        self.headings: list[int] = []
        self.tags: Counter[str] = Counter()
        self.policy = ""
        self.raw: dict[str, str] = {}
        self.text = ""
        self.problems: list[str] = []
        self.references: list[str] = []
        self.feed(page)
        self.close()
        self.problems += [f"<{name}> is never closed" for name in self.open]
        self.problems += [f"id {name} stands {count} times" for name, count in self.ids.items() if count > 1]
        self.problems += [f"nothing has the id {name}" for name in self.references if name not in self.ids]

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        names = Counter(name for name, _ in attrs)
        self.problems += [f"<{tag}> has {name} twice" for name, count in names.items() if count > 1]
        given = dict(attrs)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        for name, value in attrs:
            self._attribute(tag, name, value or "")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name == "id":
            self.ids[value] += 1
        if name in LINKS:
            self.links.append(value)
            self.references += [value[1:]] if value.startswith("#") else []
        if name in ("for", "aria-labelledby"):
            self.references += value.split()
        if name.startswith("on") or name == "style":
            self.problems.append(f"<{tag}> has {name}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.raw[self.open[-1]] = self.raw.get(self.open[-1], "") + data
        else:
            self.text += data

    def handle_comment(self, data):
        if not data.startswith(" memgit page"):
            self.problems.append(f"a comment: {data[:40]}")


def hash_of(text: str) -> str:
    """How a policy names a style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
