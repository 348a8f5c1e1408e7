"""The versions that a project's manifests, pinned toolchains, images and workflows give to products and packages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memgit.core.text.quantities import Quantity, literal
from memgit.core.verification.definitions import Definition, is_trial
from memgit.model.verification import Line

_V = r"[\"']?[\^~<>=v\s]*(?P<version>\d+(?:\.\d+)*)"
_KEYED = re.compile(rf"^\s*[\"']?(?P<name>@?[A-Za-z][\w./-]*)[\"']?\s*[:=]\s*(?:\{{[^}}]*?\bversion\s*=\s*)?{_V}")
_ENGINES = re.compile(rf"[\"'](?P<name>node|npm|pnpm|yarn|python|php)[\"']\s*:\s*{_V}")
_DEPENDENCY = re.compile(rf"[\"'](?P<name>@?[a-z][\w./-]*)[\"']\s*:\s*{_V}")
_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z][\w.-]*)(?:\[[\w,-]+\])?\s*(?P<version>[~=><]=\s*\d+(?:\.\d+)*)")
_IMAGE = re.compile(r"(?:^FROM|\bimage:)\s+[\"']?(?:[\w.-]+/)*(?P<name>[a-z][\w-]*):v?(?P<version>\d+(?:\.\d+)*)")
_SETUP = re.compile(rf"\b(?P<name>python|node|go|java|ruby|dotnet|php)[-_]version:\s*\[?{_V}")
_PLAIN = re.compile(r"^\s*(?P<name>[a-z][\w-]*)\s+v?(?P<version>\d+(?:\.\d+)*)\s*$")
_PIN = re.compile(r"^\s*(?:[a-z]+-)?v?(?P<version>\d+(?:\.\d+)*)\s*$")

_BY_NAME: tuple[tuple[re.Pattern[str], tuple[re.Pattern[str], ...]], ...] = tuple(
    (re.compile(path), shapes)
    for path, shapes in (
        (r"(?:^|/)package\.json$|(?:^|/)composer\.json$", (_ENGINES, _DEPENDENCY)),
        (r"(?:^|/)(?:Cargo|pyproject)\.toml$|(?:^|/)libs\.versions\.toml$|(?:^|/)Pipfile$", (_REQUIREMENT, _KEYED)),
        (r"(?:^|/)(?:requirements[\w.-]*\.(?:txt|in)|setup\.cfg|setup\.py|environment\.ya?ml)$", (_REQUIREMENT,)),
        (r"(?:^|/)go\.mod$|(?:^|/)\.tool-versions$", (_PLAIN,)),
        (r"(?:^|/)(?:\w+\.)?(?:Dockerfile|Containerfile)(?:\.\w+)?$", (_IMAGE,)),
        (r"(?:^|/)(?:docker-)?compose[\w.-]*\.ya?ml$|(?:^|/)\.gitlab-ci\.yml$", (_IMAGE,)),
        (r"(?:^|/)\.github/workflows/[^/]+\.ya?ml$", (_SETUP, _IMAGE)),
    )
)
_PINS = re.compile(r"(?:^|/)\.(?P<name>nvmrc|[a-z]+-version)$")
_KNOWN_KEYS: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (product, re.compile(path), re.compile(key + _V))
    for product, path, key in (
        ("terraform", r"\.tf$", r"\brequired_version\s*=\s*"),
        ("python", r"(?:^|/)(?:pyproject\.toml|setup\.(?:cfg|py))$", r"\b(?:requires-python|python_requires)\s*=\s*"),
        (
            "rust",
            r"(?:^|/)(?:Cargo|rust-toolchain)\.toml$|(?:^|/)clippy\.toml$",
            r"\b(?:rust-version|channel|msrv)\s*=\s*",
        ),
        ("java", r"\.gradle(?:\.kts)?$", r"(?:JavaLanguageVersion\.of\(|jvmToolchain\(|JavaVersion\.VERSION_)"),
        ("java", r"(?:^|/)pom\.xml$", r"<(?:java\.version|maven\.compiler\.(?:release|target|source))>"),
        ("swift", r"(?:^|/)Package\.swift$", r"swift-tools-version:\s*"),
        ("ios", r"(?:^|/)Package\.swift$|\.pbxproj$|\.xcconfig$", r"(?:\.iOS\(\.|\bIPHONEOS_DEPLOYMENT_TARGET\s*=\s*)"),
        ("gradle", r"gradle-wrapper\.properties$", r"/gradle-"),
        ("kubernetes", r"(?:^|/)Chart\.ya?ml$", r"\bkubeVersion:\s*"),
        ("c++", r"(?:^|/)CMakeLists\.txt$", r"\bCMAKE_CXX_STANDARD\s+"),
        ("cmake", r"(?:^|/)CMakeLists\.txt$", r"\bcmake_minimum_required\(VERSION\s+"),
        ("helm", r"(?:^|/)\.github/workflows/[^/]+$", r"\bhelm-version:\s*"),
    )
)
_ALIASES = {
    "nodejs": "node", "node.js": "node", "nvmrc": "node", "golang": "go", "postgresql": "postgres",
    "k8s": "kubernetes", "mongo": "mongodb", "next.js": "next", "vue.js": "vue", "jdk": "java", "openjdk": "java",
    "eclipse-temurin": "java", "msrv": "rust", "tailwind": "tailwindcss", "rubylang": "ruby", "py": "python",
}  # fmt: skip


def product(name: str) -> str:
    """One name for a product, however a memory or a manifest writes it."""
    plain = name.lower().removesuffix("-version")
    return _ALIASES.get(plain, plain)


def keeps_versions(path: str) -> bool:
    """Whether a file says which versions a project stands on."""
    if is_trial(path):
        return False
    shaped = (shape for shape, *_ in _BY_NAME)
    return bool(_PINS.search(path)) or any(
        shape.search(path) for shape in (*shaped, *(path_shape for _, path_shape, _ in _KNOWN_KEYS))
    )


def versions(path: str, text: str) -> Iterator[Definition]:
    """The products of one such file with their versions; the name of each is as `product` gives it."""
    shapes = next((shapes for shape, shapes in _BY_NAME if shape.search(path)), ())
    keys = [(name, key) for name, path_shape, key in _KNOWN_KEYS if path_shape.search(path)]
    pin = _PINS.search(path)
    for number, row in enumerate(text.split("\n"), start=1):
        found = [(product(match["name"]), match["version"]) for shape in shapes for match in shape.finditer(row)]
        found += [(name, _constraint(name, match)) for name, key in keys if (match := key.search(row))]
        found += [(product(pin["name"]), match["version"]) for match in [_PIN.match(row)] if pin and match]
        for name, version in dict(reversed(found)).items():
            if amount := _as_version(version):
                yield Definition(name, amount, Line(path, number, row))


def _constraint(name: str, match: re.Match[str]) -> str:
    """The version, as a lower bound where it is one: an app runs on later systems than the one it is built for."""
    return f">={match['version']}" if ">=" in match[0] or name in ("ios", "kubernetes") else match["version"]


def _as_version(text: str) -> Quantity | None:
    found = literal(text.replace("~=", "").replace("==", "").strip())
    return found if found is None or not found.unit else None
