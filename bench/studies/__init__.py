"""Studies: one file each, a typed config, the cells it expands to and what they yield.

A study module defines

    Config     a frozen dataclass: every setting, typed, with a default
    PRESETS    {"quick": Config(...), "paper": ..., "full": ...}
    cells      Config -> list[Cell]; cells that two studies share are computed once
    YIELDS     names of the values its tables show
    on         optional: (Config, Problem) -> the Config for a user's own problem
               (`femnets run --problem ./mine.py`)
    NEEDS_U    optional: True if it applies to problems with a closed form only
    ONLY_WHEN_NAMED  optional: True if such a run leaves the study out unless it is named

and its docstring's first line is its title. A study with a dot in its name is an importable
module outside this package: `femnets run mine.studies.heat`. It is imported only if the user
names it, not because a run folder does (`bench.core.guards.outside`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from base.errors import UserError, nearest
from base.registry import FILES, Registry
from bench.cells import Cell, load_kind
from bench.core import plugins
from bench.core.settings import configured, parsed
from bench.methods.titles import net_title
from bench.studies._outside import described
from nets import architectures

if TYPE_CHECKING:
    from bench.problems import Problem

# The largest preset has 180 180 combinations of its values, of which it makes 11 115 cells.
MOST_COMBINATIONS = 500_000
MOST_PLUGIN_FILES = 1000  # per plan: each is read to see whether it has changed
# Studies of earlier versions that are parts of others now; their names still work.
MERGED = {"boundary_value": "elements", "fitted_elements": "baselines", "record": "strong_nets"}
PRESETS = {
    "quick": "small versions of all studies, for a first look",
    "paper": "the sizes and seeds behind the published numbers",
    "full": "more sizes, problems and seeds than the paper has",
}


@dataclass(frozen=True)
class Plan:
    """A study with its final settings and the cells that they give."""

    study: str
    preset: str
    config: Any  # the study's own Config
    cells: list[Cell]
    plugins: Mapping[str, list[str]] = dataclasses.field(default_factory=dict)
    options: tuple[str, ...] = ()  # of the command line, as typed

    def document(self) -> dict[str, Any]:
        """The plan as a run folder stores it.

        If it uses files of the user, the document names them and lists all cells, so that status
        and report do not need that code.
        """
        config = dataclasses.asdict(self.config)
        document: dict[str, Any] = {"study": self.study, "preset": self.preset, "config": config}
        if self.options:
            document["options"] = [*self.options]
        named = {"config": config, "cells": [cell.config for cell in self.cells]}
        outside = plugins.recorded(self.study, named)
        if outside or self.study in REGISTRY.installed or plugins.path_of_study(self.study):
            cells = [[cell.kind, dict(cell.config)] for cell in self.cells]
            nets = {str(cell.config.get("net", "")) for cell in self.cells}
            titles = {net: net_title(net) for net in sorted(nets) if "@" in net}
            document |= {"plugins": outside, "cells": cells, "titles": titles}
            document["outside"] = described(self.cells)
        if path := plugins.path_of_study(self.study):
            document["file"] = path
        return document


def _study(module: Any, name: str) -> Any:
    parts = ("Config", "PRESETS", "YIELDS", "cells")
    absent = [part for part in parts if not hasattr(module, part)]
    if absent:
        raise UserError(f"{name} is not a study: it defines no {', '.join(absent)}")
    return module


REGISTRY: Registry[Any] = Registry("study", __name__, _study, group="studies")


def names() -> list[str]:
    """All studies, including those in files that the user has named."""
    return sorted({*REGISTRY.names(), *filter(plugins.path_of_study, FILES)})


def load(study: str) -> Any:
    """The module of a study."""
    plugins.check_admitted(study, "study")
    return REGISTRY.get(study)


def use(text: str) -> str:
    """Return the name of a study given by a file (`./mine.py`), by its name or by an older one."""
    if text in MERGED:
        return MERGED[text]
    name = plugins.use_study(text, REGISTRY.names())
    if plugins.path_of_study(name):
        REGISTRY.forget()  # drops an older file of that name
        try:
            load(name)  # reports now what is wrong with it
        except Exception:
            plugins.forget_study(name)
            raise
    return name


def title(study: str) -> str:
    return (load(study).__doc__ or study).strip().splitlines()[0]


def preset(study: str, name: str) -> Any:
    presets = load(study).PRESETS
    if name not in presets:
        raise UserError(f"no preset {name!r} in study {study!r}; {nearest(name, list(presets))}")
    return presets[name]


def plan(
    studies: Sequence[str],
    preset_name: str,
    overrides: Mapping[str, Mapping[str, Any]],
    problem: Problem | None = None,
    options: Sequence[str] = (),
) -> list[Plan]:
    """The plans of some studies; `overrides` maps a study to the settings that differ.

    With a `problem` they use only that one. `options` are stored as typed on the command line.
    """
    plans = []
    for study in map(plugins.admit, studies):  # named by the caller, not by a file
        config = preset(study, preset_name)
        if problem is not None:
            if getattr(load(study), "NEEDS_U", False) and not problem.known:
                continue
            config = load(study).on(config, problem)
        if overrides.get(study):
            config = dataclasses.replace(config, **overrides[study])
        cells = expanded(study, config)
        plans.append(Plan(study, preset_name, config, cells, options=tuple(options)))
    return plans


def about_problems() -> list[str]:
    """The studies that can be run on a user's own problem."""
    return [study for study in names() if hasattr(load(study), "on")]


