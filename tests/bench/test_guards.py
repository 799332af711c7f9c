"""What stands between femnets and files, flags and terminals."""

import io
import json
import os
import sys
import zipfile

import numpy as np
import pytest

from base.errors import UserError
from base.registry import FILES
from bench.core.guards.output import file_for, folder_for, written_whole
from bench.core.guards.reading import Unfit, arrays, json_object, plain_bytes
from bench.core.guards.sizes import check_memory, check_numbers
from bench.core.guards.streams import Guarded
from bench.core.guards.text import lines, one_line, printable, shell_command
from bench.core.plugins import admit, check_admitted, is_module_name
from bench.store.files import SCHEMA, _npz

HOSTILE = "a\x1b]0;title\x07b\r\x9b2J\u202ec\udcff\x00"


def test_text_from_outside_is_shown_by_number():
    shown = printable(HOSTILE)
    assert shown.isprintable()
    assert shown == r"a\x1b]0;title\x07b\x0d\x9b2J\u202ec\udcff\x00"
    assert printable("∂J/∂τ [bold] $x$") == "∂J/∂τ [bold] $x$"
    assert one_line("a\n b\tc") == "a b c"
    assert lines("a\r\nb\x1b[2J") == "a\nb\\x1b[2J"


def test_commands_to_copy_are_quoted():
    assert shell_command("femnets", "run", "--run", "a b; rm -rf $HOME") == (
        "femnets run --run 'a b; rm -rf $HOME'"
    )


@pytest.mark.parametrize("terminal", [True, False])
def test_a_guarded_stream_passes_only_our_own_sequences(terminal):
    class Stream(io.StringIO):
        def isatty(self):
            return terminal

    stream = Stream()
    Guarded(stream).write("\x1b[31mred\x1b[0m \x1b]0;title\x07\n")
    colours = "\x1b[31mred\x1b[0m" if terminal else r"\x1b[31mred\x1b[0m"
    assert stream.getvalue() == colours + " \\x1b]0;title\\x07\n"


@pytest.mark.parametrize(
    "name", ["x" * 300 + ".png", "no/dir.png", "folder.png", "a.txt", "\0.png"]
)
def test_a_target_that_cannot_be_written_is_refused_first(tmp_path, name):
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(UserError, match="--plot"):
        file_for(tmp_path / name, "--plot", ".png")
    assert os.listdir(tmp_path) == ["folder.png"]


@pytest.mark.parametrize("name", ["y" * 251 + ".png", "\udcff.png", "plain.png", "link.png"])
def test_targets_with_odd_names_are_written_whole(tmp_path, name):
    (tmp_path / "link.png").symlink_to(tmp_path / "target.png")
    (tmp_path / "target.png").write_bytes(b"")
    file_for(tmp_path / name, "--plot", ".png")
    with written_whole(tmp_path / name) as part:
        part.write_bytes(b"whole")
    assert (tmp_path / name).read_bytes() == b"whole"
    assert not [entry for entry in os.listdir(tmp_path) if entry.startswith(".")]


def test_what_fails_while_writing_leaves_the_old_file(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")
    full = pytest.raises(UserError, match=r"cannot write .*out.csv: No space left")
    with full, written_whole(path) as part:
        part.write_text("half")
        raise OSError(28, "No space left on device")
    with pytest.raises(ZeroDivisionError), written_whole(path) as part:
        print(part.write_text("half") // 0)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    for place in ("file", "file/below"):
        with pytest.raises(UserError, match="cannot write"):
            folder_for(tmp_path / place, "--out")


def test_only_regular_files_are_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "real").write_text("x")
    assert plain_bytes(tmp_path / "real") == b"x"
    for name in ("pipe", "."):
        with pytest.raises(Unfit, match=r"is a directory|is not a regular file"):
            plain_bytes(tmp_path / name)
    with pytest.raises(Unfit, match="more than"):
        plain_bytes(tmp_path / "real", 0)


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"a": NaN}', '{"a": 1e999}', '{"a": ' + "9" * 30 + "}", "\xff",
             '{"a": ' + "[" * 40 + "]" * 40 + "}", '{"a": ' + "[" * 10**5 + "]" * 10**5 + "}"]
)  # fmt: skip
def test_json_out_of_bounds_is_refused(text):
    with pytest.raises(Unfit):
        json_object(text.encode("latin-1"))
    assert json_object(b'{"a": [1, 2.5, null]}') == {"a": [1, 2.5, None]}


