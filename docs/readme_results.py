"""README's results, written from the kept run: `python docs/readme_results.py`, or `make readme`.

What stands in README between `<!-- results: NAME -->` and `<!-- end of results -->` is replaced by
text made from `docs/paper/verdicts.json` and `docs/paper/results.parquet`. No number is typed in:
`tests/test_readme_results.py` makes the text anew and compares. `--pictures FOLDER` also takes the
pictures that README shows from the figures that `femnets report RUN --figures FOLDER` has written.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from base.errors import UserError
from bench.claims.arms import NAMES, PAPER
from bench.core.guards.output import write_whole
from bench.core.guards.reading import json_object, plain_bytes
from bench.store.files import StoredResult, checksum
from bench.store.parquet import read_results
from bench.store.results import Results

ROOT = Path(__file__).resolve().parent.parent
REGION = re.compile(r"(<!-- results: ([\w-]+) -->\n)(.*?)(<!-- end of results -->)", re.DOTALL)
PICTURE = re.compile(r"\]\((docs/pictures/[\w.-]+\.png)\)")
WIDTH = 104  # README's lines
MOST_BYTES = 2**24
PAPER_NETS = {name: value for name, value in PAPER.items() if name != "bias_ordering"}
SAME_TOLD = {"problem": "maxwell", "features": "x,f,phi", "samples": 12_000}


@dataclass(frozen=True)
class KeptRun:
    """The cells of the kept run itself (not of those beside it), and its ledger; `later` are the
    ledgers of runs that were held against it afterwards, by the name of their folder in its own."""

    results: Results
    document: Mapping[str, Any]
    later: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> KeptRun:
        document = json_object(plain_bytes(folder / "verdicts.json", MOST_BYTES))
        told = document["results"]
        data = plain_bytes(folder / told["file"], MOST_BYTES)
        if checksum(data) != told["checksum"]:
            raise UserError(f"{folder}: verdicts.json and {told['file']} are of different runs")
        rows = read_results(folder / told["file"])
        own = [record for run, _, record in rows if run == document["run"]]
        found = sorted(folder.glob("*/verdicts.json"))
        later = {path.parent.name: json_object(plain_bytes(path, MOST_BYTES)) for path in found}
        return cls(Results(own), document, later)


def summary(kept: KeptRun) -> Iterator[str]:
    """What was run, what the ledger says, and the headlines of the article."""
    told = kept.document["provenance"]
    machines = "; ".join(f"{m['processor']}, {m['cores']} cores" for m in told["machines"])
    cells = sum(told["cells"].get(state, 0) for state in ("done", "diverged", "stale"))
    yield paragraph(
        f"The reference run: {cells} cells{_minutes(told)} on {machines}, seeds "
        f"{_span(told['seeds'])}{_load(told)}, commit {_commits(told)}. {_verdicts(kept)}"
    )
    for line in kept.document["headlines"]:
        yield paragraph(f"- {line}", indent="  ")
    for other in kept.document["with"]:  # how many agree is among the headlines
        found = other["agreement"]["contradictions"]
        if found:
            named = ", ".join(f"`{name}`" for name, *_ in found)
            seeds = _span(other["provenance"]["seeds"])
            yield paragraph(f"Contradicted by other seeds ({seeds}): {named}.")
    for folder, other in kept.later.items():
        for against in other["with"]:
            if against["run"] == kept.document["run"]:
                yield paragraph(_held(folder, other["provenance"]["seeds"], against["agreement"]))


def _held(folder: str, seeds: Sequence[int], found: Mapping[str, Any]) -> str:
    """A run that came later: how many verdicts it shares, and which it contradicts."""
    named = ", ".join(f"`{name}`" for name, *_ in found["contradictions"]) or "none"
    return (
        f"Held against seeds {_span(seeds)} in a run of its own "
        f"([its report](docs/paper/{folder}/report.html)): of {found['tested']} claims that both "
        f"have tested {found['same']} have the same verdict; contradicted: {named}."
    )


def _minutes(told: Mapping[str, Any]) -> str:
    seconds = sum(session["seconds"] for session in told["sessions"])
    return f" in {seconds / 60:.0f} minutes" if seconds else ""


def _span(seeds: Sequence[int]) -> str:
    return f"{min(seeds)} to {max(seeds)}" if seeds else "none"


def _load(told: Mapping[str, Any]) -> str:
    """Cores that other processes took meanwhile, on the average over its sessions."""
    known = [s for s in told["sessions"] if s["other_cores"] is not None]
    seconds = sum(session["seconds"] for session in known)
    if not seconds:
        return ""
    cores = sum(session["seconds"] * session["other_cores"] for session in known) / seconds
    return f", other processes on {cores:.2f} cores meanwhile"


def _commits(told: Mapping[str, Any]) -> str:
    named = [commit[:10] + "+" * commit.endswith("+") for commit in told["commits"] if commit]
    return ", ".join(named) or "unknown"


def _verdicts(kept: KeptRun) -> str:
    """Of the claims that were tested, by verdict; and how many on seeds that no pilot had."""
    entries = [e for e in kept.document["verdicts"] if e["status"] != "not tested yet"]
    tally = Counter(entry["status"] for entry in entries)
    plural = {"holds": "hold", "does not hold": "do not hold", "depends": "depend"}
    counts = ", ".join(
        f"{n} {status if n == 1 else plural.get(status, status)}"
        for status, n in tally.most_common()
    )
    confirmed = sum(entry["standing"] == "confirmed" for entry in entries)
    return f"Of {len(entries)} claims that it tests {counts}; {confirmed} verdicts are confirmed."


def levels(kept: KeptRun) -> Iterator[str]:
    """On one field, told the same: the paper's nets and least squares."""
    nets: dict[str, list[StoredResult]] = defaultdict(list)
    for record in kept.results.select("net", **PAPER_NETS):
        c = record.config
        tau = "learned" if c["tau"] == "learned" else "fixed"
        ordering = ", bias ordering" if c["bias_ordering"] else ""
        size = f"{c['hidden']}-{c['width']}"
        nets[f"{NAMES.get(c['net'], c['net'])} {size}, τ {tau}{ordering}"].append(record)
    medians = {name: Results(found).median() for name, found in nets.items()}
    known = {name: value for name, value in medians.items() if value is not None}
    squares = {
        method: kept.results.select("baseline", method=method, **SAME_TOLD).median()
        for method in ("linear", "quadratic", "cubic")
    }
    if not known:
        return
    best = min(known, key=lambda name: known[name])
    fits = ", ".join(f"{name} {e:.2e}" for name, e in squares.items() if e is not None)
    yield paragraph(
        f"Told the same 12 000 samples of `maxwell`, L² error on the cube, medians over seeds: the "
        f"best of the paper's {len(known)} nets ({best}) {known[best]:.2e}"
        + (f"; least squares {fits}." if fits else ".")
    )


