"""Where the command starts. Hook verbs are dispatched before anything heavy is imported: they run at every
session start, and the command line library alone would cost several times what they do."""

import sys


def main() -> None:
    """Run ``memgit`` with the process's own arguments and exit with its code."""
    if sys.argv[1:2] == ["--version"]:
        from memgit import __version__

        print(f"memgit {__version__}")
        return
    from memgit.cli import run

    sys.exit(run(sys.argv[1:]))
