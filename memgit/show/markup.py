"""HTML that cannot be broken out of: every text is escaped when it becomes a part of an element.

Only `tag` and `page_part` make `Markup`, so a text from outside is never taken for HTML by mistake.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from memgit.evidence.findings import printable

_VOID = frozenset({"meta", "input", "br", "hr"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | None
"""What stands in an element: `Markup` as it is, any other text escaped, None left out."""
Attribute = str | int | float | bool | None
"""Text and numbers are given as a value, True as the bare name; False and None leave the attribute out."""


def text(value: str) -> Markup:
    r"""Any text as HTML: control, direction and hidden characters shown as escapes (``\u202e``), brackets inert."""
    return value if isinstance(value, Markup) else Markup(html.escape(printable(value), quote=False))


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """One element. An attribute that Python keeps for itself ends in ``_``; any other ``_`` in a name is a hyphen."""
    opened = f"<{name}{''.join(_attributes(attributes))}>"
    if name in _VOID:
        return Markup(opened)
    return Markup(f"{opened}{joined(*children)}</{name}>")


def joined(*children: Child) -> Markup:
    """Several parts beside each other."""
    return Markup("".join(text(child) for child in children if child is not None))


def each(name: str, children: Iterable[str], /, **attributes: Attribute) -> Markup:
    """One element for each child."""
    return joined(*(tag(name, child, **attributes) for child in children))


def listed(entries: Sequence[str], **attributes: Attribute) -> Markup | None:
    """A list; None where there is nothing to list."""
    return tag("ul", each("li", entries), **attributes) if entries else None


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> Markup:
    """A table whose first column names its rows; it scrolls by itself where the page is narrow."""
    body = (joined(tag("th", row[0], scope="row"), each("td", row[1:])) for row in rows)
    whole = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", each("th", head, scope="col"))),
        tag("tbody", each("tr", body)),
    )
    return tag("div", whole, class_="scroll", role="region", aria_label=caption, tabindex=0)


def code(value: str) -> Markup:
    """A name, path or command."""
    return tag("code", value)


def time(moment: str, shown: str) -> Markup:
    """A moment; ``moment`` is ISO 8601."""
    return tag("time", shown, datetime=moment)


def _attributes(given: dict[str, Attribute]) -> Iterable[str]:
    for name, value in given.items():
        if value is None or value is False:
            continue
        spelled = name.rstrip("_").replace("_", "-")
        yield f" {spelled}" if value is True else f' {spelled}="{html.escape(printable(str(value)))}"'