def test_arrays_come_back_and_nothing_else_does():
    wanted = {"x": np.eye(3), "n": np.array(7), "c": np.asfortranarray(np.ones((2, 3), complex)),
              "empty": np.zeros((0, 4))}  # fmt: skip
    found = arrays(_npz(wanted))
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
    pickled, bomb = io.BytesIO(), io.BytesIO()
    np.savez(pickled, x=np.array([{}], dtype=object))
    np.savez_compressed(bomb, x=np.zeros(10**6))
    for data in (pickled.getvalue(), bomb.getvalue(), b"", b"PK\x03\x04" + bytes(40)):
        with pytest.raises(Unfit):
            arrays(data)


@pytest.mark.parametrize("shape", [(10**15,), (-1,), (3, 3)])
def test_an_array_that_claims_another_size_is_refused(shape):
    header, buffer = io.BytesIO(), io.BytesIO()
    claim = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, claim)
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("x.npy", header.getvalue() + bytes(64))
    with pytest.raises(Unfit, match=r"not a valid \.npz file"):
        arrays(buffer.getvalue())


def test_numbers_that_do_not_exist_and_sizes_that_do_not_fit():
    check_numbers({"n": 3, "tol": 1e-8, "names": ["a"], "flag": True, "none": None})
    for value in (float("nan"), float("inf"), [1.0, float("-inf")], 2**64):
        with pytest.raises(UserError, match="--time-limit must"):
            check_numbers({"time_limit": value})
    with pytest.raises(UserError, match=r"a mesh needs about .* GiB"):
        check_memory(10**18, "a mesh", "take a smaller n")


def test_modules_outside_are_imported_only_if_somebody_names_them():
    with pytest.raises(UserError, match="named only in a run folder"):
        check_admitted("somebody.elses", "study")
    check_admitted(admit("named.here"), "study")
    assert is_module_name("a.b")
    assert not any(map(is_module_name, ("plain", "../up", "a..b", ".a", "a.b-c")))


def test_a_plan_that_was_edited_is_left_out_and_named(shell):
    from bench.store.files import sealed

    shell.inside("run", "slips", "--set", "seeds=0", "--run", "r", "--jobs", "0", "--no-report")
    plans = shell.directory / "runs/r/studies"
    (plans / "this.x.json").write_bytes(
        sealed({"schema": SCHEMA, "study": "this.x", "preset": "quick", "config": {}})
    )
    (plans / "convergence.json").write_bytes(b"{}")
    told = json.loads(shell.inside("status", "r", "--json").stdout)
    assert set(told["unreadable_plans"]) == {"this.x", "convergence"}
    assert told["counts"]["done"] == 1
    assert "named only in a run folder" in shell.inside("status", "r").stdout


def test_resume_computes_what_the_run_remembers(shell):
    shell.inside("run", "slips", "--set", "seeds=0-1", "--run", "r", "--jobs", "0", "--no-report")
    cells = sorted((shell.directory / "runs/r/cells/slips").iterdir())
    (cells[0] / "cell.json").write_bytes(b"")
    assert "femnets run --resume --run r" in shell.inside("status", "r").stdout
    exported = shell.inside("export", "r", "--to", "csv")
    assert "left out: damaged cell slips/" in exported.stderr
    again = shell.inside("run", "--resume", "--run", "r", "--jobs", "0", "--no-report")
    assert again.returncode == 0, again.stderr
    assert json.loads(shell.inside("status", "r", "--json").stdout)["counts"]["done"] == 2


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero (study_of_mine.py, line 1)"),
        ("import sys\nsys.exit(7)", "SystemExit: 7 (study_of_mine.py, line 2)"),
        ("import no_such_thing_at_all", "No module named 'no_such_thing_at_all'"),
        ("def", "SyntaxError: invalid syntax"),
    ],
)
def test_code_from_outside_that_fails_is_one_line(tmp_path, monkeypatch, body, said):
    (tmp_path / "outer").mkdir()
    (tmp_path / "outer/study_of_mine.py").write_text(body)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError) as refusal:
        FILES[admit("outer.study_of_mine")]()
    assert str(refusal.value).startswith("outer.study_of_mine cannot be imported: ")
    assert said in str(refusal.value)
    with pytest.raises(UserError, match=r"no module 'outer\.other' on the path"):
        FILES[admit("outer.other")]()
    monkeypatch.delitem(sys.modules, "outer")
