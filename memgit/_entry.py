"""Where the command starts. Hook verbs are dispatched before anything heavy is imported: they run at every
session start, and the command line library alone would cost several times what they do."""

import gc
import os
import sys

_YOUNG = 100_000
"""New objects after which Python looks for garbage; the default is 700, which imports pass many times for nothing."""


def main() -> None:
    """Run ``memgit`` with the process's own arguments and exit with its code."""
    if sys.argv[1:2] in (["--version"], ["-V"]):
        from memgit import __version__

        print(f"memgit {__version__}")
        return
    if sys.argv[1:2] == ["hook"] and len(sys.argv) > 2 and not sys.argv[2].startswith("-"):
        from memgit.hooks.dispatch import main as hook

        os._exit(hook(sys.argv[2:]))  # all is written; taking the interpreter down would cost a tenth of the whole
    gc.set_threshold(_YOUNG)
    try:
        _interrupt_once()
        from memgit.cli import run

        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        print("Interrupted. Nothing had begun yet.", file=sys.stderr)
        sys.exit(130)
    finally:
        gc.freeze()  # the process ends, and with it all garbage: looking for it would take a sixth of a short command


_IMPATIENT = 2.0
"""Seconds after a first Ctrl-C in which a further one changes nothing: the first is still being followed."""


def _interrupt_once() -> None:
    """Let the first Ctrl-C end the command in order, and the next not break into that. One that comes when it should
    have ended long ago ends the process at once, which loses nothing."""
    import signal  # hooks do without
    import time

    since: list[float] = []

    def handle(_signal: int, _frame: object) -> None:
        if not since:
            since.append(time.monotonic())
            raise KeyboardInterrupt
        if time.monotonic() - since[0] > _IMPATIENT:
            os._exit(130)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, handle)
