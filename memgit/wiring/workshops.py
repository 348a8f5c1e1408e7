"""All that a pass works with: the store, the transcripts, the tree, and who mines and decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memgit.errors import UsageError
from memgit.wiring.settings import OFFLINE, Choices, Settings
from memgit.wiring.site import Site

if TYPE_CHECKING:
    from memgit.core.prune.rules import Terms
    from memgit.flows.every import LeftOut
    from memgit.flows.prepare import Workshop
    from memgit.memory.stores import Listed
    from memgit.miners.model.conversation import Conversation, Purse
    from memgit.miners.model.port import Model
    from memgit.ports import Beads, Decider, Miner, Progress


def workshop(settings: Settings, progress: Progress, choices: Choices | None = None) -> Workshop:
    """All that a pass works with."""
    from memgit import process
    from memgit.agent.clients import client_named
    from memgit.flows.prepare import PARALLEL, Workshop
    from memgit.sessions.claude import ClaudeTranscripts
    from memgit.stores.rules import project_key

    choices, site = (choices or Choices()).filled(settings.configuration), Site(settings)
    transcripts = ClaudeTranscripts(
        site.place.projects_dir,
        key=project_key,
        git=process.git,
        cache_dir=str(settings.cache_home),
        stores=[str(site.live)],
        rollouts=client_named("codex").setup(settings.cwd, settings.env, str(settings.home)).sessions,
    )
    asked = conversations(choices, settings)
    miner, decider = miners(choices, asked, site.answered)
    return Workshop(
        store=site.store,
        transcripts=transcripts,
        project=site.place.owner,
        tree=site.tree(),
        miner=miner,
        decider=decider,
        book=site.book,
        clock=settings.clock,
        progress=progress,
        limits=choices.limits,
        index_from_frontmatter=choices.index_from_frontmatter,
        remove_most=choices.remove_most,
        mask_personal=choices.mask_personal,
        parallel=choices.parallel or PARALLEL,
        attended=choices.decides == OFFLINE,
        pins=settings.configuration.of("prune.pins", tuple),
        account=lambda: tuple(filter(None, (each.account() for each in asked.values()))),
        beads=site.beads,
        earlier=site.earlier,
    )


def stores(settings: Settings) -> tuple[Listed, ...]:
    """Every store of this user's agents, each looked at from outside."""
    from memgit.sessions.pool import newest_directories
    from memgit.stores.catalogue import catalogue
    from memgit.vault.moved import records

    place, known = Site(settings).place, records(settings.data_home)
    return tuple(catalogue(place, settings.cwd, settings.env, str(settings.home), known, newest_directories))


def every_store(settings: Settings, *, at_project: bool) -> Iterator[tuple[str, Settings] | LeftOut]:
    """Each store that is there with the settings to work in it. With ``at_project`` those are left out that agents do
    not read, and those that cannot be held against a project."""
    from memgit.flows.every import LeftOut
    from memgit.memory.stores import GONE
    from memgit.model.store import Resolution

    for one in stores(settings):
        if one.shape == GONE:
            continue
        if why := one.problem or one.unusable or (one.no_pass if at_project else ""):
            yield LeftOut(one.path, why)
            continue
        here = one.project if one.project and Path(one.project).is_dir() else settings.cwd
        named = Resolution(one.path, one.why, one.shape).address
        yield one.path, replace(settings, cwd=here, store=named, project=here)


def beads_workshop(settings: Settings, progress: Progress, choices: Choices) -> tuple[Workshop, Beads]:
    """All that a sweep works with: the beads of the project here, unless another store of beads is named.

    Raises UsageError for a store of another shape.
    """
    settings = replace(settings, store=settings.store or "beads")
    site = Site(settings)
    if (beads := site.beads) is None:
        raise UsageError(
            f"{site.resolution.path} is no store of beads, and only those are swept.",
            "For other stores there are `memgit curate`, `audit` and `prune`.",
        )
    return workshop(settings, progress, choices), beads


