"""How fast is memgit beside the limits of the machine? And how good are its doubts, its questions and what it takes?

python -m tests.bench fit                   fit all weights (--write), and print what they are worth out of sample
python -m tests.bench hosts                 what becomes of right and wrong proposals of hosts
python -m tests.bench asked                 what offline takes and asks
python -m tests.bench quality               what models, good and bad ones, ask and take
python -m tests.bench                       small sizes, under a minute: does it all still run?
python -m tests.bench --middle              sizes of a large project
python -m tests.bench --large --json FILE   the sizes that the bars are meant for: 20 GB of disk, half an hour
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from tests.bench.rows import LARGE, MIDDLE, SMALL, TABLE, Bench, Row


def main(arguments: Sequence[str]) -> int:
    if arguments and arguments[0] in ("fit", "hosts", "asked", "quality"):
        judging = import_module(f"tests.bench.{arguments[0]}")
        return int(judging.main(arguments[1:]))
    options = _options(arguments)
    sizes = LARGE if options.large else MIDDLE if options.middle else SMALL
    folder = Path(tempfile.mkdtemp(prefix="memgit-bench-", dir=options.folder))
    try:
        bench = Bench(folder, sizes, options.repeat or (1 if sizes is SMALL else 5), options.by)
        rows = []
        for each in TABLE:
            if not options.only or each.__name__ in options.only:
                rows.extend(each(bench))
                print(f"{each.__name__}: measured", file=sys.stderr)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(table(rows))
    if options.json:
        facts = {"python": platform.python_version(), "by": options.by, "rows": [row.facts() for row in rows]}
        Path(options.json).write_text(json.dumps(facts, indent=1) + "\n")
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.bench")
    parser.add_argument("--middle", action="store_true", help="sizes of a large project")
    parser.add_argument("--large", action="store_true", help="the sizes that the bars are meant for")
    parser.add_argument("--only", nargs="*", metavar="ROWS", help=", ".join(each.__name__ for each in TABLE))
    parser.add_argument("--repeat", type=int, help="rounds of which the median counts")
    parser.add_argument("--by", choices=("wall", "cpu"), default="wall", help="cpu where other programs run beside")
    parser.add_argument("--folder", help="where the data goes; a disk, not memory")
    parser.add_argument("--json", metavar="FILE", help="write all figures there, too")
    return parser.parse_args(arguments)


def table(rows: Sequence[Row]) -> str:
    """The rows in Markdown."""
    head = (
        "| job | memgit | reference | ratio | bar | met | growth | peak | note |\n|---|---|---|---|---|---|---|---|---|"
    )
    return "\n".join([head, *map(_line, rows)])


def _line(row: Row) -> str:
    ours = _time(row.ours) if row.theirs is not None else f"{row.ours:.3g} {row.unit}"
    theirs = "" if row.theirs is None else f"{row.reference}: {_time(row.theirs)}"
    ratio = "" if row.theirs is None else f"{row.value:.2f} ×"
    bar = "" if row.bar is None else f"≤ {row.bar:g} {row.unit}"
    met = {True: "yes", False: "**no**", None: ""}[row.met]
    growth = "" if row.growth is None else f"n^{row.growth:.2f}"
    peak = f"{row.peak_mb:.0f} MB" if row.peak_mb else ""
    return f"| {row.job} | {ours} | {theirs} | {ratio} | {bar} | {met} | {growth} | {peak} | {row.note} |"


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
