"""A candidate's commit message: subject, the report, and trailers that ``git log`` reads as well as memgit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from memgit.evidence.findings import printable
from memgit.model.decision import Approval, Kind, Standing
from memgit.model.history import PassState, Paths
from memgit.model.passes import Outcome
from memgit.model.times import shell_word
from memgit.rulings.standing import is_decidable, is_question, is_untouched, standing
from memgit.text.layout import counted

SUBJECT_LENGTH = 72
_TRAILER = "Memgit-"


def summary(outcome: Outcome) -> str:
    """What a pass decided, in a phrase: ``1 merge, 2 replaces, 3 questions, 1 refused``; ``no memory changes`` else.

    Once a person has said anything to it, what stands is named and what does not is counted:
    ``1 merge (M1), 1 rejected, 1 not taken``.
    """
    decisions = outcome.decisions
    touched = not is_untouched(decisions)
    rulable = [each for each in decisions if is_decidable(each)]
    taken = standing(decisions, outcome.plan.kind) if touched else [e for e in rulable if e.standing is Standing.TAKEN]
    kinds = Counter(each.kind for each in taken)
    named = f" ({', '.join(each.id for each in taken)})" if touched and taken else ""
    left = [each for each in rulable if each not in taken]
    counts = (
        (sum(is_question(each) for each in left), "question"),
        (sum(each.standing is Standing.REFUSED for each in decisions), "refused"),
        (sum(each.kind is Kind.REJECT or each.approval is Approval.REJECTED for each in decisions), "rejected"),
        (sum(each.approval is Approval.DEFERRED for each in left), "deferred"),
        (sum(each.approval is Approval.PROPOSED and not is_question(each) for each in left), "not taken"),
    )
    parts = [counted(kinds[kind], kind.value) for kind in Kind if kinds[kind]]
    parts = [", ".join(parts) + named] if parts else []
    parts += [counted(count, word) if word == "question" else f"{count} {word}" for count, word in counts if count]
    return ", ".join(parts) or "no memory changes"


def commit_message(outcome: Outcome) -> str:
    """The whole message of the commit of a candidate."""
    plan = outcome.plan
    trailers = {
        "Pass": plan.id,
        "Kind": plan.kind,
        "Mode": plan.mode,
        "Base": plan.snapshot or "none",
        "Store": plan.store.path,
        "Fingerprint": plan.fingerprint,
        "Unsafe": "yes" if outcome.state is PassState.UNSAFE else "no",
    }
    return message(f"{plan.kind} {plan.id}: {summary(outcome)}", outcome.report, trailers)


def message(subject: str, report: str, trailers: Mapping[str, str]) -> str:
    """Subject, report and trailers in git's own form."""
    lines = "\n".join(f"{_TRAILER}{name}: {printable(value)}" for name, value in trailers.items())
    return f"{printable(subject)[:SUBJECT_LENGTH]}\n\n{report.strip()}\n\n{lines}\n"


def report_of(whole: str) -> str:
    """The report in a candidate's commit message: what stands between its subject and its trailers."""
    lines = whole.rstrip("\n").split("\n")[1:]
    while lines and lines[-1].startswith(_TRAILER):
        lines.pop()
    return "\n".join(lines).strip("\n") + "\n"


# --- handover ---
# The shell lines that adopt or discard a candidate without memgit.


def adopt_line(live: str, candidate: str, superseded: str | None, carried: Sequence[str] = ()) -> str:
    """How to adopt by hand in a POSIX shell; every path is absolute and quoted.

    ``live`` is the store's real path, ``superseded`` a free name for the old one (None where there
    is no store yet). ``carried`` names what other tools keep in the store; it moves into the new one.
    ``mv -T`` never moves a folder *into* one that an agent has made in the meantime.
    """
    moves = [_move(candidate, live)]
    if superseded is not None:
        moves = [_move(live, superseded), *moves]
        moves += [_move(f"{superseded}/{name}", f"{live}/{name}") for name in carried]
    return " && ".join(moves)


def discard_line(paths: Paths) -> str:
    """How to discard by hand."""
    return f"rm -rf -- {' '.join(map(shell_word, (paths.candidate, paths.report, paths.digests)))}"


def _move(source: str, target: str) -> str:
    return f"mv -T -- {shell_word(source)} {shell_word(target)}"
