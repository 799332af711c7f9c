"""Settings are of their declared type, wherever they come from; options follow the declaration."""

import contextlib
import dataclasses

import pytest
import typer
from typer.testing import CliRunner

from base.errors import UserError
from bench import studies
from bench.core.settings import configured, inherited, parsed, required, setting, typed
from femnets.cli._options import options_of


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config:
    n: tuple[int, ...] = (1,)
    rate: float = setting(1.0, help="A rate.", above=0, max=5)
    steps: int = setting(3, help="Steps.", min=0, panel="The end")
    fast: bool = setting(False, help="Faster.")
    names: tuple[str, ...] = ()
    limit: float | None = setting(None, help="A limit.", unset="no limit")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Child(Config):
    rate: float = inherited(Config, "rate", default=2.0)
    steps: int = required(Config, "steps")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("n", "1,2,4", (1, 2, 4)),
        ("n", "1-4,8", (1, 2, 3, 4, 8)),
        ("n", "-3, 2.0,", (-3, 2)),
        ("n", "", ()),
        ("rate", "1e-3", 1e-3),
        ("steps", "20", 20),
        ("steps", "300.0", 300),
        ("fast", "yes", True),
        ("fast", "False", False),
        ("names", "a-b, c", ("a-b", "c")),
        ("limit", "none", None),
        ("limit", "2", 2.0),
    ],
)
def test_settings_from_text(name, text, value):
    found = parsed(Config, name, text, where="here")
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("n", "one", r"must be a list of int \(1,2,4 or 1-10\), got 'one'"),
        ("n", "1-1000000000", "n of here has more than 100,000 values"),
        ("n", "1-60000,1-60000", "more than 100,000 values"),
        ("n", "10-1", "empty range 10-1; write the smaller number first"),
        ("steps", "2.5", "must be of type int"),
        ("steps", "-1", "must be at least 0, got -1"),
        ("fast", "maybe", "must be of type bool"),
        ("rate", "nan", "must be finite"),
        ("rate", "6", "must be at most 5, got 6"),
        ("rate", "none", "must be of type float, got 'none'"),
        ("limit", "inf", "must be finite"),
        ("stps", "1", "here has no setting 'stps'; did you mean 'steps'"),
    ],
)
def test_bad_settings_from_text(name, text, message):
    with pytest.raises(UserError, match=message):
        parsed(Config, name, text, where="here")


def test_settings_from_values():
    assert typed(Config, "rate", 2, where="here") == 2.0
    assert typed(Config, "n", [1, 2.0], where="here") == (1, 2)
    bad = [("n", 3), ("n", [1.5]), ("steps", True), ("fast", 1), ("names", "a"), ("rate", None)]
    for name, value in bad:
        with pytest.raises(UserError, match=name):
            typed(Config, name, value, where="here")


def test_an_inherited_field_keeps_its_range_and_a_required_one_must_be_given():
    assert configured(Child, {"steps": 2}, where="it") == Child(steps=2, rate=2.0)
    with pytest.raises(UserError, match="it needs a value for 'steps'"):
        configured(Child, {}, where="it")
    for values in ({"steps": -1}, {"steps": 1, "rate": 9}):
        with pytest.raises(UserError, match="must be at"):
            configured(Child, values, where="it")


@pytest.fixture
def app():
    app = typer.Typer()

    @app.command()
    @options_of(Child, defaults={"limit": 7.0})
    def command(given: dict, *, extra: str = "x", names: str = "") -> None:
        """What it does."""
        typer.echo(f"{sorted(given.items())} {extra}")

    return app


def test_options_hand_on_what_was_given_and_nothing_else(app):
    said = CliRunner().invoke(app, ["--steps", "4", "--no-fast", "--extra", "y"]).output
    assert said.strip() == "[('fast', False), ('limit', 7.0), ('steps', 4)] y"
    assert CliRunner().invoke(app, ["--steps", "-1"]).exit_code == 2


def test_help_shows_text_default_and_panel(app):
    told = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "160"}).output
    for words in ("What it does.", "A rate. [default: 2]", "[default: no]", "The end", "--no-fast"):
        assert words in told
    assert "[default: 7]" in told


@pytest.mark.parametrize("study", studies.names())
def test_no_value_of_a_setting_is_a_plan_or_one_line(study):
    """Every setting of every study that takes several, emptied: `--set seeds=`."""
    quick = studies.preset(study, "quick")
    names = [field.name for field in dataclasses.fields(quick)]
    for name in (name for name in names if isinstance(getattr(quick, name), tuple)):
        with contextlib.suppress(UserError):
            (made,) = studies.plan([study], "quick", {study: {name: ()}})
            assert all(cell.kind for cell in made.cells)


def test_the_empty_setting_that_a_study_trips_over_is_named():
    with pytest.raises(UserError, match="learned_tau needs a value for seeds"):
        studies.plan(["learned_tau"], "quick", {"learned_tau": {"seeds": ()}})
