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
MAY_IMPORT = {
    "model": FOUNDATION,
    "core": FOUNDATION | {"core"},
    "ports": FOUNDATION | {"core"},
    "flows": FOUNDATION | {"core", "ports", "files", "faults", "flows", "agent"},
    "tree": FOUNDATION | {"core", "ports", "tree", "files", "process"},
    "sessions": FOUNDATION | {"core", "ports", "sessions"},
    "miners": FOUNDATION | {"core", "ports", "miners", "files", "process"},
    "show": FOUNDATION | {"core", "show"},
    "stores": FOUNDATION | {"core", "ports", "stores", "files", "faults"},
    "vault": FOUNDATION | {"core", "ports", "vault", "files", "faults", "process"},
}
"""What each layer may import when it runs; types for annotations are free."""


def layer(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


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
            yield from (f"{node.module}.{name.name}" for name in node.names if node.module == "memgit")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_layer_may(path):
    allowed = MAY_IMPORT.get(layer(path))
    if allowed is None:
        return
    ours = {name.split(".")[1] for name in imports(path) if name.startswith("memgit.")} - {"__version__"}
    assert ours <= allowed


@pytest.mark.parametrize(
    ("module", "where"),
    [("pygit2", {"vault"}), ("subprocess", {"process"}), ("typer", {"cli"}), ("msgspec", {"sessions"})],
)
def test_a_privilege_stays_where_it_belongs(module, where):
    users = {layer(path) for path in MODULES if any(name.split(".")[0] == module for name in imports(path))}
    assert users <= where


@pytest.mark.parametrize("path", [path for path in MODULES if layer(path) in ("model", "errors", "ports")], ids=str)
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
