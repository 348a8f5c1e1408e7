"""Settings: the strongest source counts, a clone's file may say little, and what is wrong is named in one sentence."""

from __future__ import annotations

import tomllib

import pytest

from memgit.core.configuration import KEYS, Configuration, File, Owner, as_toml, configuration, example, taken
from memgit.errors import UsageError


def configured(user: str = "", project: str = "", **env: str) -> Configuration:
    files = (File(Owner.USER, "/u/memgit.toml", user.encode()), File(Owner.PROJECT, "/p/memgit.toml", project.encode()))
    return configuration(files, env)


def refused(user: str = "", project: str = "", **env: str) -> tuple[str, str]:
    with pytest.raises(UsageError) as caught:
        configured(user, project, **env)
    return caught.value.message, caught.value.hint


def held(of: Configuration, name: str) -> tuple[object, str]:
    return of.settings[name].value, of.settings[name].source


def test_without_files_every_key_has_its_default():
    found = configuration((), {})
    assert len(found.settings) == len(KEYS)
    assert {name: setting.source for name, setting in found.settings.items()} == {key.name: "default" for key in KEYS}
    assert found.of("pass.token-budget", int) == 150_000


@pytest.mark.parametrize(
    ("user", "project", "env", "expected"),
    [
        ("index = 'frontmatter'", "", {}, ("frontmatter", "/u/memgit.toml")),
        ("index = 'frontmatter'", "index = 'own'", {}, ("own", "/p/memgit.toml")),
        ("index = 'own'", "index = 'own'", {"MEMGIT_INDEX": "frontmatter"}, ("frontmatter", "MEMGIT_INDEX")),
        ("index = 'frontmatter'", "", {"MEMGIT_INDEX": ""}, ("frontmatter", "/u/memgit.toml")),
    ],
)
def test_environment_beats_project_beats_user_beats_default(user, project, env, expected):
    found = configured(f"[pass]\n{user}", f"[pass]\n{project}", **env)
    assert held(found, "pass.index") == expected


def test_a_project_may_lower_how_much_is_read_and_not_raise_it():
    assert held(configured("", "[pass]\ntoken-budget = 9000"), "pass.token-budget") == (9000, "/p/memgit.toml")
    raised = configured("[pass]\nsession-cap = 10", "[pass]\nsession-cap = 500")
    assert held(raised, "pass.session-cap") == (10, "/u/memgit.toml")


@pytest.mark.parametrize("key", [key for key in KEYS if key.reserved], ids=lambda key: key.name)
def test_what_names_commands_endpoints_miners_or_guards_is_the_users_alone(key):
    table, _, name = key.name.partition(".")
    line = f"[{table}]\n{name} = {as_toml(key.default)}"
    assert held(configured(line), key.name) == (key.default, "/u/memgit.toml")
    message, hint = refused(project=line)
    assert message == f"/p/memgit.toml: a project may not set {key.name}, because {key.reserved}."
    assert "only your own file" in hint


def test_commands_miners_and_guards_are_among_the_reserved():
    free = {key.name for key in KEYS if not key.reserved}
    assert free == {"pass.token-budget", "pass.session-cap", "pass.index", "prune.pins", "prune.alike"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[pass]\ntoken-budge = 1", "/u/memgit.toml: there is no key pass.token-budge."),
        ("[pass]\ntoken-budget = '1'", "/u/memgit.toml: pass.token-budget must be a whole number from 1 up."),
        ("[pass]\ntoken-budget = true", "/u/memgit.toml: pass.token-budget must be a whole number from 1 up."),
        ("[pass]\ntoken-budget = 0", "/u/memgit.toml: pass.token-budget must be a whole number from 1 up."),
        ("[prune]\nalike = nan", "/u/memgit.toml: prune.alike must be a number from 0 to 1."),
        ("[prune]\npins = [1]", "/u/memgit.toml: prune.pins must be a list of names."),
        ("[hooks]\nguard = 'stern'", "/u/memgit.toml: hooks.guard must be one of off, strict."),
        ('[look]\npager = "a\\nb"', "/u/memgit.toml: look.pager must be one line of text."),
        ("[pass]\nindex = {a = 1}", "/u/memgit.toml: pass.index must be one of own, frontmatter."),
        ("[[pass]]\nindex = 1", "/u/memgit.toml: there is no key pass."),
        ("\"a\\u001b[2J\" = 1", "/u/memgit.toml: there is no key a\\x1b[2J."),
        ("[pass", "/u/memgit.toml is no TOML: Expected ']' at the end of a table declaration (at end of document)."),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_named_with_its_key(text, message):
    assert refused(text)[0] == message


def test_a_key_that_was_misspelt_is_guessed():
    assert refused("[pass]\ntoken-budge = 1")[1] == "Did you mean pass.token-budget? `memgit config` lists all keys."


def test_a_store_is_never_named_by_a_file():
    assert refused(project="store = '/etc'")[1] == "A store is named with --store, never by a file."


def test_a_file_that_is_no_text_is_refused():
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        configuration((File(Owner.USER, "/u/memgit.toml", b"\xff"),), {})


def test_a_deeply_nested_file_is_refused_and_does_not_crash():
    assert refused("a = " + "[" * 5_000 + "]" * 5_000)[0].startswith("/u/memgit.toml is no TOML")


def test_a_variable_that_makes_no_sense_is_named():
    assert refused(MEMGIT_TOKEN_BUDGET="many")[0] == "MEMGIT_TOKEN_BUDGET must be a whole number from 1 up."
    assert held(configured(MEMGIT_PINS="a, b"), "prune.pins") == (("a", "b"), "MEMGIT_PINS")


def test_the_example_names_every_key_at_its_default():
    bare = "\n".join(line[2:] if " = " in line else line for line in example().split("\n"))
    read = tomllib.loads(bare)
    named = {f"{table}.{name}": value for table, keys in read.items() for name, value in keys.items()}
    assert {name: taken(key.takes, named[name]) for key in KEYS for name in [key.name]} == {
        key.name: key.default for key in KEYS
    }


@pytest.mark.parametrize("value", ['a "b" \\c', ("x", "y"), 3, 0.88])
def test_a_value_written_as_toml_is_read_back(value):
    read = tomllib.loads(f"v = {as_toml(value)}")["v"]
    assert (tuple(read) if isinstance(read, list) else read) == value


def test_a_key_that_is_pasted_where_its_variables_name_belongs_is_refused_and_not_repeated():
    pasted = "sk-ant-" + "api03-abcdefghijklmnopqrstuvwxyz"
    message, hint = refused(f"[api]\nkey-name = '{pasted}'")
    assert message == "/u/memgit.toml: api.key-name must be the name of a variable, never a key itself."
    assert "abcdefgh" not in hint
    assert held(configured("[api]\nkey-name = 'MY_KEY'"), "api.key-name") == ("MY_KEY", "/u/memgit.toml")
