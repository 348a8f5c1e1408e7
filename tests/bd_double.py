"""A double of the ``bd`` command (1.0 to 1.3) with the behaviour of its source, over a JSON file in ``.beads``.

It overwrites silently, forgets for good, refuses types that are not configured, texts that its columns cannot hold and
options that it does not have, and with ``--json`` tells errors on standard output. The file ``bd-form`` in the project
holds how an older one printed: ``old`` (bare lists, the schema's version among an object's keys) or ``items`` (lists
in an object). The file ``bd-fails`` holds rules, one a line: ``VERB N`` lets the Nth call of a verb fail, ``VERB N
hang`` never end, ``VERB N lie`` succeed without doing anything; ``VERB * …`` is about every call, ``VERB N+ …`` about
all from the Nth on. ``bd-calls`` gets each command line.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from pathlib import Path

SWITCHES = {
    "remember": set(),
    "memories": set(),
    "recall": set(),
    "forget": set(),
    "create": {"--silent"},
    "list": {"--all"},
    "show": set(),
    "close": set(),
    "supersede": set(),
    "types": set(),
    "vc": set(),
    "dolt": set(),
}
VALUED = {
    "remember": {"--key"},
    "create": {"-t", "--type", "-l", "--labels", "--defer", "--metadata", "--body-file", "-d", "--title"},
    "list": {"-l", "--label", "-s", "--status", "-n", "--limit", "-t", "--type", "--title"},
    "close": {"-r", "--reason"},
    "supersede": {"--with"},
}  # fmt: skip
CORE_TYPES = ("task", "bug", "feature", "chore", "epic", "decision", "spike", "story", "milestone")
LONGEST_TEXT, LONGEST_KEY, LONGEST_TITLE, USUAL_LIMIT = 65_535, 245, 500, 50


class Failed(Exception):
    """``plain`` ones are told as they are, and never as JSON."""

    def __init__(self, message: str, *, plain: bool = False) -> None:
        super().__init__(message)
        self.plain = plain


class Database:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / "database.json"
        self.tables = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.memories = self.tables.setdefault("memories", {})
        self.beads = self.tables.setdefault("beads", [])
        self.types = self.tables.setdefault("types", ["research", "design"])

    def save(self) -> None:
        aside = self.path.with_suffix(".new")
        aside.write_text(json.dumps(self.tables))
        aside.replace(self.path)

    def bead(self, name: str) -> dict:
        found = next((one for one in self.beads if one["id"] == name), None)
        if found is None:
            raise Failed(f"resolving ID {name}: no issue found matching {name!r}")
        return found


def found_above(here: Path) -> Path:
    return next(folder / ".beads" for folder in (here, *here.parents) if (folder / ".beads").is_dir())


def go_json(value: object) -> str:
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def wrapped(value: object, form: str) -> object:
    if not form and os.environ.get("BD_JSON_ENVELOPE") == "1":
        return {"data": value, "schema_version": 1}
    if isinstance(value, list):
        return {"items": value, "schema_version": 1} if form == "items" else value
    return {**value, "schema_version": 1}


def parsed(verb: str, words: list[str]) -> tuple[dict[str, str], list[str]]:
    flags: dict[str, str] = {}
    rest: list[str] = []
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "--":
            return flags, rest + words
        if not word.startswith("-") or word == "-":
            rest.append(word)
            continue
        name, equals, value = word.partition("=")
        if name in VALUED.get(verb, ()):
            if not equals and not words:
                raise Failed(f"flag needs an argument: {name}", plain=True)
            flags[name] = value if equals else words.pop(0)
        elif name in SWITCHES[verb] | {"--json"}:
            flags[name] = "true"
        else:
            kind = "unknown flag" if name.startswith("--") else "unknown shorthand flag"
            raise Failed(f"{kind}: {name}", plain=True)
    return flags, rest


def auto_key(text: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return "-".join(slug.split("-")[:8])[:60].rstrip("-")


def shortened(text: str, length: int) -> str:
    text = text.replace("\n", " ")
    return text if len(text) <= length else f"{text[: length - 3]}..."


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
    verb, form = (
        argv[0],
        (folder.parent / "bd-form").read_text().strip() if (folder.parent / "bd-form").exists() else "",
    )
    with (folder.parent / "bd-calls").open("a") as log:
        log.write(f"{verb}\t{json.dumps(argv)}\n")
    match failing(folder, verb):
        case "fail":
            return told(Failed("database is locked"), argv, form)
        case "hang":
            signal.pause()
        case "lie":
            return 0
    try:
        if verb not in SWITCHES:
            raise Failed(f'unknown command "{verb}" for "bd"', plain=True)
        flags, rest = parsed(verb, argv[1:])
        return run(Database(folder), verb, flags, rest, form)
    except Failed as failed:
        return told(failed, argv, form)


def told(failed: Failed, argv: list[str], form: str) -> int:
    if "--json" in argv and not failed.plain:
        print(go_json(wrapped({"error": str(failed)}, form)))
    else:
        print(f"Error: {failed}", file=sys.stderr)
    return 1


def run(database: Database, verb: str, flags: dict[str, str], rest: list[str], form: str) -> int:
    as_json = "--json" in flags

    def answer(value: object, text: str) -> int:
        print(go_json(wrapped(value, form)) if as_json else text)
        return 0

    match verb, rest:
        case "remember", [text]:
            return remembered(database, text, flags, answer)
        case "memories", [] | [_]:
            asked = rest[0].lower() if rest else ""
            found = {k: v for k, v in database.memories.items() if asked in k.lower() or asked in v.lower()}
            return answer(found, f"Memories ({len(found)}):")
        case "recall", [key]:
            return missing(key) if key not in database.memories else answer(
                {"key": key, "value": database.memories[key], "found": True}, database.memories[key])  # fmt: skip
        case "forget", [key]:
            if key not in database.memories:
                return missing(key)
            text = database.memories.pop(key)
            database.save()
            return answer({"key": key, "deleted": "true"}, f"Forgot [{key}]: {shortened(text, 80)}")
        case "dolt", ["status"]:
            return answer(
                {"mode": "embedded", "server_running": False}, "Dolt engine: embedded (in-process, no server)"
            )
        case "vc", ["status"]:
            return answer({"branch": "main", "commit": "7v3k9qd0t1"}, "  Branch: main\n  Commit: 7v3k9qd0")
        case "types", []:
            core = [{"name": name, "description": name} for name in CORE_TYPES]
            return answer({"core_types": core, "custom_types": database.types}, "Core work types (built-in):")
        case "list", []:
            return answer([shown(one) for one in listed(database, flags)], "")
        case "show", [name]:
            return answer([shown(database.bead(name))], database.bead(name)["title"])
        case "create", _:
            return answer(*created(database, flags, rest))
        case "close", [name]:
            bead = database.bead(name)
            bead |= {"status": "closed"} | ({} if bead["status"] == "closed" else {"close_reason": flags["--reason"]})
            database.save()
            return answer([shown(bead)], f"✓ Closed {name}")
        case "supersede", [name]:
            database.bead(flags["--with"])
            database.bead(name)["status"] = "closed"
            database.save()
            return answer({"superseded": name, "replacement": flags["--with"], "status": "closed"}, f"✓ Marked {name}")
    raise Failed(f"accepts 1 arg(s), received {len(rest)}", plain=True)


def missing(key: str) -> int:
    print(f'No memory with key "{key}"', file=sys.stderr)
    return 1


def remembered(database: Database, text: str, flags: dict[str, str], answer) -> int:
    if not text.strip():
        raise Failed("memory content cannot be empty")
    key = flags.get("--key") or auto_key(text)
    if "--key" not in flags and auto_key(text) == text:
        raise Failed(f'no memory named "{key}" to recall -- and refusing to store a bare key-like token')
    if len(text.encode()) > LONGEST_TEXT:
        raise Failed(f"storing memory: Error 1105: string '{text[:40]}...' is too large for column 'value'")
    if len(key) > LONGEST_KEY:
        raise Failed(f"storing memory: Error 1105: string 'kv.memory.{key}' is too large for column 'key'")
    action = "Updated" if key in database.memories else "Remembered"
    database.memories[key] = text
    database.save()
    return answer({"key": key, "value": text, "action": action.lower()}, f"{action} [{key}]: {shortened(text, 80)}")


def listed(database: Database, flags: dict[str, str]) -> list[dict]:
    labels = [word for name in ("-l", "--label") for word in flags.get(name, "").split(",") if word]
    title = flags.get("--title", "").lower()
    kept = [one for one in database.beads if set(labels) <= set(one["labels"]) and title in one["title"].lower()]
    status = flags.get("--status", "")
    kept = [one for one in kept if status in ("all", one["status"]) or (not status and one["status"] != "closed")]
    limit = int(flags.get("--limit", USUAL_LIMIT))
    return kept[:limit] if limit else kept


def shown(bead: dict) -> dict:
    return {name: value for name, value in bead.items() if value or name in ("id", "title", "status")}


def created(database: Database, flags: dict[str, str], rest: list[str]) -> tuple[dict, str]:
    title = rest[0] if rest else flags.get("--title", "")
    kind = flags.get("-t", flags.get("--type", "task"))
    if not title.strip() or len(rest) > 1:
        raise Failed("title required (or use --file to create from markdown)", plain=True)
    if len(title.encode()) > LONGEST_TITLE:
        raise Failed(f"validation failed for issue : title must be {LONGEST_TITLE} characters or less")
    if kind not in (*CORE_TYPES, *database.types):
        raise Failed(f"validation failed for issue : invalid issue type: {kind}")
    number = f"bd-{len(database.beads) + 1}"
    body = sys.stdin.read() if flags.get("--body-file") == "-" else flags.get("-d", "")
    labels = [word for name in ("-l", "--labels") for word in flags.get(name, "").split(",") if word]
    bead = {"id": number, "title": title, "issue_type": kind, "labels": sorted(labels),
            "status": "deferred" if "--defer" in flags else "open", "description": body,
            "metadata": json.loads(flags.get("--metadata", "{}"))}  # fmt: skip
    database.beads.append(bead)
    database.save()
    return shown(bead), number if "--silent" in flags else f"✓ Created issue: {number} — {title}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
