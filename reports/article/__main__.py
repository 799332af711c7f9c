"""`python -m reports.article docs/paper`: the article; with `--readme README.md` its results."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from base.errors import UserError
from bench.core.guards.output import write_whole
from reports.article.figures import FIGURES, make
from reports.article.kept import Kept
from reports.article.source import REGION, plain, read, regions
from reports.document import Document

ARTICLE, README = "article.md", "readme.md"


def document_of(folder: Path, kept: Kept) -> Document:
    """The article of a folder, checked against what the kept run says."""
    text = (folder / ARTICLE).read_text(encoding="utf-8")
    return read(text, kept, partial(make, kept=kept), ARTICLE)


def build(folder: Path) -> list[Path]:
    """Write article.pdf and article.html, and return their paths."""
    from reports.html import render_html
    from reports.pdf import render_pdf

    document = document_of(folder, Kept.read(folder))
    made = {"article.pdf": render_pdf(document), "article.html": render_html(document).encode()}
    for name, data in made.items():
        write_whole(folder / name, data)
    return [folder / name for name in made]


def write_readme(folder: Path, readme: Path) -> Path:
    """Fill README's regions from the parts of readme.md, between lines as README has them."""
    kept = Kept.read(folder)
    source = (folder / README).read_text(encoding="utf-8")
    parts = {name: plain(text, kept, README) for _, name, text, _ in REGION.findall(source)}
    write_whole(readme, regions(readme.read_text(encoding="utf-8"), parts).encode())
    return readme


def write_picture(folder: Path, name: str, path: Path) -> Path:
    """One figure of the article as a PNG."""
    from reports.document import Picture
    from reports.style import drawn, saved

    draw = FIGURES[name](Kept.read(folder).results)
    if draw is None:
        raise UserError(f"the kept run cannot make the figure {name!r}")
    with drawn(Picture(name, "", draw), text_as_text=False) as figure:
        write_whole(path, saved(figure, "png", dpi=144))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--readme", type=Path, help="only fill the results of this README")
    parser.add_argument("--picture", nargs=2, metavar=("NAME", "FILE"), help="only one figure")
    options = parser.parse_args()
    try:
        if options.readme:
            paths = [write_readme(options.folder, options.readme)]
        elif options.picture:
            paths = [write_picture(options.folder, options.picture[0], Path(options.picture[1]))]
        else:
            paths = build(options.folder)
    except (UserError, OSError) as error:
        sys.exit(f"cannot write the article: {error}")
    print(*paths, sep="\n")


if __name__ == "__main__":
    main()
