"""The review as a full screen, driven by the library's own pilot. Skipped, and said so, where the library is absent."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from memgit import wiring
from memgit.flows import adopt
from memgit.flows.review import sitting

pytest.importorskip("textual", reason="the extra `review` is not installed")

from textual.widgets import OptionList, Static

from memgit.console.full_screen import FullScreen, Wish, reviewed
from memgit.console.review import Editor, Hands

PASS = "2026-06-30.1"


@pytest.fixture
def driven(example, tmp_path):
    """``driven(*keys)`` opens the review of a pass over the example and presses keys: what ``look`` saw at the end."""
    site = wiring.Site(wiring.Settings.of_process(None, str(example.project), example.now))
    desk = site.desk()

    def drive(*keys: str, look, size=(80, 24)):
        script = tmp_path / "editor"
        script.write_text("#!/bin/sh\nprintf 'The window is 15 minutes.\\n' > \"$1\"\n")
        script.chmod(0o755)
        hands = Hands(lambda: adopt.adopt(desk, PASS), Editor([str(script)], desk.vault.private))
        with sitting(desk, None, site.tree, site.verdicts) as held:
            app = FullScreen(held, hands, held.begin())

            async def pressed():
                async with app.run_test(size=size) as pilot:
                    await pilot.press(*keys)
                    await pilot.pause()
                    return look(app)

            return asyncio.run(pressed()), app

    return drive


def text_of(app, name: str) -> str:
    return str(app.query_one(f"#{name}", Static).render())


def test_the_list_is_left_and_the_decision_right(driven):
    def look(app):
        listed = app.query_one("#list", OptionList)
        prompts = [str(listed.get_option_at_index(at).prompt) for at in range(listed.option_count)]
        return prompts, text_of(app, "page"), text_of(app, "footer")

    (prompts, page, footer), _ = driven(look=look)
    assert prompts == ["  M1 replace deploy-wi…", "  M2 merge retry-budge…"]
    assert "We moved the deploy window to 15 minutes" in " ".join(page.split())
    assert "4 -> 3 memories" in footer


def test_keys_rule_take_back_and_ask_for_a_reason_that_escape_withholds(driven):
    keys = ("a", "u", "n", "d", "u", "g", "1", "enter", "r", "escape", "r", *"no", "enter", "y")
    told, app = driven(*keys, look=lambda app: text_of(app, "told"))
    assert [(each.decision, each.ruling.verdict.value, each.ruling.reason) for each in app.review.answers] == [
        ("M1", "rejected", "no")
    ]
    assert (told, app.return_value) == ("Adopting comes at the end; n leads there.", None)


def test_help_names_the_plain_commands_and_a_narrow_screen_leaves_the_list_out(driven):
    def look(app):
        return " ".join(text_of(app, "page").split()), app.query_one("#list").has_class("-hidden")

    (page, hidden), _ = driven("question_mark", look=look, size=(50, 20))
    assert 'memgit approve 2026-06-30.1 "approve M1"' in page
    assert hidden


def test_the_end_adopts_when_asked_to(driven):
    _, app = driven("a", "a", "y", look=lambda app: None)
    assert app.return_value is Wish.ADOPT


def test_quitting_puts_the_answers_into_the_candidate(driven, example, monkeypatch, capsys):
    monkeypatch.setattr(FullScreen, "run", lambda self: Wish.LEAVE)
    driven("a", "q", look=lambda app: None)
    site = wiring.Site(wiring.Settings.of_process(None, str(example.project), example.now))
    desk = site.desk()
    with sitting(desk, None, site.tree, site.verdicts) as held:
        hands = Hands(lambda: adopt.adopt(desk, PASS), Editor(["true"], desk.vault.private))
        assert reviewed(held, hands) == 0
    assert "Approved: M1." in capsys.readouterr().out


def test_without_the_library_one_sentence_says_how_to_get_it(world, tmp_path):
    code = "import sys; sys.modules['textual'] = None\nimport memgit.console.full_screen"
    done = subprocess.run(
        [sys.executable, "-c", code], env=dict(world.env), cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "needs a library that is not installed" in done.stderr