def workshops(settings: Settings, progress: Progress, choices: Choices) -> Iterator[Workshop | tuple[str, str]]:
    """All that a pass over each store works with, each at its own project; one that has none, or that needs a pass of
    another kind, comes as its path and the reason."""
    from memgit.flows.every import LeftOut

    for each in every_store(settings, at_project=True):
        if isinstance(each, LeftOut):
            yield each.store, each.why
        else:
            yield workshop(each[1], progress, choices)


def conversations(choices: Choices, settings: Settings) -> Mapping[str, Conversation]:
    """The models that mine or decide, with the answers that are kept of them, by the name that was chosen.

    Raises UsageError where there is none of that name.
    """
    names = sorted({choices.mines, choices.decides} - {OFFLINE})
    if not names:
        return {}
    from memgit.miners.model.conversation import FOLDER, Conversation, KeptAnswers

    kept = KeptAnswers(settings.cache_home / FOLDER)
    return {name: Conversation(model(name, choices, settings), kept, choices.mask_personal) for name in names}


def miners(
    choices: Choices, asked: Mapping[str, Conversation], answered: Callable[[], frozenset[str]] = frozenset
) -> tuple[Miner, Decider]:
    """Who mines and who decides. ``answered`` gives the questions that need not be asked again."""
    mines, decides = asked.get(choices.mines), asked.get(choices.decides)
    return _miner(mines, answered), _decider(decides)


def _miner(asked: Conversation | None, answered: Callable[[], frozenset[str]]) -> Miner:
    if asked is None:
        from memgit.miners.offline import OfflineMiner

        return OfflineMiner(answered)
    from memgit.miners.model.miner import ModelMiner

    return ModelMiner(asked)


def _decider(asked: Conversation | None) -> Decider:
    if asked is None:
        from memgit.miners.offline import OfflineDecider

        return OfflineDecider()
    from memgit.miners.model.miner import ModelDecider

    return ModelDecider(asked)


def model(name: str, choices: Choices, settings: Settings) -> Model:
    """The way to a model: the one that the user's own agent uses, unless another is named."""
    from memgit import process
    from memgit.miners.model.claude import ClaudeModel

    match name:
        case "claude":
            return ClaudeModel(process.run, choices.model or settings.client.model)
        case "api":
            from memgit.miners.model.api import api_model

            url, key_name = settings.chosen(None, "api.url", str), settings.chosen(None, "api.key-name", str)
            return api_model(choices.model or "", url, key_name, settings.env, purse(choices, settings))
        case "host":
            raise UsageError("A host agent mines in three steps.", "See `memgit plan --help`.")
        case _:
            raise UsageError(f"There is no miner {name!r}.", "Choose offline, claude or api.")


def purse(choices: Choices, settings: Settings) -> Purse:
    """What a run may take of an endpoint. Raises UsageError for a bound in money where no price is known."""
    from memgit.miners.model.conversation import Prices, Purse

    prices = Prices(settings.chosen(None, "api.price-in", float), settings.chosen(None, "api.price-out", float))
    known = prices if prices.tokens_in or prices.tokens_out else None
    most_cost = settings.chosen(choices.max_cost, "api.max-cost", float) or None
    if most_cost and known is None:
        raise UsageError("A bound in money needs prices.", "Set api.price-in and api.price-out, or use --max-tokens.")
    return Purse(known, settings.chosen(choices.max_tokens, "api.max-tokens", int) or None, most_cost)


def prune_terms(settings: Settings, given: Mapping[str, Any], pins: Sequence[str], *, include_stale: bool) -> Terms:
    """What a prune may do: as given, else as configured. Pins of both count."""
    from memgit.core.prune.rules import Terms

    return Terms(
        alike=settings.chosen(given.get("alike"), "prune.alike", float),
        window=settings.chosen(given.get("window"), "prune.window", int),
        orphan_days=settings.chosen(given.get("orphan_days"), "prune.orphan-days", int),
        include_stale=include_stale,
        pins=(*pins, *settings.configuration.of("prune.pins", tuple)),
    )
