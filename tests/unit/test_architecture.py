"""Imports point one way, types for annotations included, and the few privileges stay where they belong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "memgit"
MODULES = {
    "/".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if "example" not in path.parts
}
"""Every module by its path below the package."""

LAYERS = {
    "__init__": "ground",
    "errors": "ground",
    "faults": "ground",
    "git_safety": "ground",
    "model": "model",
    **dict.fromkeys(("core", "claims", "text", "evidence", "likeness", "memory", "rulings"), "core"),
    "ports": "ports",
    **dict.fromkeys(("files", "config_files", "reading", "caller", "process"), "machine"),
    **{adapter: adapter for adapter in ("stores", "sessions", "tree", "miners", "vault")},
    "flows": "flows",
    "agent": "agent",
    "agent/clients": "clients",
    "stores/rules": "machine",  # where a client keeps a project's store
    "demo": "demo",
    "show": "page",
    "console": "console",
    **dict.fromkeys(("wiring", "apart", "agent/hooks/background"), "wiring"),
    **dict.fromkeys(("cli", "_entry", "__main__"), "cli"),
}
"""The layer of a module: of the longest of these that its path begins with."""

INNER = {"ground", "model", "core"}
ADAPTER = INNER | {"ports", "machine"}
MAY_IMPORT: Mapping[str, set[str]] = {
    "ground": set(),
    "model": {"ground"},
    "core": {"ground", "model"},
    "ports": INNER | {"machine"},
    "machine": INNER | {"clients"},  # who calls is told by the marks that clients leave
    "stores": ADAPTER | {"clients"},  # where a store lies is its client's rule
    **dict.fromkeys(("sessions", "tree", "miners", "vault"), ADAPTER),
    "clients": INNER | {"machine"},
    "flows": ADAPTER | {"agent", "clients"},  # what hooks wrote down, and how their lines look in a client's settings
    "agent": ADAPTER | {"stores", "clients"},  # a hook pays for no wiring: it finds the store by itself
    "demo": ADAPTER | {"stores"},
    "page": INNER,
    "console": ADAPTER | {"flows", "agent", "page", "demo"},
    "wiring": ADAPTER | {"stores", "sessions", "tree", "miners", "vault", "flows", "agent", "clients", "page", "demo"},
    "cli": ADAPTER | {"flows", "agent", "clients", "page", "console", "wiring"},
}
"""What each layer knows besides itself. Adapters know none of each other, and only the wiring knows them."""

EXCEPTIONS = {
    ("agent/hooks/dispatch", "wiring"): "the three verbs that one hook asks of another memgit open the vault",
    ("agent/hooks/background", "console"): "it runs in a process of its own, and must be told that nobody listens",
    ("claims/verify", "ports"): "it asks a working tree, whichever it is handed",
}


def layer(module: str) -> str:
    """The layer of a module, or nothing where it has none."""
    parts = module.split("/")
    return next((LAYERS[each] for n in range(len(parts), 0, -1) if (each := "/".join(parts[:n])) in LAYERS), "")


def test_every_module_has_a_layer():
    assert [module for module in MODULES if not layer(module)] == []


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules, and the names in them, that a file imports: wherever in it, and also for annotations only."""
    return frozenset(_imports(ast.parse(path.read_text(encoding="utf-8"))))


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)


def ours(path: Path) -> set[str]:
    """The modules of memgit that a file imports."""
    return {module for name in imports(path) if name.startswith("memgit") and (module := module_of(name))}


def module_of(name: str) -> str:
    """The module that a dotted name is, or is in."""
    parts = name.split(".")[1:]
    for n in range(len(parts), 0, -1):
        for module in ("/".join(parts[:n]), "/".join([*parts[:n], "__init__"])):
            if module in MODULES:
                return module
    return "__init__"


ARROWS = {module: ours(path) - {module} for module, path in MODULES.items()}


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_layer_may(module):
    known = MAY_IMPORT[layer(module)] | {layer(module)}
    strange = {each for each in ARROWS[module] if layer(each) not in known}
    assert {each for each in strange if (module, layer(each)) not in EXCEPTIONS} == set()


def test_every_exception_is_needed():
    crossed = {(module, layer(each)) for module, known in ARROWS.items() for each in known}
    assert set(EXCEPTIONS) <= crossed


def test_no_module_comes_back_to_itself():
    left = {module: set(known) for module, known in ARROWS.items()}
    while free := [module for module, known in left.items() if not known & left.keys()]:
        for module in free:
            del left[module]
    while spare := [module for module in left if not any(module in known for known in left.values())]:
        for module in spare:
            del left[module]  # it leads to a circle and is in none
    assert sorted(left) == []


OWN_DATA = {"text/language", "likeness/embedding", "likeness/models", "rulings/signs"}
"""Modules of the core that read, once, a table which is shipped beside them."""

OUTSIDE = {"io", "shutil", "tempfile", "socket", "subprocess", "sqlite3", "urllib.request", "pathlib.Path"}
READING = {"open", "read_text", "read_bytes", "write_text", "write_bytes", "iterdir", "glob", "rglob"}
NAMES_ONLY = {"fsdecode", "fsencode"}


@pytest.mark.parametrize("module", [module for module in MODULES if layer(module) == "core"])
def test_the_core_touches_nothing_but_its_own_data(module):
    source = MODULES[module].read_text(encoding="utf-8")
    nodes = list(ast.walk(ast.parse(source)))
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    called = {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}
    assert {node.attr for node in nodes if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "os"} <= (
        NAMES_ONLY
    )
    if module in OWN_DATA:
        assert source.count("Path(") == source.count("Path(__file__).parent") <= 1
    else:
        used = {name for name in imports(MODULES[module]) for name in (name, name.rpartition(".")[0])}
        assert not OUTSIDE & used
        assert not READING & called


@pytest.mark.parametrize(
    ("privilege", "where"),
    [
        ("pygit2", {"vault"}),
        ("subprocess", {"machine"}),
        ("typer", {"cli"}),
        ("msgspec", {"sessions"}),
        ("memgit.process", {"machine", "tree", "miners", "vault", "agent", "console", "wiring", "demo"}),
    ],
)
def test_a_privilege_stays_where_it_belongs(privilege, where):
    used = {module: [*imports(path)] for module, path in MODULES.items()}
    assert {layer(module) for module, names in used.items() if any(is_in(name, privilege) for name in names)} <= where


def is_in(name: str, package: str) -> bool:
    return f"{name}.".startswith(f"{package}.")


@pytest.mark.parametrize(
    "module", [each for each in MODULES if layer(each) in ("ground", "model", "ports") or each.startswith("text/")]
)
def test_the_vocabulary_needs_the_standard_library_only(module):
    third_party = {"pygit2", "typer", "msgspec", "yaml", "frontmatter", "blake3", "markdown_it", "ahocorasick_rs"}
    assert not third_party & {name.split(".")[0] for name in imports(MODULES[module])}


def test_a_file_gets_another_content_in_one_way_that_never_makes_a_link() -> None:
    """Data that is put into a link would be its target; lines of an index are replaced too, and are no files."""
    given = re.compile(r"\breplace\((?:[^()]|\([^()]*\))*\bdata=")
    assert {path.name for path in MODULES.values() if given.search(path.read_text(encoding="utf-8"))} == {"rebuild.py"}


def test_no_module_is_a_drawer():
    names = {path.stem for path in MODULES.values()}
    assert not names & {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
