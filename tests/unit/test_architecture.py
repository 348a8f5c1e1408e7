"""Dependencies point one way, and the few privileges (pygit2, programs, writing) stay where they belong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "memgit"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if "example" not in path.parts)

FOUNDATION = {"errors", "model"}
CORE = {"core", "claims", "text", "evidence", "likeness", "rulings"}
INNER = FOUNDATION | CORE
MAY_IMPORT = {
    "errors": set(),
    "model": FOUNDATION,
    **dict.fromkeys(CORE, INNER),
    "ports": INNER,
    "flows": INNER | {"ports", "files", "reading", "faults", "flows", "agent"},
    "tree": INNER | {"ports", "tree", "files", "process", "reading"},
    "sessions": INNER | {"ports", "sessions", "reading"},
    "miners": INNER | {"ports", "miners", "files", "process", "reading"},
    "show": INNER | {"show"},
    "stores": INNER | {"ports", "stores", "files", "faults", "reading", "agent"},
    "vault": INNER | {"ports", "vault", "files", "faults", "process", "reading"},
}
"""What each layer may import when it runs; types for annotations are free."""

OUTERMOST = {"cli", "console", "wiring", "agent", "demo", "files", "config_files", "faults", "process", "apart"}
OUTERMOST |= {"__init__", "__main__", "_entry", "caller", "git_safety", "reading"}
"""Whoever puts the others together, or stands below them all and imports none."""


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_is_in_a_layer_that_has_a_rule():
    assert {layer(path) for path in MODULES} == {*MAY_IMPORT, *OUTERMOST}


TAKEN_APART = {"memgit", "pathlib", "urllib"}
"""Packages of which it matters what is taken from them."""


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports at run time, wherever in it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names if node.module in TAKEN_APART)


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if layer(path) in MAY_IMPORT],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_a_module_imports_only_what_its_layer_may(path):
    ours = {name.split(".")[1] for name in imports(path) if name.startswith("memgit.")} - {"__version__"}
    assert ours <= MAY_IMPORT[layer(path)]


OWN_DATA = {"text/language.py", "likeness/embedding.py", "likeness/models.py", "rulings/signs.py"}
"""Modules of the core that read, once, a table which is shipped beside them."""

OUTSIDE = {"io", "shutil", "tempfile", "socket", "subprocess", "sqlite3", "urllib.request", "pathlib.Path"}
READING = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "iterdir", "glob", "rglob"}
NAMES_ONLY = {"fsdecode", "fsencode"}


@pytest.mark.parametrize(
    "path", [path for path in MODULES if layer(path) in CORE], ids=lambda path: str(path.relative_to(PACKAGE))
)
def test_the_core_touches_nothing_but_its_own_data(path):
    source = path.read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    called = {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}
    assert {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "os"} <= (
        NAMES_ONLY
    )
    if str(path.relative_to(PACKAGE)) in OWN_DATA:
        assert source.count("Path(") == source.count("Path(__file__).parent") <= 1
    else:
        assert not OUTSIDE & set(imports(path))
        assert not READING & called


@pytest.mark.parametrize(
    ("module", "where"),
    [("pygit2", {"vault"}), ("subprocess", {"process"}), ("typer", {"cli"}), ("msgspec", {"sessions"})],
)
def test_a_privilege_stays_where_it_belongs(module, where):
    users = {layer(path) for path in MODULES if any(name.split(".")[0] == module for name in imports(path))}
    assert users <= where


VOCABULARY = [path for path in MODULES if layer(path) in ("model", "errors", "ports", "text")]


@pytest.mark.parametrize("path", VOCABULARY, ids=str)
def test_the_vocabulary_needs_the_standard_library_only(path):
    third_party = {"pygit2", "typer", "msgspec", "yaml", "frontmatter", "blake3", "markdown_it", "ahocorasick_rs"}
    assert not third_party & {name.split(".")[0] for name in imports(path)}


def test_a_file_gets_another_content_in_one_way_that_never_makes_a_link() -> None:
    """Data that is put into a link would be its target; lines of an index are replaced too, and are no files."""
    given = re.compile(r"\breplace\((?:[^()]|\([^()]*\))*\bdata=")
    assert {path.name for path in MODULES if given.search(path.read_text(encoding="utf-8"))} == {"rebuild.py"}


def test_no_module_is_a_drawer():
    names = {path.stem for path in MODULES}
    assert not names & {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
