"""A ledger kept as verdicts.json: written by export, compared with runs and with other ledgers."""

import json

import pytest

from femnets.cli import invoke


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = ["run", "slips", "--run", "r", "--jobs", "0", "--no-report", "--set", "seeds=1000,1001"]
    assert invoke(told) == 0
    return tmp_path


def test_a_kept_ledger_is_compared_with_a_run(run, cli):
    cli("export", "r", "--to", "verdicts", "--out", "kept")
    path = run / "kept" / "verdicts.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    entries = {entry["name"]: entry for entry in document["verdicts"]}
    kernel = entries["volterra-kernel"]
    assert (kernel["verdict"], kernel["standing"]) == ("fails", "confirmed")
    assert kernel["fault"] == "substantive error"
    assert kernel["part"] == "formula"
    assert kernel["declared"].startswith("2026-")
    assert entries["table-of-tau"]["verdict"] == "not testable"

    out = cli("compare", path, "r").out
    assert "have the same verdict" in out
    assert "verdicts that" not in out
    kernel |= {"verdict": "holds"}
    path.write_text(json.dumps(document), encoding="utf-8")
    (row,) = cli.json("compare", path, "r")["verdicts"]["contradictions"]
    assert row == ["volterra-kernel", "holds (confirmed)", "fails (confirmed)"]


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"verdicts": [{"name": "x"}]}', '{"verdicts": 3}']
)
def test_what_is_no_ledger_is_refused_in_one_line(tmp_path, monkeypatch, cli, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v.json").write_text(text, encoding="utf-8")
    remedy = "v.json has no valid verdicts; `femnets export RUN --to verdicts` writes such a file"
    cli.refuses(remedy, "compare", "v.json", "v.json")
    cli.refuses("cannot read absent.json", "compare", "absent.json", "v.json")
