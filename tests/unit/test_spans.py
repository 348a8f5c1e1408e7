from __future__ import annotations

import re
from pathlib import Path

import pytest

import memgit
from memgit.claims.spans import LONGEST, NO_TARGETS, classify, spans
from memgit.model.verification import SpanKind

KINDS = {
    SpanKind.FILE: (
        "docs/runbooks/deploy.md",
        ".github/workflows/ci.yml",
        "./scripts/x.sh",
        "src\\retry.py",
        "docs/café.md",
        "CHANGELOG.md",
        "app/[slug]/page.tsx",
        "a/b.unknownext",
    ),
    SpanKind.FILE_LINE: (
        "src/retry.py:1",
        "src/retry.py:10-20",
        "foo.py#L10",
        "tests/test_x.py::test_foo",
        "a/b.ts:run()",
    ),
    SpanKind.DIRECTORY: ("src/", "packages/ui/", ".github/"),
    SpanKind.GLOB: ("src/*.py", "*.py", "src/**/index.ts", "a/{b,c}.ts", "packages/*"),
    SpanKind.COMMAND: (
        "make explain",
        "pnpm visual:approve",
        "npm run build -- --profile",
        "make deploy ENV=<env>",
        "git push --force",
        "helm rollback",
        "scripts/deploy.sh --prod",
        "python scripts/x.py",
        "FOO=1 make a && make b",
        "mytool --check",
        "go test ./...",
        "cd web && npm test",
    ),
    SpanKind.FLAG: ("--no-verify", "-x", "--device-pool legacy", "-max_total_time=1200", "--foo=<bar>"),
    SpanKind.ENVIRONMENT: ("RETRY_BUDGET", "$FOO", "${FOO}", "FOO_BAR=3"),
    SpanKind.CALL: ("foo()", "Class.method()", "sleep(30)", "vec!()"),
    SpanKind.IDENTIFIER: (
        "cp1252",
        "bot_",
        "TIMEOUT_staging",
        "process.env",
        "console.log",
        "Order::total",
        "x-request-id",
        "é",
    ),
    SpanKind.PATH: (
        "bin/deploy",
        "src/legacy",
        "@acme/ui",
        "hack/update-codegen",
        "Makefile",
        "docker/Dockerfile",
        ".env",
        ".env.local",
        ".npmrc",
    ),
    SpanKind.TEXT: (
        "targetCPUUtilization: 75",
        'rust-version = "1.70"',
        "#![forbid(unsafe_code)]",
        "{ strict: true }",
        "/* x */",
        "\\d+",
        "a | b",
    ),
    SpanKind.OUTSIDE: ("~/.ssh/config", "/etc/hosts", "$HOME/x", "../other/x", "C:\\Users\\x", "~", "/"),
    SpanKind.NUMBER: (
        "42",
        "1.32",
        "v2.3.1",
        "15 minutes",
        "30s",
        ">=3.9",
        "2026-08-14",
        "100%",
        "10.0.0.1:8080",
        "1.0rc2",
    ),
    SpanKind.HASH: ("7f2a9c14", "7f2a9c14-0b1c-4e55-9d3e-5f6a7b8c9d01", "sha256:ab12"),
    SpanKind.URL: ("https://x.y/z", "localhost:8080", "status.example.com", "github.com/acme/x", "dev@example.org"),
    SpanKind.ROUTE: ("/api/v1/x", "GET /x/{id}", "/review"),
    SpanKind.BRANCH: ("origin/main", "feature/login-page", "main", "HEAD~1"),
    SpanKind.PAIR: ("and/or", "application/json", "read/write/run"),
    SpanKind.PLACEHOLDER: (
        "docs/<name>.md",
        "<name>",
        "{id}",
        "make <target>",
        "kubectl get pods -n <ns>",
        "YYYY-MM-DD",
        "src/…",
    ),
    SpanKind.TOOL: ("git", "npm", "node.js", "Next.js"),
    SpanKind.WIKILINK: ("[[retry-budget]]",),
}


@pytest.mark.parametrize(("span", "kind"), [(span, kind) for kind, examples in KINDS.items() for span in examples])
def test_a_span_is_classed_by_its_shape(span: str, kind: SpanKind) -> None:
    assert classify(span) is kind


@pytest.mark.parametrize("kind", SpanKind)
def test_every_kind_has_a_row_in_the_readers_table_that_says_what_its_absence_means(kind: SpanKind) -> None:
    table = (Path(memgit.__file__).parent / "VERIFYING.md").read_text(encoding="utf-8")
    rows = re.findall(rf"^\| {re.escape(kind)} \| `(.+?)` \|.*\| (missing|no target) \|$", table, re.MULTILINE)
    assert [(classify(example), meaning) for example, meaning in rows] == [
        (kind, "no target" if kind in NO_TARGETS else "missing")
    ]


def test_spans_are_those_of_commonmark_in_order_and_once() -> None:
    body = "\n".join([
        "Use `a` and ``b ` c`` and `a`, \\`no\\`, ` padded `,",
        "- over `two",
        "  lines`",
        "> quoted `q`",
        "",
        "```sh",
        "`in a fence`",
        "```",
        "",
        "    `indented`",
        "",
        "<!-- `comment` -->",
        "",
        "a `lonely tick",
    ])  # fmt: skip
    assert spans(body) == ("a", "b ` c", "padded", "two lines", "q")


def test_a_body_without_spans_has_none() -> None:
    assert spans("") == spans("plain *prose* only") == ()


def test_an_endless_span_is_text_and_is_classed_at_once() -> None:
    for part in ("a/", "{a,", "*a", "<a", "a.b ", "--x=", "1.", "foo("):
        assert classify(part * 100_000) is SpanKind.TEXT
        classify((part * LONGEST)[:LONGEST])


def test_hostile_characters_are_only_text() -> None:
    assert spans("`a\0b` and `\x1b[31m` and `\ud800`") == ("a�b", "\x1b[31m", "\ud800")
    assert classify("\ud800\x1b \x07") is SpanKind.TEXT
