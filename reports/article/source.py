"""The notation of the article: Markdown, with facts by name and guarded statements.

    ---
    title: …            authors, subtitle and `allow`: words with digits that are no results, with ;
    ---
    # Heading           the section `Abstract` is set apart; `##` is a subsection
    Text with **strong** and *emphasised* words, `code`, [links](https://…), citations [@key],
    raised exponents r^(2/3), numbers {solve/maxwell-net-error},
    {[a] / [b] | ratio} and references {fig:name}, {tab:name}.
    ::: require [a] < [b] "what the paragraph says"      stops the build unless it holds
    ::: and [c] == 0 "what else it says"                 one more condition of the same guard
    ::: when certificates/                               left out unless such facts exist
    ::: unless certificates/                             left out if they exist
    :::                                                  ends the innermost of them
    ![Caption.](figure:name)                             a figure; also `table:name`
    Table: name: Caption.                                the pipe table that follows
    ```math: words for a screen reader                   a formula in Typst's notation
    [@key]: An entry of the references.

A condition is an expression (`expressions.py`). A digit may stand in placeholders, formulas, code,
citations and the words of `allow` only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from base.errors import UserError
from reports.article.expressions import Unsupported, shown, value
from reports.article.kept import Kept
from reports.document import (
    Block,
    Column,
    Document,
    Formula,
    Items,
    Paragraph,
    Picture,
    Piece,
    Rich,
    Section,
    Table,
    slug,
)

INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|\*(?P<emphasis>[^*]+)\*"
    r"|\[(?P<cite>@[^\]]+)\]|\[(?P<text>[^\]]+)\]\((?P<link>https?://[^)]+)\)|\{(?P<fact>[^{}]+)\}"
)
REQUIRE = re.compile(r':::\s*(?P<word>require|and)\s+(?P<condition>.+?)\s+"(?P<statement>[^"]+)"$')
ENTRY = re.compile(r"\[@([\w-]+)\]:\s*(.+)")
SHOWN = re.compile(r"!\[(?P<caption>.+)\]\((?P<kind>figure|table):(?P<name>[\w-]+)\)")
CAPTION = re.compile(r"Table:\s*(?P<name>[\w-]+):\s*(?P<caption>.+)")

RAISED = re.compile(r"\^\(([^()]+)\)")
CELL = re.compile(r"\|(?![^{]*\})")  # not within a placeholder
ABSTRACT = "Abstract"
# Of a name: a picture or a table with that caption, or None where the kept run cannot make it.
Make = Callable[[str, str, str], Picture | Table | None]


@dataclass
class Reader:
    """Reads the lines of a source; what is wrong is collected, each fault with its line."""

    name: str
    kept: Kept
    make: Make
    allowed: Sequence[str] = ()
    entries: dict[str, str] = field(default_factory=dict)
    cited: list[str] = field(default_factory=list)
    referred: set[str] = field(default_factory=set)
    faults: list[str] = field(default_factory=list)

    def fault(self, line: int, what: str) -> None:
        self.faults.append(f"{self.name}:{line}: {what}")

    def text(self, raw: str, line: int) -> Rich:
        """A text with its marked pieces; its plain parts must not have digits."""
        pieces: list[Piece] = []
        end = 0
        for found in INLINE.finditer(raw):
            pieces += self._plain(raw[end : found.start()], line)
            pieces += self._marked(found, line)
            end = found.end()
        pieces += self._plain(raw[end:], line)
        return Rich.of(piece for piece in pieces if piece[1])

    def _plain(self, text: str, line: int) -> Iterator[Piece]:
        rest = text
        for word in sorted(self.allowed, key=len, reverse=True):
            rest = rest.replace(word, "")
        if found := re.search(r"\S*\d\S*", rest):
            self.fault(line, f"the digit in {found[0]!r} is typed in; quote a fact instead")
        end = 0
        for raised in RAISED.finditer(text):
            yield ("plain", text[end : raised.start()], "")
            yield ("superscript", raised[0], raised[1])
            end = raised.end()
        yield ("plain", text[end:], "")

    def _marked(self, found: re.Match[str], line: int) -> Iterator[Piece]:
        kind = found.lastgroup or ""
        if kind in ("strong", "emphasis"):
            inner = self.text(found[kind], line)
            for piece in inner.pieces:
                yield (kind if piece[0] == "plain" else piece[0], *piece[1:])  # type: ignore[misc]
        elif kind == "cite":
            yield from self._citation(found["cite"], line)
        elif kind == "link":
            yield ("link", found["text"], found["link"])
        elif kind == "fact":
            yield self._number(found["fact"], line)
        else:
            yield ("code", found["code"], "")

    def _number(self, placeholder: str, line: int) -> Piece:
        kind, _, name = placeholder.partition(":")
        if kind in ("fig", "tab"):
            self.referred.add(name)
            return ("reference", name, "")
        try:
            return ("fact", *shown(placeholder, self.kept))
        except Unsupported as error:
            self.fault(line, str(error))
            return ("plain", "?", "")

    def _citation(self, keys: str, line: int) -> Iterator[Piece]:
        yield ("plain", "[", "")
        for k, key in enumerate(re.findall(r"@([\w-]+)", keys)):
            if key not in self.entries:
                self.fault(line, f"no entry [@{key}] in the references")
                continue
            if key not in self.cited:
                self.cited.append(key)
            number = str(self.cited.index(key) + 1)
            yield ("plain", ", " if k else "", "")
            yield ("cite", number, number)
        yield ("plain", "]", "")

    def holds(self, line: int, condition: str, statement: str) -> None:
        """Notes a fault unless the kept run supports the statement."""
        try:
            if not value(condition, self.kept):
                self.fault(line, f"the kept run does not support “{statement}”: {condition}")
        except Unsupported as error:
            self.fault(line, f"“{statement}”: {error}")

    def has(self, what: str) -> bool:
        """Whether facts with this beginning exist, or the figure can be drawn."""
        kind, _, name = what.partition(":")
        if kind in ("figure", "table") and name:
            return self.make(kind, name, "") is not None
        return any(fact.startswith(what) for fact in self.kept.facts)


def read(text: str, kept: Kept, make: Make, name: str = "article.md") -> Document:
    """The document of a source; every fault of it is one line of the error."""
    about, lines = _front(text)
    reader = Reader(name, kept, make, [w.strip() for w in about.get("allow", "").split(";") if w])
    for _, line in lines:
        if entry := ENTRY.fullmatch(line):
            reader.entries[entry[1]] = entry[2]
    prose = [each for each in lines if not ENTRY.fullmatch(each[1])]
    sections = _sections(_kept_lines(reader, prose), reader)
    first = [block for s in sections if s.title == ABSTRACT for block in s.blocks]
    document = Document(
        title=about.get("title", ""),
        subtitle=about.get("subtitle", ""),
        sections=[section for section in sections if section.title != ABSTRACT],
        abstract=[block.text for block in first if isinstance(block, Paragraph)],
        authors=about.get("authors", ""),
        references=[reader.entries[key] for key in reader.cited],
    )
    _check(document, reader)
    return document


def _check(document: Document, reader: Reader) -> None:
    """Every figure is cited, every reference leads somewhere, and nothing else was wrong."""
    labels = document.labels()
    wrong = [f"{labels[name]}, {name}, is not cited" for name in labels.keys() - reader.referred]
    wrong += [f"there is no figure or table {name!r}" for name in reader.referred - labels.keys()]
    wrong += [f"[@{key}] is not cited" for key in reader.entries if key not in reader.cited]
    faults = [*reader.faults, *(f"{reader.name}: {what}" for what in sorted(wrong))]
    if faults:
        raise UserError("the article is not what the kept run says:\n" + "\n".join(faults))


Line = tuple[int, str]


def _front(text: str) -> tuple[dict[str, str], list[Line]]:
    """What stands between the first two lines of dashes, and the numbered lines after it."""
    lines = list(enumerate(text.splitlines(), start=1))
    if not lines or lines[0][1] != "---":
        return {}, lines
    end = next(k for k, (_, line) in enumerate(lines[1:], start=1) if line == "---")
    pairs = (line.partition(":") for _, line in lines[1:end])
    return {key.strip(): rest.strip() for key, _, rest in pairs}, lines[end + 1 :]


def _kept_lines(reader: Reader, lines: Sequence[Line]) -> Iterator[Line]:
    """The lines whose conditions hold; guards are tried where they stand, and part paragraphs but
    not the rows of a table."""
    inside: list[bool] = []
    last = ""
    for number, line in lines:
        if line.startswith(":::"):
            words = line.removeprefix(":::").strip()
            if not words:
                if not inside:
                    reader.fault(number, "::: ends nothing")
                else:
                    inside.pop()
            elif words.startswith(("when ", "unless ")):
                known = all(map(reader.has, words.split()[1:]))
                inside.append(all(inside) and known == words.startswith("when "))
            elif found := REQUIRE.fullmatch(line):
                if all(inside):
                    reader.holds(number, found["condition"], found["statement"])
                if found["word"] == "require":
                    inside.append(True)
                elif not inside:
                    reader.fault(number, "::: and belongs to no guard")
            else:
                reader.fault(number, f"{line!r} is neither a guard nor an end of one")
            if not last.startswith("|"):
                yield number, ""
        elif all(inside):
            yield number, (last := line)
    if inside:
        reader.fault(lines[-1][0], f"{len(inside)} guards have no end")


def _sections(lines: Iterator[Line], reader: Reader) -> list[Section]:
    """Sections with their subsections; blocks are parted by empty lines."""
    found: list[tuple[int, str, list[Block]]] = []
    for part in _parts(lines):
        number, first = part[0]
        if heading := re.fullmatch(r"(#+) (.+)", first):
            found.append((len(heading[1]), str(reader.text(heading[2], number)), []))
        elif found:
            found[-1][2].extend(_block(part, reader))
    sections: list[Section] = []
    for level, title, blocks in found:
        if level == 1 or not sections:
            sections.append(Section(title, blocks, []))
        else:
            sections[-1].subsections.append(Section(title, blocks))  # type: ignore[attr-defined]
    return sections


def _parts(lines: Iterator[Line]) -> Iterator[list[Line]]:
    """Groups of lines between empty ones; a formula is one group."""
    part: list[Line] = []
    for number, line in [*lines, (0, "")]:
        if line.strip() or (part and part[0][1].startswith("```") and part[-1][1] != "```"):
            if line.startswith("#") and part:
                yield part
                part = []
            part.append((number, line))
            if not line.startswith("#"):
                continue
        if part:
            yield part
            part = []


def _block(part: Sequence[Line], reader: Reader) -> Iterator[Block]:
    number, first = part[0]
    lines = [line for _, line in part]
    if first.startswith("```math:"):
        yield Formula(" ".join(lines[1:-1]), first.removeprefix("```math:").strip())
    elif found := SHOWN.fullmatch(" ".join(line.strip() for line in lines)):
        caption = reader.text(found["caption"], number)
        made = reader.make(found["kind"], found["name"], caption)
        if made is None:
            reader.fault(number, f"the kept run cannot make the {found['kind']} {found['name']!r}")
        else:
            yield made
    elif first.startswith("- "):
        texts = re.split(r"(?:^|\n)- ", "\n".join(lines))[1:]
        yield Items([reader.text(" ".join(text.split()), number) for text in texts])
    elif found := CAPTION.fullmatch(first):
        yield _table(part[1:], found["name"], reader.text(found["caption"], number), reader)
    else:
        yield Paragraph(reader.text(" ".join(line.strip() for line in lines), number))


def _table(part: Sequence[Line], name: str, caption: Rich, reader: Reader) -> Table:
    """A pipe table; its second line only parts the head from the rows."""
    rows = [
        [reader.text(cell.strip(), number) for cell in CELL.split(line.strip().strip("|"))]
        for number, line in part
    ]
    return Table(slug(name), caption, [Column(str(title)) for title in rows[0]], rows[2:])


def plain(text: str, kept: Kept, name: str) -> str:
    """A text of Markdown with its guards tried and its numbers filled in, for README."""
    reader = Reader(name, kept, lambda *_: None)
    lines = [line for _, line in _kept_lines(reader, list(enumerate(text.splitlines(), start=1)))]

    def number(found: re.Match[str]) -> str:
        return reader._number(found[1], 0)[1]

    made = re.sub(r"\{([^{}]+)\}", number, "\n".join(lines))
    if reader.faults:
        raise UserError("README is not what the kept run says:\n" + "\n".join(reader.faults))
    return re.sub(r"\n{3,}", "\n\n", made).strip("\n") + "\n"


def regions(readme: str, parts: Mapping[str, str]) -> str:
    """README with every region `<!-- results: NAME -->` replaced; one without a text is an
    error."""

    def fresh(found: re.Match[str]) -> str:
        if found[2] not in parts:
            raise UserError(f"README has a region {found[2]!r}; there are {', '.join(parts)}")
        return found[1] + parts[found[2]] + found[4]

    return REGION.sub(fresh, readme)


REGION = re.compile(r"(<!-- results: ([\w-]+) -->\n)(.*?)(<!-- end of results -->)", re.DOTALL)
