"""German, as the offline rules read it: du and Sie, with umlauts and without, among English loan words and names."""

from __future__ import annotations

from memgit.miners.offline.german.changes import CHANGES
from memgit.miners.offline.german.guards import GUARDS
from memgit.miners.offline.german.news import NEWS
from memgit.miners.offline.german.signs import AGAINST, AROUND, FORMS, SIGNS
from memgit.miners.offline.german.values import VALUES
from memgit.miners.offline.german.words import FUNCTION_WORDS, root
from memgit.miners.offline.tongues import Tongue

TONGUE = Tongue(
    patterns={**GUARDS, **NEWS, **CHANGES, **AROUND},
    function_words=FUNCTION_WORDS,
    stem=root,
    signs=SIGNS,
    against=AGAINST,
    forms=FORMS,
    readings=VALUES,
)
