"""A user's own wording for a proposal: the text changes, the proposal stays, and the guards of wording still hold."""

from __future__ import annotations

import re
from dataclasses import replace

from memgit.errors import BadReply
from memgit.memory.memory import memories, read_memory, render_changed
from memgit.model.decision import Decision, Draft
from memgit.model.history import PassKind
from memgit.model.store import Memory, StoreContent, StoreFile
from memgit.rulings.case import open_case
from memgit.rulings.facts import unfit
from memgit.rulings.settle import tidied

_DESCRIPTION = re.compile(r"\A\s*description:[ \t]*(?P<line>[^\n]+)\n*", re.IGNORECASE)


def edited(decision: Decision, text: str, content: StoreContent, kind: PassKind) -> Decision:
    """The decision with ``text`` as the body of the memory that it leaves; a first line ``description: …`` gives that
    too. Raises BadReply for a decision that leaves no memory or several, and for text that no memory may hold."""
    path, proposed = _one_memory(decision)
    given = _DESCRIPTION.match(text)
    body = text[given.end() :] if given else text
    description = given["line"] if given else proposed.description
    draft = tidied(Draft(proposed.name, description, proposed.type, body, proposed.id))
    known = [memory.text for memory in (*memories(content), proposed)]
    if refusal := unfit(draft, open_case(kind, memories(content), ()), known):
        raise BadReply(f"The edit of {decision.id} was refused: {refusal.says}", "Reword it; nothing was decided.")
    return replace(decision, writes={path: render_changed(proposed, draft)}, unlinked={})


def text_to_edit(decision: Decision) -> str:
    """What a decision would write, in the form that ``edited`` takes. Raises BadReply where that is no one memory."""
    _, proposed = _one_memory(decision)
    return f"description: {proposed.description}\n\n{proposed.body}\n"


def _one_memory(decision: Decision) -> tuple[str, Memory]:
    if len(decision.results) != 1 or len(decision.writes) != 1:
        raise BadReply(
            f"{decision.id} leaves {len(decision.results) or 'no'} memories, so it has no one text to edit.",
            "Approve or reject it, or change the files in the candidate's folder by hand.",
        )
    ((path, data),) = decision.writes.items()
    return path, read_memory(StoreFile(path, data))
