"""What an author would check before sending a report out; each finding is one line.

Our own tests let none of them pass; a user's report is compiled all the same, with a warning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from reports.document import Document, Missing, Paragraph, Picture, Table, slug
from reports.pdf import CHARACTERS, SMALLEST, narrowest

HEAVIEST_BYTES = 10_000_000


def findings(document: Document) -> list[str]:
    """What is wrong with the document itself."""
    return [
        *_wide(document),
        *_twice(document),
        *_leads(document),
        *_empty(document),
        *_astray(document),
    ]


def weight(name: str, data: bytes) -> list[str]:
    """Whether a finished file is heavier than a reader should have to load."""
    if len(data) <= HEAVIEST_BYTES:
        return []
    return [f"{name} has {len(data) / 1e6:.1f} MB, more than {HEAVIEST_BYTES / 1e6:.0f}"]


def _wide(document: Document) -> Iterator[str]:
    """Tables that would leave their page even in the smallest letters."""
    for _, section in document.walk():
        for block in section.blocks:
            if isinstance(block, Table) and narrowest(block) * SMALLEST / 0.92 > CHARACTERS:
                yield f"table {block.name} is wider than its page: {narrowest(block):.0f}"


def _twice(document: Document) -> Iterator[str]:
    named = [b for _, s in document.walk() for b in s.blocks if isinstance(b, Picture | Table)]
    names = Counter(slug(block.name) for block in named)
    names += Counter(section.anchor for _, section in document.walk())
    for name, times in names.items():
        if times > 1:
            yield f"the name {name} is used {times} times"


def _leads(document: Document) -> Iterator[str]:
    """Sections of the top level begin with a sentence."""
    for section in document.sections:
        if section.blocks and not isinstance(section.blocks[0], Paragraph | Missing):
            yield f"section {section.title} has no sentence to begin with"


def _astray(document: Document) -> Iterator[str]:
    """References to figures and tables that the document does not have."""
    known = document.labels()
    for _, section in document.walk():
        for block in section.blocks:
            text = block.text if isinstance(block, Paragraph) else getattr(block, "caption", "")
            for name in REFERENCE.findall(text):
                if name not in known:
                    yield f"section {section.title} refers to {name}, which is not there"


REFERENCE = re.compile(r"\[\[([a-z0-9-]+)\]\]")


def _empty(document: Document) -> Iterator[str]:
    for _, section in document.walk():
        for block in section.blocks:
            if isinstance(block, Table) and not block.rows:
                yield f"table {block.name} has no rows"
            if isinstance(block, Picture) and not block.caption.strip():
                yield f"figure {block.name} has no caption"
