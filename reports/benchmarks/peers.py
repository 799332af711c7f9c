"""Ours beside each peer: the same data, tolerance and thread, as `extra_info` tells.

Who is ahead: where both reach the same error it is the sooner, where both take the same time the
closer; where one is ahead in both, it; else neither, and both factors are said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reports.benchmarks.entries import interval, mapping, real, source, times
from reports.benchmarks.saved import Timed
from reports.document import Block, Column, Paragraph, Picture, Table

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
        """Of that ratio, where there was more than one round."""
        if (real(self.ratio.get("rounds")) or 0) < 2:
            return None
        return interval(self.ratio.get("low"), self.ratio.get("high"))

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


def found(timed: Sequence[Timed]) -> list[Row]:
    return [
        _row(entry, name, peer_info)
        for entry in timed
        for name, peer_info in mapping(entry, "peers").items()
        if isinstance(peer_info, Mapping)
    ]


def _row(entry: Timed, name: str, peer_info: Mapping[str, Any]) -> Row:
    ratio = peer_info.get("ratio")
    return Row(
        question=entry.name.removeprefix("test_").replace("_", " ").replace("[", " ").strip("]"),
        peer=str(peer_info.get("peer") or name),
        version=str(peer_info.get("version") or "–"),
        seconds=real(peer_info.get("seconds")),
        error=real(peer_info.get("error")),
        way=str(peer_info.get("ours") or "–"),
        our_seconds=real(peer_info.get("ours_seconds", entry.median)),
        our_error=real(peer_info.get("ours_error")),
        ratio=ratio if isinstance(ratio, Mapping) else {},
    )


def headline(timed: Sequence[Timed]) -> str:
    rows = found(timed)
    if not rows:
        return ""
    count = {who: sum(row.ahead == who for row in rows) for who in ("ours", "peer", "split")}
    return (
        f"Beside peers, ours is ahead in {count['ours']} of {len(rows)} comparisons and the peer "
        f"in {count['peer']}; in {count['split']} one is sooner and the other closer."
    )


def peers(timed: Sequence[Timed]) -> list[Block]:
    rows = found(timed)
    if not rows:
        return []
    lead = (
        headline(timed) + " Peers are used as their documentation recommends. They are general "
        "codes; the path called structured knows the uniform cube, the one called general does not."
    )
    return [Paragraph(lead), *_picture(rows), _table(rows)]


def _picture(rows: Sequence[Row]) -> list[Block]:
    """Seconds of the peers over ours; the first so many, where there are more."""
    timed = [row for row in rows if row.sooner is not None][:MOST_BARS]
    if not timed:
        return []

    def draw() -> Any:
        from reports.figures.forest import Bar, forest

        bars = []
        for row in timed:
            value = row.sooner
            assert value is not None
            low, high = (real(row.ratio.get(end)) or value for end in ("low", "high"))
            way = "" if row.way == "–" else f" / {row.way}"
            text = f"{row.question}: {row.peer}{way}"
            bars.append(Bar(text, value, low, high, row.ahead))
        return forest(bars, "seconds, peer over ours")

    sooner = sum(_side(row.sooner) > 0 for row in timed)
    caption = (
        f"Ours is sooner in {sooner} of {len(timed)} comparisons. Medians of ratios round by round "
        "with their intervals; the word says who is ahead when errors count too."
    )
    return [Picture("peers-forest", caption, draw, caption, source())]


def _table(rows: Sequence[Row]) -> Table:
    columns = [
        Column("question"),
        Column("peer"),
        Column("ours"),
        Column("ahead"),
        Column("peer over ours, seconds", "ratio"),
        Column("interval"),
        Column("peer's seconds", "seconds"),
        Column("our seconds", "seconds"),
        Column("peer's error", "error"),
        Column("our error", "error"),
        Column("version"),
    ]
    cells = [
        (
            row.question,
            row.peer,
            row.way,
            row.verdict,
            row.sooner,
            row.interval,
            row.seconds,
            row.our_seconds,
            row.error,
            row.our_error,
            row.version,
        )
        for row in rows
    ]
    return Table("peers", "Peers in the same run, one thread.", columns, cells, source())
