"""Plugs from outside the package: problems, nets, optimisers, elements, baselines, studies, claims.

By path, because a command line names a file (`--problem ./mine.py`, `--set nets=./mine.py:Net`), or
by entry point, because a package is installed (`femnets.problems`, `.architectures`, `.optimizers`,
`.elements`, `.baselines`, `.studies`, `.claims`). Both end in the registry of the kind's own folder
(`add`), beside the files of that folder; what a thing must be to count as one, `bench.plugs.kinds`
says.

The registry is filled by these functions and by nothing else: a name that a run folder holds finds
code only if this process was told of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from bench.errors import UserError
from bench.plugs.files import NAME, PATH, PlugFile, digest_now, read

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from bench.plugs.kinds import Build

GROUPS = (
    "problems", "architectures", "optimizers", "elements", "baselines", "studies", "claims",
)  # fmt: skip

_files: dict[str, PlugFile] = {}  # by hash
_installed_in: dict[str, str] = {}  # by name, the module of an entry point
_studies: dict[str, PlugFile] = {}  # by name: plans call them as users do


def use(text: str) -> str:
    """The name under which a file is known from now on; text that is no path stays as it is.

    Only a command line, or Python code that means it, calls this: it executes the file. A problem
    is held against itself first (`bench.plugs.check`).
    """
    match = PATH.fullmatch(text.strip())
    if match is None:
        return text
    plug = read(match["path"])
    _files.setdefault(plug.digest, plug)
    name = plug.name(match["what"])
    _register(name)
    from bench.plugs.kinds import problem_in

    problem = problem_in(_files[plug.digest], match["what"])
    if problem is not None:
        from bench.plugs.check import require

        require(problem, match["path"])
    return name


def use_study(text: str) -> str:
    """A study from a path, called by its file name; other text stays as it is."""
    match = PATH.fullmatch(text.strip())
    if match is None:
        return text
    from bench import studies
    from bench.plugs.kinds import study_in

    plug = read(match["path"])
    if plug.stem in studies.names() and plug.stem not in _studies:
        raise UserError(f"{plug.stem!r} is a study of femnets; give {text} another name")
    studies.add(plug.stem, lambda: study_in(plug))
    try:
        studies.load(plug.stem)  # says now what is wrong with it
    except Exception:
        studies.forget(plug.stem)
        raise
    _studies[plug.stem] = plug
    return plug.stem


def used(value: Any) -> Any:
    """A value of a setting with every path in it replaced by its name: `maxwell,./mine.py`."""
    if isinstance(value, str):
        return ",".join(map(use, value.split(","))) if ".py" in value else value
    if isinstance(value, list | tuple):
        return type(value)(map(used, value))
    if isinstance(value, Mapping):
        return {name: used(item) for name, item in value.items()}
    return value


def travelling(config: Mapping[str, Any]) -> tuple[PlugFile, ...]:
    """The files that a config names: what a cell brings along to wherever it computes."""
    if not _files:
        return ()
    return tuple({plug.digest: plug for name in names_in(config) if (plug := _file(name))}.values())


def arrived(files: Iterable[PlugFile], config: Mapping[str, Any]) -> None:
    """The other end of the journey: the names of the config can be asked for."""
    for plug in files:
        _files.setdefault(plug.digest, plug)
    for name in names_in(config):
        if _file(name) is not None:
            _register(name)


def recorded(study: str, config: Mapping[str, Any]) -> dict[str, list[str]]:
    """By name, the paths of all files that a study and its config come from."""
    found = {name: plug.paths() for name in names_in(config) if (plug := _file(name))}
    if study in _studies:
        found[_studies[study].name()] = _studies[study].paths()
    return found


def file_of_study(study: str) -> str | None:
    """Where a study was read, if it is no study of the package."""
    return _studies[study].place if study in _studies else None


def changed(recorded: Mapping[str, list[str]]) -> dict[str, str]:
    """Of what `recorded` gave: the names whose files are others today, with the path. Read only."""
    found = {}
    for name, paths in recorded.items():
        now = digest_now(paths)
        if now is not None and now != name.rpartition("@")[2]:
            found[name] = paths[0]
    return found


def installed_modules(config: Mapping[str, Any]) -> tuple[str, ...]:
    """The modules of installed packages whose plugs a config names."""
    if not _installed_in:
        return ()
    values = [value for value in config.values() if isinstance(value, str)]
    return tuple(sorted({_installed_in[v] for v in values if v in _installed_in}))


def display(name: str) -> str:
    """`mine` of mine@1a2b3c4d, for titles."""
    match = NAME.fullmatch(name)
    return match["what"] if match else name


@cache
def install() -> None:
    """Registers what installed packages offer by entry points; nothing of it is loaded yet."""
    from importlib.metadata import entry_points

    from bench.plugs.kinds import registries

    for group in GROUPS:
        found = entry_points(group=f"femnets.{group}")
        if not found:
            continue
        add, built = registries()[group]
        for entry in found:
            add(entry.name, partial(_installed, built, entry))
            _installed_in[entry.name] = entry.value.partition(":")[0]


def _register(name: str) -> None:
    """With every kind: which of them a name is, whoever asks for it finds out."""
    from bench.plugs.kinds import registries

    plug = _file(name)
    assert plug is not None
    what = name.partition("@")[0]
    for group, (add, built) in registries().items():
        if group in ("studies", "claims"):
            continue
        add(name, partial(_made, built, plug, what, name))


def _made(built: Build, plug: PlugFile, what: str, name: str) -> Any:
    from bench.plugs.kinds import thing

    return built(thing(plug, what), name)


def _installed(built: Build, entry: EntryPoint) -> Any:
    return built(entry.load(), entry.name)


def _file(name: str) -> PlugFile | None:
    match = NAME.fullmatch(name)
    return _files.get(match["digest"]) if match else None


def names_in(value: Any) -> list[str]:
    """The names of files in a config, however deep."""
    if isinstance(value, str):
        return [name for name in value.split(",") if NAME.fullmatch(name)] if "@" in value else []
    if isinstance(value, Mapping):
        value = value.values()
    if isinstance(value, Iterable):
        return [name for item in value for name in names_in(item)]
    return []
