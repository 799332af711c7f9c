"""The article: written Markdown whose numbers are facts of the kept run and whose statements are
guarded by conditions on them.

`python -m reports.article docs/paper` builds article.pdf and article.html from that folder alone,
and writes README's results. A failing guard, an unknown fact, a figure that the text does not cite
or a digit that is typed in stops the build and names the line. The notation is in `source.py`.
"""
