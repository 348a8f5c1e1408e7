"""The README's picture, made anew: ``python -m tests.bench.picture`` builds the worked example, makes the page of its
pass and photographs it in a real browser.

The example's pass always comes out the same, so the picture changes only when the page does. What does not fit below
150 kB is refused: every clone carries it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from memgit import files
from tests.browser import CHROMIUM, DRIVER, MISSING, browsing

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / ".pictures" / "report.png"
FOLDER = "/tmp/memgit-demo"
LARGEST = 150_000
WIDTH, EDGE = 1180, 14


def main() -> int:
    """Write the picture, or say why not."""
    if not (CHROMIUM and DRIVER):
        print(MISSING, file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as made:
        data = photographed(page(Path(made)), Path(made))
    if len(data) > LARGEST:
        print(f"The picture would have {len(data):,} bytes.", file=sys.stderr)
        return 1
    files.write_atomic(PICTURE, data, 0o644)
    print(f"{PICTURE.relative_to(ROOT)}: {len(data):,} bytes")
    return 0


def page(made: Path) -> Path:
    """The page of the example's pass. Its paths are the README's, wherever it was built."""
    folder, out = made / "demo", made / "report.html"
    subprocess.run([sys.executable, "-m", "memgit", "demo", folder], check=True, capture_output=True)
    subprocess.run([folder / "memgit-demo", "report", "--html", out], check=True, capture_output=True)
    key = re.sub("[^A-Za-z0-9]", "-", str(folder))
    text = out.read_text(encoding="utf-8").replace(key, "-tmp-memgit-demo").replace(str(folder), FOLDER)
    out.write_text(text, encoding="utf-8")
    return out


def photographed(page: Path, made: Path) -> bytes:
    """The first decision of a page down to the quote that backs it, in light colours."""
    with browsing(made) as browser:
        browser.look(WIDTH, "light")
        browser.open(page)
        x, y, width, height = browser.run(_BOX)
        return browser.picture(x - EDGE, y - EDGE, width + 2 * EDGE, height + 2 * EDGE)


_BOX = """
const whole = document.getElementById('M1').getBoundingClientRect();
const quote = document.querySelector('#M1 mark').closest('.turn').getBoundingClientRect();
return [whole.x + scrollX, whole.y + scrollY, whole.width, quote.bottom - whole.y];
"""


if __name__ == "__main__":
    sys.exit(main())
