"""Verdicts over a tree that is a value: rules only, no disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from memgit.claims.verify import check, verify
from memgit.model.store import Memory
from memgit.model.verification import Absence, Missing, SpanCheck, SpanKind, Verdict
from memgit.text.words import stands_alone

Reason = tuple[Missing, str]


@dataclass(frozen=True)
class TreeOfText:
    """A working tree in memory: path → text."""

    texts: Mapping[str, str]
    defined: Mapping[str, str] = field(default_factory=dict)
    history: Mapping[str, Reason] = field(default_factory=dict)
    root: str = "/home/dev/work/shop"

    def files(self) -> Sequence[str]:
        return tuple(self.texts)

    def find(self, spans: Iterable[str]) -> Mapping[str, str]:
        return {span: where for span in spans if (where := self._first(span))}

    def scripts(self) -> Mapping[str, str]:
        return self.defined

    def lines(self, path: str) -> int | None:
        return self.texts[path].count("\n") + 1

    def absent(self, paths: Sequence[str]) -> Mapping[str, Absence]:
        return {path: Absence(*self.history.get(path, (Missing.NEVER, ""))) for path in paths}

    def names_absent(self, *_: object) -> Mapping[str, Absence]:
        return {}

    def _first(self, span: str) -> str | None:
        for path, text in self.texts.items():
            at = text.find(span)
            while at >= 0:
                if stands_alone(span, text[max(0, at - 1) : at], text[at + len(span) :][:1]):
                    line = text.count("\n", 0, at) + 1
                    return f"{path}:{line}"
                at = text.find(span, at + 1)
        return None


TREE = TreeOfText(
    {
        "Makefile": "deploy:\n\t./scripts/deploy.sh --env prod\n",
        "README.md": "Run `make ship` or scripts/old.sh.\nNever use --no-verify-ssl.\n#![forbid(unsafe_code)]\n",
        "src/retry.py": "RETRY_BUDGET = 3\n\ndef settle_order(order):\n    return unsafely(order.total)\n",
        "src/a/util.py": "",
        "src/b/util.py": "",
        "src/c/util.py": "",
        "src/d/util.py": "",
        "scripts/deploy.sh": 'case $1 in --env) shift;; esac\n{"timeout": 30}\n',
        "packages/ui/src/Button.tsx": "export const Button = 1\n",
        "docs/Guide.md": "",
        "package.json": "",
    },
    defined={"make deploy": "Makefile", "npm build": "package.json", "npm codegen": "package.json"},
    history={
        "src/gone.py": (Missing.DELETED, "deleted in abc1234 (2026-05-01, Drop it)"),
        "core/engine": (Missing.RENAMED, "renamed to src/engine in abc1234 (2026-05-01, Move)"),
        "dist/app.js": (Missing.IGNORED, "there, but ignored by .gitignore:1"),
    },
)


def one(span: str, tree: TreeOfText = TREE, **options: Sequence[str]) -> SpanCheck:
    return check([span], tree, **options)[span]


@pytest.mark.parametrize(
    ("span", "where"),
    [
        ("src/retry.py", "src/retry.py"),
        ("./src/retry.py", "src/retry.py"),
        ("src\\retry.py", "src/retry.py"),
        ("retry.py", "src/retry.py"),
        ("/src/retry.py", "src/retry.py"),
        ("Makefile", "Makefile"),
        ("/home/dev/work/shop/src/retry.py", "src/retry.py"),
        ("ui/src/Button.tsx", "packages/ui/src/Button.tsx"),
        ("src/retry.py:2", "src/retry.py"),
        ("src/retry.py#L2-L4", "src/retry.py"),
        ("src/retry.py::settle_order", "src/retry.py"),
        ("src", "src/"),
        ("src/", "src/"),
        ("ui/src", "packages/ui/src/"),
        ("src/*.py", "src/retry.py"),
        ("*.tsx", "packages/ui/src/Button.tsx"),
        ("src/{a,b}/util.py", "src/a/util.py"),
        ("packages/*", "packages/ui"),
        ("make deploy", "Makefile"),
        ("make deploy ENV=<env>", "Makefile"),
        ("npm run build", "package.json"),
        ("pnpm codegen && make deploy", "package.json"),
        ("pnpm --filter shop run build -- --profile", "package.json"),
        ("make ship", "README.md:1"),
        ("./scripts/deploy.sh --env staging", "scripts/deploy.sh"),
        ("bash scripts/deploy.sh <host>", "scripts/deploy.sh"),
        ("--env prod", "Makefile:2"),
        ("--env=prod", "Makefile:2"),
        ("$RETRY_BUDGET", "src/retry.py:1"),
        ("RETRY_BUDGET=3", "src/retry.py:1"),
        ("RETRY_*", "src/retry.py:1"),
        ("timeout: 30", "scripts/deploy.sh:2"),
        ("settle_order()", "src/retry.py:3"),
        ("settle_order(cart)", "src/retry.py:3"),
    ],
)
def test_what_is_there_is_found_however_it_is_written(span: str, where: str) -> None:
    assert (one(span).where, one(span).missing) == (where, None)


@pytest.mark.parametrize(
    "span",
    [
        "docs/runbooks/deploy.md",
        "scripts/old.sh",
        "src/nothing/",
        "lib/*.py",
        "src/{a,z}/util.py",
        "src/retry.py::settle_all",
        "make explain",
        "make deploy explain",
        "make build",
        "npm deploy",
        "pnpm visual:approve",
        "make deploy && make explain",
        "scripts/deploy.sh --gone",
        "--device-pool legacy",
        "--env staging",
        "--no-verify",
        "--no-verif",
        "RETRY_LIMIT",
        "RETRY_BUDGET=4",
        "timeout: 60",
        "refund_order()",
        "settle_order(4)",
        "Order.settle",
        "unsafely_typed",
        "bin/deploy",
        "src/legacy",
        ".env",
        "Dockerfile",
        "docker/Dockerfile",
        "RETRY_BUDGET | settle_order",
    ],
)
def test_what_is_nowhere_is_missing(span: str) -> None:
    assert one(span).missing is Missing.NEVER


@pytest.mark.parametrize(
    "span",
    [
        "~/.ssh/config",
        "/etc/hosts",
        "$HOME/x",
        "../other",
        "42",
        "7f2a9c14",
        "https://x.y",
        "/api/v1/x",
        "GET /x",
        "origin/main",
        "feature/x",
        "and/or",
        "<name>",
        "docs/<name>.md",
        "make <target>",
        "git",
        "npm",
        "[[x]]",
        "main",
        "MEMORY.md",
        "/src",
        "/docs",
        "/a/util.py",
    ],
)
def test_what_a_tree_cannot_answer_is_no_target(span: str) -> None:
    assert not one(span).is_target


def test_a_span_of_any_shape_that_stands_in_a_file_is_found() -> None:
    tree = TreeOfText({"notes.txt": "see https://x.y, GET /x on main; and/or 42"})
    assert [one(span, tree).where for span in ("https://x.y", "GET /x", "main", "and/or", "42")] == ["notes.txt:1"] * 5


@pytest.mark.parametrize(
    ("span", "reason", "hint"),
    [
        ("util.py", Missing.AMBIGUOUS, "src/a/util.py, src/b/util.py, src/c/util.py and 1 more"),
        ("src/gone.py", Missing.DELETED, "deleted in abc1234 (2026-05-01, Drop it)"),
        ("src/gone.py:12", Missing.DELETED, "deleted in abc1234 (2026-05-01, Drop it)"),
        ("core/engine", Missing.RENAMED, "renamed to src/engine in abc1234 (2026-05-01, Move)"),
        ("dist/app.js", Missing.IGNORED, "there, but ignored by .gitignore:1"),
        ("lib/retry.py", Missing.NEVER, "a file of this name: src/retry.py"),
        ("scripts/old.sh", Missing.NEVER, "only mentioned in README.md:1"),
        ("--no-verify-ssl", Missing.MENTIONED, "only mentioned in README.md:2"),
        ("unsafe", Missing.MENTIONED, "only mentioned in README.md:3"),
        ("make deploy && make explain", Missing.NEVER, "not found: make explain"),
        ("Order.settle_order", Missing.NEVER, "settle_order stands in src/retry.py:3"),
        ("src/retry.py::settle_all", Missing.NEVER, "src/retry.py is there, settle_all is not"),
    ],
)
def test_a_missing_name_comes_with_what_is_known_of_it(span: str, reason: Missing, hint: str) -> None:
    assert (one(span).missing, one(span).hint) == (reason, hint)


def test_an_ambiguous_name_without_a_files_shape_may_still_stand_in_a_file() -> None:
    images = {"a/Dockerfile": "", "b/Dockerfile": ""}
    assert one("Dockerfile", TreeOfText(images)).missing is Missing.AMBIGUOUS
    assert one("Dockerfile", TreeOfText({**images, "ci.yml": "file: Dockerfile"})).where == "ci.yml:1"


def test_a_path_with_spaces_is_found_as_a_path() -> None:
    assert one("docs/My File.md", TreeOfText({"docs/My File.md": ""})).where == "docs/My File.md"


def test_a_line_past_the_end_is_found_with_a_hint() -> None:
    assert (one("src/retry.py:99").where, one("src/retry.py:99").hint) == ("src/retry.py", "the file has 5 lines")
    assert one("src/retry.py:2").hint == ""


def test_a_path_in_another_case_is_found_with_a_hint() -> None:
    assert (one("docs/guide.md").where, one("docs/guide.md").hint) == (
        "docs/Guide.md",
        "spelled docs/Guide.md in the tree",
    )


def test_a_word_pair_below_a_folder_of_the_tree_is_a_path() -> None:
    assert (one("packages/legacy").kind, one("packages/legacy").missing) == (SpanKind.PATH, Missing.NEVER)


def test_a_memorys_name_is_no_target_unless_the_memory_names_itself() -> None:
    memories = [memory("retry_cap", "`retry_cap`"), memory("tone", "as in `style-guide`")]
    checks = verify(memories, TREE, names=["retry_cap", "tone", "style-guide"])
    assert (checks["retry_cap"].verdict, checks["tone"].verdict) == (Verdict.UNVERIFIABLE, Verdict.NO_TARGETS)


def test_a_memory_is_verified_when_all_its_targets_are_found() -> None:
    bodies = {
        "good": "`src/retry.py` keeps `RETRY_BUDGET`, see `https://x.y`",
        "bad": "`src/retry.py` and `make explain`",
        "none": "talk to people, `~/notes`",
        "plain": "no names at all",
    }
    checks = verify([memory(name, body) for name, body in bodies.items()], TREE)
    assert {name: found.verdict for name, found in checks.items()} == {
        "good": Verdict.VERIFIED,
        "bad": Verdict.UNVERIFIABLE,
        "none": Verdict.NO_TARGETS,
        "plain": Verdict.NO_TARGETS,
    }
    assert [found.span for found in checks["bad"].missing] == ["make explain"]


def test_hostile_spans_cost_nothing_but_their_own_answer() -> None:
    spans = [
        "*a" * 100 + "/x.py",
        "**/" * 60 + "x",
        "{a,b}" * 50 + "/",
        "\ud800/x.py",
        "a\0b",
        "(" * 250,
        "/" * 200,
        ":" * 200,
    ]
    assert not any(found.where for found in check(spans, TREE).values())


@pytest.mark.parametrize(
    ("needle", "before", "after", "alone"),
    [
        ("unsafe", "", "l", False),
        ("unsafe", "", "_", True),
        ("unsafe", "-", "-", True),
        ("unsafe", "é", "", False),
        ("RETRY_BUDGET", "", "を", True),
        ("RETRY_BUDGET", "の", "", True),
        ("75", "", "0", False),
        ("bot_", "", "s", True),
        ("--no-verify", " ", "-", False),
        ("--no-verif", " ", "y", False),
        ("--no-verify", "-", "", False),
        ("--timeout=", " ", "5", True),
        ("->", "x", "y", True),
    ],
)
def test_a_hit_inside_a_longer_word_is_none(needle: str, before: str, after: str, alone: bool) -> None:
    assert stands_alone(needle, before, after) is alone


def memory(name: str, body: str) -> Memory:
    return Memory(id=name, path=f"{name}.md", data=b"", body=body, name=name)
