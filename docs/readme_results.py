"""README's results, written from the kept run: `python docs/readme_results.py`, or `make readme`.

What stands in README between `<!-- results: NAME -->` and `<!-- end of results -->` is replaced by
text that formats facts (`bench/claims/facts`) of `docs/paper/results.parquet` and verdicts of
`docs/paper/verdicts.json`. No number is typed in: `tests/test_readme_results.py` makes the text
again and compares. `--pictures FOLDER` also takes the pictures that README shows from the figures
that `femnets report RUN --figures FOLDER` has written.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from base.errors import UserError
from bench.claims.comparison import is_tested
from bench.claims.facts import Fact, all_facts
from bench.claims.facts.baselines import SQUARES
from bench.claims.facts.convergence import FAR, MEASURED
from bench.claims.facts.learned_tau import WORDS
from bench.claims.themes.reentrant import WRONG_ABOVE
from bench.core.guards.output import write_whole
from bench.core.guards.reading import json_object, plain_bytes
from bench.store.files import checksum
from bench.store.parquet import read_results
from bench.store.results import Results
from reports.formatting import scientific, show

ROOT = Path(__file__).resolve().parent.parent
REGION = re.compile(r"(<!-- results: ([\w-]+) -->\n)(.*?)(<!-- end of results -->)", re.DOTALL)
PICTURE = re.compile(r"\]\((docs/pictures/[\w.-]+\.png)\)")
WIDTH = 104  # README's lines
MOST_BYTES = 2**24


@dataclass(frozen=True)
class KeptFacts:
    """The facts of the kept run itself (not of those compared with it), and its ledger; `later` are
    the ledgers of runs that were compared with it afterwards, by the name of their folder."""

    facts: Mapping[str, Fact]
    document: Mapping[str, Any]
    later: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> KeptFacts:
        document = json_object(plain_bytes(folder / "verdicts.json", MOST_BYTES))
        file = document["results"]["file"]
        if checksum(plain_bytes(folder / file, MOST_BYTES)) != document["results"]["checksum"]:
            raise UserError(f"{folder}: verdicts.json and {file} are of different runs")
        rows = read_results(folder / file)
        own = [record for run, _, record in rows if run == document["run"]]
        facts, notes = all_facts(Results(own))
        if notes:
            raise UserError("; ".join(notes))
        paths = sorted(folder.glob("*/verdicts.json"))
        later = {path.parent.name: json_object(plain_bytes(path, MOST_BYTES)) for path in paths}
        return cls(facts, document, later)

    def values(self, prefix: str, *names: str) -> list[float] | None:
        """The values of several facts; None unless the run has all of them."""
        found = [self.facts.get(f"{prefix}{name}") for name in names]
        return [fact.value for fact in found if fact] if all(found) else None


def summary(kept: KeptFacts) -> Iterator[str]:
    """What was run, what the ledger says, and the main facts."""
    run = kept.document["provenance"]
    machines = "; ".join(f"{m['processor']}, {m['cores']} cores" for m in run["machines"])
    cells = sum(run["cells"].get(state, 0) for state in ("done", "diverged", "stale"))
    minutes = sum(session["seconds"] for session in run["sessions"]) / 60
    commits = [commit[:10] + "+" * commit.endswith("+") for commit in run["commits"] if commit]
    yield paragraph(
        f"The reference run: {cells} cells in {minutes:.0f} minutes on {machines}; seeds "
        f"{_span(run['seeds'])}; commits {', '.join(commits) or 'unknown'}. {_verdicts(kept)}"
    )
    for line in (_samples, _equation, _reentrant, _learned_tau):
        if text := line(kept.facts):
            yield paragraph(f"- {text}", indent="  ")
    for other in kept.document["with"]:
        seeds = _span(other["provenance"]["seeds"])
        yield paragraph(f"Compared with seeds {seeds}: {_agreement(other['agreement'])}")
    for folder, other in kept.later.items():
        for against in other["with"]:
            if against["run"] == kept.document["run"]:
                seeds = _span(other["provenance"]["seeds"])
                report = f"[its report](docs/paper/{folder}/report.html)"
                agreement = _agreement(against["agreement"])
                yield paragraph(f"Compared with seeds {seeds} ({report}): {agreement}")


def _agreement(found: Mapping[str, Any]) -> str:
    named = ", ".join(f"`{name}`" for name, *_ in found["contradictions"]) or "none"
    return (
        f"claims tested in both runs {found['tested']}, same verdict {found['same']}, "
        f"contradicted: {named}."
    )


def _span(seeds: Sequence[int]) -> str:
    return f"{min(seeds)} to {max(seeds)}" if seeds else "none"


def _verdicts(kept: KeptFacts) -> str:
    """Claims that were tested, by verdict; and how many on seeds that no pilot has used."""
    entries = [e for e in kept.document["verdicts"] if is_tested(e)]
    tally = Counter(entry.get("status", entry["verdict"]) for entry in entries)
    counts = ", ".join(f"{status} {number}" for status, number in tally.most_common())
    confirmed = sum(entry["standing"] == "confirmed" for entry in entries)
    return f"Claims tested: {len(entries)} ({counts}); confirmed: {confirmed}."


def _samples(facts: Mapping[str, Fact]) -> str:
    """By field the error of the best net and of the best other method from the same samples."""
    parts = []
    for name, net in facts.items():
        other = facts.get(name.replace("-net-error", "-other-error"))
        if name.endswith("-net-error") and name.startswith("baselines/") and other is not None:
            problem = name.removeprefix("baselines/").removesuffix("-net-error")
            series, _, given = other.conditions.partition("; ")
            parts.append(
                f"`{problem}` ({given}; seeds: {net.seeds}): net {scientific(net.value, 1)}, "
                f"{series} {scientific(other.value, 1)}"
            )
    if not parts:
        return ""
    return (
        "**Given samples of the field**, median L² errors where the samples lie, of the best net "
        f"and of the best other method: {'; '.join(parts)}."
    )


def _equation(facts: Mapping[str, Fact]) -> str:
    """By problem the error and time of the best net, of N₀ and of the best element."""
    parts, seeds = [], 0
    for name, fact in facts.items():
        if name.startswith("solve/") and name.endswith("-net-error"):
            start, seeds = name.removesuffix("-net-error"), fact.seeds
            reached = [
                f"{title} {scientific(error.value, 1)} after "
                f"{show(facts[f'{start}-{key}-seconds'].value, 'seconds')}"
                + (f" [{error.refused}]" if error.refused else "")
                for key, title in (("net", "net"), ("n0", "N₀"), ("element", "best element"))
                if (error := facts.get(f"{start}-{key}-error"))
            ]
            parts.append(f"`{start.removeprefix('solve/')}`: {', '.join(reached)}")
    if not parts:
        return ""
    return (
        "**Given the equation and boundary data**, L² errors on the whole domain (nets: medians, "
        f"seeds: {seeds}; elements: the smallest error computed; in brackets the rule of "
        f"`docs/fairness.md` that refuses a comparison). {'; '.join(parts)}."
    )


EDGE = {
    "nodal-elements": "nodal elements on their finest mesh",
    "edge-elements": "Nédélec elements on graded or adaptive meshes",
    "penalty-nets": "nets with the boundary condition as a penalty",
    "built-in-nets": "nets with the boundary values built in",
}


def _reentrant(facts: Mapping[str, Fact]) -> str:
    """Errors at a re-entrant edge, and how many wrong nets have a small loss."""
    known = {words: facts.get(f"reentrant/{name}") for name, words in EDGE.items()}
    parts = [
        f"{words} {100 * fact.value:.2g}\u202f%{f' ({fact.seeds} seeds)' * (fact.seeds > 1)}"
        for words, fact in known.items()
        if fact
    ]
    if not parts:
        return ""
    text = f"**Re-entrant edges.** Relative L² errors on the L-shaped prism: {'; '.join(parts)}."
    names = ("wrong-nets-with-small-loss", "wrong-nets", "right-nets")
    counts = [facts[f"reentrant/{n}"].value for n in names if f"reentrant/{n}" in facts]
    if len(counts) < len(names) or not counts[0]:
        return text
    misleading, wrong, right = counts
    return (
        f"{text} The training loss does not reveal a wrong field: {misleading:g} of {wrong:g} nets "
        f"with an error above {100 * WRONG_ABOVE:g} % have a smaller loss than the median of the "
        f"{right:g} others."
    )


def _learned_tau(facts: Mapping[str, Fact]) -> str:
    """How often a learned τ is better or worse than a fixed one, and the range of the ratios."""
    parts = []
    for prefix, words in (("tuned", "Each arm tuned"), ("equal-rate", "At equal learning rates")):
        start = f"learned_tau/{prefix}"
        if f"{start}-better" not in facts:
            continue
        counts = {name: facts[f"{start}-{name}"].value for name in WORDS.values()}
        listed = ", ".join(f"{name} {number:g}" for name, number in counts.items() if number)
        lowest, highest = (facts[f"{start}-{end}-ratio"].value for end in ("smallest", "largest"))
        parts.append(
            f"{words}, settings by result: {listed} (training errors {lowest:.2g} to {highest:.2g} "
            f"times those of a fixed τ; {facts[f'{start}-better'].seeds} seeds)."
        )
    return " ".join(["**A step size τ learned per layer.**", *parts]) if parts else ""


def levels(kept: KeptFacts) -> Iterator[str]:
    """On one field, given the same samples: the paper's nets and least squares."""
    best = kept.facts.get("training/best-net")
    if best is None:
        return
    squares = {name: kept.facts.get(f"baselines/least-squares-{name}") for name in SQUARES}
    fits = ", ".join(f"{name} {fact.value:.2e}" for name, fact in squares.items() if fact)
    yield paragraph(
        "Given the same 12 000 samples of `maxwell`, L² error on the cube, medians of "
        f"{best.seeds} seeds: the best of the paper's {kept.facts['training/nets'].value:g} nets "
        f"({best.conditions}) {best.value:.2e}; least squares {fits or 'not computed'}."
    )


