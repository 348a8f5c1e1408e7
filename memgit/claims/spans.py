"""The code spans of a memory, and what each names by its shape alone.

A shape is a guess. It decides only what a span that was *not* found means: something missing, or
nothing that a working tree could answer for. ``VERIFYING.md`` has the table for readers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memgit.claims.quoted import runs_script, starts_file, steps
from memgit.model.verification import SpanKind

NO_TARGETS = frozenset(
    {
        SpanKind.OUTSIDE,
        SpanKind.NUMBER,
        SpanKind.HASH,
        SpanKind.URL,
        SpanKind.ROUTE,
        SpanKind.BRANCH,
        SpanKind.PAIR,
        SpanKind.PLACEHOLDER,
        SpanKind.TOOL,
        SpanKind.WIKILINK,
    }
)
"""Kinds whose absence from a tree says nothing."""

_TOOLS = (
    "adb apt aws awk az bash bd brew bun bundle cargo cat claude cmake code composer curl deno docker dotnet find "
    "gcloud gh git go gradle grep helm java jq just kubectl ls make mvn mysql node npm npx php pip pip3 pipx pnpm "
    "podman poetry psql python python3 redis-cli rg rsync ruby rustc rustup scp sed sh sqlite3 ssh sudo swift "
    "systemctl tar task terraform tmux tsc uv uvx vim wget xcodebuild yarn zsh"
)
TOOLS = frozenset(_TOOLS.split())
"""Programs that exist without the project."""

LONGEST = 300
"""A span with more characters than this is text, whatever it looks like."""

LONGEST_BODY = 100_000
"""Characters of a memory in which spans are looked for: four times what an agent reads of an index. Markdown can be
written so that a parser takes seconds for each hundred thousand."""

_PRODUCTS = "angular|d3|discord|express|nest|next|node|nuxt|react|three|vue"
_EXTENSIONS = (
    "adoc|bash|bat|bzl|c|cc|cfg|cjs|clj|cmake|cmd|conf|cpp|cs|css|csv|cts|cue|dart|ex|exs|fish|fs|go|gql|gradle|graphql|"
    "h|hcl|hpp|hs|htm|html|ico|ini|ipynb|j2|java|jl|jpeg|jpg|js|json|json5|jsonc|jsonl|jsonnet|jsx|kt|kts|less|libsonnet|"
    "lua|md|mdx|mjs|mk|ml|mm|mts|ndjson|nix|parquet|patch|pdf|php|pl|plist|png|proto|ps1|py|pyi|rb|rego|rs|rst|sass|scala|"
    "scss|sh|sql|sqlite|svelte|svg|swift|tf|tfvars|thrift|tmpl|toml|tpl|ts|tsv|tsx|txt|vue|webp|xml|yaml|yml|zig|zsh"
)
_FILE_NAMES = (
    "Brewfile|CODEOWNERS|Dockerfile|Gemfile|GNUmakefile|Jenkinsfile|Justfile|justfile|Makefile|Procfile|Vagrantfile"
)
_FOLDERS = (
    "app|apps|assets|bin|build|charts|ci|cmd|components|config|configs|core|crates|data|db|deploy|dist|doc|docs|e2e|etc|"
    "examples|fixtures|hack|include|infra|internal|lib|libs|migrations|notes|ops|packages|pkg|public|scripts|server|"
    "services|spec|specs|src|static|templates|test|tests|tools|vendor|web"
)
_DOMAINS = "com|org|net|edu|gov|io|dev|ai|app|cloud|co|de|eu|fr|uk|us|example|internal|local|test|invalid"
_METHODS = "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS"

_NAME = r"[\w@.+\-\[\]()~,=%]+"  # one part of a path
_PATH = rf"(?:\.?[/\\])?(?:{_NAME}[/\\])*{_NAME}"
_DEEP_FILE = rf"(?:\.?[/\\])?(?:{_NAME}[/\\])+{_NAME}\.[A-Za-z]\w{{0,9}}"
_BARE_FILE = rf"(?:\./)?(?!\.)[\w@.+\-\[\]()]*\w\.(?:{_EXTENSIONS})"
_FILE = rf"(?:{_DEEP_FILE}|{_BARE_FILE})"
_VARIABLE = r"[A-Z][A-Z0-9]*_[A-Z0-9_]*"
_VALUE = r"[0-9]+(?:[.,:/_\-–+][0-9]+)*"

_RULES: tuple[tuple[SpanKind, str], ...] = (
    (SpanKind.WIKILINK, r"\[\[.+\]\]|mem(?:ory)?:(?!//)\S+"),
    (SpanKind.URL, r"[a-z][a-z0-9+.\-]*://.*|(?:mailto:|git@|www\.).+|[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+"),
    (SpanKind.URL, r"localhost(?::\d+)?(?:/.*)?"),
    (SpanKind.ENVIRONMENT, rf"\$[A-Za-z_]\w*|\$\{{[A-Za-z_]\w*\}}|{_VARIABLE}(?:=.*)?"),
    (SpanKind.ROUTE, rf"(?:{_METHODS}) +/\S*|/(?:api|v\d+)(?:/\S*)?|/[A-Za-z][\w:\-]*"),
    (
        SpanKind.OUTSIDE,
        r"~.*|/(?:[\w.@~\-][^\s*]*)?|\$\w+[/\\].*|\$\{\w+\}[/\\].*|%\w+%.*|[A-Za-z]:[\\/].*|\\\\.*|\.\.(?:[/\\].*)?",
    ),
    (SpanKind.FLAG, r"--?[A-Za-z][\w.:\-]*(?:\[?[= ].+)?"),
    (
        SpanKind.NUMBER,
        rf"[v~^<>=≈±#+\-]*\s*{_VALUE}\s*(?:%|[A-Za-zµ°]{{1,7}})?(?:\.[x*])?|v?{_VALUE}(?:[\-.]?(?:a|b|rc|alpha|beta)\.?\d*)?",
    ),
    (
        SpanKind.HASH,
        r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:sha\d+|blake3):[0-9a-f]+…?",
    ),
    (
        SpanKind.PLACEHOLDER,
        r".*(?:<[A-Za-z][\w .:|\-]*>|(?<!\$)\{[A-Za-z_][\w\-]*\}|…|(?<![/.])\.\.\.(?!\w)|\bYYYY|\bXXX+).*",
    ),
    (SpanKind.URL, rf"(?:[\w\-]+\.)+(?:{_DOMAINS})(?::\d+)?/\S*|(?:[\w\-]+\.){{2,}}(?:{_DOMAINS})(?::\d+)?"),
    (SpanKind.TOOL, rf"(?i:(?:{_PRODUCTS})\.js)"),
    (SpanKind.GLOB, r"(?!@)(?=\S*(?:\*|\{[^{}\s]*,[^{}\s]*\}))(?=\S*[/\\]|\S*\.[A-Za-z]\w{0,9}$|\*\.)[^\s`'\"|;&$<>]+"),
    (SpanKind.FILE_LINE, rf"{_FILE}(?:#L\d+(?:-L?\d+)?|:\d+(?:[:,\-–]\d+)*|::?[A-Za-z_][\w.:\[\]\-]*(?:\(\))?)"),
    (SpanKind.FILE, _FILE),
    (
        SpanKind.BRANCH,
        r"(?:origin|upstream|feature|feat|fix|bugfix|hotfix|release|chore|refs|heads|dependabot)/\S*|main|master|develop|trunk|HEAD(?:[~^]\S*)?",
    ),
    (SpanKind.DIRECTORY, rf"{_PATH}[/\\]|\.?[/\\]"),
    (SpanKind.CALL, r"[\w.:#$]+!?\(.*\)"),
    (SpanKind.PAIR, rf"(?!(?:{_FOLDERS})/|.*/(?:{_FILE_NAMES})$)[A-Za-z]+(?:/[A-Za-z]+)+"),
    (SpanKind.PATH, rf"(?=.*/|\w.*\\\w){_PATH}|\.[A-Za-z][\w.\-]*|{_FILE_NAMES}"),
    (SpanKind.IDENTIFIER, r"[\w$@#.:\-]+[*?!]?"),
)
_SHAPES = tuple((kind, re.compile(shape, re.DOTALL)) for kind, shape in _RULES)
_STARTS_A_FILE = re.compile(r"[\w.\-]*/[\w.]\S* ")
_HAS_AN_OPTION = re.compile(r"[a-z][\w.\-]* (?:.* )?--?[A-Za-z]")

_parser = MarkdownIt("commonmark")


def spans(body: str) -> tuple[str, ...]:
    """The inline code spans of a memory's body as CommonMark defines them, each once, in order of appearance.

    Fenced and indented blocks are examples, not names, and give none. Spaces around a span are dropped. Of a body that
    is longer than `LONGEST_BODY` the paragraphs up to there count.
    """
    if "`" not in body:
        return ()
    found = (token.content.strip() for token in _inline(_parser.parse(_beginning(body))) if token.type == "code_inline")
    return tuple(dict.fromkeys(span for span in found if span))


def _beginning(body: str) -> str:
    if len(body) <= LONGEST_BODY:
        return body
    ends = (body.rfind(gap, 0, LONGEST_BODY) for gap in ("\n\n", "\n"))
    return body[: next((end for end in ends if end > 0), LONGEST_BODY)]


@lru_cache(maxsize=4096)
def classify(span: str) -> SpanKind:
    """What a span names, by its shape."""
    if len(span) > LONGEST:
        return SpanKind.TEXT
    if span in TOOLS:
        return SpanKind.TOOL
    if runs_script(span):
        return SpanKind.COMMAND
    for kind, shape in _SHAPES:
        if shape.fullmatch(span):
            return kind
    return SpanKind.COMMAND if _is_command(span) else SpanKind.TEXT


def _inline(tokens: list[Token]) -> Iterator[Token]:
    return (child for token in tokens for child in token.children or ())


def _is_command(span: str) -> bool:
    """A program that everybody has, a file by its path, or any word followed by an option."""
    step = next(iter(steps(span)), "")
    program, _, rest = step.partition(" ")
    return bool(rest) and (
        program in TOOLS or starts_file(step) or bool(_STARTS_A_FILE.match(step) or _HAS_AN_OPTION.match(step))
    )
