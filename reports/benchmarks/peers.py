"""Our code compared with each peer on the same data, tolerance and thread.

Of two that reach the same error the faster is ahead, of two that take the same time the more
accurate; if one is faster and the other more accurate, neither is, and both factors are given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.benchmarks.saved import Timed
from reports.benchmarks.tables import SOURCE, interval, real, table, times
from reports.document import Block, Paragraph, Picture

SAME = 1.1  # errors, or times, within a tenth of each other
MOST_BARS = 40


@dataclass(frozen=True)
class Row:
    """One question, answered by a peer and by us."""

    question: str
    peer: str
    version: str
    seconds: float | None
    error: float | None
    way: str
    our_seconds: float | None
    our_error: float | None
    ratio: Mapping[str, Any]

    @property
    def sooner(self) -> float | None:
        """The peer's seconds over ours."""
        measured = real(self.ratio.get("value"))
        return measured or _over(self.seconds, self.our_seconds)

    @property
    def interval(self) -> str | None:
        """The interval of that ratio if there was more than one round."""
        if (real(self.ratio.get("rounds")) or 0) < 2:
            return None
        return interval(self.ratio)

    @property
    def closer(self) -> float | None:
        """The peer's error over ours."""
        return _over(self.error, self.our_error)

    @property
    def ahead(self) -> str:
        """`ours`, `peer`, `split` or `equal`."""
        sides = {_side(self.sooner), _side(self.closer)} - {0}
        if not sides:
            return "equal"
        return "split" if len(sides) > 1 else "ours" if sides == {1} else "peer"

    @property
    def verdict(self) -> str:
        """In words, with the factors."""
        parts = []
        for ratio, word in ((self.sooner, "sooner"), (self.closer, "closer")):
            if _side(ratio):
                assert ratio is not None
                who = "ours" if ratio > 1 else "peer"
                parts.append(f"{who} {times(ratio)} {word}")
        return ", ".join(parts) or "equal"


def _over(theirs: float | None, ours: float | None) -> float | None:
    return theirs / ours if theirs and ours else None


def _side(ratio: float | None) -> int:
    """1 where ours is ahead, −1 where the peer is, 0 where they are the same."""
    if ratio is None or 1 / SAME <= ratio <= SAME:
        return 0
    return 1 if ratio > 1 else -1


def comparisons(timed: Sequence[Timed]) -> list[Row]:
    """Every benchmark with every peer it was compared with."""
    return [
        _row(entry, name, peer) for entry in timed for name, peer in entry.mappings("peers").items()
    ]


def _row(entry: Timed, name: str, peer: Mapping[str, Any]) -> Row:
    ratio = peer.get("ratio")
    return Row(
        question=entry.name.removeprefix("test_").replace("_", " ").replace("[", " ").strip("]"),
        peer=str(peer.get("peer") or name),
        version=str(peer.get("version") or "–"),
        seconds=real(peer.get("seconds")),
        error=real(peer.get("error")),
        way=str(peer.get("ours") or "–"),
        our_seconds=real(peer.get("ours_seconds", entry.median)),
        our_error=real(peer.get("ours_error")),
        ratio=ratio if isinstance(ratio, Mapping) else {},
    )


def headline(timed: Sequence[Timed]) -> str:
    """How often each side is ahead."""
    rows = comparisons(timed)
    if not rows:
        return ""
    count = {who: sum(row.ahead == who for row in rows) for who in ("ours", "peer", "split")}
    return (
        f"Compared with peers, ours is ahead in {count['ours']} of {len(rows)} comparisons and the "
        f"peer in {count['peer']}; in {count['split']} one is sooner and the other closer."
    )


def compared(timed: Sequence[Timed]) -> list[Block]:
    """Every comparison, drawn and in a table."""
    rows = comparisons(timed)
    if not rows:
        return []
    lead = (
        headline(timed) + " Peers are used as their documentation recommends. They are general "
        "codes; the path called structured knows the uniform cube, the one called general does not."
    )
    return [Paragraph(lead), *_picture(rows), *_table(rows)]


def _picture(rows: Sequence[Row]) -> list[Block]:
    """Seconds of the peers over ours; the first so many, where there are more."""
    timed = [row for row in rows if row.sooner is not None][:MOST_BARS]
    if not timed:
        return []

    def draw() -> Any:
        from reports.figures.rows import Row as Drawn
        from reports.figures.rows import rows_in_groups

        groups: dict[str, list[Drawn]] = {}
        for row in timed:
            value = row.sooner
            assert value is not None
            low, high = (real(row.ratio.get(end)) or value for end in ("low", "high"))
            way = "" if row.way == "–" else f" / {row.way}"
            name = f"{row.peer}{way} ({row.ahead})"
            drawn = Drawn(name, "finite element/N0", value, low, high, row.ahead == "ours")
            groups.setdefault(row.question, []).append(drawn)
        return rows_in_groups(groups, "seconds, peer over ours", ratios=True)

    sooner = sum(_side(row.sooner) > 0 for row in timed)
    caption = (
        f"Ours is sooner in {sooner} of {len(timed)} comparisons. Medians of ratios round by round "
        "with their intervals; the word says who is ahead when errors count too."
    )
    return [Picture("peers-forest", caption, draw, caption, SOURCE)]


def _table(rows: Sequence[Row]) -> list[Block]:
    cells = [
        {
            "question": row.question,
            "peer": row.peer,
            "ours": row.way,
            "ahead": row.verdict,
            "ratio of seconds, peer over ours": row.sooner,
            "interval": row.interval,
            "seconds of the peer": row.seconds,
            "our seconds": row.our_seconds,
            "error of the peer": row.error,
            "our error": row.our_error,
            "version": row.version,
        }
        for row in rows
    ]
    return table("peers", "Peers in the same run, one thread.", cells)
