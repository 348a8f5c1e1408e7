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

from memgit.claims.commands import runs_script, starts_file, steps
from memgit.model.verification import SpanKind
from memgit.text.markdown import LONGEST_SENTENCE, prose

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


# --- mentions ---
# What a memory names in its running prose, without marking it as code: paths and commands of a clear shape.
#
# A shape in prose is a weaker sign than a code span. So a mention counts only where the tree or its history knows it.

_SPAN = re.compile(r"`[^`\n]*`|\]\([^)\n]*\)|\[\[[^\]\n]*\]\]|\S+://\S+")
_PATH_IN_PROSE = re.compile(
    r"(?<![\w/.~$@:\\-])(?:\.?[\w-][\w.-]*/)+(?:[\w.-]*\w\.[A-Za-z]\w{0,5}\b(?![/\w-])|(?=[\s,;:)]|$))"
)
_COMMAND = re.compile(
    r"\b(?:[Rr]un|[Rr]unning|[Cc]all|[Uu]se|[Vv]ia|[Ww]ith|[Tt]hrough|[Ss]tart|[Dd]o)\s+(?:a\s+|an\s+|the\s+)?"
    r"(?P<command>(?:make|just|task|(?:npm|pnpm|yarn|bun) run|pnpm|yarn|poetry run|uv run) [a-z][\w:.-]*\w)"
)


def mentions(body: str) -> tuple[str, ...]:
    """The paths and commands that the prose of a body names beside its code spans, each once, in order."""
    found = dict.fromkeys(_found(prose(body[:LONGEST_SENTENCE])))
    marked = frozenset(spans(body)) if found else frozenset()
    return tuple(one for one in found if one not in marked)


def _found(text: str) -> Iterator[str]:
    plain = _SPAN.sub(" ¦ ", text)
    yield from (match[0] for match in _PATH_IN_PROSE.finditer(plain))
    yield from (match["command"] for match in _COMMAND.finditer(plain))


# --- spellings ---
# Other ways to write what a span names, each as good as the span itself when it stands in a file.

_PLAIN_CALL = re.compile(r"([\w.:#$]+!?)\([A-Za-z_,\s*.…&]*\)")
_SHELL_VARIABLE = re.compile(r"\$\{?(\w+)\}?")
_SETTING = re.compile(r"""(['"]?)([\w.\-]+)\1\s*[=:]\s*(['"]?)([^\s'"]+)\3""")
_OPTION = re.compile(r"(--?[\w.\-]+)[= ](\S+)")
_FAMILY = re.compile(r"([\w.\-]{2,}[_\-.])\*")
_SEPARATORS = ("=", " = ", ": ", ":", '": ', '":', '" = ', "': ", "' => ")
_QUOTES = ("", '"', "'")


def spellings(span: str, kind: SpanKind) -> tuple[str, ...]:
    """The texts any of which shows that what the span names is there; the span itself comes first."""
    return tuple(dict.fromkeys((span, *_others(span, kind))))


def last_part(span: str) -> str | None:
    """The member at the end of a dotted name or call (``Order.total()`` → ``total``): a clue, never a proof."""
    parts = re.split(r"[.:#]+", span.partition("(")[0])
    return parts[-1] if len(parts) > 1 and len(parts[-1]) > 2 else None


def _others(span: str, kind: SpanKind) -> tuple[str, ...]:
    match kind:
        case SpanKind.CALL if found := _PLAIN_CALL.fullmatch(span):
            return (found[1],)
        case SpanKind.ENVIRONMENT if found := _SHELL_VARIABLE.fullmatch(span):
            return (found[1],)
        case SpanKind.FLAG if found := _OPTION.fullmatch(span):
            return (f"{found[1]}={found[2]}", f"{found[1]} {found[2]}")
        case SpanKind.ENVIRONMENT | SpanKind.TEXT | SpanKind.IDENTIFIER if found := _SETTING.fullmatch(span):
            return _settings(found[2], found[4])
        case SpanKind.IDENTIFIER | SpanKind.TEXT if found := _FAMILY.fullmatch(span):
            return (found[1],)
        case _:
            return ()


def _settings(key: str, value: str) -> tuple[str, ...]:
    """The same key with the same value in the notations of shells, YAML, TOML, JSON and code."""
    return tuple(f"{key}{separator}{quote}{value}{quote}" for separator in _SEPARATORS for quote in _QUOTES)
