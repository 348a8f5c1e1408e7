"""What a change leaves behind: names of what goes, old values in the index, entries past its limits."""

from __future__ import annotations

from memgit.memory.health import left_over
from memgit.memory.index_lines import limits
from tests.desks import content


def memory(name: str, body: str) -> str:
    return f"---\nname: {name}\ndescription: about {name}\n---\n\n{body}\n"


def listing(*names: str, prose: str = "") -> str:
    return prose + "".join(f"- [{name}]({name}.md) — x\n" for name in names)


def test_a_mention_of_what_goes_is_told_with_its_line_and_those_of_what_stays_are_not() -> None:
    names = {"a": "One.", "b": "One.", "c": "Use `b.md`, mem:b and mem:a.\n\nNever `b.mdx`."}
    before = content({"MEMORY.md": listing(*names), **{f"{key}.md": memory(key, body) for key, body in names.items()}})
    after = content({path: file.data.decode() for path, file in before.files.items() if path != "b.md"})
    assert [*left_over(before, after)] == [
        "c still names `b.md` in line 1 of its text, which would go.",
        "c still names mem:b in line 1 of its text, which would go.",
    ]
    assert [*left_over(before, before)] == []


def test_an_old_value_in_prose_of_the_index_is_told_and_another_memorys_own_is_not() -> None:
    prose = "The window is half an hour; the break is 45 minutes.\n\n- [d](d.md) — 30 minutes too\n"
    texts = {"w": "The window is 30 minutes.", "d": "The dwell time is 30 minutes."}
    files = {f"{key}.md": memory(key, body) for key, body in texts.items()}
    before = content({"MEMORY.md": listing("w", prose=prose.replace("half an hour", "30 minutes")), **files})
    after = content({**{p: f.data.decode() for p, f in before.files.items()}, "w.md": memory("w", "It is 15 minutes.")})
    assert [*left_over(before, after)] == ["MEMORY.md:1 still says 30 minutes, which w gave before."]


def test_entries_past_a_limit_are_told_with_what_helps_against_the_limit_that_binds() -> None:
    many = content({"MEMORY.md": "".join(f"- [m{n}](m{n}.md)\n" for n in range(230)), "m0.md": memory("m0", "x")})
    long = content({"MEMORY.md": "".join(f"- [m{n}](m{n}.md) — {'x' * 500}\n" for n in range(60)), "m0.md": "x"})
    (fewer,), (shorter,) = (tuple(left_over(one, one)) for one in (many, long))
    assert fewer.startswith("30 lines of the index fall off")
    assert ("Fewer lines" in fewer, "Shorten" in fewer) == (True, False)
    assert ("Fewer lines" in shorter, "Shorten" in shorter) == (False, True)
    both = limits(("- [m](m.md) — " + "x" * 500 + "\n").encode() * 230)
    assert ("Fewer lines" in both.remedy, "Shorten" in both.remedy) == (True, True)
