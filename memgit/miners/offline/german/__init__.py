"""German, as the offline rules read it: du and Sie, with umlauts and without, among English loan words and names."""

from __future__ import annotations

from memgit.miners.offline.facts import READINGS
from memgit.miners.offline.german.words import FUNCTION_WORDS, root
from memgit.miners.offline.tongues import Tongue

TONGUE = Tongue(
    patterns={}, function_words=FUNCTION_WORDS, stem=root, signs=(), against=(), forms=(), readings=READINGS
)