def how_far(kept: KeptFacts) -> Iterator[str]:
    """Best approximations of the paper's field; seconds are the method's own, on one thread."""
    yield paragraph(
        "Best approximations of `maxwell` in the reference run, each on one thread, with other "
        "cells at the same time; seconds of loading and solving, kernels compiled before."
    )
    yield "| mesh | unknowns | L² error | seconds | peak memory |\n|---|---|---|---|---|"
    for mesh in (f"{title}, n = {n}" for title, _, sizes in FAR for n in sizes):
        found = kept.values(f"convergence/{mesh}: ", *MEASURED)
        if found:
            unknowns, error, seconds, memory = found
            numbers = f"{error:.5e} | {_seconds(seconds)} | {memory / 2**30:.1f} GiB"
            spaced = f"{unknowns:,}".replace(",", " ")
            yield f"| {mesh} | {spaced} | {numbers} |"


def _seconds(value: float) -> str:
    """Two digits, and whole seconds from ten on."""
    return f"{value:.0f}" if value >= 9.95 else f"{value:.2g}"


WRITERS: Mapping[str, Callable[[KeptFacts], Iterator[str]]] = {
    "summary": summary,
    "levels": levels,
    "how-far": how_far,
}


def paragraph(text: str, indent: str = "") -> str:
    from textwrap import fill

    return fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def joined(blocks: Sequence[str]) -> str:
    """Rows of a table and items of a list stay together; paragraphs stand apart."""
    text = ""
    for before, block in zip(["", *blocks], blocks, strict=False):
        together = before[:1] == block[:1] and block[:1] in ("|", "-")
        text += ("\n" if together else "\n\n") * bool(before) + block
    return f"{text}\n" if text else ""


