"""The miner that needs no model: it nominates and ranks what may be worth a memory, and asks. It decides nothing."""

from memgit.miners.offline.miner import OfflineDecider, OfflineMiner

__all__ = ["OfflineDecider", "OfflineMiner"]