FAR = (
    ("tets", {"element": "N0"}, (128, 256, 512)),
    ("hexahedra", {"element": "hexN0"}, (128,)),
    ("p-version, order 6", {"element": "hexP", "order": 6}, (1,)),
)


def how_far(kept: KeptRun) -> Iterator[str]:
    """Best approximations of the paper's field; seconds are the method's own, on one thread."""
    yield paragraph(
        "Best approximations of `maxwell` in the reference run, each on one thread beside other "
        "cells; seconds of loading and solving, kernels compiled before."
    )
    yield "| mesh | unknowns | L² error | seconds | peak memory |\n|---|---|---|---|---|"
    for title, told, sizes in FAR:
        for n in sizes:
            found = kept.results.select("fem", problem="maxwell", solve=False, n=n, **told)
            for record in list(found)[:1]:
                v = record.values
                unknowns = f"{v['dofs']:,}".replace(",", " ")
                memory = f"{v['peak_bytes'] / 2**30:.1f} GiB"
                numbers = f"{v['l2_error']:.5e} | {_seconds(v['seconds'])} | {memory}"
                yield f"| {title}, n = {n} | {unknowns} | {numbers} |"


def _seconds(value: float) -> str:
    """Two digits, and whole seconds from ten on."""
    return f"{value:.0f}" if value >= 9.95 else f"{value:.2g}"


WRITERS: Mapping[str, Callable[[KeptRun], Iterator[str]]] = {
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


def rewritten(readme: str, kept: KeptRun) -> str:
    """README with every region made anew; one that nobody writes is an error."""

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
            raise UserError(f"there is no {source}; `femnets report RUN --figures {figures}`")
        write_whole(ROOT / target, source.read_bytes())
        taken.append(ROOT / target)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--kept", type=Path, default=ROOT / "docs" / "paper")
    parser.add_argument("--pictures", type=Path)
    told = parser.parse_args()
    readme = ROOT / "README.md"
    try:
        text = rewritten(readme.read_text(encoding="utf-8"), KeptRun.read(told.kept))
        write_whole(readme, text.encode())
        for path in [readme, *(take_pictures(text, told.pictures) if told.pictures else ())]:
            print(path.relative_to(ROOT))
    except (UserError, OSError, ValueError, KeyError) as error:
        sys.exit(f"cannot write README's results: {error}")


if __name__ == "__main__":
    main()
