"""The program of the child that looks at a vault: ``python -m memgit.wiring.apart STORE full|quick``."""

from __future__ import annotations

import sys

from memgit.apart import write
from memgit.wiring.site import site_at

if __name__ == "__main__":
    site = site_at(sys.argv[1])
    sys.exit(write(lambda: site.record_parts(full=sys.argv[2] == "full")))
