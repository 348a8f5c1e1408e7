from __future__ import annotations

import pytest

from memgit.claims.commands import options, scripts_of, started_file, steps


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("make a && make b", ("make a", "make b")),
        ("$ FOO=1 BAR=2 npm test", ("npm test",)),
        ("cd web; npm test || true", ("cd web", "npm test", "true")),
        ("git log | head", ("git log", "head")),
        ("&& ;", ()),
        ("", ()),
    ],
)
def test_a_chain_is_taken_apart(command: str, expected: tuple[str, ...]) -> None:
    assert steps(command) == expected


@pytest.mark.parametrize(
    ("step", "scripts"),
    [
        ("make lint test", ("make lint", "make test")),
        ("make -C infra deploy ENV=prod", ("make deploy",)),
        ("make", ()),
        ("make <target>", ()),
        ("npm run build -- --watch", ("npm build",)),
        ("npm test", ("npm test",)),
        ("npm ci", ()),
        ("pnpm visual:approve", ("npm visual:approve",)),
        ("pnpm --filter @acme/ui run build", ("npm build",)),
        ("yarn lint --fix", ("npm lint",)),
        ("just release 1.2", ("just release",)),
        ("task db:migrate", ("task db:migrate",)),
        ("poetry run serve --port 1", ("python serve",)),
        ("poetry add x", ()),
        ("poe fmt", ("python fmt",)),
        ("cargo xtask dist", ("cargo xtask",)),
        ("deno task dev", ("deno dev",)),
        ("git push", ()),
        ("", ()),
    ],
)
def test_the_scripts_a_command_runs_are_named_by_family(step: str, scripts: tuple[str, ...]) -> None:
    assert scripts_of(step) == scripts


@pytest.mark.parametrize(
    ("step", "path"),
    [
        ("./scripts/x.sh --fast", "./scripts/x.sh"),
        ("bash -x scripts/x.sh a", "scripts/x.sh"),
        ("sudo python3 tool.py", "tool.py"),
        ("git push", None),
        ("python", None),
        ("", None),
    ],
)
def test_the_file_a_command_starts_is_named(step: str, path: str | None) -> None:
    assert started_file(step) == path


def test_options_are_named_without_their_values() -> None:
    assert options("x.sh --env=prod --fast -v -- y") == ("--env", "--fast")
