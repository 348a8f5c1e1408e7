"""The measurements of scale run; their figures are for people, and only what cannot depend on a machine is held."""

from __future__ import annotations

from tests.bench.scale import Figure, measure
from tests.desks import quick_place


def test_a_vault_grows_with_what_passes_change_and_not_with_the_store(tmp_path):
    with quick_place(tmp_path) as place:
        figures = {figure.name: figure.value for figure in measure(place, memories=200, passes=12)}
    assert figures["bytes of the vault for each pass"] < 120_000
    assert {"log", "undo of the last pass", "check --full"} <= figures.keys()


def test_a_figure_is_a_line():
    assert str(Figure("log", 12.34, "ms of CPU")) == f"{'log':<44}         12.3 ms of CPU"
