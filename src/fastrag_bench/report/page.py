"""One HTML page that holds a whole sweep: no network, no other file, sortable, filterable, down to single chunks."""

from __future__ import annotations

import base64
import gzip
import json
from html import escape
from importlib.resources import files

from fastrag_bench.report.content import Content

SECTIONS = (
    ("runs", "Runs"),
    ("factors", "What each setting is worth"),
    ("plots", "Quality against cost"),
    ("heat", "Two settings at once"),
    ("spread", "Distributions"),
    ("funnel", "Where misses happen"),
    ("questions", "Questions"),
    ("failures", "Failed combinations"),
)


def html_report(content: Content, *, title: str = "Comparison") -> str:
    """The page. Its data are gzip in base64, read by the browser itself; without JavaScript the answer still shows.

    Args:
        content: what to show.
        title: of the page.
    """
    packed = base64.b64encode(gzip.compress(json.dumps(content, ensure_ascii=False).encode(), 9, mtime=0)).decode()
    answer = "".join(f"<p>{escape(sentence)}</p>" for sentence in content["answer"])
    notes = "".join(f"<li>{escape(note)}</li>" for note in content["notes"])
    sections = "".join(
        f'<section id="{name}" aria-labelledby="{name}-h"><h2 id="{name}-h">{label}</h2>'
        '<div class="body"></div></section>'
        for name, label in SECTIONS
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{escape(title)}</title>
<style>
{_asset("page.css")}</style>
</head>
<body>
<header><h1>{escape(title)}</h1><p>{escape(content["header"])}</p></header>
<main>
<div id="answer">{answer}</div>
<details id="notes"><summary>{len(content["notes"])} notes</summary><ul>{notes}</ul></details>
<noscript><p>The tables below need JavaScript; nothing is loaded from elsewhere.</p></noscript>
{sections}
</main>
<script id="data" type="text/plain">{packed}</script>
<script>
{_asset("page.js")}</script>
</body>
</html>
"""


def _asset(name: str) -> str:
    return (files("fastrag_bench.report") / "assets" / name).read_text(encoding="utf-8")
