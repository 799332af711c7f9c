"""Cells and a study of no use but to the harness's own tests: they obey, or misbehave on cue."""