def rewritten(readme: str, kept: KeptFacts) -> str:
    """README with every region written again; a region without a writer is an error."""

    def fresh(found: re.Match[str]) -> str:
        name = found.group(2)
        if name not in WRITERS:
            raise UserError(f"README has a region {name!r}; there are {', '.join(WRITERS)}")
        return found.group(1) + joined(list(WRITERS[name](kept))) + found.group(4)

    return REGION.sub(fresh, readme)


def take_pictures(readme: str, figures: Path) -> list[Path]:
    """The pictures that README shows, from a folder of figures."""
    taken = []
    for target in PICTURE.findall(readme):
        source = figures / Path(target).name
        if not source.is_file():
            raise UserError(f"there is no {source}; run `femnets report RUN --figures {figures}`")
        write_whole(ROOT / target, source.read_bytes())
        taken.append(ROOT / target)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kept", type=Path, default=ROOT / "docs" / "paper")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    readme = ROOT / "README.md"
    try:
        text = rewritten(readme.read_text(encoding="utf-8"), KeptFacts.read(options.kept))
        write_whole(readme, text.encode())
        for path in [readme, *(take_pictures(text, options.pictures) if options.pictures else ())]:
            print(path.relative_to(ROOT))
    except (UserError, OSError, ValueError, KeyError) as error:
        sys.exit(f"cannot write README's results: {error}")


if __name__ == "__main__":
    main()
