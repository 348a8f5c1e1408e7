"""Where the command starts. Hook verbs are dispatched before anything heavy is imported: they run at every
session start, and the command line library alone would cost several times what they do."""

import gc
import os
import sys

_YOUNG = 100_000
"""New objects after which Python looks for garbage; the default is 700, which imports pass many times for nothing."""


def main() -> None:
    """Run ``memgit`` with the process's own arguments and exit with its code."""
    if sys.argv[1:2] == ["--version"]:
        from memgit import __version__

        print(f"memgit {__version__}")
        return
    if sys.argv[1:2] == ["hook"] and len(sys.argv) > 2 and not sys.argv[2].startswith("-"):
        from memgit.agent.hooks.dispatch import main as hook

        os._exit(hook(sys.argv[2:]))  # all is written; taking the interpreter down would cost a tenth of the whole
    gc.set_threshold(_YOUNG)
    try:
        from memgit.cli import run

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        print("Interrupted. Nothing had begun yet.", file=sys.stderr)
        sys.exit(130)
    finally:
        gc.freeze()  # the process ends, and with it all garbage: looking for it would take a sixth of a short command
