"""The page as a browser has it: it loads nothing, says nothing, runs nothing of a store, and works by keyboard."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.browser import CHROMIUM, DRIVER, MISSING, Browser, browsing
from tests.conftest import SCENARIOS

pytestmark = pytest.mark.skipif(not (CHROMIUM and DRIVER), reason=MISSING)

ROOT = Path(__file__).parents[2]
ATTACK = "<script>document.title = 'taken'; alert(1)</script><img src=x onerror=alert(2)>"


@dataclass(frozen=True)
class Pages:
    plain: Path
    hostile: Path


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Pages:
    """The worked example's page, and that of the same store with attacks in it."""
    folder = tmp_path_factory.mktemp("pages")
    subprocess.run(
        [sys.executable, SCENARIOS / "render.py", SCENARIOS / "checkout-api", folder / "w"],
        check=True,
        capture_output=True,
    )
    facts = json.loads((folder / "w" / "scenario.json").read_text())
    own = {f"XDG_{name}_HOME": str(folder / name) for name in ("DATA", "STATE", "CACHE", "CONFIG")}
    env = {
        "PATH": os.environ["PATH"],
        "HOME": facts["home"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PYTHONPATH": str(ROOT),
        **own,
    }

    def memgit(*arguments: object) -> None:
        command = [sys.executable, "-m", "memgit", *map(str, arguments), "--now", facts["now"]]
        subprocess.run(command, cwd=facts["project"], env=env, check=True, capture_output=True)

    memgit("curate")
    memgit("report", "--html", folder / "plain.html")
    store = Path(facts["store"])
    (store / f"{ATTACK.replace('/', '')}.md").write_text(f"---\nname: x\ndescription: {ATTACK}\n---\n\n{ATTACK}\n")
    memgit("audit")
    memgit("report", "--html", folder / "hostile.html")
    return Pages(folder / "plain.html", folder / "hostile.html")


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    with browsing(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture
def plain(browser, pages) -> Browser:
    browser.look(1280, "light")
    browser.open(pages.plain)
    return browser


@pytest.mark.parametrize("which", ["plain", "hostile"])
def test_a_page_asks_for_nothing_but_itself_and_leaves_the_console_silent(browser, pages, which):
    page = getattr(pages, which)
    browser.told(), browser.requested()
    browser.open(page)
    assert browser.run("return document.readyState") == "complete"
    assert browser.told() == []
    assert browser.requested() == [page.as_uri()]


def test_what_a_store_holds_never_runs(browser, pages):
    browser.open(pages.hostile)
    assert browser.run("return document.title").endswith("· memgit")
    assert browser.run("return document.scripts.length + document.images.length") == 1
    assert ATTACK in browser.run("return document.body.textContent")


def test_even_markup_that_got_in_would_neither_run_nor_load(browser, pages, tmp_path):
    """The policy is the second wall behind the escaping."""
    broken = tmp_path / "broken.html"
    beacon = (tmp_path / "beacon.png").as_uri()
    attack = f"<script>document.title = 'taken'</script><img src='{beacon}' onerror=\"document.title = 'taken'\">"
    broken.write_text(pages.plain.read_text().replace("<main", f"{attack}<main"))
    browser.told(), browser.requested()
    browser.open(broken)
    assert browser.run("return document.title").endswith("· memgit")
    assert browser.requested() == [broken.as_uri()]
    assert sum("Content Security Policy" in line for line in browser.told()) >= 2


def test_the_first_tab_leads_past_the_contents(plain):
    plain.press("Tab")
    assert plain.run("return document.activeElement.textContent") == "Skip to the content"
    assert plain.run("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    plain.press("Enter")
    assert plain.run("return document.activeElement.id") == "content"
    plain.press("Tab")
    assert plain.run("return document.activeElement.id") == "search"


def test_everything_that_can_be_used_is_reached_by_tab(plain):
    wanted = plain.run("return document.querySelectorAll('a, input, button, summary, [tabindex=\"0\"]').length")
    reached = set()
    for _ in range(wanted + 2):
        plain.press("Tab")
        reached.add(
            plain.run("const all = [...document.querySelectorAll('*')]; return all.indexOf(document.activeElement)")
        )
    hidden = plain.run("return [...document.querySelectorAll('details:not([open]) > :not(summary)')]"
                       ".reduce((n, e) => n + e.querySelectorAll('a, summary').length, 0)")  # fmt: skip
    assert len(reached) >= wanted - hidden


def test_the_filter_leaves_what_holds_every_word_and_escape_brings_all_back(plain):
    plain.press("/", "retry gateway")
    shown = "return [...document.querySelectorAll('.decision')].filter(e => !e.hidden).map(e => e.id)"
    assert plain.run(shown) == ["M2"]
    assert plain.run("return document.getElementById('told').textContent").endswith("shown")
    plain.press("Escape")
    assert plain.run(shown) == ["M1", "M2"]


def test_folds_open_and_close_together(plain):
    count = "return [...document.querySelectorAll('details')].filter(e => e.open).length"
    total = plain.run("return document.querySelectorAll('details').length")
    plain.run("document.getElementById('unfold').click()")
    assert plain.run(count) == total
    plain.run("document.getElementById('fold').click()")
    assert plain.run(count) == 0


CONTRAST = """
const light = c => { const [r, g, b] = c.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
  .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
const behind = e => { for (; e; e = e.parentElement) {
  const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$|transparent/.test(c)) return c } };
const poor = [];
for (const e of document.querySelectorAll('body *')) {
  const speaks = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  if (e.closest('svg') || !speaks || !e.getClientRects().length) continue;
  const [a, b] = [getComputedStyle(e).color, behind(e)].map(light).sort((x, y) => y - x);
  const ratio = (a + .05) / (b + .05);
  if (ratio < 4.5) poor.push(`${e.tagName}.${e.className} ${ratio.toFixed(2)} ${e.textContent.slice(0, 30)}`);
}
return poor;
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_is_readable_in_light_and_dark(browser, pages, scheme):
    browser.look(1280, scheme)
    browser.open(pages.plain)
    light, dark = ("rgb(253, 252, 250)", "rgb(20, 23, 26)")
    paper = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert paper == (dark if scheme == "dark" else light)
    browser.run("document.getElementById('unfold').click()")
    assert browser.run(CONTRAST) == []


@pytest.mark.parametrize("width", [320, 400, 1280])
def test_a_page_is_never_wider_than_its_window(browser, pages, width):
    for page in (pages.plain, pages.hostile):
        browser.look(width, "light")
        browser.open(page)
        browser.run("document.querySelectorAll('details').forEach(each => { each.open = true })")
        assert browser.run("return document.documentElement.scrollWidth") == width


def test_the_chart_and_every_decision_are_drawn(plain):
    drawn = plain.run("return [...document.querySelectorAll('.chart svg .line')].map(e => e.getTotalLength() >= 0)")
    assert drawn == [True, True, True]
    assert plain.run("return document.querySelector('.chart svg').getBoundingClientRect().height") > 200
    assert plain.run("return document.querySelectorAll('.decision ins').length") > 0


def test_without_scripts_the_page_says_the_same_and_offers_no_dead_filter(browser, pages):
    browser.command("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.look(1280, "light")
        browser.open(pages.plain)
        browser.command("DOM.enable")
        # One command: the number of a node does not outlive a change of the document between two.
        assert browser.command("DOM.performSearch", query="#tools[hidden], .decision")["resultCount"] == 3
    finally:
        browser.command("Emulation.setScriptExecutionDisabled", value=False)


def test_a_printed_page_is_unfolded_and_folded_again_afterwards(plain):
    before = plain.run("return [...document.querySelectorAll('details')].map(e => e.open)")
    plain.run("""
        window.seen = 0;
        const count = () => { window.seen = document.querySelectorAll('details[open]').length };
        addEventListener('beforeprint', count);
    """)
    assert plain.printed().startswith(b"%PDF")
    assert plain.run("return window.seen") == len(before)
    assert plain.run("return [...document.querySelectorAll('details')].map(e => e.open)") == before
