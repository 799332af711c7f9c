"""The command line in this process: what it prints, its JSON document, and what it refuses."""

import json

import pytest

from femnets.cli import invoke


class Cli:
    """`cli("fem", "--n", 2)` runs a command and returns what it wrote to stdout and stderr."""

    def __init__(self, capsys):
        self.capsys = capsys

    def __call__(self, *arguments, code=0):
        self.capsys.readouterr()
        assert invoke([str(argument) for argument in arguments]) == code
        return self.capsys.readouterr()

    def json(self, *arguments, code=0):
        """The one JSON document on stdout; NaN or a second document would be an error."""
        out = self(*arguments, "--json", code=code).out
        return json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))

    def refuses(self, words, *arguments):
        """Exit code 2 and one line that says what is wrong; nothing on stdout."""
        captured = self(*arguments, code=2)
        assert captured.out == ""
        assert words in captured.err
        assert captured.err.count("\n") == 1


@pytest.fixture
def cli(capsys):
    return Cli(capsys)
