"""A double of the ``bd`` command with its measured behaviour, over a JSON file in ``.beads``.

It overwrites silently, forgets for good, and mixes the schema's version into what it lists. The file ``bd-fails`` in
the project holds rules, one a line: ``VERB N`` lets the Nth call of a verb fail, ``VERB N hang`` never end, ``VERB N
lie`` succeed without doing anything; ``VERB * …`` is about every call, ``VERB N+ …`` about all from the Nth on.
``bd-calls`` gets each command line.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from pathlib import Path

TEXT, JSON = False, True


class Database:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "database.json"
        self.tables = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.memories = self.tables.setdefault("memories", {})
        self.beads = self.tables.setdefault("beads", [])

    def save(self) -> None:
        aside = self.path.with_suffix(".new")
        aside.write_text(json.dumps(self.tables))
        aside.replace(self.path)


def found_above(here: Path) -> Path:
    return next(folder / ".beads" for folder in (here, *here.parents) if (folder / ".beads").is_dir())


def go_json(value: object) -> str:
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def listed(value: dict) -> str:
    if os.environ.get("BD_JSON_ENVELOPE") == "1":
        return go_json({"data": value, "schema_version": 1})
    return go_json({**value, "schema_version": 1})


def parsed(words: list[str]) -> tuple[dict[str, str], list[str]]:
    flags: dict[str, str] = {}
    rest: list[str] = []
    takes = {"--key", "-t", "-l", "--label", "--status", "--defer", "--metadata", "--body-file", "--reason"}
    while words:
        word = words.pop(0)
        if word == "--":
            return flags, rest + words
        if word.startswith("-") and word != "-":
            name, equals, value = word.partition("=")
            flags[name] = value if equals else words.pop(0) if name in takes else "true"
        else:
            rest.append(word)
    return flags, rest


def auto_key(text: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return "-".join(slug.split("-")[:8])[:60]


def failing(folder: Path, verb: str) -> str:
    log = folder.parent / "bd-calls"
    calls = [line.split("\t")[0] for line in log.read_text().splitlines()] if log.exists() else []
    rules = (folder.parent / "bd-fails").read_text().splitlines() if (folder.parent / "bd-fails").exists() else []
    for rule in rules:
        name, number, *how = rule.split()
        late = number.endswith("+") and calls.count(verb) >= int(number[:-1])
        if name == verb and (late or number in ("*", str(calls.count(verb)))):
            return how[0] if how else "fail"
    return ""


def main(argv: list[str]) -> int:
    folder = Path(os.environ["BEADS_DIR"]) if "BEADS_DIR" in os.environ else found_above(Path.cwd())
    verb, (flags, rest) = argv[0], parsed(argv[1:])
    with (folder.parent / "bd-calls").open("a") as log:
        log.write(f"{verb}\t{json.dumps(argv)}\n")
    match failing(folder, verb):
        case "fail":
            print("Error: database is locked", file=sys.stderr)
            return 1
        case "hang":
            signal.pause()
        case "lie":
            return 0
    return run(Database(folder), verb, flags, rest)


def run(database: Database, verb: str, flags: dict[str, str], rest: list[str]) -> int:
    as_json = "--json" in flags
    match verb, rest:
        case "remember", [text]:
            if not text.strip():
                print("Error: memory content cannot be empty", file=sys.stderr)
                return 1
            key = flags.get("--key") or auto_key(text)
            action = "Updated" if key in database.memories else "Remembered"
            database.memories[key] = text
            database.save()
            print(f"{action} [{key}]: {text[:80]}")
        case "memories", _:
            asked = rest[0].lower() if rest else ""
            found = {k: v for k, v in database.memories.items() if asked in k.lower() or asked in v.lower()}
            print(listed(found) if as_json else f"Memories ({len(found)}):")
        case "forget", [key]:
            if key not in database.memories:
                print(f'No memory with key "{key}"', file=sys.stderr)
                return 1
            text = database.memories.pop(key)
            database.save()
            print(f"Forgot [{key}]: {text[:80]}")
        case "dolt", ["status"]:
            print("On branch main\nhead: 7v3k9q\nnothing to commit, working set clean")
        case "list", _:
            kept = [one for one in database.beads if flags.get("--label", "") in one["labels"]]
            print(go_json(kept))
        case "create", [title]:
            number = f"bd-{len(database.beads) + 1}"
            body = sys.stdin.read() if flags.get("--body-file") == "-" else ""
            labels = flags.get("-l", "").split(",")
            bead = {"id": number, "title": title, "issue_type": flags.get("-t"), "labels": labels,
                    "status": "deferred" if "--defer" in flags else "open", "description": body,
                    "metadata": json.loads(flags.get("--metadata", "{}"))}  # fmt: skip
            database.beads.append(bead)
            database.save()
            print(number)
        case _:
            print(f"Error: unknown command {verb}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
