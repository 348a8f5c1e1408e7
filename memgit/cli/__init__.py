"""The command line: parse, wire, call, print. Nothing else happens here.

One module for each group of commands; importing it registers them.
"""

from memgit.cli import agent, everyday, lifecycle, look, passes
from memgit.cli.frame import app, run

__all__ = ["agent", "app", "everyday", "lifecycle", "look", "passes", "run"]
