"""Promise 1, watched from outside the process: a pass opens nothing under the store for writing and changes no name."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.test_scenarios import tree_of

CHANGING = (
    "creat,mkdir,mkdirat,rmdir,unlink,unlinkat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,"
    "truncate,chmod,fchmodat,chown,fchownat,lchown,utime,utimes,utimensat,futimesat,mknod,mknodat,setxattr,removexattr"
)
AUDIT = """
import sys
from memgit.cli import run

store, writing = sys.argv[1], []

def watch(event, args):
    if event == "open" and str(args[0]).startswith(store + "/"):
        mode, flags = args[1], args[2] or 0
        if flags & 0o3 or flags & 0o1100 or (mode and set(mode) & set("wax+")):
            writing.append((event, args))
    elif event.split(".")[0] in ("os", "shutil") and event not in ("os.listdir", "os.scandir", "os.walk", "os.fwalk"):
        if any(str(arg) == store or str(arg).startswith(store + "/") for arg in args):
            writing.append((event, args))

sys.addaudithook(watch)
code = run(["curate"])
print(writing)
sys.exit(code or bool(writing))
"""


def changes_under(store: Path, trace: str) -> list[str]:
    """The traced calls that name something under the store and are not mere reads."""
    inside = re.compile(rf'"{re.escape(str(store))}(/[^"]*)?"')
    calls = [line for line in trace.splitlines() if inside.search(line) and "ENOENT" not in line]
    return [
        line
        for line in calls
        if not re.search(r"\bopen(at2?)?\(", line) or re.search(r"O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)", line)
    ]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed: the outside watch is left out")
def test_a_pass_makes_no_changing_system_call_under_the_store(render_scenario, tmp_path):
    scenario = render_scenario("checkout-api")
    before, log = tree_of(scenario.store), tmp_path / "trace"
    watched = f"open,openat,openat2,{CHANGING}"
    done = subprocess.run(
        ["strace", "-f", "-qq", "-o", log, "-e", f"trace={watched}", sys.executable, "-m", "memgit", "curate"],
        cwd=scenario.project,
        env={**scenario.env, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    trace = log.read_text(errors="replace")
    assert done.returncode == 0, done.stderr
    assert f'"{scenario.store}/retry-budget.md", O_RDONLY' in trace  # the watch sees what it must see
    assert changes_under(scenario.store, trace) == []
    assert tree_of(scenario.store) == before


def test_a_pass_opens_nothing_of_the_store_for_writing_in_python(render_scenario):
    scenario = render_scenario("checkout-api")
    done = subprocess.run(
        [sys.executable, "-c", AUDIT, str(scenario.store)],
        cwd=scenario.project,
        env={**scenario.env, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("[]\n")


def test_a_store_that_may_not_be_written_is_curated_all_the_same(render_scenario, memgit):
    scenario = render_scenario("checkout-api")
    before = tree_of(scenario.store)
    for path in scenario.store.iterdir():
        path.chmod(0o444)
    scenario.store.chmod(0o555)
    try:
        ran = memgit("curate", "--json", "--now", scenario.now, cwd=scenario.project, env=scenario.env)
        assert ran.code == 0, ran.err
        assert ran.json["store"]["unchanged"] is True
    finally:
        scenario.store.chmod(0o755)
    after = tree_of(scenario.store)
    assert {name: entry[2] for name, entry in after.items()} == {name: entry[2] for name, entry in before.items()}
