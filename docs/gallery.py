"""The gallery: every example in examples/ that has a `figure()`, executed, with its picture.

An example is one file. Its docstring begins with a title, followed by what to see; `figure()`
returns a matplotlib figure. The pages and pictures are written when the documentation is built.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

# From five lines to what needs some patience; a file that is not listed comes last.
ORDER = (
    "error_against_h", "orders_or_meshes", "own_field", "reentrant_edge", "random_features",
    "net_on_samples", "self_scaled_pinn", "certify_pinn", "precondition_skfem",
    "deep_tanh", "bare_transformer", "lstm_copy", "record_gradients_cnn",
)  # fmt: skip


def write(folder: Path, examples: Path) -> None:
    """The pages of the examples and their overview."""
    pages = folder / "examples"
    pages.mkdir(parents=True, exist_ok=True)
    found = sorted(examples.glob("*.py"), key=_place)
    drawn = [path for path in found if "\ndef figure(" in path.read_text(encoding="utf-8")]
    for path in drawn:
        draw(path, pages / f"{path.stem}.png")
        (pages / f"{path.stem}.md").write_text("\n".join(page(path)), encoding="utf-8")
    (folder / "gallery.md").write_text("\n".join(overview(drawn)), encoding="utf-8")


def load(path: Path) -> ModuleType:
    """Execute an example's file as a module of its own."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def draw(path: Path, picture: Path) -> None:
    """Execute an example and keep its figure as a PNG."""
    import matplotlib.pyplot as plt

    figure = load(path).figure()
    figure.savefig(picture, dpi=110)
    plt.close(figure)


def page(path: Path) -> Iterator[str]:
    """The example's title, text, picture and code."""
    title, text = words(path)
    yield from (f"# {title}", "", text, "", f"![{title}]({path.stem}.png)", "")
    yield from (f"`examples/{path.name}`:", "", f"```{{literalinclude}} /../examples/{path.name}")
    yield from (":language: python", "```", "")


def overview(paths: list[Path]) -> Iterator[str]:
    """All examples with their pictures."""
    yield from ("# Examples", "", "Each is one file in `examples/`. `make docs` executes them all,")
    yield from ("and every picture is what the code made.", "")
    for path in paths:
        title, text = words(path)
        first = text.partition("\n\n")[0]
        yield from (f"## [{title}](examples/{path.stem}.md)", "", first, "")
        yield from (f"[![{title}](examples/{path.stem}.png)](examples/{path.stem}.md)", "")
    yield from ("```{toctree}", ":hidden:", "")
    yield from (*(f"examples/{path.stem}" for path in paths), "```", "")


def words(path: Path) -> tuple[str, str]:
    """The title and the text of an example, from its docstring; commands become code blocks."""
    found = re.match(r'"""(.*?)"""', path.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, f"{path.name} has no docstring"
    title, _, text = found[1].strip().partition("\n")
    text = re.sub(r"^(femnets .*)$", r"```\n\1\n```", text.strip(), flags=re.MULTILINE)
    return title.strip().rstrip("."), text


def _place(path: Path) -> tuple[int, str]:
    return (ORDER.index(path.stem) if path.stem in ORDER else len(ORDER), path.stem)
