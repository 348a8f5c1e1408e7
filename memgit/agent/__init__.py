"""The clients of agents: where each keeps things, what its hooks do, how they are put there, and the tools for it."""
