"""`femnets fem` as users call it."""

import json

import pytest

from base.errors import UserError
from femnets.cli import invoke
from femnets.cli.fem import parse_sizes


def run(*arguments):
    return invoke(["fem", *arguments])


def test_json_is_one_document_and_nothing_else(capsys):
    assert run("--n", "2,4", "--json") == 0
    document = json.loads(capsys.readouterr().out)
    first, last = document["rows"]
    assert document["problem"] == "maxwell"
    assert (first["n"], last["n"]) == (2, 4)
    assert last["l2_error"] == pytest.approx(5.84255e-3, rel=1e-5)
    assert first["l2_rate"] is None
    assert 0.8 < last["l2_rate"] < 1
    assert {
        "h", "dofs", "hcurl_error", "l2_relative", "hcurl_relative", "hcurl_rate", "iterations",
        "residual", "seconds", "seconds_per_phase", "dofs_per_second", "peak_bytes", "element",
        "solver", "threads",
    } <= last.keys()  # fmt: skip


def test_the_table_fits_a_terminal(capsys):
    assert run("--n", "1-2", "--element", "hexN0", "--problem", "screen") == 0
    out = capsys.readouterr().out
    assert "screen, element hexN0" in out
    assert max(len(line) for line in out.splitlines()) <= 80


@pytest.mark.parametrize(
    ("text", "sizes"),
    [("1,2,4", [1, 2, 4]), ("1-4", [1, 2, 3, 4]), ("8, 2-3,2", [2, 3, 8])],
)
def test_sizes(text, sizes):
    assert parse_sizes(text) == sizes


@pytest.mark.parametrize("text", ["", "a", "2.5", "0", "4-2", "-3", "1,,2", "1-1000000000"])
def test_sizes_that_are_none(text):
    with pytest.raises(UserError, match=r"^--n (takes|has|must) "):
        parse_sizes(text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n", "0"], "--n must be at least 1, got '0'"),
        (["--n", "2", "--element", "N00"], "unknown element 'N00'"),
        (["--n", "2", "--solver", "none"], "unknown solver 'none'"),
        (["--n", "2", "--problem", "maxwel"], "did you mean 'maxwell'?"),
        (["--n", "9000"], "the largest n that fits is"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, capsys):
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert len(captured.err.splitlines()) == 1


def test_halvings_that_do_not_fit_are_refused_before_they_are_made(tmp_path, capsys):
    assert run("--n", "1", "--vtu", str(tmp_path / "mesh.vtu")) == 0
    assert run("--mesh", str(tmp_path / "mesh.vtu"), "--refine", "20") == 2
    assert "after 20 halvings needs" in capsys.readouterr().err
    assert run("--n", "1", "--refine", "2147483648") == 2
    assert "less than or equal to 30" in capsys.readouterr().err
