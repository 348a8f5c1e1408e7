"""Curation without a model: rules of English and German over what was said, explicit comparison over what is stored."""

from memgit.miners.offline.decider import OfflineDecider
from memgit.miners.offline.likeness import OfflineLikeness
from memgit.miners.offline.miner import OfflineMiner

__all__ = ["OfflineDecider", "OfflineLikeness", "OfflineMiner"]