def by_default(study: str) -> bool:
    """Whether a run on a user's own problem has the study without being asked for it."""
    return not getattr(load(study), "ONLY_WHEN_NAMED", False)


def expanded(study: str, config: Any) -> list[Cell]:
    """The cells of a study; raise a UserError before making them if they would be too many."""
    most = _combinations(config)
    usual = max(map(_combinations, load(study).PRESETS.values()))
    if most > max(MOST_COMBINATIONS, 10 * usual):
        raise UserError(
            f"study {study} would have up to {most:.0e} cells, more than {MOST_COMBINATIONS:,}; "
            "give its settings fewer values"
        )
    try:
        cells: list[Cell] = load(study).cells(config)
    except UserError:
        raise
    except (IndexError, ValueError) as error:  # from an empty setting
        if empty := _empty(config):
            raise UserError(f"study {study} needs a value for {' or '.join(empty)}") from error
        raise
    return _trained_once(cells)


def _trained_once(cells: list[Cell]) -> list[Cell]:
    """Give torch modules, which have no τ, the policy `fixed`: several policies are one cell."""
    return [*dict.fromkeys(map(_without_tau, cells))]


def _without_tau(cell: Cell) -> Cell:
    net = str(cell.config.get("net", ""))
    if (
        "@" not in net
        or "tau" not in cell.config
        or hasattr(architectures.get(net), "coefficients")
    ):
        return cell
    return Cell(cell.kind, {**cell.config, "tau": "fixed"})


def _empty(config: Any) -> list[str]:
    names = (field.name for field in dataclasses.fields(config))
    return [name for name in names if getattr(config, name) == ()]


def _combinations(config: Any) -> int:
    """Number of combinations of all values of all settings: an upper bound for the cells."""
    values = (getattr(config, field.name) for field in dataclasses.fields(config))
    return math.prod(len(value) for value in values if isinstance(value, tuple) and value)


def replanned(
    documents: Mapping[str, Mapping[str, Any]],
    refused: Callable[[str, str], None] | None = None,
) -> list[Plan]:
    """The plans stored in a run folder, expanded by the current code.

    `refused` is called with each study that cannot be planned and why; without it that is an error.
    """
    plans = []
    for study, document in documents.items():
        try:
            plans.append(_replanned(study, document))
        except UserError as error:
            if refused is None:
                raise
            refused(study, str(error))
    return plans


def _replanned(study: str, document: Mapping[str, Any]) -> Plan:
    if "cells" in document:
        return _written_out(study, document)
    config_type = load(study).Config
    try:
        config = configured(config_type, document["config"], where=f"study {study}")
        cells = expanded(study, config)
    except UserError as error:
        raise UserError(
            f"the run's plan was made by another version of the code: {error}; run study {study} "
            "again under the same --run to renew it; finished cells are kept"
        ) from None
    return Plan(study, document["preset"], config, cells)


def _written_out(study: str, document: Mapping[str, Any]) -> Plan:
    """Read a plan that lists its cells, without the code of the plugins behind it."""
    try:
        written = [(str(kind), dict(config)) for kind, config in document["cells"]]
        for kind in {kind for kind, _ in written}:
            load_kind(kind)  # refuses a kind that only this file names; a Cell would admit it
        cells = [Cell(kind, config) for kind, config in written]
        outside = {str(name): [*map(str, paths)] for name, paths in document["plugins"].items()}
        plugins.remember_titles(document.get("titles", {}))
        if sum(map(len, outside.values())) > MOST_PLUGIN_FILES:
            raise ValueError(f"more than {MOST_PLUGIN_FILES} files of plugins")
    except UserError:
        raise
    except (TypeError, ValueError, AttributeError, KeyError):
        raise UserError(f"the run's plan of study {study} is damaged; run it once more") from None
    return Plan(study, str(document["preset"]), document["config"], cells, outside)


def overrides(studies: Sequence[str], assignments: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Settings by study, from `key=value` or `study.key=value`.

    A bare key applies to every chosen study that has it; if none has it, that is an error.
    """
    chosen: dict[str, dict[str, Any]] = {study: {} for study in studies}
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals or not key:
            raise UserError(f"--set needs key=value, got {assignment!r}")
        for study, name in _owners(studies, key):
            chosen[study][name] = parsed(load(study).Config, name, text, where=f"study {study}")
    return chosen


def _owners(studies: Sequence[str], key: str) -> list[tuple[str, str]]:
    """The studies that a key refers to, with the setting's name in each."""
    study, dot, name = key.rpartition(".")
    if dot:
        if study not in studies:
            raise UserError(f"no study {study!r} in this run; {nearest(study, list(studies))}")
        return [(study, name)]
    fields = {s: [field.name for field in dataclasses.fields(load(s).Config)] for s in studies}
    owners = [(s, key) for s in studies if key in fields[s]]
    if not owners:
        known = sorted({name for names in fields.values() for name in names})
        raise UserError(f"no setting {key!r} in the chosen studies; {nearest(key, known)}")
    return owners
